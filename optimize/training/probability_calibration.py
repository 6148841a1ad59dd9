"""From a model's logits to probabilities that can be taken at their word, and verdicts that are sure enough.

Vector scaling (Guo et al. 2017, On calibration of modern neural networks, arXiv:1706.04599) of two models together:
softmax(scale · logits + surface · scores + shift), one factor a class each, fitted on pairs of papers that were not
trained on. The scores are those of a linear model on counts, fitted on the training pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from optimize.training.pairs import LABELS, Pair
from programs.models.checker import CheckerCalibration, Surface, calibrated, counted

Matrix = NDArray[np.float64]
STEPS = 2_000
RATE = 0.05
PULL = 0.01
"""Towards the values at the start, so that few pairs cannot bend the scale far."""
FEWEST = 15
"""Verdicts that a threshold's precision is measured on at least."""
BINS = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """Precision that a verdict must have on pairs that were not trained on."""

    supported: float = 0.65
    contradicted: float = 0.9


def fit(logits: Matrix, scores: Matrix, pairs: Sequence[Pair], wanted: Wanted) -> CheckerCalibration:
    """Fit factors, shifts and thresholds.

    Args:
        logits: [pairs, 3], of the model that is shipped.
        scores: [pairs, 3], of the linear model on counts.
        pairs: Their labels; pairs that are only "not supported" are left out.
        wanted: Precision of the verdicts.
    """
    known = [at for at, pair in enumerate(pairs) if pair.label in LABELS]
    logits, scores, targets = logits[known], scores[known], _targets([pairs[at] for at in known])
    count = len(LABELS)
    start = np.concatenate([np.diag(np.ones(count)), np.diag(np.full(count, 0.5))])
    weights, shift = _fitted(np.hstack([logits, scores]), targets, start, np.concatenate([np.eye(count)] * 2))
    scale, surface = (tuple(map(float, np.diag(part))) for part in (weights[:count], weights[count:]))
    found = CheckerCalibration(scale, surface, tuple(map(float, shift)), 1.01, 1.01)
    probabilities = calibrated(logits, scores, found)
    supported, contradicted = (
        threshold(probabilities, targets, label, precision)
        for label, precision in ((0, wanted.supported), (1, wanted.contradicted))
    )
    return replace(found, supported=supported, contradicted=contradicted)


def fit_surface(pairs: Sequence[Pair]) -> Surface:
    """Fit the linear model on counts.

    Args:
        pairs: Those that the model is trained on; pairs that are only "not supported" are left out.
    """
    known = [pair for pair in pairs if pair.label in LABELS]
    counts = counted([(pair.claim, pair.premise) for pair in known])
    mean, spread = counts.mean(0), np.maximum(counts.std(0), 1e-3)
    shape = (counts.shape[1], len(LABELS))
    weights, shift = _fitted((counts - mean) / spread, _targets(known), np.zeros(shape), np.ones(shape))
    return Surface(mean, spread, weights, shift)


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


def _fitted(inputs: Matrix, targets: NDArray[np.int64], start: Matrix, free: Matrix) -> tuple[Matrix, Matrix]:
    """Multinomial logistic regression by gradient descent on the mean cross entropy, which is convex in its weights.

    Args:
        inputs: [pairs, features].
        targets: [pairs].
        start: Weights at the start, [features, classes], towards which they are pulled.
        free: 1 where a weight may change, else 0; of the same shape.

    Returns:
        Weights [features, classes] and shifts [classes].
    """
    weights, shift = start.copy(), np.zeros(start.shape[1])
    truth = np.eye(start.shape[1])[targets]
    for _ in range(STEPS):
        values = inputs @ weights + shift
        found = np.exp(values - values.max(1, keepdims=True))
        wrong = found / found.sum(1, keepdims=True) - truth
        weights -= RATE * free * (inputs.T @ wrong / len(inputs) + PULL * (weights - start))
        shift -= RATE * wrong.mean(0)
    return weights, shift


def _targets(pairs: Sequence[Pair]) -> NDArray[np.int64]:
    return np.array([LABELS.index(pair.label) for pair in pairs])
