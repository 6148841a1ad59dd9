"""`paper_retriever`: find the papers that are about a question first, then the passages in them, then the answer.

    retriever = PaperRetriever(index)
    retriever(question="Does low pH shorten yeast lifespan?").answer
    retriever.retrieve("Does low pH shorten yeast lifespan?")       # the passages, and the papers' summaries

passages ∪ summaries → candidate papers → a model rates their summaries → passages of the best papers → learned order →
6,000 tokens → numbered sentences → cited answer → verify
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import dspy

from programs.answering import SHORT_PROMPT, Answering, FromEvidence, unread_papers, usual_prompts
from programs.errors import IndexNotFound, UsageError, check_least
from programs.ingest.document import Document
from programs.passages.asked import Asked
from programs.passages.evidence import MOST_PAPERS, Evidence, hits_of_several, within_window
from programs.passages.passage_selection import OF_EACH, Limits, RankedPassage
from programs.program import AnsweringParameters, Program, check_types
from programs.progress import report_step
from programs.results.result import concluded
from programs.retrieval.index import Index
from programs.retrieval.records import Hit
from programs.retrieval.reranking import cross_encoder, ordered
from programs.retrieval.summary_index import Summaries
from programs.retrieval.within_papers import WithinPapers
from programs.summaries.paper_selection import (
    PaperInfo,
    PaperSelector,
    Retrieved,
    SelectedPaper,
    Selection,
    candidate_papers,
    in_order,
    ranked_of,
)
from programs.translation import InEnglish

if TYPE_CHECKING:
    from programs.retrieval.embedder import Embedder
    from programs.retrieval.filters import Filters

NONE_SELECTED = "None of the papers was chosen; these passages are of the papers that the search ranks first."

A_SUMMARY = 200
"""Tokens of a usual paper's title and summary, or opening words."""
_DEFAULT_INDEX = "papers.idx"


@dataclass(frozen=True, slots=True)
class PaperRetrieverParameters(AnsweringParameters):
    """What `paper_retriever` can be tuned by, beside what all can.

    Attributes:
        vector_similarity_top_k: Passages of the first search whose papers are candidates, at least 1.
        summary_similarity_top_k: Summaries of the first search whose papers are candidates; 0 for none.
        docs_top_k: Papers that the second search is among, at least 1.
        re_retrieve_top_k: Passages that it brings, at least 1; None for what is about the question and fits
            ``context_tokens``.
        final_use_context: Whether to add the passages before and after each.
        final_use_summary: Whether to add the summary of each passage's paper, where texts are retrieved; no answer is
            written from a summary.
        hide_metadata: Whether the second search reads passages without their paper's title.
        batch_size: Papers that the model rates at once, at least 1.
        candidates: Passages of the second search that are ordered anew, at least 1.
        merge: Whether copies of a better passage are left out, and passages that touch are joined.
    """

    vector_similarity_top_k: int = 10
    summary_similarity_top_k: int = 3
    docs_top_k: int = 2
    re_retrieve_top_k: int | None = None
    final_use_context: bool = False
    final_use_summary: bool = True
    hide_metadata: bool = False
    batch_size: int = 10
    candidates: int = 40
    merge: bool = True

    def __post_init__(self) -> None:
        check_types(type(self), asdict(self))  # which `from_storage` takes from anywhere
        AnsweringParameters.__post_init__(self)
        check_least(self, vector_similarity_top_k=1, summary_similarity_top_k=0, docs_top_k=1, re_retrieve_top_k=1)
        check_least(self, batch_size=1, candidates=1)

    @classmethod
    def seed(cls) -> PaperRetrieverParameters:
        """The numbers of the system as its author described it: three passages, their neighbours, fused order."""
        return cls(
            re_retrieve_top_k=3,
            final_use_context=True,
            hide_metadata=True,
            cross_encoder="",
            context_tokens=100_000,
            least_relevance=0.0,
            merge=False,
        )

    @property
    def limits(self) -> Limits:
        """How much is shown; how many passages is for the search, and each chosen paper has one first."""
        least = 0.0 if self.re_retrieve_top_k else self.least_relevance
        return Limits(self.passage_tokens, least_relevance=least, merge=self.merge)


class PaperRetriever(Program[PaperRetrieverParameters]):
    """A collection of papers, one question; as a ``Retriever`` it also serves the programs that ask an index.

    The index is best one with summaries, which may be elsewhere than beside it.
    """

    name: ClassVar[str] = "paper_retriever"

    def __init__(
        self, index: Index, parameters: PaperRetrieverParameters | None = None, *, summaries: Summaries | None = None
    ) -> None:
        super().__init__(parameters or PaperRetrieverParameters())
        self.index = index
        self.selector = PaperSelector()
        self.in_english = InEnglish()
        self.answer = Answering()
        self._within = WithinPapers(index)
        self._summaries = summaries
        self._last: tuple[PaperInfo, ...] = ()

    @classmethod
    def from_storage(
        cls,
        llm: str | dspy.LM | None = None,
        embed_model: str | Embedder | None = None,
        vector_persist_dir: str | Path | None = None,
        paper_summary_persist_dir: str | Path | None = None,
        vector_similarity_top_k: int = 10,
        summary_similarity_top_k: int = 3,
        service_context: None = None,
        docs_top_k: int = 2,
        re_retrieve_top_k: int = 3,
        final_use_context: bool = True,
        final_use_summary: bool = True,
    ) -> PaperRetriever:
        """Open an index and make a retriever over it, with the seed's numbers; ``close`` it when done.

        Args:
            llm: Rates the papers, a model or its name; by default that of ``dspy.settings``.
            embed_model: What the index was made with, a model or its name; by default what the index names.
            vector_persist_dir: Folder or address of the index; by default papers.idx.
            paper_summary_persist_dir: Folder or address of the summaries; by default beside the index.
            vector_similarity_top_k: This and what follows as in ``PaperRetrieverParameters``.
            summary_similarity_top_k: Likewise.
            service_context: Nothing but None; it has its place for callers that give arguments by position.
            docs_top_k: Likewise.
            re_retrieve_top_k: Likewise.
            final_use_context: Likewise.
            final_use_summary: Likewise.

        Raises:
            UsageError: A parameter is out of range.
            IndexNotFound: There is no index, or there are no summaries where they were said to be.
        """
        if service_context is not None:
            raise UsageError(f"service_context got {service_context!r}; give its models as llm and embed_model instead")
        parameters = replace(
            PaperRetrieverParameters.seed(),
            vector_similarity_top_k=vector_similarity_top_k,
            summary_similarity_top_k=summary_similarity_top_k,
            docs_top_k=docs_top_k,
            re_retrieve_top_k=re_retrieve_top_k,
            final_use_context=final_use_context,
            final_use_summary=final_use_summary,
        )
        lm = None if llm is None else _lm(llm)
        for name, place in (("vector", vector_persist_dir), ("paper_summary", paper_summary_persist_dir)):
            if place is not None and not isinstance(place, str | Path):
                raise UsageError(f"{name}_persist_dir got {place!r}; give a folder or an address")
        index = Index.open(vector_persist_dir or _DEFAULT_INDEX, embedder=_embedder(embed_model))
        try:
            retriever = cls(index, parameters, summaries=_summaries_at(index, paper_summary_persist_dir))
        except BaseException:
            index.close()
            raise
        if lm is not None:
            retriever.set_lm(lm)
        return retriever

    @property
    def embedder(self) -> Embedder:
        """What turned the passages into vectors."""
        return self.index.embedder

    def run(self, question: str, filters: Filters | None = None, answer: bool = True) -> dspy.Prediction:
        """Find papers, passages in them, and the answer.

        Args:
            question: In any language that the embedding model and the language model know.
            filters: As in ``programs.retrieval.filters``. Passages of context are next to what matches and need not
                match what is said of single passages.
            answer: Whether to answer; else papers and passages are all that is wanted.

        Returns:
            The result described in the README, with ``papers``, most relevant first, with relevance and reason, and
            ``notes``, what did not go as it should. Without an answer instead: ``hits``, the passages that were found,
            best first; ``texts``, the same with context and summaries in the order of ``summaries.results.in_order``;
            and ``passages``, ``papers``, ``notes`` and ``metrics``.

        Raises:
            UsageError: The question is empty, or a filter does not fit.
            MalformedOutput: The output of the answer or of its verification did not parse in ``num_tries`` tries.
        """
        asked, settings = Asked.of(question), self.settings
        if answer:
            asked = self.in_english(asked, settings.num_tries)
        selection, candidates = self._selected(asked, asked.searches, filters)
        hits = self._found(asked, asked.searches, selection, settings.re_retrieve_top_k, filters)
        choices = selection.choices
        about = {each.document_id: each.summary for each in choices if each.summary}
        beside = self._within.neighbours if settings.final_use_context else lambda _: (None, None)
        texts = list(in_order(hits, beside, about if settings.final_use_summary else {}))
        ranked = ranked_of(texts, hits, choices)
        papers = list(choices)
        limits = replace(settings.limits, min_sources=max(len(choices), 1))
        if not settings.re_retrieve_top_k:
            limits = replace(limits, of_each=OF_EACH)
        if answer:
            answered, narrowed = within_window(limits, partial(self._answered, asked, ranked))
            if unread := unread_papers(asked, answered, self.index, filters):
                return self.run(question, {**(filters or {}), "document": unread})
            notes = [*asked.absent_from(self.index), *selection.notes, *answered.notes, *narrowed]
            return concluded(asked, answered.verified, settings.least_coverage, notes, papers=papers)
        evidence = self._evidence(ranked, limits)
        found = [hit for hit in hits if hit.chunk.id in evidence.chunks]
        return dspy.Prediction(
            question=question,
            hits=found,
            texts=[text for text in texts if text.chunk is None or text.chunk.id in evidence.chunks],
            passages=evidence.passages,
            papers=papers,
            notes=list(selection.notes),
            metrics={"retrieved_k": len(found), "candidate_papers": candidates, "papers": len(papers)},
        )

    def prompts(self, *, answer: bool = True, **_: Any) -> list[int]:  # noqa: ANN401 - inputs that need nothing
        """About how many tokens each call reads; papers are rated in one call, unless there are many."""
        rated = SHORT_PROMPT + self.settings.batch_size * A_SUMMARY
        return [rated, *(usual_prompts(self.settings) if answer else ())]

    def retrieve(self, item_to_be_retrieved: str) -> list[Retrieved]:
        """Retrieve texts of the papers: passages with their context, and summaries."""
        return list(self(question=item_to_be_retrieved, answer=False).texts)

    async def aretrieve(self, item_to_be_retrieved: str) -> list[Retrieved]:
        """The same without holding up an event loop."""
        return list((await self.acall(question=item_to_be_retrieved, answer=False)).texts)

    def get_ref_info(self) -> list[PaperInfo]:
        """The papers that the last retrieval took passages from.

        Of several retrievals at a time it is the one that ended last; each prediction's ``papers`` are its own.
        """
        return list(self._last)

    def search(self, query: str | Sequence[str], k: int = 10, filters: Filters | None = None) -> list[Hit]:
        """Find passages of the papers that the model chooses, at most k; arguments and errors as for ``Index.search``.

        Of several wordings the first is what the model judges the papers by.
        """
        if k < 1:
            raise UsageError(f"k must be at least 1, got {k}")
        queries = [query] if isinstance(query, str) else list(query)
        asked, *_ = map(Asked.of, queries or [""])
        selection, _ = self._selected(asked, queries, filters)
        return self._found(asked, queries, selection, k, filters)

    def document(self, document_id: str) -> Document:
        """The paper that a passage's offsets refer to."""
        return self.index.document(document_id)

    def close(self) -> None:
        """Release index and summaries."""
        if self._summaries is not None:
            self._summaries.close()
        self.index.close()

    def _evidence(self, ranked: Sequence[RankedPassage], limits: Limits) -> Evidence:
        evidence = Evidence.of(ranked, limits, self.index.document)
        self._last = tuple(map(PaperInfo.of, evidence.documents.values()))
        return evidence

    def _answered(self, asked: Asked, ranked: Sequence[RankedPassage], limits: Limits) -> FromEvidence:
        """What the model answers from what is shown within the limits."""
        answered: FromEvidence = self.answer(self._evidence(ranked, limits).passages, asked, self.settings)
        return answered

    def _selected(self, asked: Asked, queries: Sequence[str], filters: Filters | None) -> tuple[Selection, int]:
        """The papers to search, and how many there were to choose from."""
        parameters = self.settings
        summaries = self._summaries or self.index.summaries()
        depths = parameters.vector_similarity_top_k, parameters.summary_similarity_top_k
        candidates, notes = candidate_papers(self.index, summaries, queries, depths, filters, several=asked.several)
        chosen: Selection = self.selector(
            asked.searched, candidates, batch_size=parameters.batch_size, num_tries=parameters.num_tries
        )
        notes += chosen.notes
        most = MOST_PAPERS if asked.several else parameters.docs_top_k
        choices = chosen.choices[:most]
        if candidates and not choices:
            notes.append(NONE_SELECTED)
            choices = tuple(
                SelectedPaper.of(each, None, "ranked by the search") for each in candidates[: parameters.docs_top_k]
            )
        for note in notes:
            report_step("note", note)
        return Selection(choices, tuple(notes)), len(candidates)

    def _found(
        self, asked: Asked, queries: Sequence[str], selection: Selection, k: int | None, filters: Filters | None
    ) -> list[Hit]:
        """At most k passages of the chosen papers, in the order in which they answer; None for all candidates."""
        names = [choice.document_id for choice in selection.choices]
        report_step("retrieve", f"Searching the passages of {len(names)} papers", papers=names)
        encoder = cross_encoder(self.settings.cross_encoder)
        count = k or self.settings.candidates if encoder is None else max(k or 0, self.settings.candidates)
        if not names:
            return []
        search = partial(self._of_papers, queries, names, filters)
        hits = hits_of_several(search, count) if asked.several else search(count)
        if k is None:
            hits = [*hits, *self._owed(queries, names, hits, filters)]
        return ordered(asked.searched, hits, encoder)[:k]

    def _of_papers(
        self, queries: Sequence[str], names: Sequence[str], filters: Filters | None, count: int
    ) -> list[Hit]:
        """The second search: the best passages of some papers."""
        if self.settings.hide_metadata:
            return self._within.search(queries, names, count, filters)
        return self.index.search(queries, count, {**(filters or {}), "document": list(names)})

    def _owed(
        self, queries: Sequence[str], names: Sequence[str], hits: Sequence[Hit], filters: Filters | None
    ) -> Iterator[Hit]:
        """The best passages of chosen papers that the search brought hardly any of."""
        found, known = Counter(hit.chunk.document_id for hit in hits), {hit.chunk.id for hit in hits}
        for name in (each for each in names if found[each] < OF_EACH):
            own = self._of_papers(queries, [name], filters, OF_EACH)
            yield from (hit for hit in own if hit.chunk.id not in known)


def _embedder(given: str | Embedder | None) -> Embedder | None:
    if given is not None and not isinstance(given, str) and not callable(getattr(given, "embed", None)):
        raise UsageError(f"embed_model got {given!r:.80}; give an embedder or the name of a model")
    if not isinstance(given, str):
        return given
    from programs.retrieval.embedder import load_embedder

    return load_embedder(given)


def _lm(given: str | dspy.LM) -> dspy.LM:
    from programs.lm import LM

    if not isinstance(given, str | dspy.LM):
        raise UsageError(f"llm got {given!r:.80}; give a dspy.LM or the name of a model")
    return LM(given) if isinstance(given, str) else given


def _summaries_at(index: Index, place: str | Path | None) -> Summaries | None:
    if place is None:
        return None
    if (summaries := Summaries.open(index, place)) is None:
        raise IndexNotFound(f"no summaries at {place}; leave the place out where they are beside the index")
    return summaries
