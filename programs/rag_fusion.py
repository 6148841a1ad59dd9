"""`rag_fusion`: answer a question from a corpus, through several wordings of it.

qa = RagFusion(index)
qa(question="Does microgravity weaken bone?", filters={"organism": ["Mus musculus"]}).answer

rewrites ∥ hypothetical passage → one batched search for all of them and the question, one more for each paper that the
question names → learned order → 6,000 tokens → figures → numbered sentences → answer → verify
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import dspy
from dspy.utils.exceptions import LMError as ProviderError

from programs.answering import SHORT_PROMPT, Answering, FromEvidence, unread_papers, usual_prompts
from programs.errors import LMError, UsageError, check_least, one_line
from programs.ingest.document import Document, Figure
from programs.ingest.regions import section_of
from programs.lm.extractive.answer_probability import rarity
from programs.lm.extractive.weighted_terms import named_words
from programs.lm.model_size import is_large
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.evidence import (
    MOST_PAPERS,
    NO_EVIDENCE,
    Evidence,
    first_of_each,
    hits_of_several,
    within,
    within_window,
)
from programs.passages.figures import AskedFigures
from programs.passages.passage_selection import Limits, RankedPassage
from programs.program import AnsweringParameters, Program, attempt, reader_name, side_by_side
from programs.progress import report_step
from programs.results.citation_keys import Named, citation_keys
from programs.results.result import concluded
from programs.retrieval.reranking import cross_encoder, ordered
from programs.retrieval.retriever import KnowsItsPapers, as_retriever
from programs.translation import InEnglish
from signatures.passages import as_data
from signatures.rag_fusion import RewriteQuestion, SummarizeEvidence, WriteHypotheticalPassage

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.records import Hit
    from programs.retrieval.retriever import Retriever, Search

MOST_QUERIES = 6
MOST_WORDS = 15
"""Of a rewrite, which has under 16."""
LONGEST_PASSAGE = 300
"""Words of a hypothetical passage that are searched for; it is asked to have 120 to 200."""
MOST_BULLETS = 6


@dataclass(frozen=True, slots=True)
class RewrittenQueries:
    """What to search for: the question as asked, rewrites, a hypothetical passage; and what could not be had."""

    queries: tuple[str, ...]
    notes: tuple[str, ...] = ()


class QueryRewriting(dspy.Module):
    """Other words for a question: rewrites, and a passage as a paper might have it (HyDE: Gao et al. 2022)."""

    def __init__(self) -> None:
        super().__init__()
        self.rewrite = dspy.Predict(RewriteQuestion)
        self.imagine = dspy.Predict(WriteHypotheticalPassage)

    def forward(
        self, question: str, num_queries: int = MOST_QUERIES, hyde: bool = True, num_tries: int = 1
    ) -> RewrittenQueries:
        """Reword a question; a step that fails is noted, and the search continues with what there is."""
        report_step("reform", "Rewording the question" + (" and imagining a passage that answers it" if hyde else ""))

        def rewrites() -> list[str]:
            written = attempt(self.rewrite, num_tries, question=as_data(question)).queries or ()
            return _rewrites(question, written, num_queries)

        def passage() -> list[str]:
            written = attempt(self.imagine, num_tries, question=as_data(question)).hypothetical_passage or ""
            return list(filter(None, [" ".join(written.split()[:LONGEST_PASSAGE])]))

        steps = {"rewrites": rewrites, **({"hypothetical passage": passage} if hyde else {})}
        done = side_by_side(partial(_noting, name, step) for name, step in steps.items())
        found = [query for queries, _ in done for query in queries]
        report_step("reform", f"Searching with the question and {len(found)} other wordings", queries=found)
        return RewrittenQueries((question, *found), tuple(note for _, note in done if note))


def _rewrites(question: str, written: Iterable[str], most: int) -> list[str]:
    """Rewrites cut to length, each once whatever its case, and none that is the question."""
    kept = {" ".join(question.split()).casefold(): ""}
    for each in written:
        query = " ".join(each.split()[:MOST_WORDS])
        kept.setdefault(query.casefold(), query)
    return list(filter(None, kept.values()))[:most]


def _noting(name: str, step: Callable[[], list[str]]) -> tuple[list[str], str]:
    """What a step found, and a note where the model fails or writes nothing."""
    try:
        queries = step()
    except (LMError, ProviderError) as error:
        return [], f"The search continued without {name}, since the model failed: {one_line(error)}"
    return queries, "" if queries else f"The search continued without {name}: the model wrote none."


@dataclass(frozen=True, slots=True)
class RagFusionParameters(AnsweringParameters):
    """What `rag_fusion` can be tuned by, beside what all can.

    Attributes:
        k: Passages that each query brings from the dense and from the sparse arm of an index, at least 1.
        candidates: Passages kept of the fused lists and ordered anew, at least 1.
        top_k: Passages to answer from; None for what is about the question and fits ``context_tokens``.
        min_sources: Papers that the passages come from where the candidates have so many, at least 1.
        merge: Whether copies of a better passage are left out, and passages that touch are joined.
        reform: Whether to search with rewrites of the question too; None for where the model is large.
        hyde: Whether to search with a hypothetical passage too; only where rewrites are.
        num_queries: Rewrites at most, 1 to 6.
        figures: Whether to collect figures, and to show the captions of those that the question names.
    """

    k: int = 40
    candidates: int = 40
    top_k: int | None = None
    min_sources: int = 3
    merge: bool = True
    reform: bool | None = None
    hyde: bool = True
    num_queries: int = MOST_QUERIES
    figures: bool = True

    def __post_init__(self) -> None:
        AnsweringParameters.__post_init__(self)
        check_least(self, k=1, candidates=1, num_queries=1)
        if self.num_queries > MOST_QUERIES:
            raise UsageError(f"num_queries must be at most {MOST_QUERIES}, got {self.num_queries}")

    @classmethod
    def seed(cls) -> RagFusionParameters:
        """The numbers of the system as its author described it: six passages in the fused order."""
        return cls(
            k=6,
            candidates=6,
            top_k=6,
            min_sources=1,
            context_tokens=100_000,
            cross_encoder="",
            least_relevance=0.0,
            merge=False,
            reform=True,
        )

    @property
    def rewords(self) -> bool:
        """Whether this context's model rewords the question; a small one writes them for longer than it answers."""
        return is_large(dspy.settings.lm) if self.reform is None else self.reform

    def for_model(self) -> RagFusionParameters:
        """The same with what is left to the model as it is for this context's model."""
        return replace(AnsweringParameters.for_model(self), reform=self.rewords)

    @property
    def limits(self) -> Limits:
        """How much is shown."""
        return Limits(
            self.passage_tokens,
            self.top_k,
            min_sources=self.min_sources,
            least_relevance=self.least_relevance,
            merge=self.merge,
        )


class RagFusion(Program[RagFusionParameters]):
    """A corpus, one question; the retriever is an ``Index``, or a function of a query: see ``retrieval.retriever``."""

    name: ClassVar[str] = "rag_fusion"

    def __init__(self, retriever: Retriever | Search, parameters: RagFusionParameters | None = None) -> None:
        super().__init__(parameters or RagFusionParameters())
        self.retriever = as_retriever(retriever)
        self.reforming = QueryRewriting()
        self.in_english = InEnglish()
        self.answer = Answering(SummarizeEvidence)

    def run(self, question: str, filters: Filters | None = None, answer: bool = True) -> dspy.Prediction:
        """Answer a question from the corpus.

        Args:
            question: In any language; the answer comes in the same.
            filters: As in ``programs.retrieval.filters``.
            answer: Whether to answer; else the passages are all that is wanted.

        Returns:
            The result described in the README; ``queries`` is what was searched for, the question first, and ``notes``
            what did not go as it should. An answer is a summary and a list of bullets, and cites papers by PMCID, or by
            their id where they have none. Without an answer ``answer`` is empty; where nothing was retrieved,
            ``NO_EVIDENCE`` is among the notes.

        Raises:
            UsageError: The question is empty, or a filter does not fit.
            MalformedOutput: The output of the answer or of its verification did not parse in ``num_tries`` tries.
        """
        asked, settings = Asked.of(question), self.settings
        if isinstance(self.retriever, KnowsItsPapers):
            self.retriever.conditions(filters)  # refuses what does not fit before the model is asked anything
        if answer:
            asked = self.in_english(asked, settings.num_tries)
        reformed = RewrittenQueries(asked.searches)
        if settings.rewords and reader_name():  # without a model the question is searched as it is
            reformed = self.reforming(asked.searched, settings.num_queries, settings.hyde, settings.num_tries)
        hits = self._retrieved(asked, reformed.queries, filters)
        names = dict.fromkeys(hit.chunk.document_id for hit in hits)
        papers = _Papers.of(asked, {each: self.retriever.document(each) for each in names}, self.retriever)
        ranked = [
            _ranked(hit, rank, is_meant=hit.chunk.document_id in papers.meant) for rank, hit in enumerate(hits, 1)
        ]
        limits = replace(settings.limits, min_sources=MOST_PAPERS) if asked.several else settings.limits
        read, narrowed = within_window(limits, partial(self._read, asked, ranked, papers, answer))
        if answer and (unread := unread_papers(asked, read.answered, self.retriever, filters)):
            return self.run(question, {**(filters or {}), "document": unread})
        missing = read.figures.missing if read.passages else [NO_EVIDENCE]
        return concluded(
            asked,
            read.answered.verified,
            settings.least_coverage,
            [*asked.absent_from(self.retriever), *reformed.notes, *missing, *read.answered.notes, *narrowed],
            figures=read.figures.before(read.passages, papers.documents) if settings.figures else [],
            topic=topic(asked.searched),
            queries=list(reformed.queries),
        )

    def prompts(self, *, answer: bool = True, **_: Any) -> list[int]:  # noqa: ANN401 - inputs that need nothing
        """About how many tokens each call reads; what rewords the question sees no paper."""
        reformed = [SHORT_PROMPT] * (1 + self.settings.hyde) if self.settings.rewords else []
        return [*reformed, *(usual_prompts(self.settings) if answer else ())]

    def _retrieved(self, asked: Asked, queries: Sequence[str], filters: Filters | None) -> list[Hit]:
        """The best passages of all queries together, searched in one batch, in the order in which they answer.

        A paper that the question names by PMCID or id brings its own best passages in whatever the search finds.
        """
        settings = self.settings
        encoder = cross_encoder(settings.cross_encoder)
        count = max(settings.candidates, settings.top_k or 0)
        search = partial(self._searched, queries, filters)
        hits = ordered(asked.searched, hits_of_several(search, count) if asked.several else search(count), encoder)
        if named := asked.named_in(self.retriever, filters):
            apart = (self._searched(queries, within(filters, each), count) for each in named)
            of_papers = [ordered(asked.searched, each, encoder) for each in apart]
            hits = first_of_each(hits, of_papers, settings.top_k or settings.candidates)
        report_step(
            "retrieve", f"Retrieved {len(hits)} passages by {len(queries)} queries", passages=len(hits), named=named
        )
        return hits

    def _searched(self, queries: Sequence[str], filters: Filters | None, count: int) -> list[Hit]:
        # Another retriever knows by itself how far to look.
        if isinstance(self.retriever, KnowsItsPapers):
            return self.retriever.search(queries, count, filters, depth=self.settings.k)
        return self.retriever.search(queries, count, filters)

    def _read(
        self, asked: Asked, ranked: Sequence[RankedPassage], papers: _Papers, answer: bool, limits: Limits
    ) -> _Reading:
        """What is shown within the limits, and what the model answers from it.

        The captions that follow the passages are those that the question asks for, even where the search did not find
        them: of the papers that it names, or else of the best ranked paper that has them.
        """
        settings, documents = self.settings, papers.documents
        passages, figures = Evidence.of(ranked, limits, documents.__getitem__, papers.keys).passages, AskedFigures()
        if settings.figures:
            figures = AskedFigures.of(asked, passages, documents)
            known = {passage.id for passage in passages}
            captions = [_caption(*found, papers) for found in figures.found]
            passages = [*passages, *(caption for caption in captions if caption.id not in known)]
        answered = FromEvidence.nothing(passages)
        if answer:
            bullets = MOST_PAPERS if asked.several else MOST_BULLETS
            answered = self.answer(passages, asked, settings, most_bullets=bullets)
        return _Reading(passages, figures, answered)


@dataclass(frozen=True, slots=True)
class _Papers:
    """All papers that were found, by id: what each is cited by, and which of them the question names."""

    documents: Mapping[str, Document]
    keys: Mapping[str, str]
    meant: frozenset[str]

    @classmethod
    def of(cls, asked: Asked, documents: Mapping[str, Document], retriever: Retriever) -> _Papers:
        of_all = retriever.citation_keys() if isinstance(retriever, KnowsItsPapers) else None
        keys = of_all or citation_keys(map(Named.of, documents.values()))
        return cls(documents, keys, frozenset(each.id for each in asked.meant_among(documents)))


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was shown within the model's window, and what came of it."""

    passages: list[Passage]
    figures: AskedFigures
    answered: FromEvidence


def _ranked(hit: Hit, rank: int, *, is_meant: bool) -> RankedPassage:
    """A candidate with its scores, which are also said in words."""
    scores = {"fused": hit.score, "dense": hit.dense_score, "sparse": hit.sparse_score, "relevance": hit.relevance}
    known = {name: score for name, score in scores.items() if score is not None}
    said = []
    if hit.dense_rank is not None and hit.dense_score is not None:
        said.append(f"number {hit.dense_rank + 1} by meaning (cosine similarity {hit.dense_score:.2f})")
    if hit.sparse_rank is not None and hit.sparse_score is not None:
        said.append(f"number {hit.sparse_rank + 1} by words (BM25 {hit.sparse_score:.1f})")
    order = (
        "of all queries fused"
        if hit.relevance is None
        else f"by its probability to answer ({hit.relevance:.2f}) and its paper's rank"
    )
    place = f"number {rank}, of a paper that the question names" if is_meant else f"number {rank} {order}"
    reason = place + (f"; at best {' and '.join(said)}" if said else "")
    return RankedPassage(hit.chunk, known, reason, hit.relevance)


def _caption(document: Document, figure: Figure, papers: _Papers) -> Passage:
    why = "and this paper" if document.id in papers.meant else "and this paper is the best ranked that has it"
    return Passage.of(
        document,
        figure.start,
        figure.end,
        id=f"{document.id}::{figure.id}",
        section=section_of(document, figure),
        heading=figure.label,
        relevance_reason=f"the question names {figure.label} {why}",
        key=papers.keys[document.id],
    )


def topic(question: str) -> str:
    """The one or two rarest words that a question names, in title case; short forms stay as they are."""
    named = list(dict.fromkeys(named_words(question)))
    best = sorted(named, key=rarity, reverse=True)[:2]
    return " ".join(word if any(map(str.isupper, word[1:])) else word.capitalize() for word in named if word in best)
