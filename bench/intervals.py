"""Figures with their intervals over papers: examples of one paper are right and wrong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimize.training.labelled_claims import LABELS

RESAMPLES = 1_000
BINS = 10


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"


def estimated(figure: Callable[[list[int]], float], documents: Sequence[str]) -> Estimate:
    """A figure of the examples at some positions, with its percentile interval over papers drawn with replacement."""
    low, high = np.quantile([figure(drawn) for drawn in resampled(documents)], (0.025, 0.975))
    return Estimate(figure(list(range(len(documents)))), float(low), float(high))


def estimated_mean(values: Sequence[float], documents: Sequence[str]) -> Estimate:
    """A mean, of one value an example, with its interval."""
    table = np.asarray(values, dtype=float)
    return estimated(lambda at: float(table[at].mean()), documents)


def macro_f1(gold: Sequence[str] | NDArray[np.str_], guessed: Sequence[str] | NDArray[np.str_]) -> float:
    """Mean F1 of the three labels, in [0, 1]; a label that is neither gold nor guessed counts 0."""
    right, said = np.asarray(gold), np.asarray(guessed)
    hits = [int(((right == label) & (said == label)).sum()) for label in LABELS]
    all_ = [int((right == label).sum() + (said == label).sum()) for label in LABELS]
    return sum(2 * hit / max(1, both) for hit, both in zip(hits, all_, strict=True)) / len(LABELS)


def estimated_macro_f1(gold: Sequence[str], guessed: Sequence[str], documents: Sequence[str]) -> Estimate:
    """Macro-F1 of guessed labels, with its interval."""
    right, said = np.array(gold), np.array(guessed)
    return estimated(lambda at: macro_f1(right[at], said[at]), documents)


def resampled(documents: Sequence[str]) -> Iterator[list[int]]:
    """Positions of examples when papers are drawn again with replacement, `RESAMPLES` times."""
    of: dict[str, list[int]] = {}
    for at, document in enumerate(documents):
        of.setdefault(document, []).append(at)
    papers, generator = list(of.values()), np.random.default_rng(0)
    for _ in range(RESAMPLES):
        yield [at for paper in generator.integers(len(papers), size=len(papers)) for at in papers[paper]]


def calibration_error(probabilities: NDArray[np.float64], targets: NDArray[np.int64]) -> float:
    """Expected calibration error of the likeliest label: mean distance of confidence and accuracy, in [0, 1].

    Over ten bins of equal width, weighted by their pairs (Naeini et al. 2015). Probabilities are [pairs, 3], rows that
    sum to 1, and targets [pairs], indices of the right labels.
    """
    confidence, right = probabilities.max(1), probabilities.argmax(1) == targets
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        abs(float(confidence[bins == each].mean() - right[bins == each].mean())) * int((bins == each).sum())
        for each in np.unique(bins)
    ]
    return sum(gaps) / max(1, len(targets))
