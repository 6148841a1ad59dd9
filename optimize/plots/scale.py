"""From numbers to places on a sheet, with ticks that a person would choose."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

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
