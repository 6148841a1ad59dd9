"""Markdown tables, and numbers as they stand in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optimize.measuring.statistics import Paired

UNDEFINED = "–"
_NOTHING = 1e-9


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table whose first column is text and whose others are numbers; an empty line ends it."""
    yield from (_row(header), _row(["---", *("---:" for _ in header[1:])]))
    yield from (_row(row) for row in rows)
    yield ""


def number(value: float | None, decimals: int = 3) -> str:
    """A number with thousands parted by commas, or a dash."""
    return UNDEFINED if value is None else _minus(f"{value:,.{decimals}f}")


def signed(value: float) -> str:
    """A difference: "+0.073", "−0.035"."""
    return _minus(f"{value:+.3f}")


def counted(number: int, noun: str) -> str:
    """How many of something: "1 paper", "7 papers"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def difference(paired: Paired | None) -> str:
    """A paired difference with its interval: "+0.073 [−0.035, +0.161]"."""
    if paired is None:
        return UNDEFINED
    if paired.low is None or paired.high is None:
        return signed(paired.difference)
    return f"{signed(paired.difference)} [{signed(paired.low)}, {signed(paired.high)}]"


def detectable(paired: Paired | None) -> str:
    """The smallest difference that could have been detected; a dash where nothing varies, so none is known."""
    if paired is None or paired.detectable is None or paired.detectable < _NOTHING:
        return UNDEFINED
    return "none" if paired.detectable > 1 else number(paired.detectable)


def p_values(paired: Paired | None, p_holm: float | None) -> tuple[str, str, str]:
    """P, p adjusted by Holm, and the smallest difference that could have been detected."""
    if paired is None:
        return UNDEFINED, UNDEFINED, UNDEFINED
    return number(paired.p), number(p_holm), detectable(paired)


def _minus(text: str) -> str:
    """The text of a number with a minus sign in place of the hyphen, and none before zero."""
    return text.replace("-", "−" if text.strip("-0.,") else "")


def _row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(escaped)} |"
