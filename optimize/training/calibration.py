"""From a model's logits to probabilities that can be taken at their word, and verdicts that are sure enough.

Vector scaling (Guo et al. 2017, On calibration of modern neural networks, arXiv:1706.04599): softmax(scale · logits +
shift), one scale and shift a class, fitted on pairs of papers that were not trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimize.training.pairs import LABELS, Pair
from programs.models.checker import Calibration, calibrated

Matrix = NDArray[np.float64]
STEPS = 2_000
RATE = 0.02
PULL = 0.01
"""Towards scale 1 and shift 0, so that few pairs cannot bend the scale far."""
FEWEST = 15
"""Verdicts that a threshold's precision is measured on at least."""
BINS = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """Precision that a verdict must have on pairs that were not trained on."""

    supported: float = 0.75
    contradicted: float = 0.9


def fit(logits: Matrix, pairs: Sequence[Pair], wanted: Wanted) -> Calibration:
    """Fit scales, shifts and thresholds.

    Args:
        logits: [pairs, 3], of the model that is shipped.
        pairs: Their labels; pairs that are only "not supported" are left out.
        wanted: Precision of the verdicts.
    """
    known = [at for at, pair in enumerate(pairs) if pair.label in LABELS]
    logits, targets = logits[known], np.array([LABELS.index(pairs[at].label) for at in known])
    scale, shift = _scaled(logits, targets)
    probabilities = calibrated(logits, Calibration(scale, shift, 1.0, 1.0))
    supported, contradicted = (
        threshold(probabilities, targets, label, precision)
        for label, precision in ((0, wanted.supported), (1, wanted.contradicted))
    )
    return Calibration(scale, shift, supported, contradicted)


def threshold(probabilities: Matrix, targets: NDArray[np.int64], label: int, precision: float) -> float:
    """The lowest probability from which on a label's verdicts have the precision wanted; 1.01 where none has.

    Args:
        probabilities: [pairs, 3].
        targets: [pairs], indices into `LABELS`.
        label: Which label.
        precision: In [0, 1]; of every set of verdicts above the threshold or above a higher one that is large enough.
    """
    mine = np.flatnonzero(probabilities.argmax(1) == label)
    order = mine[np.argsort(-probabilities[mine, label], kind="stable")]
    right = np.cumsum(targets[order] == label) / np.arange(1, len(order) + 1)
    enough = [at for at in range(FEWEST - 1, len(order)) if right[at] >= precision]
    return float(probabilities[order[enough[-1]], label]) if enough else 1.01


def calibration_error(probabilities: Matrix, targets: NDArray[np.int64]) -> float:
    """Expected calibration error of the likeliest label: mean distance of confidence and accuracy over ten bins.

    Args:
        probabilities: [pairs, 3], rows that sum to 1.
        targets: [pairs], indices of the right labels.

    Returns:
        In [0, 1]; bins of equal width, weighted by their pairs (Naeini et al. 2015).
    """
    confidence, right = probabilities.max(1), probabilities.argmax(1) == targets
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        abs(float(confidence[bins == each].mean() - right[bins == each].mean())) * int((bins == each).sum())
        for each in np.unique(bins)
    ]
    return sum(gaps) / max(1, len(targets))


def _scaled(logits: Matrix, targets: NDArray[np.int64]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Scale and shift by gradient descent on the mean cross entropy, which is convex in them."""
    scale, shift = np.ones(len(LABELS)), np.zeros(len(LABELS))
    truth = np.eye(len(LABELS))[targets]
    for _ in range(STEPS):
        values = logits * scale + shift
        found = np.exp(values - values.max(1, keepdims=True))
        wrong = found / found.sum(1, keepdims=True) - truth
        scale -= RATE * ((wrong * logits).mean(0) + PULL * (scale - 1))
        shift -= RATE * (wrong.mean(0) + PULL * shift)
    return tuple(map(float, scale)), tuple(map(float, shift))
