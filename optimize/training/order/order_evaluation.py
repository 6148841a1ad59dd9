"""How well an order tells passages that answer from others, inside a paper and among papers; its probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from optimize.training.checker_evaluation import Estimate, estimated_mean, resampled
from optimize.training.order.ranking_lists import JudgedCollection, Need
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


FIRST = (1, 3, 5)


class Order(Protocol):
    """What gives raw scores, as `LearnedOrder` does."""

    def logits(self, question: str, passages: Sequence[str], about: Sequence[str] = ()) -> dict[int, float]:
        """Scores by the position of the passage."""


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question's scores.

    Attributes:
        document: The paper that it is asked of.
        logits: Of the passages of that paper.
        relevant: Which of them answer.
        others: Of the passages of other papers that share most words with the question.
    """

    document: str
    logits: tuple[float, ...]
    relevant: tuple[bool, ...]
    others: tuple[float, ...]

    def hit(self, count: int) -> bool:
        """Whether a passage that answers is among the first so many; in a tie, those that do not answer go first."""
        order = sorted(range(len(self.logits)), key=lambda at: (-self.logits[at], self.relevant[at]))
        return any(self.relevant[at] for at in order[:count])


def judged(order: Order, collection: JudgedCollection, *, placed: bool = True) -> list[ScoredQuestion]:
    """Score every question's own paper, and as many passages of others as there are near it.

    Args:
        order: What scores.
        collection: Questions in their plainest words, and passages.
        placed: Whether title and heading are read.
    """
    return [_judged(order, collection, number, need, placed) for number, need in enumerate(collection.needs)]


def _judged(order: Order, collection: JudgedCollection, number: int, need: Need, placed: bool) -> ScoredQuestion:
    own, others = collection.by_document[need.document], collection.far(number)
    passages = [collection.passages[at] for at in (*own, *others)]
    about = [each.about if placed else "" for each in passages]
    found = order.logits(need.plain, [each.text for each in passages], about)
    scores = [found[at] for at in range(len(passages))]
    relevant = tuple(at in need.relevant for at in own)
    return ScoredQuestion(need.document, tuple(scores[: len(own)]), relevant, tuple(scores[len(own) :]))


@dataclass(frozen=True, slots=True)
class MeasuredShare:
    """A row of the table."""

    name: str
    value: Estimate


def figures(found: Sequence[ScoredQuestion]) -> Iterator[MeasuredShare]:
    """Shares of questions with an answer among the first, and how well a paper that answers is told from others."""
    documents = [each.document for each in found]
    for count in FIRST:
        name = "answer first" if count == 1 else f"answer among the first {count}"
        yield MeasuredShare(name, estimated_mean([each.hit(count) for each in found], documents))
    yield MeasuredShare("AUROC, its paper against others", answerable(found))


def answerable(found: Sequence[ScoredQuestion]) -> Estimate:
    """AUROC of the best passage's score: each question with its paper, and with passages of others alone."""
    best = np.array([[max(each.logits), max(each.others)] for each in found])

    def area(rows: NDArray[np.float64]) -> float:
        return area_under_curve(rows.T.ravel().tolist(), [True] * len(rows) + [False] * len(rows))

    areas = [area(best[drawn]) for drawn in resampled([each.document for each in found])]
    low, high = np.quantile(areas, (0.025, 0.975))
    return Estimate(area(best), float(low), float(high))


def markdown(found: Sequence[ScoredQuestion]) -> str:
    """The table, with 95 % intervals over papers."""
    lines = [f"| {len(found)} questions | value |", "|---|---|"]
    return "\n".join([*lines, *(f"| {each.name} | {each.value} |" for each in figures(found))]) + "\n"
