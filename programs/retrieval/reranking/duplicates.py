"""Which candidates say the same as a better one: by their vectors, or by their words."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from programs.retrieval.store import Vector

SAME_MEANING = 0.95
"""Cosine similarity above which two passages say the same."""

SAME_WORDS = 0.95
"""Share of their common words among all their words (Jaccard) above which two passages are the same text."""


def duplicates(scores: Sequence[float], vectors: Vector, words: Sequence[Set[int]]) -> list[bool]:
    """Mark every passage that repeats one of a higher score.

    Args:
        scores: Without a penalty for duplicates; of equal scores the earlier one counts as higher.
        vectors: Unit vectors [n, dimension].
        words: Distinct words of each passage, as numbers.

    Returns:
        True for each passage that has a better copy; the best of several copies is never marked.
    """
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    same = (vectors @ vectors.T > SAME_MEANING) | (_jaccard(words) > SAME_WORDS)
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    return [bool(one) for one in np.any(same & (rank[None, :] < rank[:, None]), axis=1)]


def _jaccard(words: Sequence[Set[int]]) -> NDArray[np.float64]:
    """Common words over all words, for each pair; 0 for two texts without words."""
    sizes = np.array([len(each) for each in words], dtype=float)
    known = {word: column for column, word in enumerate(sorted(set().union(*words)))}
    held = np.zeros((len(words), len(known)), dtype=np.float32)
    for row, each in zip(held, words, strict=True):
        row[[known[word] for word in each]] = 1.0
    common = (held @ held.T).astype(float)
    everything = sizes[:, None] + sizes[None, :] - common
    shares: NDArray[np.float64] = common / np.maximum(everything, 1.0)
    return shares
