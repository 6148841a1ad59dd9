"""The shapes of a drawing and the scales of its axes; how a kind of shape looks is left to the style sheet."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from optimize.measuring.tables import number

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class AxisScale:
    """A straight map of numbers onto places.

    Attributes:
        low: Number at ``start``.
        high: Number at ``stop``, more than ``low``.
        start: Place of ``low``.
        stop: Place of ``high``; above it on the sheet, where it is less.
        ticks: Numbers worth naming, from ``low`` to ``high``.
    """

    low: float
    high: float
    start: float
    stop: float
    ticks: tuple[float, ...]

    def __call__(self, number: float) -> float:
        """The place of a number, to a hundredth."""
        share = (number - self.low) / (self.high - self.low)
        return round(self.start + share * (self.stop - self.start), 2)

    def named(self) -> list[tuple[float, str]]:
        """The ticks' places and names, all with the same decimals."""
        step = self.ticks[1] - self.ticks[0] if len(self.ticks) > 1 else 1.0
        decimals = max(0, -math.floor(math.log10(step) + _SLACK))
        decimals += round(step, decimals) != round(step, decimals + 2)
        return [(self(tick), number(tick, decimals)) for tick in self.ticks]


def fitted(numbers: Iterable[float], start: float, stop: float, most_ticks: int = 5) -> AxisScale:
    """A scale over some numbers that begins and ends with a round one.

    Args:
        numbers: At least one, all finite.
        start: Place of the low end.
        stop: Place of the high end.
        most_ticks: At most so many ticks, at least 2.
    """
    known = list(numbers)
    low, high = min(known), max(known)
    if high - low < _SLACK:
        low, high = low - 0.05 * max(1.0, abs(low)), high + 0.05 * max(1.0, abs(high))
    step = _step((high - low) / (most_ticks - 1))
    while math.ceil(high / step - _SLACK) - math.floor(low / step + _SLACK) >= most_ticks:
        step = _step(step * 1.01)
    first, last = math.floor(low / step + _SLACK), math.ceil(high / step - _SLACK)
    ticks = tuple(round(count * step, 12) for count in range(first, last + 1))
    return AxisScale(ticks[0], ticks[-1], start, stop, ticks)


def _step(least: float) -> float:
    """The smallest round step that is no smaller."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(each * power for each in _ROUND if each * power >= least * (1 - _SLACK))


Tone: TypeAlias = Literal["better", "worse", "unclear", "before", "after", "other", "canary"]
"""What a mark stands for, from which the style sheet takes its colour."""

Anchor: TypeAlias = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class StraightLine:
    """A straight line; ``kind`` is grid, zero, whisker or cap."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str
    tone: Tone | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """Straight lines through points."""

    points: tuple[tuple[float, float], ...]
    tone: Tone

    @property
    def coordinates(self) -> str:
        """The points as SVG writes them."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class Dot:
    """A point; ``label`` says what it is when one rests on it."""

    x: float
    y: float
    tone: Tone
    label: str = ""
    radius: float = 4.5


@dataclass(frozen=True, slots=True)
class Bar:
    """A box."""

    x: float
    y: float
    width: float
    height: float
    tone: Tone


@dataclass(frozen=True, slots=True)
class Words:
    """A short text; ``kind`` is tick, axis or name."""

    x: float
    y: float
    text: str
    anchor: Anchor = "middle"
    kind: str = "tick"
    tone: Tone | Literal[""] = ""


Shape: TypeAlias = StraightLine | Trace | Dot | Bar | Words


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a sheet, later ones over earlier ones.

    Attributes:
        width: Of the view box.
        height: Of the view box.
        title: What it is, for those who do not see it.
        description: What is to be seen, in words and numbers.
        shapes: Everything on it.
    """

    width: float
    height: float
    title: str
    description: str
    shapes: tuple[Shape, ...]

    def kinds(self) -> list[tuple[str, Shape]]:
        """Every shape after the name of its class, by which a template tells them apart."""
        return [(type(shape).__name__, shape) for shape in self.shapes]
