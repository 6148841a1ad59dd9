"""BM25 as sparse vectors: term weights here, inverse document frequency in the engine.

The vectors are those of Qdrant's own BM25 (English stop words and Snowball stemmer, terms hashed to 32 bits), so an
index made here and one made on a server hold the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import qdrant_edge

K1 = 1.2
B = 0.75
AVERAGE_LENGTH = 128.0
"""Terms left of a 220-word passage once stop words are gone; kept fixed, because a length that follows the corpus would
change vectors already stored."""


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids and their weights, of equal length."""

    indices: list[int]
    values: list[float]


class Bm25:
    """Turns texts into sparse vectors; k1 = 1.2, b = 0.75 (Robertson & Zaragoza, 2009)."""

    name = f"bm25:k={K1}:b={B}:length={AVERAGE_LENGTH:g}:english"

    def __init__(self) -> None:
        self._model = qdrant_edge.Bm25(qdrant_edge.Bm25Config(k=K1, b=B, avg_len=AVERAGE_LENGTH))

    def document(self, text: str) -> SparseVector:
        """Weights of a passage's terms, saturated by frequency and normalised by length."""
        vector = self._model.embed_document(text)
        return SparseVector(vector.indices, vector.values)

    def query(self, text: str) -> SparseVector:
        """Each distinct term of a query with weight 1."""
        vector = self._model.embed_query(text)
        return SparseVector(vector.indices, vector.values)
