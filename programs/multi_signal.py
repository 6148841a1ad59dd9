"""`multi_signal`: answer a question from a corpus, from passages that eight signals agree on.

qa = MultiSignal(index)
qa(question="How does microgravity affect mouse bone?", filters={"mission_env": ["ISS"]}).answer

expansion by tags → 40 candidates → eight signals → 12 → several papers → 6 → 4,000 tokens → cited answer → verify, fix
                  and 40 of each paper that the question names
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import dspy

from programs.conflicts import conflicts_of, naming
from programs.errors import UsageError
from programs.figures import figures_of, missing_figures
from programs.ingest.document import Document
from programs.named_papers import joined, named_in, within
from programs.passage import Passage, shown
from programs.program import Program, attempt
from programs.progress import tell
from programs.quoted_language import language_notes
from programs.result import result
from programs.retrieval.candidates import Candidates, find_candidates
from programs.retrieval.context import within_budget
from programs.retrieval.expansion import Expansion, TagDictionary, expand
from programs.retrieval.reranking.cross_encoder import SentenceTransformerCrossEncoder, cross_encoded
from programs.retrieval.reranking.diversity import diversified
from programs.retrieval.reranking.rerank import Mode, Reranked, rerank
from programs.retrieval.reranking.signals.keywords import Keywords
from programs.retrieval.reranking.weights import Weights
from programs.verification import Verification, Verified, unverified
from programs.withholding import check_least_coverage, relevant
from signatures.multi_signal import Conflict, SynthesizeWithCitations
from signatures.passages import as_data

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.retriever import Retriever

NO_EVIDENCE = "Could not retrieve supporting evidence: the index holds no passage that matches."
"""Said where nothing was retrieved; the model is then not asked to answer."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """What `multi_signal` can be tuned by.

    Attributes:
        candidates: Passages that the search brings, at least 1.
        rerank_k: Passages kept of their new order, at least 1.
        top_k: Passages that the answer is written from, at least 1.
        max_per_document: Passages that a paper may bring, at least 1.
        min_sources: Papers that the passages come from where the candidates have so many, at least 1.
        context_tokens: Tokens that all passages may have, at least 1; a token is three quarters of a word.
        mode: "scaled", or "raw" for section and authority boosts as their tables have them.
        expansion: Whether to search with the other names of what the question asks about, too.
        temperature: Of the step that answers, 0 to 2.
        max_iterations: Rounds of repair at most; 0 only verifies.
        num_tries: Attempts at a step whose output does not parse, at least 1.
        verify: Whether to verify and repair the answer.
        least_coverage: Share of the question's words, in [0, 1], that an answer holds or else is withheld; 0 for any.
        now: The year that recency is counted from; None for the current one.
        cross_encoder: Name of a model for a ninth signal; empty for none. It counts by ``w_cross_encoder``.
        w_sim: Weight of a signal, as are those that follow.
    """

    candidates: int = 40
    rerank_k: int = 12
    top_k: int = 6
    max_per_document: int = 2
    min_sources: int = 3
    context_tokens: int = 4000
    mode: Mode = "scaled"
    expansion: bool = True
    temperature: float = 0.2
    max_iterations: int = 1
    num_tries: int = 1
    verify: bool = True
    least_coverage: float = 0.0
    now: int | None = None
    cross_encoder: str = ""
    w_sim: float = 0.36
    w_bm25: float = 0.18
    w_keyword_overlap: float = 0.14
    w_sec_boost: float = 0.12
    w_recency: float = 0.08
    w_authority: float = 0.07
    w_length_fit: float = 0.05
    w_duplicate_penalty: float = -0.10
    w_cross_encoder: float = 0.0

    def __post_init__(self) -> None:
        for name in _COUNTS:
            least = 0 if name == "max_iterations" else 1
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be at least {least}, got {getattr(self, name)}")
        if not 0 <= self.temperature <= 2:
            raise UsageError(f"temperature must be in [0, 2], got {self.temperature}")
        check_least_coverage(self.least_coverage)
        if self.mode not in get_args(Mode):
            raise UsageError(f"mode must be one of {', '.join(get_args(Mode))}, got {self.mode!r}")
        _ = self.weights

    @property
    def weights(self) -> Weights:
        """The weights together; none may be infinite."""
        return Weights(**{each.name: getattr(self, f"w_{each.name}") for each in fields(Weights)})


_COUNTS = (
    "candidates",
    "rerank_k",
    "top_k",
    "max_per_document",
    "min_sources",
    "context_tokens",
    "max_iterations",
    "num_tries",
)


class MultiSignal(Program[Parameters]):
    """A corpus, one question.

    Args:
        retriever: What finds passages, mostly an ``Index``.
        parameters: Numbers of the algorithm.
        dictionary: What words are also called; the bundled one by default.
    """

    name: ClassVar[str] = "multi_signal"

    def __init__(
        self,
        retriever: Retriever,
        parameters: Parameters | None = None,
        dictionary: TagDictionary | None = None,
    ) -> None:
        super().__init__(parameters or Parameters())
        self.retriever = retriever
        self.dictionary = dictionary or TagDictionary.load()
        self.answer = dspy.Predict(SynthesizeWithCitations)
        self.verification = Verification()
        self._encoder: SentenceTransformerCrossEncoder | None = None

    def run(
        self, question: str, filters: Filters | None = None, top_k: int | None = None, answer: bool = True
    ) -> dspy.Prediction:
        """Answer a question from the corpus.

        Args:
            question: In any language; the answer comes in the same.
            filters: As in ``programs.retrieval.filters``.
            top_k: Passages to answer from, 1 to the number of candidates; by default as the parameters say.
            answer: Whether to answer; else the passages are all that is wanted, and no model is asked.

        Returns:
            The result described in the README. ``expansion`` is what was searched for beside the question,
            ``conflicts`` what the passages disagree on, by their numbers, and each passage's ``scores`` are its
            signals. Without an answer ``answer`` is empty; where nothing was retrieved, ``NO_EVIDENCE`` is among the
            ``notes``, as is what came short. ``dedup_count`` counts the candidates that repeat a better one.

        Raises:
            UsageError: The question is empty, ``top_k`` out of range, or a filter does not fit.
            MalformedOutput: A step's output did not parse in ``num_tries`` tries.
        """
        if not question.strip():
            raise UsageError("the question is empty; ask something of the papers")
        count, began = self._count(top_k), time.perf_counter()
        expansion, named = self._expanded(question), named_in(question, self.retriever, filters)
        ranked = self._reranked(expansion, self._candidates(expansion, filters, named))
        chosen = self._chosen(_led_by(named, ranked), count)
        documents = {each: self.retriever.document(each) for each in dict.fromkeys(one.document_id for one in chosen)}
        passages = self._passages(chosen, documents)
        conflicts, written = self._answered(passages, question) if answer else ([], "")
        verified = self._verified(passages, question, written)
        verified, withheld = relevant(verified, question, passages, self.parameters.least_coverage)
        prediction = result(
            question,
            passages,
            verified,
            dedup_count=sum(each.is_duplicate for each in ranked),
            figures=figures_of(question, passages, documents),
            conflicts=conflicts if verified.answer else [],
            expansion=_as_dict(expansion),
            notes=[
                *([] if passages else [NO_EVIDENCE]),
                *self._shortfall(ranked, chosen, top_k),
                *missing_figures(question, passages, documents),
                *withheld,
                *language_notes(question, verified.answer),
            ],
        )
        _tell_done(time.perf_counter() - began, prediction.metrics["grounded_ratio"])
        return prediction

    def _count(self, top_k: int | None) -> int:
        count = self.parameters.top_k if top_k is None else top_k
        if not 1 <= count <= self.parameters.candidates:
            raise UsageError(f"top_k must be from 1 to {self.parameters.candidates}, got {count}")
        return count

    def _expanded(self, question: str) -> Expansion:
        tell("question", f"Original query: {question}", question=question)
        if not self.parameters.expansion:
            return Expansion(question, (), (), question)
        expansion = expand(question, self.dictionary)
        tell("tags", f"Tag matches: {_listed(expansion.matched)}", matched=list(expansion.matched))
        tell("expand", f"Expanded terms: {_listed(expansion.added)}", added=list(expansion.added))
        return expansion

    def _candidates(self, expansion: Expansion, filters: Filters | None, named: Sequence[str]) -> Candidates:
        """A wide choice, found by the question and by its expansion in one search; a search more for each named paper.

        Args:
            expansion: What to search for.
            filters: As in ``programs.retrieval.filters``.
            named: Ids of the papers that the question names.
        """
        question, count = expansion.question, self.parameters.candidates
        words = [expansion.query] if expansion.query != question else []
        found = find_candidates(self.retriever, question, count, filters, words=words)
        if named:
            apart = [
                find_candidates(self.retriever, question, count, within(filters, each), words=words) for each in named
            ]
            found = joined([found, *apart])
        tell("retrieve", f"Retrieved {len(found.hits)} initial candidates", candidates=len(found.hits))
        return found

    def _reranked(self, expansion: Expansion, candidates: Candidates) -> list[Reranked]:
        """All candidates by the weighted sum of their signals."""
        parameters = self.parameters
        now = parameters.now or datetime.now(UTC).year
        keywords = Keywords.of(expansion.question, expansion.added)
        ranked = rerank(candidates, keywords, now=now, weights=parameters.weights, mode=parameters.mode)
        if not parameters.cross_encoder:
            return ranked
        if self._encoder is None or self._encoder.name != parameters.cross_encoder:
            self._encoder = SentenceTransformerCrossEncoder(parameters.cross_encoder)
        return cross_encoded(ranked, expansion.question, self._encoder, parameters.weights, parameters.rerank_k)

    def _chosen(self, ranked: Sequence[Reranked], count: int) -> list[Reranked]:
        """The best of several papers."""
        parameters = self.parameters
        return diversified(
            ranked,
            count=count,
            shortlist=parameters.rerank_k,
            max_per_document=parameters.max_per_document,
            min_sources=parameters.min_sources,
        )

    def _passages(self, chosen: Sequence[Reranked], documents: Mapping[str, Document]) -> list[Passage]:
        """What fits the context, in the order of its numbers."""
        found = [_passage(each, documents[each.document_id]) for each in chosen]
        passages = within_budget(found, self.parameters.context_tokens)
        tell("rerank", f"Reranked to {len(passages)} chunks for synthesis", passages=len(passages))
        return passages

    def _shortfall(self, ranked: Sequence[Reranked], chosen: Sequence[Reranked], asked: int | None) -> list[str]:
        """That the limit of passages a paper left fewer than were asked for, though the search had found as many."""
        if asked is None or len(chosen) >= min(asked, len(ranked)):
            return []
        return [f"{len(chosen)} passages instead of {asked}: at most {self.parameters.max_per_document} of a paper."]

    def _answered(self, passages: Sequence[Passage], question: str) -> tuple[list[Conflict], str]:
        """Conflicts and answer; without a passage the model is not asked."""
        if not passages:
            return [], ""
        tell("answer", "Generating answer with strict citations", passages=len(passages))
        parameters = self.parameters
        step = attempt(
            partial(self.answer, config={"temperature": parameters.temperature}),
            parameters.num_tries,
            passages=shown(passages),
            papers=papers_of(passages),
            question=as_data(question),
        )
        answer = (step.answer or "").strip() if step.answerable else ""
        conflicts = conflicts_of(step.conflicts or (), passages) if answer else []
        return conflicts, naming(conflicts, answer)

    def _verified(self, passages: Sequence[Passage], question: str, answer: str) -> Verified:
        parameters = self.parameters
        if not answer or not parameters.verify:
            return unverified(answer, passages)
        verified: Verified = self.verification(
            passages, question, answer, max_iterations=parameters.max_iterations, num_tries=parameters.num_tries
        )
        return verified


def _led_by(named: Sequence[str], ranked: Sequence[Reranked]) -> list[Reranked]:
    """A ranking in which the papers that the question names come first, so that they are among the chosen."""
    return sorted(ranked, key=lambda each: each.document_id not in named)


def _passage(ranked: Reranked, document: Document) -> Passage:
    chunk = ranked.hit.chunk
    return Passage.of(
        document,
        chunk.start,
        chunk.end,
        id=chunk.id,
        section=chunk.section,
        heading=chunk.heading,
        scores={**ranked.signals, "final": ranked.final},
        relevance_reason=ranked.reason,
    )


def papers_of(passages: Sequence[Passage]) -> str:
    """Which paper each passage comes from, for a prompt: "[1][4] Bone loss in flight mice (2014)"."""
    papers: dict[str, list[int]] = {}
    for number, passage in enumerate(passages, start=1):
        papers.setdefault(passage.document_id, []).append(number)
    return "\n".join(_paper(numbers, passages[numbers[0] - 1]) for numbers in papers.values())


def _paper(numbers: Iterable[int], passage: Passage) -> str:
    title = as_data(" ".join(passage.title.split())) or passage.document_id
    year = f" ({passage.year})" if passage.year else ""
    return "".join(f"[{number}]" for number in numbers) + f" {title}{year}"


def _tell_done(seconds: float, grounded: float | None) -> None:
    milliseconds = round(1000 * seconds)
    grounding = "no answer" if grounded is None else f"grounding: {grounded:.1%}"
    tell("done", f"Pipeline completed in {milliseconds} ms ({grounding})", milliseconds=milliseconds, grounded=grounded)


def _as_dict(expansion: Expansion) -> dict[str, Any]:
    return {"matched": list(expansion.matched), "added": list(expansion.added), "query": expansion.query}


def _listed(terms: Iterable[str]) -> str:
    return ", ".join(terms) or "none"
