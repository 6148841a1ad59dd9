"""`main_points` before a data set: one question, one paper, four prompts to compile; and what it has to beat.

Baselines do not read the question, or only count its words. They are programs, asked, judged and scored like all
others, and asked like `main_points`, so that their figures are beside its. Those that pick sentences have their label
chosen by the language model from what they found, as `main_points` has; the others ask nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import dspy

from metrics.sentences import Span, sentences
from optimize.dataset import Example, WordSearch
from optimize.dataset.loading import Dataset
from optimize.tasks import (
    ANSWERING_SPACE,
    PAPER_METRICS,
    CallCount,
    Demo,
    Space,
    Task,
    TaskInput,
    among_others,
    common,
    evidence_demos,
    passage_of,
    passages_of,
    real,
    whole,
)
from programs.answering import most_calls
from programs.ingest.chunking import SENTENCES, chunk
from programs.ingest.document import Chunk, Document, Figure, Section
from programs.main_points import Labelling
from programs.program import Program
from programs.registry import create
from programs.results.result import result
from programs.retrieval.embedder import Embedder
from programs.verified import unverified
from signatures.citation_markers import render
from signatures.passages import as_data

EXCERPT_WORDS = 350
"""A demo's share of a paper: several whole papers in a prompt would leave no room for the one that is asked."""


def demos_from_gold(example: Example, paper: Document, rng: random.Random) -> Mapping[str, Mapping[str, Any]]:
    """Demos by predictor from an example with evidence in its one paper, or not answerable.

    Verification and repair need an answer, repair a sentence that can be falsified, and labelling a label; a question
    that has an answer needs its evidence and the answer in words to show points and answer; else they are missing.
    """
    chunks = chunk(paper, SENTENCES)
    quotes = [each.quote for each in example.evidence]
    given = among_others(passages_of(paper), quotes, example.question, rng)
    demos: dict[str, Mapping[str, Any]] = {}
    if quotes or not example.answerable:
        found = f"The paper reports it in {len(quotes)} place{'s' if len(quotes) != 1 else ''}."
        demos["extract.predict"] = {
            "paper": as_data(_excerpt(chunks, quotes, example.question)),
            "question": example.question,
            "reasoning": found if quotes else "The paper treats the subject, but reports nothing that answers this.",
            "points": quotes,
        }
    if example.answer or not example.answerable:
        demos |= evidence_demos(example, given, rng)
    if example.label:
        demos["labelling.choose"] = {"passages": given.text, "question": example.question, "label": example.label}
    return demos


def _excerpt(chunks: Sequence[Chunk], quotes: Sequence[str], question: str) -> str:
    """Pieces of the paper in its order: those with the quotes, then the nearest to the question, as many as fit."""

    def rank(each: Chunk) -> tuple[bool, float]:
        return not any(quote in each.text for quote in quotes), -common(each.text, question)

    kept: list[Chunk] = []
    length = 0
    for each in sorted(chunks, key=rank):
        length += len(each.text.split())
        if kept and length > EXCERPT_WORDS:
            break
        kept.append(each)
    kept.sort(key=lambda each: each.start)
    parts = []
    for before, each in zip([None, *kept], kept, strict=False):
        is_under_same_heading = before is not None and before.heading == each.heading
        parts += [each.text] if is_under_same_heading or not each.heading else [each.heading, each.text]
    return "\n\n".join(parts)


_BETWEEN = "\n\n"


def joined(documents: Sequence[Document]) -> Document:
    """One document of several; a single one is returned as it is."""
    if len(documents) == 1:
        return documents[0]
    sections: list[Section] = []
    figures: list[Figure] = []
    start = 0
    for document in documents:
        sections += [replace(each, start=each.start + start, end=each.end + start) for each in document.sections]
        figures += [
            replace(each, id=f"{document.id}-{each.id}", start=each.start + start, end=each.end + start)
            for each in document.figures
        ]
        start += len(document.text) + len(_BETWEEN)
    return Document(
        id="+".join(document.id for document in documents),
        text=_BETWEEN.join(document.text for document in documents),
        title="; ".join(document.title for document in documents if document.title),
        sections=tuple(sections),
        figures=tuple(figures),
    )


def about(example: Example, document: Document) -> Example:
    """The example with the document in place of the papers that were joined to it."""
    if example.document_ids == (document.id,):
        return example
    evidence = tuple(replace(each, document_id=document.id) for each in example.evidence)
    return replace(example, document_ids=(document.id,), evidence=evidence)


SPACE: Space = {
    **ANSWERING_SPACE,
    "threshold": real(0.2, 1.2),
    "num_chunks_per_point": whole(1, 3),
    "window_size": whole(1, 7, step=2),
    "least_coverage": real(0.0, 0.8),
}
"""How near chunks have to be, how much around them is read, and when an answer misses the question."""


@dataclass(frozen=True, slots=True)
class MainPointsTask(Task):
    """One question, one paper; a question on two papers is asked of both, joined to one."""

    name: str = "main_points"
    metrics: tuple[str, ...] = PAPER_METRICS
    space: Space = field(default_factory=lambda: SPACE)

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """Asks one paper at a time, so the data set plays no part."""
        return create(self.name, embedder=embedder)

    def pose(self, example: Example, dataset: Dataset) -> TaskInput:
        """Ask the paper that the question is about."""
        paper = joined([dataset.documents[each] for each in example.document_ids])
        labels = {"choices": example.choices} if example.choices else {}
        return TaskInput(about(example, paper), {"question": example.question, "paper": paper, **labels})

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Demos of points, answer, verification and repair; see ``main_points_demos``."""
        posed = self.pose(example, dataset)
        return demos_from_gold(posed.example, posed.inputs["paper"], rng)

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """Points, answer and label, each as often as it may be tried.

        A paper without a matching point takes one call. Longer papers than the model's context are read in parts, which
        takes a call more each; that is not foreseen here.
        """
        return CallCount(0, 2 * program.settings.num_tries + most_calls(program.settings))


LEAD = 3
"""Sentences that a lead baseline takes, as in summarization."""
_FULL_STOPS = ".!?"


@dataclass(frozen=True, slots=True)
class NoParameters:
    """Baselines have nothing to tune."""


@dataclass(frozen=True, slots=True)
class Picked:
    """What a baseline takes from a paper: the only passage it shows, and the spans in it that are its answer."""

    chunk: Chunk
    sentences: tuple[Span, ...]


class Baseline(Program[NoParameters]):
    """A way to answer from one paper.

    ``pick`` takes question and paper to what is shown, or None for an abstention; ``label`` takes question and choices
    to a label, and None has the model choose by what was picked.
    """

    name: ClassVar[str] = "baseline"

    def __init__(
        self, pick: Callable[[str, Document], Picked | None], label: Callable[[str, Sequence[str]], str] | None = None
    ) -> None:
        super().__init__(NoParameters())
        self.pick = pick
        self.label = label
        self.labelling = Labelling()

    def run(self, question: str, paper: Document, choices: Sequence[str] = ()) -> dspy.Prediction:
        """Answer from a paper; the result has the fields of `main_points`."""
        picked = self.pick(question, paper)
        passages = [passage_of(paper, picked.chunk)] if picked else []
        found = result(question, unverified(_answer_of(picked), passages))
        found.label = ""
        if choices:
            chosen = self.label(question, choices) if self.label else self.labelling(passages, question, choices)
            found.label = str(chosen)
        return found


@dataclass(frozen=True, slots=True)
class BaselineTask(Task):
    """A baseline, one of ``BASELINES``, as optimizers see a program; there is nothing to optimise."""

    metrics: tuple[str, ...] = PAPER_METRICS

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The baseline, which may know the questions of the training split."""
        return BASELINES[self.name](dataset.splits.get("train", ()))

    def pose(self, example: Example, dataset: Dataset) -> TaskInput:
        """As `main_points` is asked."""
        return MainPointsTask().pose(example, dataset)

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Empty: there is no prompt."""
        return {}

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """A label is chosen by the model, from what the baseline found."""
        return CallCount(0, 1)


def _most_often(train: Sequence[Example]) -> Callable[[str, Sequence[str]], str]:
    counts = Counter(example.label for example in train if example.label)
    return lambda question, choices: max(choices, key=lambda choice: counts[choice])


def _lead(question: str, paper: Document) -> Picked | None:
    chunks = _texts(paper)
    return Picked(chunks[0], tuple(sentences(chunks[0].text))[:LEAD]) if chunks else None


def _best_sentence(question: str, paper: Document) -> Picked | None:
    places = [(each, span) for each in _texts(paper) for span in sentences(each.text)]
    if not places:
        return None
    texts = [each.text[span.start : span.end] for each, span in places]
    found, span = places[int(WordSearch(texts).scores(question).argmax())]
    return Picked(found, (span,))


def _texts(paper: Document) -> list[Chunk]:
    return [each for each in chunk(paper, SENTENCES) if each.kind == "text"]


def _answer_of(picked: Picked | None) -> str:
    if picked is None:
        return ""
    said = [picked.chunk.text[span.start : span.end] for span in picked.sentences]
    bare = [each.rstrip(_FULL_STOPS) for each in said]
    return " ".join(f"{one} {render(['1'])}{each[len(one) :] or '.'}" for one, each in zip(bare, said, strict=True))


BASELINES: Mapping[str, Callable[[Sequence[Example]], Baseline]] = {
    # The label that the training questions have most often, whatever is asked; no answer.
    "majority": lambda train: Baseline(lambda *_: None, _most_often(train)),
    # The first sentences of the paper, which are those of its abstract.
    "lead": lambda train: Baseline(_lead),
    # The sentence that BM25 finds best for the question, shown in its passage.
    "best_sentence": lambda train: Baseline(_best_sentence),
}
"""By name; each is made with the questions of train."""
