"""BM25 over texts in memory, with the terms and weights of the index that the programs search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metrics.words import inverse_document_frequency
from programs.retrieval.bm25 import Bm25


class WordSearch:
    """BM25 (Robertson and Zaragoza 2009).

    Args:
        texts: What is searched; results are their positions.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._bm25 = Bm25()
        postings: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for number, text in enumerate(texts):
            vector = self._bm25.document(text)
            for term, value in zip(vector.indices, vector.values, strict=True):
                postings[term].append((number, value))
        self._count = len(texts)
        self._postings = {
            term: (np.array([at for at, _ in found]), np.array([value for _, value in found]))
            for term, found in postings.items()
        }

    def scores(self, query: str) -> NDArray[np.float64]:
        """Every text's score, [texts], at least 0; 0 where no word is shared."""
        total = np.zeros(self._count)
        for term in self._bm25.query(query).indices:
            if term in self._postings:
                places, values = self._postings[term]
                total[places] += inverse_document_frequency(self._count, len(places)) * values
        return total

    def best(self, query: str, k: int) -> list[int]:
        """Positions of the k best texts, the best first; fewer where fewer share a word."""
        scores = self.scores(query)
        ranked = np.argsort(-scores, kind="stable")[:k]
        return [int(at) for at in ranked if scores[at] > 0]
