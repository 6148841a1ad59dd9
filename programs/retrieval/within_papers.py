"""Passages within some papers, searched without the papers' titles: the second of two searches."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from programs.ingest.document import Chunk
from programs.retrieval import records
from programs.retrieval.filters import CHUNK_FIELDS, Filters
from programs.retrieval.index import Index
from programs.retrieval.memory_store import State
from programs.retrieval.rank_fusion import reciprocal_rank_fusion
from programs.retrieval.records import Hit
from programs.retrieval.retriever import fused_hit
from programs.retrieval.store import StoredPoint

_REMEMBERED_PAPERS = 256
"""At about 40 passages each some 20 MB of vectors; a paper that is asked again is not embedded again."""


class WithinPapers:
    """The search; vectors are made at a paper's first question and kept."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._paper = lru_cache(_REMEMBERED_PAPERS)(self._read)
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[WithinPapers], tuple[Index]]:
        return WithinPapers, (self._index,)

    def __deepcopy__(self, memo: dict[int, Any]) -> WithinPapers:
        # Optimizers copy programs; vectors are shared by all copies.
        return self

    def search(self, queries: Sequence[str], document_ids: Iterable[str], k: int, filters: Filters | None) -> list[Hit]:
        """Find at most k passages of papers by meaning and by words, fused by reciprocal rank, best first.

        Dense scores are cosine similarities; BM25 takes its document frequencies from these papers. All of them are in
        the index, and what the filters say of papers must hold for them already.
        """
        with self._lock:  # threads that ask the same paper wait until it is embedded instead of doing the work again
            papers = [self._paper(*each) for each in self._index.content_hashes(document_ids).items()]
        points = {point.id: point for paper in papers for point in paper}
        if not points:
            return []
        of_passages = {
            key: value for key, value in (filters or {}).items() if key in CHUNK_FIELDS and key != "document"
        }
        dense = self._index.embedder.embed_query(queries)
        vectors = [*dense, *map(self._index.bm25.query, queries)]
        rankings = State(points, {}).query(vectors, len(points), self._index.conditions(of_passages))
        fused = reciprocal_rank_fusion(rankings, limit=k)
        return [fused_hit(one, points[one.id].payload, rankings[: len(dense)], rankings[len(dense) :]) for one in fused]

    def neighbours(self, chunk: Chunk) -> tuple[Chunk | None, Chunk | None]:
        """The passages before and after one in its paper; None at its ends."""
        chunks = self._index.chunks(chunk.document_id)
        place = next(row for row, each in enumerate(chunks) if each.id == chunk.id)
        return chunks[place - 1] if place else None, chunks[place + 1] if place + 1 < len(chunks) else None

    def _read(self, document_id: str, content_hash: str) -> list[StoredPoint]:
        chunks, document, bm25 = self._index.chunks(document_id), self._index.document(document_id), self._index.bm25
        vectors = self._index.embedder.embed([chunk.text for chunk in chunks])
        return [
            records.chunk_point(chunk, document, content_hash, vector, bm25.document(chunk.text))
            for chunk, vector in zip(chunks, vectors, strict=True)
        ]
