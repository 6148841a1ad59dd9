"""One number with its interval on a strip as wide as a table's column, and the axis that stands above such strips."""

from __future__ import annotations

from collections.abc import Iterable

from optimize.measuring.tables import signed
from optimize.plots.drawing import Dot, Drawing, Shape, StraightLine, Tone, Words
from optimize.plots.scale import AxisScale, fitted

WIDTH = 280.0
HEIGHT = 28.0
MARGIN = 18.0
_CAP = 4.0


def shared_scale(numbers: Iterable[float]) -> AxisScale:
    """The scale of all strips of a table; 0 is always on it."""
    return fitted([0.0, *numbers], MARGIN, WIDTH - MARGIN, most_ticks=5)


def axis(scale: AxisScale, meaning: str) -> Drawing:
    """The ticks of a scale.

    Args:
        scale: Of the strips below.
        meaning: What the numbers are.
    """
    names = tuple(Words(place, 14, name) for place, name in scale.named())
    ticks = tuple(StraightLine(place, 20, place, HEIGHT, _kind(number)) for place, number in _places(scale))
    return Drawing(WIDTH, HEIGHT, meaning, f"axis from {scale.low:g} to {scale.high:g}", (*ticks, *names))


def strip(scale: AxisScale, value: float, low: float | None, high: float | None, tone: Tone, title: str) -> Drawing:
    """A dot with its interval.

    Args:
        scale: Shared by all strips.
        value: The number.
        low: Lower end of its interval; None without one.
        high: Upper end.
        tone: What it says.
        title: What it is a number of.
    """
    middle = HEIGHT / 2
    grid = [StraightLine(place, 0, place, HEIGHT, _kind(number)) for place, number in _places(scale)]
    shapes: list[Shape] = [*grid]
    said = signed(value)
    if low is not None and high is not None:
        shapes.append(StraightLine(scale(low), middle, scale(high), middle, "whisker", tone))
        shapes += [
            StraightLine(scale(end), middle - _CAP, scale(end), middle + _CAP, "cap", tone) for end in (low, high)
        ]
        said = f"{said}, 95 % interval {signed(low)} to {signed(high)}"
    shapes.append(Dot(scale(value), middle, tone))
    return Drawing(WIDTH, HEIGHT, title, said, tuple(shapes))


def _places(scale: AxisScale) -> list[tuple[float, float]]:
    return [(scale(number), number) for number in scale.ticks]


def _kind(number: float) -> str:
    return "zero" if number == 0 else "grid"
