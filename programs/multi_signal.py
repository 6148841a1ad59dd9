"""`multi_signal`: answer a question from a corpus, from passages that nine signals agree on.

qa = MultiSignal(index)
qa(question="How does microgravity affect mouse bone?", filters={"mission_env": ["ISS"]}).answer

expansion by tags → 40 candidates → nine signals → several papers, 6,000 tokens → numbered evidence → answer → verify
                  and 40 of each paper that the question names
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import dspy

from programs.answering import Answering, FromEvidence, unread_papers, usual_prompts
from programs.errors import UsageError, check_least
from programs.lm.model_size import is_large
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.evidence import (
    DEPTH,
    MOST_PAPERS,
    NO_EVIDENCE,
    Evidence,
    joined,
    spread,
    within,
    within_window,
)
from programs.passages.figures import AskedFigures
from programs.passages.passage_selection import OF_EACH, Limits, RankedPassage
from programs.program import AnsweringParameters, Program
from programs.progress import report_step
from programs.results.result import concluded
from programs.retrieval.query_expansion import Expansion, TagDictionary, expand
from programs.retrieval.reranking import Mode, Reranked, SignalWeights, cross_encoded, cross_encoder, rerank
from programs.retrieval.retriever import SearchCandidates, as_retriever, find_candidates
from programs.retrieval.signals import SAME_MEANING, Keywords
from programs.translation import InEnglish

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.retriever import Retriever, Search


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something that passages of different papers disagree on, and their numbers."""

    statement: str
    passages: list[int]


_CANDIDATES = (40, 100)
"""Of a small model, and of a large one. On 8 questions in readers' own words the sentence that answers was among them
for 5 and 6."""


@dataclass(frozen=True, slots=True)
class MultiSignalParameters(AnsweringParameters):
    """What `multi_signal` can be tuned by, beside what all can.

    Attributes:
        candidates: Passages that the search brings, at least 1; None for 40, and for a large model, which reads more of
            them, 100.
        rerank_k: Passages of their new order that the choice is among, unless papers are missing; at least 1, None for
            all.
        top_k: Passages to answer from; None for what is about the question and fits ``context_tokens``.
        max_per_document: Passages that a paper may bring; None for any number.
        min_sources: Papers that the passages come from where the candidates have so many, at least 1.
        merge: Whether copies of a better passage are left out, and passages that touch are joined.
        mode: "scaled", or "raw" for section and authority boosts as their tables have them.
        expansion: Whether to search with the other names of what the question asks about, too.
        temperature: Of the step that answers, 0 to 2.
        now: The year that recency is counted from; None for the current one.
        same_meaning: Cosine similarity above which passages count as duplicates; 1 for the same text only.
        w_cross_encoder: Weight of the ninth signal, which ``cross_encoder`` gives.
        w_sim: Weight of a signal, as are those that follow.
    """

    candidates: int | None = None
    rerank_k: int | None = None
    top_k: int | None = None
    max_per_document: int | None = None
    min_sources: int = 3
    merge: bool = True
    mode: Mode = "scaled"
    expansion: bool = True
    temperature: float = 0.0
    now: int | None = None
    same_meaning: float = 1.0
    w_sim: float = 0.36
    w_bm25: float = 0.18
    w_keyword_overlap: float = 0.14
    w_sec_boost: float = 0.12
    w_recency: float = 0.08
    w_authority: float = 0.07
    w_length_fit: float = 0.05
    w_duplicate_penalty: float = -0.10
    w_cross_encoder: float = 4.0

    def __post_init__(self) -> None:
        AnsweringParameters.__post_init__(self)
        check_least(self, **{name: 1 for name in ("candidates", "rerank_k") if getattr(self, name) is not None})
        if not 0 <= self.temperature <= 2:
            raise UsageError(f"temperature must be in [0, 2], got {self.temperature}")
        if self.mode not in get_args(Mode):
            raise UsageError(f"mode must be one of {', '.join(get_args(Mode))}, got {self.mode!r}")
        _ = self.weights

    @classmethod
    def seed(cls) -> MultiSignalParameters:
        """The numbers of the system as its author described it: eight signals, six passages, 4,000 tokens."""
        return cls(
            candidates=40,
            rerank_k=12,
            top_k=6,
            max_per_document=2,
            context_tokens=4000,
            temperature=0.2,
            least_relevance=0.0,
            merge=False,
            same_meaning=SAME_MEANING,
            cross_encoder="",
            **{f"w_{name}": weight for name, weight in asdict(SignalWeights()).items()},
        )

    @property
    def limits(self) -> Limits:
        """How much is shown."""
        return Limits(
            self.passage_tokens,
            self.top_k,
            self.chosen_among,
            self.max_per_document,
            self.min_sources,
            self.least_relevance,
            self.merge,
        )

    @property
    def depth(self) -> int:
        """Passages that the search brings for this context's model."""
        return self.candidates or _CANDIDATES[is_large(dspy.settings.lm)]

    @property
    def chosen_among(self) -> int:
        """Passages of their new order that the choice is among."""
        return self.rerank_k or self.depth

    @property
    def weights(self) -> SignalWeights:
        """The weights together; none may be infinite."""
        return SignalWeights(**{each.name: getattr(self, f"w_{each.name}") for each in fields(SignalWeights)})


class MultiSignal(Program[MultiSignalParameters]):
    """A corpus, one question; the retriever is an ``Index``, or a function of a query: see ``retrieval.retriever``.

    What words are also called is in the dictionary; the bundled one by default.
    """

    name: ClassVar[str] = "multi_signal"

    def __init__(
        self,
        retriever: Retriever | Search,
        parameters: MultiSignalParameters | None = None,
        dictionary: TagDictionary | None = None,
    ) -> None:
        super().__init__(parameters or MultiSignalParameters())
        self.retriever = as_retriever(retriever)
        self.dictionary = dictionary or TagDictionary.load()
        self.in_english = InEnglish()
        self.answer = Answering()

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
            ``notes``, as is what is missing. ``dedup_count`` counts the candidates that repeat a better one.

        Raises:
            UsageError: The question is empty, ``top_k`` out of range, or a filter does not fit.
            MalformedOutput: A step's output did not parse in ``num_tries`` tries.
        """
        asked, began = Asked.of(question), time.perf_counter()
        if answer:
            asked = self.in_english(asked, self.settings.num_tries)
        limits, expansion = self._limits(asked, top_k), self._expanded(asked.searched)
        named = asked.named_in(self.retriever, filters)
        if len(named) > 1 and limits.top_k is None:
            limits = replace(limits, min_sources=len(named), of_each=OF_EACH)
        ranked = self._reranked(expansion, self._candidates(asked, expansion, filters, named))
        ranked.sort(key=lambda each: each.document_id not in named)  # papers that it names are among the chosen
        read, narrowed = within_window(limits, partial(self._read, asked, ranked, answer))
        evidence, answered = read
        if answer and (unread := unread_papers(asked, answered, self.retriever, filters)):
            return self.run(question, {**(filters or {}), "document": unread}, top_k)
        figures = AskedFigures.of(asked, evidence.passages, evidence.documents)
        numbers = ["", *(each.label(number) for number, each in enumerate(evidence.passages, 1))]
        absent = asked.absent_from(self.retriever)
        missing = [*absent, *self._shortfall(ranked, evidence.passages, top_k), *figures.missing]
        prediction = concluded(
            asked,
            answered.verified,
            self.settings.least_coverage,
            [*(missing if evidence.passages else [NO_EVIDENCE]), *answered.notes, *narrowed],
            dedup_count=sum(each.is_duplicate for each in ranked),
            figures=figures.before(evidence.passages, evidence.documents),
            conflicts=[Conflict(each.cited, sorted(map(numbers.index, each.labels))) for each in answered.conflicts],
            expansion={"matched": [*expansion.matched], "added": [*expansion.added], "query": expansion.query},
        )
        taken, grounded = round(1000 * (time.perf_counter() - began)), prediction.metrics["grounded_ratio"]
        grounding = "no answer" if grounded is None else f"grounding: {grounded:.1%}"
        report_step("done", f"Pipeline completed in {taken} ms ({grounding})", milliseconds=taken, grounded=grounded)
        return prediction

    def prompts(self, *, answer: bool = True, **_: Any) -> list[int]:  # noqa: ANN401 - inputs that need nothing
        """About how many tokens each call reads."""
        return usual_prompts(self.settings) if answer else []

    def _limits(self, asked: Asked, top_k: int | None) -> Limits:
        if top_k is not None and not 1 <= top_k <= self.settings.depth:
            raise UsageError(f"top_k must be from 1 to {self.settings.depth}, got {top_k}")
        limits = self.settings.limits
        sources = MOST_PAPERS if asked.several else limits.min_sources
        return replace(limits, top_k=top_k or limits.top_k, min_sources=sources)

    def _expanded(self, question: str) -> Expansion:
        report_step("question", f"Original query: {question}", question=question)
        if not self.settings.expansion:
            return Expansion(question, (), (), question)
        expansion = expand(question, self.dictionary)
        report_step("tags", f"Tag matches: {_listed(expansion.matched)}", matched=list(expansion.matched))
        report_step("expand", f"Expanded terms: {_listed(expansion.added)}", added=list(expansion.added))
        return expansion

    def _candidates(
        self, asked: Asked, expansion: Expansion, filters: Filters | None, named: Sequence[str]
    ) -> SearchCandidates:
        """A wide choice, by the question and by its expansion in one search; a search more for each named paper."""
        count, words = self.settings.depth, [expansion.query] if expansion.query != asked.searched else []
        words += asked.searches[1:]
        search = partial(find_candidates, self.retriever, asked.searched, words=words)
        found = search(max(count, DEPTH) if asked.several else count, filters)
        if asked.several:
            found = found.at(spread((hit.chunk for hit in found.hits), count))
        if named:
            found = joined([found, *(search(count, within(filters, each)) for each in named)])
        report_step("retrieve", f"Retrieved {len(found.hits)} initial candidates", candidates=len(found.hits))
        return found

    def _reranked(self, expansion: Expansion, candidates: SearchCandidates) -> list[Reranked]:
        """All candidates by the weighted sum of their signals."""
        parameters = self.settings
        now = parameters.now or datetime.now(UTC).year
        keywords = Keywords.of(expansion.question, expansion.added)
        weights, encoder = parameters.weights, cross_encoder(parameters.cross_encoder)
        ranked = rerank(
            candidates, keywords, now=now, weights=weights, mode=parameters.mode, same_meaning=parameters.same_meaning
        )
        if encoder is None:
            return ranked
        shortlist = parameters.chosen_among + len(candidates.hits) - parameters.depth  # those of named papers, too
        return cross_encoded(ranked, expansion.question, encoder, weights, max(shortlist, parameters.chosen_among))

    def _shortfall(self, ranked: Sequence[Reranked], passages: Sequence[Passage], asked: int | None) -> list[str]:
        """That the limits left fewer passages than were asked for, though the search had found as many."""
        if asked is None or len(passages) >= min(asked, len(ranked)):
            return []
        most = self.settings.max_per_document
        limits = [f"at most {most} of a paper"] if most else []
        limits += ["passages that touch are joined"] if self.settings.merge else []
        limits.append(f"at most {self.settings.passage_tokens:,} tokens in all")
        return [f"{len(passages)} passages instead of {asked}: {', '.join(limits)}."]

    def _read(
        self, asked: Asked, ranked: Sequence[Reranked], answer: bool, limits: Limits
    ) -> tuple[Evidence, FromEvidence]:
        """What is shown within the limits, and what the model answers from it."""
        candidates = [
            RankedPassage(each.hit.chunk, {**each.signals, "final": each.final}, each.reason, each.hit.relevance)
            for each in ranked
        ]
        evidence = Evidence.of(candidates, limits, self.retriever.document)
        passages = evidence.passages
        report_step("rerank", f"Reranked to {len(passages)} passages for synthesis", passages=len(passages))
        if not answer:
            return evidence, FromEvidence.nothing(passages)
        parameters = self.settings
        return evidence, self.answer(passages, asked, parameters, conflicts=True, temperature=parameters.temperature)


def _listed(terms: Iterable[str]) -> str:
    return ", ".join(terms) or "none"
