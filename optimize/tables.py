"""Markdown tables, and numbers as they stand in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optimize.statistics import Paired

UNDEFINED = "–"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table whose first column is text and whose others are numbers; an empty line ends it."""
    yield from (_row(header), _row(["---", *("---:" for _ in header[1:])]))
    yield from (_row(row) for row in rows)
    yield ""


def number(value: float | None, decimals: int = 3) -> str:
    """A number with thousands parted by commas, or a dash."""
    return UNDEFINED if value is None else f"{value:,.{decimals}f}"


def difference(paired: Paired | None) -> str:
    """A paired difference with its interval: "+0.073 [-0.035, +0.161]"."""
    if paired is None:
        return UNDEFINED
    interval = "" if paired.low is None else f" [{paired.low:+.3f}, {paired.high:+.3f}]"
    return f"{paired.difference:+.3f}{interval}"


def p_values(paired: Paired | None, p_holm: float | None) -> tuple[str, str, str]:
    """P, p adjusted by Holm, and the smallest difference that could have been detected."""
    if paired is None:
        return UNDEFINED, UNDEFINED, UNDEFINED
    return number(paired.p), number(p_holm), number(paired.detectable)


def _row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(escaped)} |"
