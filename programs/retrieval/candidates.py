"""What a search found, with the vectors that it was found by, for whoever orders it anew.

Vectors come from the store; a retriever that does not bring them has its passages embedded again, which takes a few
milliseconds each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from programs.retrieval.filters import Filters
from programs.retrieval.indexing import embedded_text
from programs.retrieval.records import Hit, point_id
from programs.retrieval.retriever import Retriever
from programs.retrieval.store import Vector


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Passages, best first, with vectors.

    Attributes:
        hits: The passages.
        vectors: Of the passages, float32 [len(hits), dimension], rows of unit length.
        queries: Of the queries that were searched for by meaning, in their order, at least of the first, float32
            [number of queries, dimension].
        bm25: Scores of the hits for the first query alone, or, of a retriever without vectors, the best of all queries;
            None where no BM25 list holds them.
    """

    hits: Sequence[Hit]
    vectors: Vector
    queries: Vector
    bm25: Sequence[float | None]


@runtime_checkable
class BringsVectors(Protocol):
    """What a retriever can do beside searching; ``Index`` does."""

    def candidates(self, query: str | Sequence[str], k: int = 10, filters: Filters | None = None) -> Candidates:
        """Like ``search``, with vectors."""


def with_vectors(
    hits: Sequence[Hit], queries: Vector, found: Mapping[str, Vector], bm25: Mapping[str, float]
) -> Candidates:
    """Put hits and their stored vectors together.

    Args:
        hits: The passages.
        queries: Vectors of the queries.
        found: Vectors by point id; on a server a passage may have been taken out since it was found, and is left out.
        bm25: Scores for the first query by point id.
    """
    there = [hit for hit in hits if point_id(hit.chunk.id) in found]
    vectors = np.zeros((len(there), queries.shape[1]), dtype=np.float32)
    for row, hit in zip(vectors, there, strict=True):
        row[:] = found[point_id(hit.chunk.id)]
    return Candidates(there, vectors, queries, [bm25.get(point_id(hit.chunk.id)) for hit in there])


def find_candidates(retriever: Retriever, queries: Sequence[str], k: int, filters: Filters | None = None) -> Candidates:
    """Search, and bring the vectors along; errors as for ``Index.search``."""
    if isinstance(retriever, BringsVectors):
        return retriever.candidates(queries, k, filters)
    hits = retriever.search(queries, k, filters)
    texts = [embedded_text(hit.chunk, str((hit.metadata or {}).get("title", ""))) for hit in hits]
    # What else finds passages may ask a model for each search, so there is one, and its scores have to do.
    bm25 = [hit.sparse_score for hit in hits]
    return Candidates(hits, retriever.embedder.embed(texts), retriever.embedder.embed_query(queries), bm25)
