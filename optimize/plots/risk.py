"""The risk-coverage curve: how the error grows as more questions are answered, the surest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from optimize.plots.drawing import Dot, Drawing, Shape, Tone, Trace
from optimize.plots.frame import HEIGHT, WIDTH, Frame


@dataclass(frozen=True, slots=True)
class Curve:
    """One program.

    Attributes:
        name: Its name.
        risks: Mean error among its first 1, 2, … answers, at least one.
        total: Questions that it was asked.
        aurc: Mean of the risks.
        tone: Which program it is.
    """

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
    """Draw risk over coverage.

    Args:
        curves: At least one.
        error: What the error is.
    """
    risks = [risk for curve in curves for risk in curve.risks]
    frame = Frame.around((0.0, 1.0), (0.0, *risks))
    shapes: list[Shape] = [*frame.shapes("share of questions answered", f"risk: {error}")]
    for curve in curves:
        places = tuple(frame.at(*point) for point in curve.points)
        shapes.append(Trace(places, curve.tone))
        shapes.append(Dot(*places[-1], curve.tone, _told(curve)))
    title = "Risk over coverage"
    return Drawing(WIDTH, HEIGHT, title, "; ".join(map(_told, curves)), tuple(shapes))


def _told(curve: Curve) -> str:
    coverage, risk = curve.points[-1]
    return f"{curve.name}: AURC {curve.aurc:.3f}, risk {risk:.3f} when it answers {coverage:.0%} of the questions"
