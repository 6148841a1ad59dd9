"""Candidates out of thin air: as a search would bring them, with vectors that a test chooses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from programs.ingest.document import Chunk
from programs.retrieval.records import Hit
from programs.retrieval.retriever import SearchCandidates

LONG_ENOUGH = " ".join(f"word{number}" for number in range(50))


def hit(name: str, text: str = LONG_ENOUGH, *, section="results", bm25: float | None = None, **metadata) -> Hit:
    """A hit of document ``name`` up to the first dot of the chunk's name."""
    chunk = Chunk(name, name.partition(".")[0], section, "text", text, 0, len(text))
    return Hit(chunk, 0.0, sparse_score=bm25, metadata=metadata)


def candidates(hits: Sequence[Hit], vectors: Sequence[Sequence[float]], query: Sequence[float]) -> SearchCandidates:
    rows = [np.asarray(each, dtype=np.float32) / np.linalg.norm(each) for each in (*vectors, query)]
    vectors, bm25 = np.array(rows[:-1]).reshape(len(hits), len(query)), [each.sparse_score for each in hits]
    return SearchCandidates(list(hits), vectors, rows[-1], bm25)
