"""Candidates by what a question costs and how good they are; a line joins those that nothing cheaper beats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from optimize.plots.drawing import Anchor, Dot, Drawing, Shape, Tone, Trace, Words
from optimize.plots.frame import HEIGHT, LEFT, RIGHT, WIDTH, Frame


@dataclass(frozen=True, slots=True)
class Point:
    """One candidate.

    Attributes:
        name: Its name.
        cost: Of a question.
        quality: Its mean objective.
        tone: Uncompiled, chosen or another.
        mark: Written beside it, or empty.
    """

    name: str
    cost: float
    quality: float
    tone: Tone
    mark: str = ""


def frontier(points: Sequence[Point]) -> list[Point]:
    """The points that none is at least as good as and cheaper, cheapest first."""
    best: list[Point] = []
    for point in sorted(points, key=lambda each: (each.cost, -each.quality)):
        if not best or point.quality > best[-1].quality:
            best.append(point)
    return best


def scatter(points: Sequence[Point], cost: str, quality: str) -> Drawing:
    """Draw quality over cost.

    Args:
        points: At least one.
        cost: What the costs are.
        quality: What the objective is.
    """
    frame = Frame.around((0.0, *(each.cost for each in points)), [each.quality for each in points])
    shapes: list[Shape] = [*frame.shapes(cost, quality)]
    best = frontier(points)
    shapes.append(Trace(_steps([frame.at(each.cost, each.quality) for each in best]), "other"))
    shapes += [
        Dot(*frame.at(each.cost, each.quality), each.tone, f"{each.name}: {each.quality:.3f} at {each.cost:,.4g}")
        for each in sorted(points, key=lambda each: each.tone != "other")
    ]
    shapes += [_mark(frame, each) for each in points if each.mark]
    told = f"{len(points)} candidates; the best for its cost: {', '.join(each.name for each in best)}"
    return Drawing(WIDTH, HEIGHT, f"{quality} over {cost}", told, tuple(shapes))


def _steps(places: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """A staircase, since between two candidates there is none."""
    stairs = list(places[:1])
    for x, y in places[1:]:
        stairs += [(x, stairs[-1][1]), (x, y)]
    return tuple(stairs)


def _mark(frame: Frame, point: Point) -> Words:
    x, y = frame.at(point.cost, point.quality)
    near_right = x > (LEFT + WIDTH - RIGHT) / 2
    anchor: Anchor = "end" if near_right else "start"
    return Words(x + (-9 if near_right else 9), y + 4, point.mark, anchor, "name", point.tone)
