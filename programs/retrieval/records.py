"""How documents, chunks and the manifest are stored as points; the only place that knows the payload's shape.

A chunk:      {"record": "chunk", "chunk": "PMC1::sec0::chunk1", "document": "PMC1", "section": "results",
               "kind": "text", "heading": "Bone density", "text": "…", "start": 812, "end": 1930, "hash": "9f…",
               "metadata": {"title": "…", "year": 2014, "organism": ["Mus musculus"], …}}
A document:   {"record": "document", "document": "PMC1", "hash": "9f…", "origin": "c3…", "state": "committed",
               "reader": "pdf 4", "chunks": 21, "metadata": {…}, "body": {… the whole Document …}}
The manifest: {"record": "manifest", "manifest": {…}}

Each record has a seal, a hash of every value that is shown, so that a flipped bit is an error and never an answer.
Vectors are not sealed: they decide what is found, not what it says.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import orjson

from programs.errors import IndexCorrupt
from programs.ingest.document import Chunk, Document, MetadataValue
from programs.ingest.formats import reading, readings
from programs.retrieval.filters import Condition, FieldType, as_word, field_type
from programs.retrieval.store import Payload, SparseVector, StoredPoint, Vector

_SEAL = "seal"
_NOT_SEALED = frozenset({_SEAL, "state", "body", "origin", "reader"})
"""What is not shown or changes later, and a document's body, which has its own seal."""

_SEAL_BYTES = 12


def sealed(payload: Payload) -> Payload:
    """The record's values with their seal, as an engine returns them."""
    try:
        return {**payload, _SEAL: _seal(payload)}
    except TypeError:  # a number beyond 64 bits, which JSON's libraries and engines keep as a float
        kept: Payload = _in_64_bits(payload)
        return {**kept, _SEAL: _seal(kept)}


def require_seal(payload: Payload, paper: object, place: str) -> Payload:
    """The record's values without their seal, once it has been checked; paper and place are for the message."""
    kept = dict(payload)
    if kept.pop(_SEAL, None) != _seal(kept):
        raise IndexCorrupt(
            f"the index at {place} is damaged: what it holds of {paper!r} is not what was stored. Take that paper out, "
            f"`python -m programs remove {paper} --index {place}`, and index its file again; `python -m programs check "
            f"--index {place}` looks at all papers. Disk or memory may be failing"
        )
    return kept


def _seal(payload: Payload) -> str:
    shown = dict(payload)  # for every passage that a search reads: three times as fast as a comprehension
    for name in _NOT_SEALED:
        shown.pop(name, None)
    return hashlib.blake2b(orjson.dumps(shown, option=orjson.OPT_SORT_KEYS), digest_size=_SEAL_BYTES).hexdigest()


def _in_64_bits(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {name: _in_64_bits(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_in_64_bits(each) for each in value]
    return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**64 else value


_NAMESPACE = uuid.UUID("6f1f3a52-6d3e-5c0e-9a51-0d7c5d0f1b7e")
"""Fixed for ever: point ids are UUIDv5 in it, so several machines that index one paper write the same points."""

MANIFEST_ID = uuid.uuid5(_NAMESPACE, "manifest").hex

OWN_FIELDS: Mapping[str, FieldType] = {
    **dict.fromkeys(("record", "document", "hash", "state", "reader", "section", "kind", "heading"), "keyword"),
    "metadata.year": "number",
}
"""Payload paths indexed from the start; metadata fields follow as documents bring them."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search found.

    Attributes:
        score: Fused score, higher is better; comparable within one search only.
        dense_score: Cosine similarity to the nearest query, None where no dense list holds the passage.
        sparse_score: Best BM25 score, None where no BM25 list holds it.
        dense_rank: Best rank from 0 in the dense lists, or None; ``sparse_rank`` in the BM25 lists.
        metadata: What is known of its document: title, year, journal, doi, organism …
        relevance: How likely it answers, by the learned order or another cross-encoder; None where none was asked.
    """

    chunk: Chunk
    score: float
    dense_score: float | None = None
    sparse_score: float | None = None
    dense_rank: int | None = None
    sparse_rank: int | None = None
    metadata: Mapping[str, MetadataValue] | None = None
    relevance: float | None = None


def point_id(record_id: str) -> str:
    """UUIDv5 of a chunk's or document's id, as 32 hexadecimal digits."""
    return uuid.uuid5(_NAMESPACE, record_id).hex


def document_point_id(document_id: str) -> str:
    """Where the record of a document is; its namespace cannot meet a chunk's id."""
    return point_id(f"document/{document_id}")


def embedded_text(chunk: Chunk, title: str) -> str:
    """What both arms read of a chunk: its paper's title and its heading, then the passage."""
    return ". ".join(filter(None, (title, chunk.heading, chunk.text)))


def filterable(document: Document) -> dict[str, MetadataValue]:
    """Everything of a document that filters can see; empty values are left out."""
    named = ("title", "authors", "year", "journal", "doi", "pmcid", "url", "source")
    own = {field: value for field in named if (value := getattr(document, field)) not in (None, "", ())}
    known = {**document.metadata, **own, **({"authors": list(document.authors)} if document.authors else {})}
    return {
        field: as_word(value) if isinstance(value, bool) else value
        for field, value in known.items()
        if value not in (None, "", [])
    }


def field_types(metadata: Mapping[str, MetadataValue]) -> dict[str, FieldType]:
    """Payload paths of metadata fields, with the type each is indexed as."""
    return {
        f"metadata.{field}": field_type(value[0] if isinstance(value, list) else value)
        for field, value in metadata.items()
    }


_CHUNK = {
    "chunk": "id",
    "document": "document_id",
    **{name: name for name in ("section", "kind", "text", "start", "end", "heading")},
}
"""What of a payload is which field of a chunk, in their order."""
_read_chunk = itemgetter(*_CHUNK)


def chunk_point(
    chunk: Chunk, document: Document, content_hash: str, dense: Vector, sparse: SparseVector
) -> StoredPoint:
    """A chunk as a point."""
    own = {name: getattr(chunk, field) for name, field in _CHUNK.items()}
    payload = {"record": "chunk", **own, "hash": content_hash, "metadata": filterable(document)}
    return StoredPoint(point_id(chunk.id), sealed(payload), dense, sparse)


def document_point(document: Document, content_hash: str, chunks: int, origin: str, *, replacing: bool) -> StoredPoint:
    """The record that commits a document; if ``replacing``, chunks of an earlier version may still are beside it."""
    payload = {
        "record": "document",
        "document": document.id,
        "hash": content_hash,
        "origin": origin,
        "state": "replacing" if replacing else "committed",
        "reader": reading(document.source),
        "chunks": chunks,
        "metadata": filterable(document),
        "body": sealed(document.as_dict()),
    }
    return StoredPoint(document_point_id(document.id), sealed(payload))


def manifest_point(manifest: Mapping[str, Any]) -> StoredPoint:
    """The index's description of itself."""
    return StoredPoint(MANIFEST_ID, {"record": "manifest", "manifest": dict(manifest)})


def chunk_of(payload: Payload) -> Chunk:
    """Read a chunk's payload back."""
    return Chunk(*_read_chunk(payload))


def record_is(kind: str) -> Condition:
    """Matches points of one kind: ``chunk``, ``document`` or ``manifest``."""
    return Condition("record", "keyword", values=(kind,))


def read_by_older() -> list[Condition]:
    """Matches the records of papers that another version of their reader read, or one that left no version."""
    return [record_is("document"), Condition("reader", "keyword", values=tuple(readings()), negated=True)]


def belongs_to(document_id: str) -> Condition:
    """Matches a document's record and all its chunks."""
    return Condition("document", "keyword", values=(document_id,))
