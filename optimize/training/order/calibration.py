"""From the order's logits to probabilities, on papers that it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from programs.models.order import LogisticScale

STEPS = 50
PULL = 1e-3
"""Towards a flat curve, so that values that part right from wrong without error give a finite one."""


def fit_scale(values: Sequence[float], right: Sequence[bool]) -> LogisticScale:
    """A logistic curve through values, by Newton's method on the mean cross entropy of standardised values.

    Args:
        values: Any numbers.
        right: What each of them should have said; both answers must occur.
    """
    raw, targets = np.asarray(values, dtype=float), np.asarray(right, dtype=float)
    mean, spread = raw.mean(), max(raw.std(), 1e-6)
    inputs = np.stack([(raw - mean) / spread, np.ones(len(raw))], axis=1)
    weights: NDArray[np.float64] = np.zeros(2)
    for _ in range(STEPS):
        found = 1 / (1 + np.exp(-(inputs @ weights)))
        gradient = inputs.T @ (found - targets) / len(targets) + PULL * weights
        curvature = (inputs * (found * (1 - found))[:, None]).T @ inputs / len(targets) + PULL * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step / max(1.0, float(np.abs(step).max()))
    factor = float(weights[0]) / spread
    return LogisticScale(factor, float(weights[1]) - factor * mean)


def area_under_curve(values: Sequence[float], right: Sequence[bool]) -> float:
    """AUROC: how often a right one has a higher value than a wrong one, ties counting half; in [0, 1]."""
    high = np.asarray([value for value, each in zip(values, right, strict=True) if each])
    low = np.asarray([value for value, each in zip(values, right, strict=True) if not each])
    above = (high[:, None] > low[None, :]).mean() + 0.5 * (high[:, None] == low[None, :]).mean()
    return float(above)
