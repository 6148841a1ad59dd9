"""What a drawing consists of. How it looks is the style sheet's: a shape only says what kind of thing it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

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
