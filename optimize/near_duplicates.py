"""Questions that are almost the same in two splits: what was learned from one would be measured on the other."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from metrics.words import words

SIMILAR = 0.8
"""Jaccard similarity of word sets. In the bundled set, written apart, no pair of splits exceeds 0.35."""


def near_duplicates(texts: Sequence[tuple[str, str]], similar: float = SIMILAR) -> Iterator[tuple[int, int]]:
    """Pairs of texts of different groups whose words are almost the same.

    Only pairs that share one of their rarest words are compared (prefix filtering, Bayardo et al. 2007,
    doi:10.1145/1242572.1242591), so that time grows with the pairs that are alike, not with all pairs.

    Args:
        texts: Pairs of group and text.
        similar: Jaccard similarity in (0, 1] from which two texts count as the same.

    Yields:
        Places of both, the smaller one first, each pair once.
    """
    bags = [frozenset(words(text)) for _, text in texts]
    frequency = Counter(word for bag in bags for word in bag)
    sharing: dict[str, list[int]] = defaultdict(list)
    for place, bag in enumerate(bags):
        rarest = sorted(bag, key=lambda word: (frequency[word], word))
        for word in rarest[: len(bag) - math.ceil(similar * len(bag)) + 1]:
            sharing[word].append(place)
    pairs = {pair for places in sharing.values() for pair in combinations(places, 2)}
    for first, second in sorted(pairs):
        if texts[first][0] != texts[second][0] and _jaccard(bags[first], bags[second]) >= similar:
            yield first, second


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0
