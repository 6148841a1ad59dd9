"""Drawings of a report as plain geometry, in the units of their own view box; a template writes them as SVG.

Scatters of candidates by cost and score, risk over coverage, and strips that show a number with its interval. A shape
says what kind of thing it is; the style sheet says how that looks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from optimize.statistics import Paired, number, signed

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
_SLACK = 1e-9
MOST_TICKS = 5


@dataclass(frozen=True, slots=True)
class AxisScale:
    """A straight map of numbers from ``low`` to ``high`` onto places; ``ticks`` are the numbers worth naming."""

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


def fitted(numbers: Iterable[float], start: float, stop: float) -> AxisScale:
    """A scale over one or more finite numbers that begins and ends with a round one, with two or more ticks."""
    known = list(numbers)
    low, high = min(known), max(known)
    if high - low < _SLACK:
        low, high = low - 0.05 * max(1.0, abs(low)), high + 0.05 * max(1.0, abs(high))
    step = _step((high - low) / (MOST_TICKS - 1))
    while math.ceil(high / step - _SLACK) - math.floor(low / step + _SLACK) >= MOST_TICKS:
        step = _step(step * 1.01)
    first, last = math.floor(low / step + _SLACK), math.ceil(high / step - _SLACK)
    ticks = tuple(round(count * step, 12) for count in range(first, last + 1))
    return AxisScale(ticks[0], ticks[-1], start, stop, ticks)


def _step(least: float) -> float:
    """The smallest round step that is at least this large."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(each * power for each in _ROUND if each * power >= least * (1 - _SLACK))


Tone: TypeAlias = Literal["better", "worse", "unclear", "before", "after", "other", "canary"]
"""What a mark means; the style sheet colours it by this."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An element of SVG: its classes, attributes and text; ``label`` says what it is when one rests on it."""

    tag: str
    style: str
    attributes: Mapping[str, float | str]
    text: str = ""
    label: str = ""


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> Shape:
    return Shape("line", style, {"x1": x1, "y1": y1, "x2": x2, "y2": y2})


def _dot(x: float, y: float, tone: Tone, label: str = "") -> Shape:
    return Shape("circle", f"dot {tone}", {"cx": x, "cy": y, "r": 4.5}, label=label)


def _words(x: float, y: float, text: str, style: str = "tick", anchor: str = "middle") -> Shape:
    return Shape("text", f"words {style}", {"x": x, "y": y, "text-anchor": anchor}, text)


def _trace(points: Iterable[tuple[float, float]], tone: Tone) -> Shape:
    """Straight lines through points."""
    return Shape("polyline", f"trace {tone}", {"points": " ".join(f"{x:g},{y:g}" for x, y in points)})


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a sheet, later ones over earlier ones; title and description are for those who do not see it."""

    width: float
    height: float
    title: str
    description: str
    shapes: tuple[Shape, ...]


WIDTH = 340.0
HEIGHT = 250.0
LEFT, RIGHT, TOP, BOTTOM = 42.0, 14.0, 26.0, 42.0


@dataclass(frozen=True, slots=True)
class Frame:
    """Both scales; ``y`` runs upwards."""

    x: AxisScale
    y: AxisScale

    @classmethod
    def around(cls, xs: Iterable[float], ys: Iterable[float]) -> Frame:
        """A frame that holds all numbers; each axis needs at least one."""
        return cls(fitted(xs, LEFT, WIDTH - RIGHT), fitted(ys, HEIGHT - BOTTOM, TOP))

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place of a point."""
        return self.x(x), self.y(y)

    def shapes(self, x_name: str, y_name: str) -> tuple[Shape, ...]:
        """Grid, ticks and what the axes are."""
        floor = HEIGHT - BOTTOM
        level = [_line(LEFT, place, WIDTH - RIGHT, place, "grid") for place, _ in self.y.named()]
        beside = [_words(LEFT - 7, place + 4, name, anchor="end") for place, name in self.y.named()]
        below = [_words(place, floor + 17, name) for place, name in self.x.named()]
        names = [
            _words((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_name, "axis"),
            _words(LEFT - 38, 12, y_name, "axis", "start"),
        ]
        return (*level, _line(LEFT, floor, WIDTH - RIGHT, floor, "zero"), *beside, *below, *names)


@dataclass(frozen=True, slots=True)
class Curve:
    """One program: its mean error among its first 1, 2, … answers, of ``total`` questions; AURC is their mean."""

    name: str
    risks: tuple[float, ...]
    total: int
    aurc: float
    tone: Tone

    @property
    def points(self) -> list[tuple[float, float]]:
        """Coverage and risk."""
        return [(count / self.total, risk) for count, risk in enumerate(self.risks, start=1)]


def risk_plot(curves: Sequence[Curve], error: str) -> Drawing:
    """Draw risk over coverage of one or more programs; ``error`` says what the risk is."""
    risks = [risk for curve in curves for risk in curve.risks]
    frame = Frame.around((0.0, 1.0), (0.0, *risks))
    shapes: list[Shape] = [*frame.shapes("share of questions answered", f"risk: {error}")]
    for curve in curves:
        places = [frame.at(*point) for point in curve.points]
        shapes += [_trace(places, curve.tone), _dot(*places[-1], curve.tone, _summary(curve))]
    title = "Risk over coverage"
    return Drawing(WIDTH, HEIGHT, title, "; ".join(map(_summary, curves)), tuple(shapes))


def _summary(curve: Curve) -> str:
    coverage, risk = curve.points[-1]
    return f"{curve.name}: AURC {curve.aurc:.3f}, risk {risk:.3f} when it answers {coverage:.0%} of the questions"


LINE = 13.0
LONGEST_MARK = 150.0
LEAST_SPAN = 0.1
"""Of the axis of quality, so that what chance alone brings about does not fill it."""


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One candidate: the cost of a question, the mean objective, and what is written beside it."""

    name: str
    cost: float
    quality: float
    tone: Tone
    mark: str = ""


def frontier(points: Sequence[ChartPoint]) -> list[ChartPoint]:
    """The points that none is at least as good as and cheaper, cheapest first."""
    best: list[ChartPoint] = []
    for point in sorted(points, key=lambda each: (each.cost, -each.quality)):
        if not best or point.quality > best[-1].quality:
            best.append(point)
    return best


def scatter(points: Sequence[ChartPoint], cost: str, quality: str) -> Drawing:
    """Draw quality over cost; ``cost`` and ``quality`` say what they are."""
    low, high = (end(each.quality for each in points) for end in (min, max))
    more = max(0.0, LEAST_SPAN - (high - low)) / 2
    frame = Frame.around((0.0, *(each.cost for each in points)), (low - more, high + more))
    best = frontier(points)
    # A staircase, since there is no candidate between two neighbours.
    stairs = [frame.at(best[0].cost, best[0].quality)]
    for x, y in (frame.at(each.cost, each.quality) for each in best[1:]):
        stairs += [(x, stairs[-1][1]), (x, y)]
    shapes: list[Shape] = [*frame.shapes(cost, quality), _trace(stairs, "other")]
    shapes += [
        _dot(*frame.at(each.cost, each.quality), each.tone, f"{each.name}: {each.quality:.3f} at {each.cost:,.4g}")
        for each in sorted(points, key=lambda each: each.tone != "other")
    ]
    shapes += _marks(frame, [each for each in points if each.mark])
    summary = f"{len(points)} candidates; the best for its cost: {', '.join(each.name for each in best)}"
    return Drawing(WIDTH, HEIGHT, f"{quality} over {cost}", summary, tuple(shapes))


def _marks(frame: Frame, points: Sequence[ChartPoint]) -> list[Shape]:
    """Each mark beside its point; one that would be on another is below it."""
    marks: list[Shape] = []
    taken: list[tuple[float, float]] = []
    for point in points:
        x, y = frame.at(point.cost, point.quality)
        is_right = x > (LEFT + WIDTH - RIGHT) / 2
        x, y = x + (-9 if is_right else 9), y + 4
        near = [other for at, other in taken if abs(at - x) < LONGEST_MARK and abs(other - y) < LINE]
        taken.append((x, max(near) + LINE if near else y))
        marks.append(_words(*taken[-1], point.mark, f"name {point.tone}", "end" if is_right else "start"))
    return marks


STRIP_WIDTH = 280.0
STRIP_HEIGHT = 28.0
MARGIN = 18.0
_CAP = 4.0


def strips(
    found: Sequence[tuple[str, Paired | None, Tone]], meaning: str, *least: float
) -> tuple[Drawing | None, list[Drawing | None]]:
    """The drawings of titled differences or means on one scale, and its axis; None for what is not known.

    The scale holds their intervals, 0, and the numbers that it shows at ``least``.
    """
    known = [paired for _, paired, _ in found if paired]
    if not known:
        return None, [None] * len(found)
    ends = [end for each in known for end in (each.difference, each.low, each.high) if end is not None]
    scale = fitted([0.0, *ends, *least], MARGIN, STRIP_WIDTH - MARGIN)
    names = [_words(place, 14, name) for place, name in scale.named()]
    summary = f"axis from {scale.low:g} to {scale.high:g}"
    axis = Drawing(STRIP_WIDTH, STRIP_HEIGHT, meaning, summary, (*_ticks(scale, 20), *names))
    return axis, [strip(scale, paired, tone, title) if paired else None for title, paired, tone in found]


def strip(scale: AxisScale, paired: Paired, tone: Tone, title: str) -> Drawing:
    """A dot for a difference or a mean, with its interval, if it has one."""
    middle, shapes, said = STRIP_HEIGHT / 2, [*_ticks(scale, 0)], signed(paired.difference)
    if paired.low is not None and paired.high is not None:
        low, high = scale(paired.low), scale(paired.high)
        shapes.append(_line(low, middle, high, middle, f"whisker {tone}"))
        shapes += [_line(end, middle - _CAP, end, middle + _CAP, f"cap {tone}") for end in (low, high)]
        said = f"{said}, 95 % interval {signed(paired.low)} to {signed(paired.high)}"
    return Drawing(STRIP_WIDTH, STRIP_HEIGHT, title, said, (*shapes, _dot(scale(paired.difference), middle, tone)))


def _ticks(scale: AxisScale, top: float) -> list[Shape]:
    kinds = {scale(number): "zero" if number == 0 else "grid" for number in scale.ticks}
    return [_line(place, top, place, STRIP_HEIGHT, kind) for place, kind in kinds.items()]


def bar(value: float, tone: Tone, title: str) -> Drawing:
    """A bar from 0; as wide as the sheet it is 1."""
    box = {"x": 0, "y": 2, "width": round(max(value * 320.0, 1.5), 2), "height": 10.0, "rx": 2}
    return Drawing(320.0, 14.0, title, f"{value:.3f}", (Shape("rect", f"bar {tone}", box),))
