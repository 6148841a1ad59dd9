"""How recent a paper is."""

from __future__ import annotations

HALF_LIFE = 10
"""Years in which the signal falls to a half; the cited half-life of biomedical journals is six to ten."""

UNKNOWN = 0.5
"""A paper without a year counts as one of ten years ago: neither favoured nor punished."""


def recency(year: int | None, now: int) -> float:
    """``0.5 ** (age / 10)``: 1 for a paper of this year or later, 0.5 after ten years, 0.25 after twenty.

    Args:
        year: Of publication, or None when it is not known, which counts as ten years ago.
        now: The year to count from.
    """
    if year is None:
        return UNKNOWN
    value: float = 0.5 ** (max(0, now - year) / HALF_LIFE)
    return value
