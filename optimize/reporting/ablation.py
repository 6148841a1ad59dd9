"""What each ranking signal does: the passages of every answer put in order again with one weight at 0.

The run holds the passages that answers were written from, with their signals, not those that were passed over. So this
shows how a signal orders what was shown; what it kept out, or let in, is not seen, and no answer is written anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any

from metrics.retrieval import evidence_recall
from optimize.dataset.example import Example
from optimize.measuring.statistics import Paired, compare
from optimize.plots import AxisScale, Drawing, Tone, axis, shared_scale, strip
from optimize.reporting.effects import tone_of
from optimize.reporting.finished_run import FinishedRun
from programs.retrieval.reranking.rerank import SignalWeights

CHANGE = "change of the reciprocal rank"
PREFIX = "w_"
SIGNALS = tuple(each.name for each in fields(SignalWeights))
_SAME = 1e-6
"""Scores are kept in full; what differs by more was not made with these weights."""


@dataclass(frozen=True, slots=True)
class Ablated:
    """One signal left out.

    Attributes:
        signal: Its name.
        weight: The weight that was set to 0.
        swapped: Mean share of pairs of passages that change their order, in [0, 1].
        led: Questions whose first passage is another then.
        change: Of the reciprocal rank of the first passage with gold evidence, without − with; None where no question
            has such a passage.
        drawing: Of the change.
        tone: Whether leaving it out is better, worse, or neither.
    """

    signal: str
    weight: float
    swapped: float
    led: int
    change: Paired | None
    drawing: Drawing | None = None
    tone: Tone = "unclear"


@dataclass(frozen=True, slots=True)
class Ablation:
    """All signals, each left out once.

    Attributes:
        questions: Questions with at least two passages.
        proved: Those of them for which a passage holds gold evidence.
        axis: Over the drawings; None without any.
        rows: The one that changes the order most comes first.
    """

    questions: int
    proved: int
    axis: Drawing | None
    rows: tuple[Ablated, ...]


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The passages of one question.

    Attributes:
        paper: Of the question.
        signals: By name, of each passage.
        proves: Whether each passage holds gold evidence.
    """

    paper: str
    signals: Sequence[Mapping[str, float]]
    proves: Sequence[bool]

    def order(self, weights: SignalWeights) -> list[int]:
        """Passages, best first; equal scores in the order in which they were shown."""
        scores = [weights.final(each) for each in self.signals]
        return sorted(range(len(scores)), key=lambda place: -scores[place])

    def reciprocal_rank(self, weights: SignalWeights) -> float:
        """1 / rank of the first passage with evidence; there has to be one."""
        return 1 / (1 + next(rank for rank, place in enumerate(self.order(weights)) if self.proves[place]))


def ablation(run: FinishedRun) -> Ablation | None:
    """Leave out one signal after the other; None for a program that does not rank by signals with known weights."""
    weights = _weights(run)
    ranked = list(_ranked(run, weights)) if weights else []
    if weights is None or not ranked:
        return None
    used = [name for name in SIGNALS if getattr(weights, name)]
    found = sorted((_ablated(name, weights, ranked) for name in used), key=lambda each: -each.swapped)
    proved = sum(any(each.proves) for each in ranked)
    changes = [each.change for each in found if each.change is not None]
    if not changes:
        return Ablation(len(ranked), proved, None, tuple(found))
    ends = [end for each in changes for end in (each.difference, each.low, each.high) if end is not None]
    scale = shared_scale(ends)
    return Ablation(len(ranked), proved, axis(scale, CHANGE), tuple(_drawn(each, scale) for each in found))


def _weights(run: FinishedRun) -> SignalWeights | None:
    """The weights of the program that the run ends with: its state's, or as the authors set them."""
    state = run.state(run.reported)
    if state is None:
        return SignalWeights()
    parameters = state.content.get("parameters", {})
    known = {name: parameters[PREFIX + name] for name in SIGNALS if PREFIX + name in parameters}
    return SignalWeights(**known) if known else None


def _ranked(run: FinishedRun, weights: SignalWeights) -> Iterator[_Ranked]:
    """The questions whose passages were ranked by these weights, as their scores show."""
    for name, record in run.answers(run.reported).items():
        passages = record.prediction.get("passages", [])
        if len(passages) > 1 and name in run.examples and all(_is_ranked(each, weights) for each in passages):
            proves = [_proves(run.examples[name], each) for each in passages]
            yield _Ranked(run.clusters[name], [_signals(each) for each in passages], proves)


def _is_ranked(passage: Mapping[str, Any], weights: SignalWeights) -> bool:
    final, signals = passage.get("scores", {}).get("final"), _signals(passage)
    return bool(signals) and final is not None and math.isclose(final, weights.final(signals), abs_tol=_SAME)


def _signals(passage: Mapping[str, Any]) -> dict[str, float]:
    return {name: value for name, value in passage.get("scores", {}).items() if name in SIGNALS}


def _proves(example: Example, passage: Mapping[str, Any]) -> bool:
    """Whether a sentence of the gold quotes stands in the passage."""
    value = evidence_recall(example, {"answer": "", "passages": [passage]}).value
    return value is not None and value > 0


def _ablated(signal: str, weights: SignalWeights, ranked: Sequence[_Ranked]) -> Ablated:
    without = replace(weights, **{signal: 0.0})
    orders = [(each.order(weights), each.order(without)) for each in ranked]
    proved = [each for each in ranked if any(each.proves)]
    changes = [each.reciprocal_rank(without) - each.reciprocal_rank(weights) for each in proved]
    return Ablated(
        signal=signal,
        weight=getattr(weights, signal),
        swapped=math.fsum(_swapped(*each) for each in orders) / len(orders),
        led=sum(first[0] != second[0] for first, second in orders),
        change=compare(changes, [each.paper for each in proved]) if changes else None,
    )


def _swapped(first: Sequence[int], second: Sequence[int]) -> float:
    """Share of pairs that stand the other way round (Kendall's distance)."""
    rank = {place: number for number, place in enumerate(second)}
    pairs = list(combinations(first, 2))
    return sum(rank[earlier] > rank[later] for earlier, later in pairs) / len(pairs)


def _drawn(each: Ablated, scale: AxisScale) -> Ablated:
    if each.change is None:
        return each
    tone = tone_of(each.change, higher_is_better=True)
    title = f"{CHANGE} without {each.signal}"
    drawing = strip(scale, each.change.difference, each.change.low, each.change.high, tone, title)
    return replace(each, tone=tone, drawing=drawing)
