"""`main_points`: answer a question from one paper, through the points that the paper makes.

qa = MainPoints()
qa(question="Does low pH shorten yeast lifespan?", paper=read("paper.pdf")).answer

points of the whole paper → matching chunks, and those that answer the question by the learned order → 6,000 tokens →
numbered sentences → cited answer → verify; where the order reads, its best sentences are the points
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import dspy
from dspy.utils.exceptions import ContextWindowExceededError

from programs.answering import SHORT_PROMPT, Answering, FromEvidence, usual_prompts
from programs.errors import UsageError, check_least
from programs.ingest.chunking import Chunking
from programs.ingest.document import Document
from programs.ingest.paper_formats import READERS
from programs.ingest.plain_text import document_of
from programs.passages import Passage, shown
from programs.passages.asked import Asked
from programs.passages.evidence import Evidence
from programs.passages.passage_selection import Limits, fitting, tokens
from programs.passages.point_matching import Match, Matcher, of_paper, windows
from programs.program import AnsweringParameters, Program, attempt, reader_name
from programs.progress import report_step
from programs.results.result import concluded
from programs.retrieval.reranking import cross_encoder
from programs.translation import InEnglish
from signatures.labelling import ChooseLabel
from signatures.main_points import ExtractPoints
from signatures.passages import as_data

if TYPE_CHECKING:
    from programs.retrieval.embedder import Embedder


_OPEN = re.compile(r"not[ _]enough|insufficient|unverifiable|^nei$", re.IGNORECASE)
"""Labels that stay true when nothing was found; maybe is not one of them, which claims that something was."""


class Labelling(dspy.Module):
    """The step as a module, so that its prompt is compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.choose = dspy.Predict(ChooseLabel)

    def forward(self, passages: Sequence[Passage], question: str, choices: Sequence[str], num_tries: int = 1) -> str:
        """Choose one of the labels by passages.

        Without passages the model is not asked, and it is what says that there is too little to answer from, or empty
        where none does.

        Raises:
            UsageError: There are fewer than two different labels.
            MalformedOutput: No attempt gave one of them.
        """
        if len(set(choices)) < 2:
            raise UsageError(f"choices must be at least two different labels, got {list(choices)}")
        if not passages:
            return next((choice for choice in choices if _OPEN.search(choice)), "")
        report_step("label", f"Choosing among {', '.join(choices)}")
        signature = self.choose.signature.with_updated_fields("label", type_=Literal[tuple(choices)])
        inputs = {"passages": shown(passages), "question": as_data(question)}
        return str(attempt(self.choose, num_tries, signature=signature, **inputs).label)


CHUNKS = Chunking("passages", 100)
"""How a paper is cut: whole sentences, a table with its caption, header and notes."""

_OVERLAP = 0.1
"""Share of a part of a long paper that the next part repeats, so that no point is cut in two."""

_LONGEST_PATH = 4_096
"""Characters that the name of a file has at most."""

_SHORTEST_PART = 1_000
"""Characters below which a part is not halved again: then the model's context is the problem, not the paper."""


@dataclass(frozen=True, slots=True)
class MainPointsParameters(AnsweringParameters):
    """What `main_points` can be tuned by, beside what all can.

    Without a cross-encoder the points alone choose what is shown.

    Attributes:
        threshold: Squared Euclidean distance between unit vectors that a chunk must stay strictly under to match a
            point; 0.4 is a cosine similarity of 0.8.
        num_chunks_per_point: Chunks that a point may bring, at least 1.
        window_size: Chunks a passage spans: the match and ``window_size // 2`` neighbours on either side; at least 1.
    """

    threshold: float = 0.4
    num_chunks_per_point: int = 1
    window_size: int = 3

    def __post_init__(self) -> None:
        AnsweringParameters.__post_init__(self)
        if not 0 < self.threshold <= 4:
            raise UsageError(f"threshold must be in (0, 4], got {self.threshold}")
        check_least(self, num_chunks_per_point=1, window_size=1)

    @classmethod
    def seed(cls) -> MainPointsParameters:
        """The numbers of the system as its author described it: the points alone choose what is shown."""
        return cls(cross_encoder="", max_iterations=3)


class MainPoints(Program[MainPointsParameters]):
    """One paper, one question; the embedder is by default the configured model."""

    name: ClassVar[str] = "main_points"

    def __init__(self, embedder: Embedder | None = None, parameters: MainPointsParameters | None = None) -> None:
        super().__init__(parameters or MainPointsParameters())
        self._ordered, self._seeds = Matcher(embedder, CHUNKS), Matcher(embedder)
        self.in_english = InEnglish()
        self.extract = dspy.ChainOfThought(ExtractPoints)
        self.answer = Answering()
        self.labelling = Labelling()

    def run(self, question: str, paper: Document | str, choices: Sequence[str] = ()) -> dspy.Prediction:
        """Answer a question from a paper.

        Args:
            question: In any language; the answer comes in the same.
            paper: A document, or its bare text.
            choices: Labels of which one is the answer, such as yes, no and maybe.

        Returns:
            The result described in the README; ``points`` holds the points, matched or not, ``notes`` that an answer
            was withheld, and ``label`` the chosen one of the choices, empty without them or without a passage. The
            label is chosen from the passages, whether or not there is an answer in words.

        Raises:
            UsageError: The question or the paper is empty.
            MalformedOutput: A step's output did not parse in ``num_tries`` tries.
        """
        document, settings = _paper(paper), self.settings
        asked = self.in_english(Asked.of(question, choices, source="paper"), settings.num_tries)
        limits, is_asked = settings.limits, self._asks_for_points()
        points = self._points(document.evidence_text, question) if is_asked else []
        while True:
            matches = self.matcher.match(document, points, settings.threshold, settings.num_chunks_per_point)
            passages = self._passages(document, asked.searched, matches, limits) if points or not is_asked else []
            report_step("match", f"{len(points)} points are in {len(passages)} passages", points=len(points))
            try:
                answered: FromEvidence = self.answer(passages, asked, settings)
                break
            except ContextWindowExceededError:  # half of the passages, or points of the points
                half = limits.halved() if settings.cross_encoder else None
                fewer = points if half else self._points("\n".join(points), question)
                if half is None and len(fewer) >= len(points):
                    raise
                points, limits = fewer, half or settings.limits
        doubled = max(0, len(matches) - len(passages))
        lost = [] if settings.cross_encoder else _lost(points, matches)  # the order finds what points do not
        if not is_asked:
            points = [each.text for each in answered.selected]
        notes = [*lost, *answered.notes]
        found = concluded(asked, answered.verified, settings.least_coverage, notes, points=points, dedup_count=doubled)
        found.label = ""
        if asked.choices:
            shown = fitting(found.passages, settings.room)
            found.label = self.labelling(shown, question, asked.choices, settings.num_tries)
        return found

    def prepare(self, *, paper: Document | str = "", **_: Any) -> None:  # noqa: ANN401 - inputs that need nothing
        """Embed the paper's chunks, which are kept for the questions that follow on it."""
        if isinstance(paper, Document):
            self.matcher.chunks(paper)

    def prompts(self, *, paper: Document | str = "", choices: Sequence[str] = (), **_: Any) -> list[int]:  # noqa: ANN401 - inputs that need nothing
        """About how many tokens each call reads: of the whole paper where its points are asked for."""
        text = paper.evidence_text if isinstance(paper, Document) else str(paper)
        points = [SHORT_PROMPT + round(tokens(text))] if self._asks_for_points() else []
        labelled = [SHORT_PROMPT + (self.settings.room or self.settings.passage_tokens)] if choices else []
        return [*points, *usual_prompts(self.settings), *labelled]

    def _asks_for_points(self) -> bool:
        """Whether points are extracted from the whole paper; else they are the sentences that the order puts first.

        Without a model they cost nothing, and bring the passages around them.
        """
        return not self.settings.cross_encoder or self.settings.for_model().reader != "order" or not reader_name()

    @property
    def matcher(self) -> Matcher:
        """What matches points to chunks; without a cross-encoder these are the seed's, which cut a table into rows."""
        return self._ordered if self.settings.cross_encoder else self._seeds

    def _points(self, text: str, question: str) -> list[str]:
        """The points of the whole paper; a paper that exceeds the context is read in overlapping parts."""
        report_step("points", f"Reading {len(text.split()):,} words for points that matter")
        try:
            step = attempt(self.extract, self.settings.num_tries, paper=as_data(text), question=as_data(question))
        except ContextWindowExceededError:
            if len(text) < _SHORTEST_PART:
                raise
            middle, overlap = len(text) // 2, int(len(text) * _OVERLAP / 2)
            parts = (text[: middle + overlap], text[middle - overlap :])
            return list(dict.fromkeys(point for part in parts for point in self._points(part, question)))
        return [point.strip() for point in step.points or () if point.strip()]

    def _passages(self, document: Document, question: str, matches: list[Match], limits: Limits) -> list[Passage]:
        parameters, chunks = self.settings, self.matcher.chunks(document)
        encoder = cross_encoder(parameters.cross_encoder)
        if encoder is None:
            return windows(document, chunks, matches, parameters.window_size)
        ranked = of_paper(document, chunks, matches, question, encoder, parameters.window_size)
        return Evidence.of(ranked, limits, {document.id: document}.__getitem__).passages


def _lost(points: Sequence[str], matches: Sequence[Match]) -> list[str]:
    """That points are in no passage, which the answer then lacks."""
    matched = {each.point for each in matches}
    lost = [f"“{point}”" for number, point in enumerate(points) if number not in matched]
    if not lost:
        return []
    return [f"{len(lost)} of {len(points)} points were found in no passage of the paper: {', '.join(lost)}."]


def run(
    query: str,
    paper_text: str,
    model: str = "gpt-oss",
    num_predict: int = 4000,
    num_tries: int = 1,
    threshold: float = 0.4,
    num_chunks_per_point: int = 1,
    window_size: int = 3,
    max_iterations: int = 3,
    verbose: bool = False,
) -> tuple[str, list[str]]:
    """Answer a query from a paper's text, in one call.

    Args:
        query: The question.
        paper_text: The full text of the paper.
        model: A bare name is a model of the local Ollama server; else as ``programs.LM`` takes it.
        num_predict: Tokens of each of the model's answers at most.
        num_tries: Attempts at a step whose output does not parse.
        threshold: Squared Euclidean distance between the unit vectors of a point and a chunk (0.4 is a cosine
            similarity of 0.8); a chunk is kept when strictly under it.
        num_chunks_per_point: Chunks that a point may bring.
        window_size: Chunks that a passage spans.
        max_iterations: Rounds of repair at most.
        verbose: Print each step as it happens, on stderr.

    Returns:
        The answer, empty when the paper does not hold it, and the passages it was written from; ``[1]`` in the answer
        cites the first of them.
    """
    from programs.lm import LM
    from programs.progress import Narrator

    name = model if "/" in model or model == "extractive" else f"ollama/{model}"
    parameters = replace(
        MainPointsParameters.seed(),
        threshold=threshold,
        num_chunks_per_point=num_chunks_per_point,
        window_size=window_size,
        max_iterations=max_iterations,
        num_tries=num_tries,
    )
    options = {"num_predict": num_predict} if name.startswith("ollama/") else {"max_tokens": num_predict}
    callbacks = [*(dspy.settings.callbacks or []), *([Narrator()] if verbose else [])]
    with dspy.context(lm=LM(name, temperature=0.0, **options), callbacks=callbacks):
        prediction = MainPoints(parameters=parameters)(question=query, paper=paper_text)
    return prediction.answer, [passage.text for passage in prediction.passages]


def _paper(paper: Document | str) -> Document:
    """What was given as a paper, as a document."""
    if not isinstance(paper, Document | str):
        raise UsageError(f"paper={paper!r} is not a paper; give what programs.read returns, or a text")
    if not (paper.text if isinstance(paper, Document) else paper).strip():
        raise UsageError("the paper has no text; give the whole text of a paper")
    if isinstance(paper, Document):
        return paper
    if _is_path(paper):
        raise UsageError(f"{paper} is a path, not a paper's text; give paper=programs.read({paper!r})")
    return document_of(paper, f"text-{hashlib.sha256(paper.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}")


def _is_path(text: str) -> bool:
    """Whether what should be a paper's text is the name of a file, be it there or mistyped."""
    if len(text) > _LONGEST_PATH or "\n" in text or "\0" in text:
        return False
    if Path(text).suffix.lower() in READERS and not re.search(r"\s", text):
        return True
    try:
        return Path(text).is_file()
    except OSError:  # a line of a paper is longer than a file's name may be
        return False
