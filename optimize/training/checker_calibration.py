"""From a model's logits to probabilities that can be taken at their word, and verdicts that are sure enough.

Vector scaling (Guo et al. 2017, On calibration of modern neural networks, arXiv:1706.04599) of two models together:
softmax(scale · logits + surface · scores + shift), one factor a class each, fitted on pairs of papers that were not
trained on. The scores are those of a linear model on counts, fitted on the training pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from optimize.training.labelled_claims import LABELS, Pair
from programs.models.checker import CheckerCalibration, Surface, calibrated, counted

Matrix = NDArray[np.float64]
STEPS = 2_000
RATE = 0.05
PULL = 0.01
"""Towards the values at the start, so that few pairs cannot bend the scale far."""
FEWEST = 15
"""Verdicts that a threshold's precision is measured on at least."""

PRECISION_SUPPORTED, PRECISION_CONTRADICTED = 0.65, 0.9
"""What a verdict must have on pairs that were not trained on."""


def fit(logits: Matrix, scores: Matrix, pairs: Sequence[Pair]) -> CheckerCalibration:
    """Fit factors, shifts and thresholds to logits [pairs, 3] of the model and scores [pairs, 3] on counts.

    Pairs that are only "not supported" are left out.
    """
    known = [at for at, pair in enumerate(pairs) if pair.label in LABELS]
    logits, scores, targets = logits[known], scores[known], _targets([pairs[at] for at in known])
    count = len(LABELS)
    start = np.concatenate([np.diag(np.ones(count)), np.diag(np.full(count, 0.5))])
    weights, shift = _fitted(np.hstack([logits, scores]), targets, start, np.concatenate([np.eye(count)] * 2))
    scale, surface = (tuple(map(float, np.diag(part))) for part in (weights[:count], weights[count:]))
    found = CheckerCalibration(scale, surface, tuple(map(float, shift)), 1.01, 1.01)
    probabilities = calibrated(logits, scores, found)
    supported = threshold(probabilities, targets, LABELS.index("supported"), PRECISION_SUPPORTED)
    contradicted = threshold(probabilities, targets, LABELS.index("contradicted"), PRECISION_CONTRADICTED)
    return replace(found, supported=supported, contradicted=contradicted)


def fit_surface(pairs: Sequence[Pair]) -> Surface:
    """Fit the linear model on counts of training pairs; those that are only "not supported" are left out."""
    known = [pair for pair in pairs if pair.label in LABELS]
    counts = counted([(pair.claim, pair.premise) for pair in known])
    mean, spread = counts.mean(0), np.maximum(counts.std(0), 1e-3)
    shape = (counts.shape[1], len(LABELS))
    weights, shift = _fitted((counts - mean) / spread, _targets(known), np.zeros(shape), np.ones(shape))
    return Surface(mean, spread, weights, shift)


def threshold(probabilities: Matrix, targets: NDArray[np.int64], label: int, precision: float) -> float:
    """The lowest probability from which on a label's verdicts have the precision wanted; 1.01 where none has.

    The ``precision``, in [0, 1], is that of every set of verdicts above the threshold or a higher one that is large
    enough. Probabilities are [pairs, 3]; targets, [pairs], and ``label`` are indices into `LABELS`.
    """
    mine = np.flatnonzero(probabilities.argmax(1) == label)
    order = mine[np.argsort(-probabilities[mine, label], kind="stable")]
    right = np.cumsum(targets[order] == label) / np.arange(1, len(order) + 1)
    enough = [at for at in range(FEWEST - 1, len(order)) if right[at] >= precision]
    return float(probabilities[order[enough[-1]], label]) if enough else 1.01


def _fitted(inputs: Matrix, targets: NDArray[np.int64], start: Matrix, free: Matrix) -> tuple[Matrix, Matrix]:
    """Multinomial logistic regression by gradient descent on the mean cross entropy, which is convex in its weights.

    Weights [features, classes] start and are pulled towards ``start``; they may change where ``free`` is 1. Inputs are
    [pairs, features]; shifts [classes] come with the weights.
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
