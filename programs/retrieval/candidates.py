"""What a search found, with the vectors that it was found by, for reranking.

Vectors come from the store; a retriever that does not bring them has its passages embedded again, which takes a few
milliseconds each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from programs.retrieval.filters import Filters
from programs.retrieval.records import Hit, embedded_text, point_id
from programs.retrieval.retriever import Retriever
from programs.retrieval.store import Vector


@dataclass(frozen=True, slots=True, eq=False)
class SearchCandidates:
    """Passages, best first, with vectors.

    Attributes:
        hits: The passages.
        vectors: Of the passages, float32 [len(hits), dimension], rows of unit length.
        query: Of the query, float32 [dimension], of unit length.
        bm25: Scores of the hits for the query alone, or, of a retriever without vectors, the best of query and words;
            None where no BM25 list holds them.
    """

    hits: Sequence[Hit]
    vectors: Vector
    query: Vector
    bm25: Sequence[float | None]

    def at(self, rows: Sequence[int]) -> SearchCandidates:
        """Some of them."""
        return SearchCandidates(
            [self.hits[row] for row in rows],
            self.vectors[list(rows)],
            self.query,
            [self.bm25[row] for row in rows],
        )


@runtime_checkable
class BringsVectors(Protocol):
    """What a retriever can do beside searching; ``Index`` does."""

    def candidates(
        self, query: str, k: int = 10, filters: Filters | None = None, *, words: Sequence[str] = ()
    ) -> SearchCandidates:
        """Search for the query by meaning and by words, and for ``words`` by words alone."""


def with_vectors(
    hits: Sequence[Hit], query: Vector, found: Mapping[str, Vector], bm25: Mapping[str, float]
) -> SearchCandidates:
    """Put hits and their stored vectors together.

    Args:
        hits: The passages.
        query: Vector of the query, [dimension].
        found: Vectors by point id; on a server a passage may have been taken out since it was found, and is left out.
        bm25: Scores for the query by point id.
    """
    there = [hit for hit in hits if point_id(hit.chunk.id) in found]
    vectors = np.zeros((len(there), len(query)), dtype=np.float32)
    for row, hit in zip(vectors, there, strict=True):
        row[:] = found[point_id(hit.chunk.id)]
    return SearchCandidates(there, vectors, query, [bm25.get(point_id(hit.chunk.id)) for hit in there])


def find_candidates(
    retriever: Retriever, query: str, k: int, filters: Filters | None = None, *, words: Sequence[str] = ()
) -> SearchCandidates:
    """Search, and bring the vectors along; errors as for ``Index.search``.

    Args:
        retriever: What finds passages; one that brings no vectors also searches for ``words`` by meaning.
        query: The question.
        k: How many candidates, at least 1.
        filters: As in ``programs.retrieval.filters``.
        words: Further wordings, such as the names of what the question means.
    """
    if isinstance(retriever, BringsVectors):
        return retriever.candidates(query, k, filters, words=words)
    hits = retriever.search([query, *words], k, filters)
    texts = [embedded_text(hit.chunk, str((hit.metadata or {}).get("title", ""))) for hit in hits]
    # What else finds passages may ask a model for each search, so there is one, and its scores have to do.
    bm25 = [hit.sparse_score for hit in hits]
    return SearchCandidates(hits, retriever.embedder.embed(texts), retriever.embedder.embed_query([query])[0], bm25)
