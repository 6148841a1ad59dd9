"""The passages of a collection that share most words with a question, for negatives that are hard to tell."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from programs.retrieval.bm25 import Bm25


class WordIndex:
    """BM25 over texts in memory, with the weights of the index that the programs search."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Take the texts.

        Args:
            texts: Passages; results are their positions.
        """
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

    def scores(self, question: str) -> NDArray[np.float64]:
        """Every text's score, [texts], 0 where no word is shared."""
        total = np.zeros(self._count)
        for term in self._bm25.query(question).indices:
            if term in self._postings:
                places, values = self._postings[term]
                total[places] += math.log(1 + (self._count - len(places) + 0.5) / (len(places) + 0.5)) * values
        return total

    def nearest(self, question: str, count: int) -> list[int]:
        """Positions of the best, the best first; fewer where fewer share a word."""
        scores = self.scores(question)
        best = np.argsort(-scores, kind="stable")[:count]
        return [int(at) for at in best if scores[at] > 0]
