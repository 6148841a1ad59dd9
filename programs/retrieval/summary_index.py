"""Papers by their summaries.

Summaries are a separate collection beside the index's passages, one a paper:

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

from programs.errors import IndexNotFound, UsageError
from programs.ingest.document import Document
from programs.retrieval import records
from programs.retrieval.collection import Collection, Manifest, Purpose, beside, opened
from programs.retrieval.filters import CHUNK_FIELDS, Condition, FieldType, Filters, parse_filters
from programs.retrieval.rank_fusion import reciprocal_rank_fusion
from programs.retrieval.records import sealed
from programs.retrieval.store import CollectionOptions, Payload, Store, StoredPoint

_NAME = "summaries"
_ARM_DEPTH = 40
_RECORD = "summary"
_FIELDS: Mapping[str, FieldType] = {"record": "keyword", "document": "keyword", "hash": "keyword"}
_STORED = {
    "document": "document_id",
    "hash": "content_hash",
    **{name: name for name in ("source", "recipe", "lm", "text")},
}
"""What of a payload is which field of a summary."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a paper is about, as a language model wrote it.

    Attributes:
        recipe: Digest of the model ``lm`` and prompts; another recipe would have written another summary.
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


class Summaries(Collection):
    """The summaries of an index's papers; ``Index.summaries`` opens and closes them."""

    def __init__(self, store: Store, manifest: Manifest, place: str, passages: Collection) -> None:
        super().__init__(store, manifest, place)
        self._passages = passages

    @classmethod
    def open(cls, passages: Collection, place: str | Path | None = None) -> Summaries | None:
        """Open the summaries of a collection's papers; None when there are none.

        ``place`` is their folder or address, where they are not beside the passages. Raises ``IndexMismatch`` where
        they were made with another embedder than the index.
        """
        try:
            return cls._opened(passages, str(place or beside(passages.place, _NAME)))
        except IndexNotFound:
            return None

    @classmethod
    def create(cls, passages: Collection) -> Summaries:
        """Make an empty collection beside the passages, kept like them, or open it; errors as for ``open``."""
        kept = passages.store.kept()
        made = CollectionOptions() if kept is None else kept.options
        return cls.open(passages) or cls._opened(passages, beside(passages.place, _NAME), made)

    @classmethod
    def _opened(cls, passages: Collection, where: str, made: CollectionOptions | None = None) -> Summaries:
        """Open the collection, or make it with the options ``made``."""
        made_with = passages.manifest
        manifest = Manifest(made_with.embedder, made_with.dimension, _NAME, made_with.sparse)

        def check(stored: Manifest) -> None:
            if stored.chunking != _NAME:
                raise UsageError(f"{where} holds passages, not summaries; name the folder or collection of summaries")
            stored.require(where, embedder=manifest.embedder, dimension=manifest.dimension, sparse=manifest.sparse)

        purpose = Purpose(lambda: manifest, check, _FIELDS, "python -m programs index PAPERS --summaries")
        store, stored = opened(where, purpose, create=made is not None, complete=True, options=made)
        return cls(store, stored, where, passages)

    def put(self, summary: Summary, document: Document) -> None:
        """Store a summary with its paper's metadata, in place of an earlier one of the paper."""
        text = ". ".join(filter(None, (document.title, summary.text)))
        (vector,) = self._passages.embedder.embed([text])
        kept = {name: getattr(summary, field) for name, field in _STORED.items()}
        payload = sealed({"record": _RECORD, **kept, "metadata": records.filterable(document)})
        self.store.upsert([StoredPoint(_point_id(document.id), payload, vector, self.bm25.document(text))])

    def writing(self) -> AbstractContextManager[None]:
        """Have several changes appear to others together, at the end, those before an exception too; see ``Index``."""
        return self.store.writing(keep=True)

    def stored(self) -> dict[str, Summary]:
        """Every stored summary by paper, also those of papers that have changed since."""
        return {one.document_id: one for one in map(self._summary, self.store.scroll([records.record_is(_RECORD)]))}

    def of(self, document_ids: Iterable[str]) -> dict[str, Summary]:
        """The summaries of papers as they are now; papers without one are left out."""
        found = self.store.retrieve([_point_id(each) for each in document_ids])
        return self._current([self._summary(payload) for payload in found.values()])

    def search(self, query: str | Sequence[str], k: int, filters: Filters | None = None) -> list[SummaryHit]:
        """Find summaries by meaning and by words, fused by reciprocal rank; arguments as for ``Index.search``.

        What filters say of single passages is left to the search for these.
        """
        queries = [query] if isinstance(query, str) else list(query)
        of_papers = {
            key: value for key, value in (filters or {}).items() if key == "document" or key not in CHUNK_FIELDS
        }
        conditions = [records.record_is(_RECORD), *parse_filters(of_papers, self._passages.fields())]
        vectors = [*self._passages.embedder.embed_query(queries), *(self.bm25.query(text) for text in queries)]
        depth = max(k, _ARM_DEPTH)
        with self.store.reading(), self._passages.store.reading():
            while True:
                rankings = self.store.query(vectors, depth, conditions)
                fused = reciprocal_rank_fusion(rankings)
                payloads = self.store.retrieve([one.id for one in fused])
                found = {key: self._summary(payload) for key, payload in payloads.items()}
                current = self._current(list(found.values())).values()
                hits = [SummaryHit(found[one.id], one.score) for one in fused if found.get(one.id) in current]
                # Outdated summaries may have taken the place of others.
                if len(hits) >= k or all(len(ranking) < depth for ranking in rankings):
                    return hits[:k]
                depth *= 4

    def remove(self, document_ids: Sequence[str]) -> None:
        """Remove the summaries of papers; papers without one are skipped."""
        if document_ids:
            self.store.delete([Condition("document", "keyword", values=tuple(document_ids))])

    def __reduce__(self) -> tuple[Callable[..., Summaries | None], tuple[Collection, str]]:
        # Saved programs name what they read, and open it where they are loaded.
        return Summaries.open, (self._passages, self.place)

    def _summary(self, payload: Payload) -> Summary:
        intact = self.intact(payload)
        return Summary(**{field: intact[name] for name, field in _STORED.items()})

    def _current(self, summaries: Sequence[Summary]) -> dict[str, Summary]:
        hashes = self._passages.content_hashes([one.document_id for one in summaries])
        return {one.document_id: one for one in summaries if hashes.get(one.document_id) == one.content_hash}


def _point_id(document_id: str) -> str:
    return records.point_id(f"summary/{document_id}")
