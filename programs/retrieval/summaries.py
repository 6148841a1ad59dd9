"""One summary a paper, in a collection of its own beside the index's passages.

    papers.idx                        papers.idx/summaries
    http://qdrant:6333/papers         http://qdrant:6333/papers__summaries

A summary belongs to one version of its paper: once the paper is replaced or removed, it is no longer found, even while
it is still stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from programs.errors import IndexNotFound, UsageError
from programs.ingest.document import Document
from programs.retrieval import records
from programs.retrieval.bm25 import SparseVector
from programs.retrieval.collection import Collection, Manifest, Purpose, beside
from programs.retrieval.filters import CHUNK_FIELDS, Condition, FieldType, Filters, parse_filters
from programs.retrieval.fusion import reciprocal_rank_fusion
from programs.retrieval.indexing import open_passages
from programs.retrieval.records import sealed
from programs.retrieval.store import Keeping, Payload, StoredPoint, Vector

if TYPE_CHECKING:
    from programs.retrieval.embedding.embedder import Embedder

_NAME = "summaries"
_ARM_DEPTH = 40
_RECORD = "summary"
_FIELDS: Mapping[str, FieldType] = {"record": "keyword", "document": "keyword", "hash": "keyword"}
_BATCH = 64
"""Summaries embedded at once."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a paper is about, as a language model wrote it.

    Attributes:
        document_id: The paper.
        text: The summary.
        lm: Name of the model that wrote it.
        recipe: Digest of model and prompts; another recipe would have written another summary.
        source: Digest of the text that was summarized.
        content_hash: ``Document.content_hash`` of the version that it belongs to.
    """

    document_id: str
    text: str
    lm: str
    recipe: str
    source: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class SummaryHit:
    """A summary that a search found; ``score`` is fused and comparable within one search only."""

    summary: Summary
    score: float


class Summaries:
    """The summaries of an index's papers; ``Index.summaries`` opens and closes them.

    Args:
        stored: The collection of the summaries.
        passages: The collection of the papers' passages.
    """

    def __init__(self, stored: Collection, passages: Collection) -> None:
        self._stored = stored
        self._store = stored.store
        self._passages = passages

    @classmethod
    def open(cls, passages: Collection, place: str | Path | None = None) -> Summaries | None:
        """Open the summaries of a collection's papers.

        Args:
            passages: The collection of the papers' passages.
            place: Folder or address of the summaries, where they are not beside the passages.

        Returns:
            The summaries, or None when there are none.

        Raises:
            IndexMismatch: They were made with another embedder than the index.
        """
        try:
            return cls._opened(passages, place, create=False)
        except IndexNotFound:
            return None

    @classmethod
    def create(cls, passages: Collection) -> Summaries:
        """Make an empty collection beside the passages, kept like them, or open it; errors as for ``open``."""
        kept = passages.store.kept()
        return cls.open(passages) or cls._opened(passages, None, create=True, keeping=kept.keeping if kept else None)

    @classmethod
    def _opened(
        cls, passages: Collection, place: str | Path | None, *, create: bool, keeping: Keeping | None = None
    ) -> Summaries:
        made_with, where = passages.manifest, str(place or beside(passages.place, _NAME))
        manifest = Manifest(made_with.embedder, made_with.dimension, _NAME, made_with.sparse, sealed=True)

        def check(stored: Manifest) -> None:
            if stored.chunking != _NAME:
                raise UsageError(f"{where} holds passages, not summaries; name the folder or collection of summaries")
            stored.require(where, embedder=manifest.embedder, dimension=manifest.dimension, sparse=manifest.sparse)

        purpose = Purpose(lambda: manifest, check, _FIELDS, "python -m programs index PAPERS --summaries")
        return cls(Collection.open(where, purpose, create=create, complete=True, keeping=keeping), passages)

    def put(self, summaries: Sequence[tuple[Summary, Document]]) -> None:
        """Store summaries with their papers' metadata, each in place of an earlier one of its paper."""
        for start in range(0, len(summaries), _BATCH):
            batch = summaries[start : start + _BATCH]
            texts = [_searched(summary, document.title) for summary, document in batch]
            vectors = self._passages.embedder.embed(texts)
            self._store.upsert(
                [
                    StoredPoint(
                        _point_id(document.id), _payload(summary, document), vector, self._stored.bm25.document(text)
                    )
                    for (summary, document), text, vector in zip(batch, texts, vectors, strict=True)
                ]
            )

    def writing(self) -> AbstractContextManager[None]:
        """Have several changes appear to others together, at the end, those before an exception too; see ``Index``."""
        return self._store.writing(keep=True)

    def stored(self) -> dict[str, Summary]:
        """Every stored summary by paper, also those of papers that have changed since."""
        return {one.document_id: one for one in map(self._summary, self._store.scroll([records.record_is(_RECORD)]))}

    def of(self, document_ids: Iterable[str]) -> dict[str, Summary]:
        """The summaries of papers as they are now; papers without one are left out."""
        found = self._store.retrieve([_point_id(each) for each in document_ids])
        return self._current([self._summary(payload) for payload in found.values()])

    def search(self, query: str | Sequence[str], k: int, filters: Filters | None = None) -> list[SummaryHit]:
        """Find summaries by meaning and by words, fused by reciprocal rank.

        Args:
            query: A question, or several wordings of it, none empty.
            k: How many to return at most, at least 1.
            filters: As for ``Index.search``; what they say of single passages is left to the search for these.
        """
        queries = [query] if isinstance(query, str) else list(query)
        of_papers = {
            key: value for key, value in (filters or {}).items() if key == "document" or key not in CHUNK_FIELDS
        }
        conditions = [records.record_is(_RECORD), *parse_filters(of_papers, self._passages.fields())]
        vectors = [*self._passages.embedder.embed_query(queries), *(self._stored.bm25.query(text) for text in queries)]
        depth = max(k, _ARM_DEPTH)
        with self._store.reading(), self._passages.store.reading():
            return self._found(vectors, conditions, k, depth)

    def _found(
        self, vectors: Sequence[Vector | SparseVector], conditions: Sequence[Condition], k: int, depth: int
    ) -> list[SummaryHit]:
        while True:
            rankings = self._store.query(vectors, depth, conditions)
            fused = reciprocal_rank_fusion([list(ranking) for ranking in rankings])
            payloads = self._store.retrieve([one.id for one in fused])
            current = self._current([self._summary(payload) for payload in payloads.values()])
            hits = [
                SummaryHit(current[name], one.score) for one in fused if (name := _named(payloads, one.id)) in current
            ]
            # Outdated summaries may have taken the place of others.
            if len(hits) >= k or all(len(ranking) < depth for ranking in rankings):
                return hits[:k]
            depth *= 4

    def remove(self, document_ids: Sequence[str]) -> None:
        """Remove the summaries of papers; papers without one are skipped."""
        if document_ids:
            self._store.delete([Condition("document", "keyword", values=tuple(document_ids))])

    def count(self) -> int:
        """How many are stored."""
        return self._store.count([records.record_is(_RECORD)])

    def optimize(self) -> None:
        """Bring the engine into its best state after many writes."""
        self._store.optimize()

    def close(self) -> None:
        """Flush and release the collection."""
        self._store.close()

    def __reduce__(self) -> tuple[Callable[..., Summaries | None], tuple[str, Embedder | None, str]]:
        # Saved programs name what they read, and open it where they are loaded.
        return _opened_again, (self._passages.place, self._passages.given_embedder, self._stored.place)

    def __deepcopy__(self, memo: dict[int, Any]) -> Summaries:
        # Optimizers copy programs; a collection is a connection, which copies share.
        return self

    def _summary(self, payload: Payload) -> Summary:
        intact = self._stored.intact(payload)
        return Summary(*(intact[field] for field in ("document", "text", "lm", "recipe", "source", "hash")))

    def _current(self, summaries: Sequence[Summary]) -> dict[str, Summary]:
        hashes = self._passages.content_hashes([one.document_id for one in summaries])
        return {one.document_id: one for one in summaries if hashes.get(one.document_id) == one.content_hash}


def _opened_again(passages: str, embedder: Embedder | None, place: str) -> Summaries | None:
    return Summaries.open(open_passages(passages, embedder=embedder), place)


def _point_id(document_id: str) -> str:
    return records.point_id(f"summary/{document_id}")


def _searched(summary: Summary, title: str) -> str:
    """The text of a summary that is embedded and counted."""
    return f"{title}. {summary.text}" if title else summary.text


def _payload(summary: Summary, document: Document) -> Payload:
    return sealed(
        {
            "record": _RECORD,
            "document": summary.document_id,
            "hash": summary.content_hash,
            "source": summary.source,
            "recipe": summary.recipe,
            "lm": summary.lm,
            "text": summary.text,
            "metadata": records.filterable(document),
        }
    )


def _named(payloads: Mapping[str, Payload], point: str) -> str:
    return str(payloads[point]["document"]) if point in payloads else ""
