"""How well labels are told apart: macro-F1 with an interval over papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    found = resampled([pair.document for pair in pairs], seed)
    low, high = np.quantile(
        [figure([gold[at] for at in drawn], [guessed[at] for at in drawn]) for drawn in found], (0.025, 0.975)
    )
    return Estimate(figure(gold, guessed), float(low), float(high))


def estimated_mean(values: Sequence[float], documents: Sequence[str], seed: int = 0) -> Estimate:
    """A mean with its percentile interval when papers are drawn again with replacement.

    Args:
        values: One an example.
        documents: The examples' papers.
        seed: Of the draws.
    """
    table = np.asarray(values, dtype=float)
    low, high = np.quantile([table[drawn].mean() for drawn in resampled(documents, seed)], (0.025, 0.975))
    return Estimate(float(table.mean()), float(low), float(high))


def resampled(documents: Sequence[str], seed: int = 0) -> Iterator[list[int]]:
    """Positions of examples when papers are drawn again with replacement, `RESAMPLES` times."""
    of: dict[str, list[int]] = {}
    for at, document in enumerate(documents):
        of.setdefault(document, []).append(at)
    papers, generator = list(of.values()), np.random.default_rng(seed)
    for _ in range(RESAMPLES):
        yield [at for paper in generator.integers(len(papers), size=len(papers)) for at in papers[paper]]
