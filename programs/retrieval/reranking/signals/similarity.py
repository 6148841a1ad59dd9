"""How near a passage is to the question: by meaning, and by words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from programs.retrieval.store import Vector


def similarities(query: Vector, passages: Vector) -> list[float]:
    """Cosine similarity of each passage to the query; opposite directions count as unrelated.

    Args:
        query: Unit vector [dimension].
        passages: Unit vectors [n, dimension].

    Returns:
        n values in [0, 1].
    """
    found: list[float] = np.clip(passages @ query, 0.0, 1.0).tolist()
    return found


def bm25_shares(scores: Sequence[float | None]) -> list[float]:
    """BM25 scores as shares of the best one among the candidates.

    BM25 has no upper bound, and only the ratio of two scores of one query says anything. The lowest score is not
    stretched to 0: a candidate that the words alone would have found last is still found by words.

    Args:
        scores: One a candidate; None where BM25 did not find it.

    Returns:
        Values in [0, 1], in the order of the scores; 0 for None, and for all when the best is not above 0.
    """
    best = max((score for score in scores if score is not None), default=0.0)
    return [max(score, 0.0) / best if score is not None and best > 0 else 0.0 for score in scores]
