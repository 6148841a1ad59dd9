"""How well labels are told apart: macro-F1 with an interval over papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from optimize.training.pairs import LABELS, Pair

RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"


def macro_f1(gold: Sequence[str], guessed: Sequence[str]) -> float:
    """Mean F1 of the three labels, in [0, 1]; a label that is neither gold nor guessed counts 0."""
    total = 0.0
    for label in LABELS:
        hit = sum(each == label == other for each, other in zip(gold, guessed, strict=True))
        total += 2 * hit / max(1, list(gold).count(label) + list(guessed).count(label))
    return total / len(LABELS)


def accuracy(gold: Sequence[str], guessed: Sequence[str]) -> float:
    """Share of labels that are right."""
    return sum(each == other for each, other in zip(gold, guessed, strict=True)) / max(1, len(gold))


def estimated(
    figure: Callable[[Sequence[str], Sequence[str]], float],
    pairs: Sequence[Pair],
    gold: Sequence[str],
    guessed: Sequence[str],
    seed: int = 0,
) -> Estimate:
    """A figure with its percentile interval when papers are drawn again with replacement.

    Args:
        figure: Of gold and guessed labels.
        pairs: Whose documents are drawn.
        gold: Their labels.
        guessed: What was said of them.
        seed: Of the draws.
    """
    of: dict[str, list[int]] = {}
    for at, pair in enumerate(pairs):
        of.setdefault(pair.document, []).append(at)
    papers, generator = list(of.values()), np.random.default_rng(seed)
    found = []
    for _ in range(RESAMPLES):
        drawn = [at for paper in generator.integers(len(papers), size=len(papers)) for at in papers[paper]]
        found.append(figure([gold[at] for at in drawn], [guessed[at] for at in drawn]))
    low, high = np.quantile(found, (0.025, 0.975))
    return Estimate(figure(gold, guessed), float(low), float(high))
