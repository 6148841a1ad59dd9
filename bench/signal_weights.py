"""Learns the weights of the signals from judged candidates.

A weighted sum of signals, as a softmax over a question's candidates, is fitted to the relevant ones (ListNet's top-one
loss, Cao et al., ICML 2007) by descent along the gradient. Weights are kept at 0 or above and scaled to the sum of 1
that the seed's have; only their ratios order candidates. The penalty for duplicates is not learned but keeps its ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from programs.ingest.document import Chunk
from programs.retrieval.reranking import Reranked, SignalWeights

NAMES = ("sim", "bm25", "keyword_overlap", "sec_boost", "recency", "authority", "length_fit")
STEPS, RATE, PRIOR = 3000, 0.5, 0.01
"""Enough to come to rest; the prior keeps a signal that says nothing near 0."""


@dataclass(frozen=True)
class Judged:
    """A question's candidates: signals [candidates, names], and whether each is relevant."""

    signals: NDArray[np.float64]
    relevant: NDArray[np.bool_]

    @classmethod
    def of(cls, ranked: Sequence[Reranked], relevant: Collection[str], unit: Callable[[Chunk], str]) -> Judged:
        signals = np.array([[each.signals[name] for name in NAMES] for each in ranked])
        return cls(signals, np.array([unit(each.hit.chunk) in relevant for each in ranked]))


def learned(tasks: Mapping[str, Sequence[Judged]]) -> SignalWeights:
    """Weights for all tasks together, each counting the same; questions without a relevant candidate teach nothing."""
    seed = SignalWeights()
    kept = [[one for one in judged if one.relevant.any()] for judged in tasks.values()]
    factors = np.array([getattr(seed, name) for name in NAMES]) * 20
    for _ in range(STEPS):
        slope = np.mean([np.mean([_gradient(one, factors) for one in judged], axis=0) for judged in kept], axis=0)
        factors = np.maximum(0.0, factors - RATE * (slope + PRIOR * factors / 20))
    shares = factors / math.fsum(factors)
    return replace(seed, **{name: round(float(share), 3) for name, share in zip(NAMES, shares, strict=True)})


def _gradient(one: Judged, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the cross entropy between the relevant candidates and the softmax of the scores."""
    scores = one.signals @ factors
    expected = np.exp(scores - scores.max())
    wanted = one.relevant / one.relevant.sum()
    gradient: NDArray[np.float64] = one.signals.T @ (expected / expected.sum() - wanted)
    return gradient
