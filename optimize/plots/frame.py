"""A sheet with two axes, for drawings in which points have two coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from optimize.plots.drawing import Line, Shape, Words
from optimize.plots.scale import Scale, fitted

WIDTH = 340.0
HEIGHT = 250.0
LEFT, RIGHT, TOP, BOTTOM = 42.0, 14.0, 26.0, 42.0


@dataclass(frozen=True, slots=True)
class Frame:
    """Both scales; ``y`` runs upwards."""

    x: Scale
    y: Scale

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
        level = [Line(LEFT, place, WIDTH - RIGHT, place, "grid") for place, _ in self.y.named()]
        beside = [Words(LEFT - 7, place + 4, name, "end") for place, name in self.y.named()]
        below = [Words(place, floor + 17, name) for place, name in self.x.named()]
        names = [
            Words((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_name, kind="axis"),
            Words(LEFT - 38, 12, y_name, "start", kind="axis"),
        ]
        return (*level, Line(LEFT, floor, WIDTH - RIGHT, floor, "zero"), *beside, *below, *names)
