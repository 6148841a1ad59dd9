"""The indexed papers as the writer sees them: how they are indexed, their citation keys, and the search for evidence.

query → nearest passages, without those seen → a summary of each in the light of the query → the model's score of each
      → 0.4 · similarity + 0.6 · score → the best
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import dspy
from dspy.utils.exceptions import LMError as ProviderError
from pydantic import BaseModel, ConfigDict

from programs.errors import LMError, MalformedOutput, UsageError
from programs.ingest.chunking import TOKENS
from programs.ingest.document import Chunk, Document
from programs.ingest.formats import discover
from programs.paper_writer.evidence import CitedPaper, Evidence, PaperChunk, PaperSection, rank
from programs.paper_writer.run_resources import Calls, ModelHealth, PaperWriterParameters
from programs.passages import cut_sentences
from programs.program import attempt
from programs.progress import report_step
from programs.results.citation_keys import Named, author_year_keys, shared_keys
from programs.retrieval.embedder import Embedder
from programs.retrieval.file_indexing import index_files
from programs.retrieval.index import Index
from programs.retrieval.records import Hit, embedded_text
from signatures.paper_writer import ScoreEvidence, SummarizeForQuery
from signatures.passages import as_data

_AMID = 3
"""How much further than the passages wanted a search looks: the index fuses two arms, and what is near by meaning alone
can stand behind what shares words."""


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A passage, and its cosine similarity to the query in [0, 1]."""

    chunk: PaperChunk
    vector_score: float


class Library:
    """Read once a run: keys depend on all papers together.

    Args:
        index: Any index; the writer's own are chunked ``tokens:500:100``.

    Attributes:
        keys: Citation key by paper id.
        notes: What its user should know.

    Raises:
        UsageError: It holds no paper.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._document = cache(index.document)
        self._positions = cache(lambda paper: {each.id: place for place, each in enumerate(index.chunks(paper))})
        listed = [named(each) for each in index.documents()]
        if not listed:
            raise UsageError(
                f"the index at {index.place} holds no paper; add some with `python -m programs index PAPERS`"
            )
        self.keys: Mapping[str, str] = author_year_keys(listed)
        self.notes = (*_notes_on_keys(listed, self.keys), *_notes_on_chunks(index))

    def search(self, query: str, k: int, seen: Collection[str]) -> list[FoundChunk]:
        """The passages nearest to a query.

        Args:
            query: What is searched for.
            k: How many at most.
            seen: Ids of passages that are left out.

        Returns:
            By cosine similarity, best first, ties by id.
        """
        # The embedder and the embedded engine answer one caller at a time; each answer takes milliseconds.
        with self._lock:
            candidates = self._index.candidates(query, _AMID * k + len(seen))
            similarities = (candidates.vectors @ candidates.query).tolist()
            unseen = [
                (max(0.0, min(1.0, similarity)), hit)
                for similarity, hit in zip(similarities, candidates.hits, strict=True)
                if hit.chunk.id not in seen
            ]
            nearest = sorted(unseen, key=lambda each: (-each[0], each[1].chunk.id))[:k]
            return [FoundChunk(self._chunk(hit), similarity) for similarity, hit in nearest]

    def _chunk(self, hit: Hit) -> PaperChunk:
        paper_id = hit.chunk.document_id
        paper = paper_of({**(hit.metadata or {}), "id": paper_id}, self.keys[paper_id])
        position = self._positions(paper_id).get(hit.chunk.id, 0)
        document = self._document(paper_id)
        before, after = cut_sentences(document, hit.chunk.start, hit.chunk.end)
        places = document.places_of(hit.chunk.start - len(before), hit.chunk.end + len(after))
        chunk = paper_chunk(hit.chunk, paper, position)
        return chunk.model_copy(update={"places": places, "before": before, "after": after})


@dataclass(frozen=True, slots=True)
class Resources:
    """What is shared by the steps of one run.

    Attributes:
        library: The indexed papers.
        calls: Runs calls of the model side by side.
        settings: The numbers.
        model_health: Whether the model still answers.
    """

    library: Library
    calls: Calls
    settings: PaperWriterParameters
    model_health: ModelHealth = field(default_factory=ModelHealth)


def paper_of(known: Mapping[str, Any], key: str) -> CitedPaper:
    """A paper of what an index lists about it."""
    return CitedPaper(
        paper_id=known["id"],
        citation_key=key,
        title=str(known.get("title", "")),
        authors=tuple(known.get("authors", ())),
        year=known.get("year"),
        journal=str(known.get("journal", "")),
        doi=str(known.get("doi", "")),
        url=str(known.get("url", "")),
    )


def paper_chunk(chunk: Chunk, paper: CitedPaper, position: int, embedding: tuple[float, ...] = ()) -> PaperChunk:
    """A chunk of an index as the writer's own value."""
    return PaperChunk(
        chunk_id=chunk.id,
        paper=paper,
        chunk_text=chunk.text,
        chunk_index=position,
        embedding=embedding,
        section=chunk.section,
        heading=chunk.heading,
        start=chunk.start,
        end=chunk.end,
    )


def named(known: Mapping[str, Any]) -> Named:
    """What a paper's key is made of, from what an index lists about it."""
    return Named(known["id"], tuple(known.get("authors", ())), known.get("year"), str(known.get("title", "")))


def _notes_on_keys(listed: list[Named], keys: Mapping[str, str]) -> list[str]:
    return [
        f"{len(ids)} papers would share the citation key {key}, so they have keys of their own: "
        + ", ".join(f"{keys[each]} is {each}" for each in ids)
        for key, ids in shared_keys(listed).items()
        if len(ids) > 1
    ]


def _notes_on_chunks(index: Index) -> list[str]:
    if index.chunking == TOKENS:
        return []
    return [
        f"The index is cut into {index.chunking}; the paper writer is made for {TOKENS}, which "
        f"`python -m programs index PAPERS --index NEW --chunking {TOKENS}` gives"
    ]


class PaperIndexer(dspy.Module):
    """The first phase; it asks no model.

    Readers clean Markdown of what PDF converters leave in it. Code blocks and equations stay whole, and a short tail is
    merged backwards: see the ``tokens`` policy of ``programs.ingest.chunking``.

    Args:
        embedder: What turns text into vectors; by default the configured model.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        super().__init__()
        self._embedder = embedder

    def __deepcopy__(self, memo: dict[int, Any]) -> PaperIndexer:
        # Optimizers copy programs; the embedding model is shared by all copies.
        return self

    def forward(self, papers: Iterable[str | Path | Document], place: str | Path) -> Index:
        """Index papers; those that are indexed and unchanged are skipped.

        Args:
            papers: Files, folders or documents.
            place: Folder or address of the index, made when there is none.

        Returns:
            The open index, which the caller closes.

        Raises:
            IngestError: A file cannot be read; the others are indexed.
            IndexMismatch: There is an index that is cut in another way.
        """
        given = list(papers)
        files = discover([Path(each) for each in given if not isinstance(each, Document)])
        index = Index.open(place, create=True, embedder=self._embedder, chunking=TOKENS)
        with ExitStack() as unless_all_is_well:
            unless_all_is_well.callback(index.close)
            report_step("index", f"Indexing {len(given)} papers or folders", files=len(files))
            index.add(each for each in given if isinstance(each, Document))
            if files and (failures := index_files(index, files).failures):
                raise failures[0]
            unless_all_is_well.pop_all()
        return index


def corpus(index: Index, *, embeddings: bool = False) -> list[PaperChunk]:
    """Every chunk of an index, papers by id, chunks in reading order.

    Args:
        index: An open index.
        embeddings: Whether to embed every chunk again; searches use the vectors that the index keeps.
    """
    listed = sorted(index.documents(), key=lambda each: str(each["id"]))
    keys = author_year_keys(map(named, listed))
    chunks: list[PaperChunk] = []
    for known in listed:
        paper, found = paper_of(known, keys[known["id"]]), index.chunks(known["id"])
        rows: list[tuple[float, ...]] = [()] * len(found)
        if embeddings:
            vectors = index.embedder.embed([embedded_text(each, paper.title) for each in found])
            rows = [tuple(row) for row in vectors.tolist()]
        chunks += [paper_chunk(each, paper, place, rows[place]) for place, each in enumerate(found)]
    return chunks


T = TypeVar("T")
R = TypeVar("R")

_LONGEST_REASON = 200


class Outcome(BaseModel):
    """What a search brought.

    Attributes:
        evidence: Best first, at most ``top_k_final``.
        seen: Ids of the passages that were looked at.
        notes: Scores that were clamped, and calls that failed.
        failed: Whether the model failed; output of a wrong form is not a failure, and loses only that passage.
    """

    model_config = ConfigDict(frozen=True)

    evidence: tuple[Evidence, ...] = ()
    seen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class _Failed:
    """In the place of a result: why a call gave none."""

    note: str
    is_failure: bool


@dataclass(frozen=True, slots=True)
class _Scored:
    evidence: Evidence
    note: str = ""


class EvidenceSearch(dspy.Module):
    """The search as a module, so that its two prompts are compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.summarize = dspy.Predict(SummarizeForQuery)
        self.score = dspy.Predict(ScoreEvidence)

    def forward(self, query: str, target_section: PaperSection, seen: Collection[str], resources: Resources) -> Outcome:
        """Search for evidence.

        A call that fails costs only the passage that it was about: the others stay, and the outcome says so.

        Args:
            query: What to search for.
            target_section: The section that is to cite it.
            seen: Ids of passages that are left out.
            resources: Where to search, and what runs summaries and scores side by side.
        """
        parameters, calls, health = resources.settings, resources.calls, resources.model_health
        found = resources.library.search(query, parameters.top_k_initial, seen)
        if not found:
            return Outcome()
        report_step(
            "summarize", f"{target_section}: summarising {len(found)} passages for “{query}”", passages=len(found)
        )
        summaries = calls.map(_noting(lambda each: self._summary(each, query, parameters), health), found)
        summarised = [(each, text) for each, text in zip(found, summaries, strict=True) if isinstance(text, str)]
        report_step("score", f"{target_section}: scoring {len(summarised)} summaries", passages=len(summarised))
        scored = calls.map(
            _noting(lambda each: self._scored(*each, query, target_section, parameters), health), summarised
        )
        evidence = sorted((each.evidence for each in scored if isinstance(each, _Scored)), key=rank)
        failed = [each for each in (*summaries, *scored) if isinstance(each, _Failed)]
        noted = [each.note for each in (*failed, *scored) if isinstance(each, _Failed | _Scored) and each.note]
        return Outcome(
            evidence=tuple(evidence[: parameters.top_k_final]),
            seen=tuple(each.chunk.chunk_id for each in found),
            notes=tuple(dict.fromkeys(noted)),
            failed=any(each.is_failure for each in failed),
        )

    def _summary(self, found: FoundChunk, query: str, parameters: PaperWriterParameters) -> str:
        passage = as_data(found.chunk.chunk_text)
        step = attempt(self.summarize, parameters.num_tries, passage=passage, query=as_data(query))
        return " ".join((step.summary or "").split())

    def _scored(
        self,
        found: FoundChunk,
        summary: str,
        query: str,
        target_section: PaperSection,
        parameters: PaperWriterParameters,
    ) -> _Scored:
        step = attempt(
            self.score,
            parameters.num_tries,
            summary=as_data(summary),
            source_section=found.chunk.section,
            target_section=target_section.value,
            query=as_data(query),
        )
        given, weight = step.result.score, parameters.vector_weight
        llm_score = clamped(given)
        evidence = Evidence(
            chunk=found.chunk,
            summary=summary,
            source_query=query,
            vector_score=round(found.vector_score, 4),
            llm_score=llm_score,
            combined_score=round(weight * found.vector_score + (1 - weight) * llm_score, 4),
            reason=" ".join((step.result.reason or "").split()),
        )
        note = f"The model scored {found.chunk.chunk_id} {given}, outside of 0 to 1; {llm_score} was taken"
        return _Scored(evidence, "" if given == llm_score else note)


def clamped(score: float) -> float:
    """A score in [0, 1]; what is not a number counts as 0."""
    return 0.0 if math.isnan(score) else max(0.0, min(1.0, float(score)))


def said(error: Exception) -> str:
    """An error of a model in one line."""
    return " ".join(str(error).split())[:_LONGEST_REASON]


def _noting(call: Callable[[T], R], health: ModelHealth) -> Callable[[T], R | _Failed]:
    """A call that gives a note where the model fails, and asks no model that is gone."""

    def noted(item: T) -> R | _Failed:
        if health.is_down:
            return _Failed("", is_failure=True)
        try:
            return call(item)
        except MalformedOutput as error:
            return _Failed(f"A passage was left out: {said(error)}", is_failure=False)
        except (LMError, ProviderError) as error:
            health.record(error)
            return _Failed(f"The model failed: {said(error)}", is_failure=True)

    return noted
