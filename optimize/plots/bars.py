"""A share of one as a bar, as wide as a table's column."""

from __future__ import annotations

from optimize.plots.drawing import Bar, Drawing, Tone

WIDTH = 320.0
HEIGHT = 14.0


def bar(share: float, tone: Tone, title: str) -> Drawing:
    """Draw a number in [0, 1]."""
    length = round(max(share * WIDTH, 1.5), 2)
    return Drawing(WIDTH, HEIGHT, title, f"{share:.3f}", (Bar(0, 2, length, HEIGHT - 4, tone),))
