"""A collection of passages: opening it, and adding documents in batches that survive a killed process.

The order of writes makes it safe. One atomic write brings a batch's chunks together with the records of their
documents; only then are chunks of earlier versions deleted, and the record says so until that is done. So at any moment
a document is there whole or not at all. What a killed run left undone is completed when the index is next opened, or on
a server, where another machine may be working on it, by the next run. Readers of an embedded index see what a run has
written when it ends. One batch is embedded while the one before is written.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from programs.config import settings
from programs.errors import UsageError
from programs.ingest.chunking import PASSAGES, Chunking
from programs.ingest.chunking import chunk as cut
from programs.ingest.document import Chunk, Document
from programs.retrieval import records
from programs.retrieval.collection import Collection, Manifest, Purpose
from programs.retrieval.filters import Condition
from programs.retrieval.store import Bm25, Store, StoredPoint

if TYPE_CHECKING:
    from programs.retrieval.embedder import Embedder

BATCH_CHUNKS = 512
"""Chunks embedded and written at once: large enough for full embedding batches, small enough to lose little."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """How many documents were added, replaced, or unchanged, which are skipped before embedding; passages written."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    chunks: int = 0


Progress: TypeAlias = Callable[[Indexed], None]
OriginOf: TypeAlias = Callable[[Document], str]


@dataclass(frozen=True, slots=True)
class _Pending:
    document: Document
    content_hash: str
    origin: str
    chunks: list[Chunk]
    replacing: bool

    def record(self, *, replacing: bool) -> StoredPoint:
        return records.document_point(
            self.document, self.content_hash, len(self.chunks), self.origin, replacing=replacing
        )


@dataclass(frozen=True, slots=True)
class _Batch:
    pending: list[_Pending]
    unchanged: int


def purpose_of(place: str, embedder: Embedder | None, chunking: Chunking | None) -> Purpose:
    """What a collection of passages is for; arguments as for ``Index.open``."""

    @functools.cache  # the default model may have to be loaded to know its dimension
    def new_manifest() -> Manifest:
        from programs.retrieval.embedder import load_embedder

        model = embedder or load_embedder(settings().embedder)
        return Manifest(model.name, model.dimension, str(chunking or PASSAGES), Bm25.name)

    def check(manifest: Manifest) -> None:
        # The name first: a model's dimension may have to be loaded, which needs more than is installed here.
        manifest.require(place, embedder=embedder.name if embedder else None)
        dimension, cutting = embedder.dimension if embedder else None, str(chunking) if chunking else None
        manifest.require(place, dimension=dimension, chunking=cutting, sparse=Bm25.name)

    command = f"python -m programs index PAPERS --index {place}"
    return Purpose(new_manifest, check, records.OWN_FIELDS, command, _finish_replacements)


def add_documents(
    collection: Collection, documents: Iterable[Document], on_progress: Progress, origin_of: OriginOf
) -> Indexed:
    """Index documents as a stream; see ``Index.add``."""
    done, store = Indexed(), collection.store
    unwritten: set[str] = set()
    with _whole_documents(store), ThreadPoolExecutor(1, "embedding") as embedding:
        batch, points = _Batch([], 0), None
        for following in itertools.chain(_batches(collection, documents, origin_of, unwritten), (_Batch([], 0),)):
            ahead = embedding.submit(_points, collection, following.pending)  # while the one before is written
            if points is not None:
                replaced = sum(one.replacing for one in batch.pending)
                done = Indexed(
                    added=done.added + len(batch.pending) - replaced,
                    replaced=done.replaced + replaced,
                    unchanged=done.unchanged + batch.unchanged,
                    chunks=done.chunks + sum(len(one.chunks) for one in batch.pending),
                )
                _write(store, batch.pending, points.result())
                on_progress(done)
            unwritten.clear()
            unwritten.update(one.document.id for one in following.pending)
            batch, points = following, ahead
        store.optimize()  # also when nothing was new: an earlier run may have been killed before this step
    return done


@contextmanager
def _whole_documents(store: Store) -> Iterator[None]:
    """Write documents, each whole; after an exception commit what was written, too."""
    failure: BaseException | None = None
    with store.writing():
        _finish_replacements(store)
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - raised below
            _finish_replacements(store)
            failure = error
    if failure is not None:
        raise failure


def _finish_replacements(store: Store) -> None:
    """Complete what a killed run left undone between writing a new version and deleting the old one."""
    cut_short = [records.record_is("document"), Condition("state", "keyword", values=("replacing",))]
    for payload in list(store.scroll(cut_short)):
        _delete_earlier_chunks(store, payload["document"], payload["hash"])
        store.upsert([StoredPoint(records.document_point_id(payload["document"]), {**payload, "state": "committed"})])


def _batches(
    collection: Collection, documents: Iterable[Document], origin_of: OriginOf, unwritten: AbstractSet[str]
) -> Iterator[_Batch]:
    """What there is to write; the caller has written all batches but the last, the ``unwritten`` documents."""
    pending: list[_Pending] = []
    unchanged = 0
    for document in documents:
        while document.id in unwritten or any(document.id == one.document.id for one in pending):
            yield _Batch(pending, unchanged)  # so that the later version replaces the earlier one
            pending, unchanged = [], 0
        one = _pending(collection, document, origin_of(document))
        if one is None:
            unchanged += 1
            continue
        pending.append(one)
        if sum(len(each.chunks) for each in pending) >= BATCH_CHUNKS:
            yield _Batch(pending, unchanged)
            pending, unchanged = [], 0
    if pending or unchanged:
        yield _Batch(pending, unchanged)


def _pending(collection: Collection, document: Document, origin: str) -> _Pending | None:
    """What there is to write for a document; None when the index holds the same content."""
    content_hash, store = document.content_hash, collection.store
    key = records.document_point_id(document.id)
    stored = store.retrieve([key], ["hash", "origin", "chunks"]).get(key)
    if stored is None or stored["hash"] != content_hash:
        chunks = cut(document, collection.chunking)
        return _Pending(document, content_hash, origin, chunks, replacing=stored is not None)
    if stored["origin"] != origin:
        store.upsert([records.document_point(document, content_hash, stored["chunks"], origin, replacing=False)])
    return None


def _write(store: Store, batch: list[_Pending], points: list[StoredPoint]) -> None:
    if not batch:
        return
    _index_fields(store, batch)
    store.upsert(points)
    for one in batch:
        if one.replacing:
            _delete_earlier_chunks(store, one.document.id, one.content_hash)
            store.upsert([one.record(replacing=False)])


def _index_fields(store: Store, batch: list[_Pending]) -> None:
    known = dict(store.fields())
    for one in batch:
        for key, kind in records.field_types(records.filterable(one.document)).items():
            if key not in known:
                store.create_field(key, kind)
                known[key] = kind
            elif known[key] != kind:
                raise UsageError(
                    f"document {one.document.id!r} brings {key.removeprefix('metadata.')!r} as {kind}, but the index "
                    f"holds it as {known[key]}; make the metadata file say the same kind of value for every paper"
                )


def _points(collection: Collection, batch: list[_Pending]) -> list[StoredPoint]:
    chunks = [(chunk, one) for one in batch for chunk in one.chunks]
    texts = [records.embedded_text(chunk, one.document.title) for chunk, one in chunks]
    dense = collection.embedder.embed(texts) if texts else ()
    points = [
        records.chunk_point(chunk, one.document, one.content_hash, vector, collection.bm25.document(text))
        for (chunk, one), text, vector in zip(chunks, texts, dense, strict=True)
    ]
    return [*points, *(one.record(replacing=one.replacing) for one in batch)]


def _delete_earlier_chunks(store: Store, document_id: str, content_hash: str) -> None:
    other_hash = Condition("hash", "keyword", values=(content_hash,), negated=True)
    store.delete([records.record_is("chunk"), records.belongs_to(document_id), other_hash])
