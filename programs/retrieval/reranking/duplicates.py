"""Which candidates say the same as a better one: by their vectors, or by their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

import numpy as np

from programs.retrieval.store import Vector

SAME_MEANING = 0.95
"""Cosine similarity above which two passages say the same."""

SAME_WORDS = 0.95
"""Share of their common words among all their words (Jaccard) above which two passages are the same text."""


def duplicates(
    scores: Sequence[float], vectors: Vector, words: Sequence[Set[int]], same_meaning: float = SAME_MEANING
) -> list[bool]:
    """Mark every passage that repeats one of a higher score.

    Args:
        scores: Without a penalty for duplicates; of equal scores the earlier one counts as higher.
        vectors: Unit vectors [n, dimension].
        words: Distinct words of each passage, as numbers.
        same_meaning: Cosine similarity above which two passages say the same; 1 for none but the same text.

    Returns:
        True for each passage that has a better copy; the best of several copies is never marked.
    """
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    # Not the product "@", which wakes the linear algebra library's threads for a matrix too small to share.
    same = np.einsum("id,jd->ij", vectors, vectors) > same_meaning
    for one, other in _same_words(words):
        same[one, other] = same[other, one] = True
    return [bool(each) for each in np.any(same & (rank[None, :] < rank[:, None]), axis=1)]


def _same_words(words: Sequence[Set[int]]) -> Iterator[tuple[int, int]]:
    """Pairs of texts with the same words; only texts with nearly as many words can have them."""
    by_size = sorted((place for place, each in enumerate(words) if each), key=lambda place: len(words[place]))
    for number, one in enumerate(by_size):
        for other in by_size[number + 1 :]:
            if len(words[one]) <= SAME_WORDS * len(words[other]):
                break
            common = len(words[one] & words[other])
            if common > SAME_WORDS * (len(words[one]) + len(words[other]) - common):
                yield one, other
