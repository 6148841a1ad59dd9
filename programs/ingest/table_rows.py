"""Makes rows and cells of the words of a printed table.

    Strain      Days of     Days in          rows: ("Strain", "Days of life", "Days in the cold"),
                life        the cold               ("wild type", "12.4 ± 1.1", "8.2"),
    ─────────────────────────────────              ("sir2 mutant, of the second laboratory", "9.1 ± 0.8", "7.9")
    wild type   12.4 ± 1.1  8.2
    sir2 mutant,            7.9
    of the second  9.1 ± 0.8
    laboratory

A column ends where a strip from top to bottom holds no words, or at an upright line. A line of print is a row of its own
unless it reads as the rest of the row above it: ruled off together, set closer than rows are, or with few cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from programs.ingest.page_layout import Rule, Run
from programs.ingest.text_repair import join_lines

# All in shares of the font size.
_SAME_LINE = 0.35
_HALF_LINE = 0.8
_COLUMN_GAP = 0.5
_FEW_LINES_GAP = 1.0
_FEW_LINES = 5
# Words may stand in the strip between two columns in this share of the lines: headings over several columns do.
_MAX_CROSSING = 0.1
_MIN_UPRIGHT = 0.4
_WRAPPED = 1.12
_ROW_GAP = 1.25
_FULL_WIDTH = 0.9
# Print is running text when its lines fill their column and are long.
_PROSE_FILL = 0.8
_PROSE_CHARACTERS = 25
_MIN_PROSE_LINES = 4

_READS_ON = re.compile(r"[a-z(\[%/–−+&]|±")
_OPEN_END = re.compile(r"(?:[-–,/(+&±]|\b(?:and|or|of|the|to|in|with|for|by|on|at|vs\.?))$")


class Piece(NamedTuple):
    """Words of one line that stand together, with their box in points."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    baseline: float
    size: float


@dataclass(slots=True)
class _Row:
    """Lines of print that make one row: per column the texts of its lines."""

    cells: list[list[str]]
    pieces: list[Piece]
    last: list[str] = field(default_factory=list)


def pieces_of(runs: Iterable[Run]) -> list[Piece]:
    """The words of runs, each with its place."""
    return [
        Piece(word.text, word.left, word.right, run.bottom, run.top, _baseline(run), run.size)
        for run in runs
        for word in run.words
    ]


def _baseline(run: Run) -> float:
    return run.bottom if run.baseline != run.baseline else run.baseline  # noqa: PLR0124 - not a number is not itself


def printed_lines(words: Sequence[Piece]) -> list[list[Piece]]:
    """Words grouped to lines of print from top to bottom, each from left to right, small marks with their word."""
    if not words:
        return []
    usual = median(word.size for word in words)
    lines: list[list[Piece]] = []
    for word in sorted(words, key=lambda word: (word.size < _HALF_LINE * usual, -word.baseline)):
        line = min(lines, key=lambda line: abs(line[0].baseline - word.baseline), default=None)
        if line is not None and abs(line[0].baseline - word.baseline) <= _SAME_LINE * usual:
            line.append(word)
        else:
            lines.append([word])
    lines.sort(key=lambda line: -line[0].baseline)
    return [sorted(line, key=lambda word: word.left) for line in lines]


def segments(line: Sequence[Piece], gap: float = _COLUMN_GAP) -> list[Piece]:
    """Words of a line joined where they stand closer than columns do."""
    joined: list[Piece] = []
    for word in line:
        if joined and word.left - joined[-1].right < gap * max(word.size, joined[-1].size):
            last = joined[-1]
            joined[-1] = last._replace(
                text=f"{last.text} {word.text}",
                right=max(last.right, word.right),
                bottom=min(last.bottom, word.bottom),
                top=max(last.top, word.top),
            )
        else:
            joined.append(word)
    return joined


def separators(lines: Sequence[Sequence[Piece]], rules: Iterable[Rule] = ()) -> list[float]:
    """Where columns are parted, from left to right, in points.

    Args:
        lines: As ``printed_lines`` gives them.
        rules: Those inside the table.
    """
    parted = [line for line in lines if len(segments(line, _FEW_LINES_GAP)) > 1]
    lines = parted if len(parted) >= 2 else list(lines)  # noqa: PLR2004
    if not lines:
        return []
    size = median(word.size for line in lines for word in line)
    needed = size * (_COLUMN_GAP if len(lines) >= _FEW_LINES else _FEW_LINES_GAP)
    found = _strips(lines, int(_MAX_CROSSING * len(lines)), needed)
    height = lines[0][0].top - lines[-1][0].bottom
    drawn = {
        round(rule.left) for rule in rules if not rule.is_level and rule.top - rule.bottom >= _MIN_UPRIGHT * height
    }
    left, right = min(line[0].left for line in lines), max(word.right for line in lines for word in line)
    apart = [x for x in drawn if left < x < right and all(abs(x - each) > size for each in found)]
    return sorted([*found, *_merged(apart, size)])


def _merged(places: Iterable[float], apart: float) -> list[float]:
    merged: list[float] = []
    for place in sorted(places):
        if not merged or place - merged[-1] > apart:
            merged.append(place)
    return merged


def _strips(lines: Sequence[Sequence[Piece]], allowed: int, needed: float) -> list[float]:
    """The middles of the strips, ``needed`` points wide or more, that words of at most so many lines stand in."""
    left = int(min(word.left for line in lines for word in line))
    width = int(max(word.right for line in lines for word in line)) - left + 2
    changes = [0] * (width + 1)
    for line in lines:
        for segment in segments(line, _COLUMN_GAP / 2):
            changes[max(0, round(segment.left) - left)] += 1
            changes[min(width, round(segment.right) - left)] -= 1
    strips, covered, start = [], 0, None
    for x, change in enumerate(changes):
        covered += change
        if covered <= allowed:
            start = x if start is None else start
        elif start is not None:
            if start and x - start >= needed:
                strips.append(left + (start + x) / 2)
            start = None
    return strips


def is_tabular(lines: Sequence[Sequence[Piece]], rules: Iterable[Rule] = ()) -> bool:
    """Whether lines of print stand in columns that are not columns of running text."""
    places = separators(lines, rules)
    if not places:
        return False
    rows = [_columns(line, places) for line in lines]
    parted = sum(sum(map(bool, row)) > 1 for row in rows)
    if parted < max(min(2, len(lines)), 0.4 * len(lines)):
        return False
    return not all(_is_prose([row[column] for row in rows if row[column]]) for column in range(len(places) + 1))


def _is_prose(column: Sequence[Sequence[Piece]]) -> bool:
    """Whether the lines of a column are long and fill it."""
    if len(column) < _MIN_PROSE_LINES:
        return False
    left, right = min(line[0].left for line in column), max(line[-1].right for line in column)
    filled = median((line[-1].right - line[0].left) / max(right - left, 1.0) for line in column)
    characters = median(sum(len(piece.text) for piece in line) for line in column)
    return filled >= _PROSE_FILL and characters >= _PROSE_CHARACTERS


def _columns(line: Sequence[Piece], places: Sequence[float]) -> list[list[Piece]]:
    """What stands in each column of a line; a heading over several columns stands in the first of them."""
    columns: list[list[Piece]] = [[] for _ in range(len(places) + 1)]
    for segment in segments(line):
        crossed = [place for place in places if segment.left < place < segment.right]
        at = segment.left if crossed else (segment.left + segment.right) / 2
        columns[sum(place <= at for place in places)].append(segment)
    return columns


def table_rows(words: Sequence[Piece], rules: Sequence[Rule]) -> list[tuple[tuple[str, ...], Rule]]:
    """The rows of a table, each with the texts of its columns and its box.

    Args:
        words: All that stand in the table.
        rules: Those inside it.
    """
    lines = printed_lines(words)
    places = separators(lines, rules)
    columns = [_columns(line, places) for line in lines]
    left, right = min(word.left for word in words), max(word.right for word in words)
    bars = sorted({round(rule.y, 1) for rule in rules if rule.is_level and _is_full(rule, left, right)}, reverse=True)
    bands = [sum(bar >= line[0].baseline for bar in bars) for line in lines]
    starts = _row_starts(lines, columns, bands)
    return [_row(columns[start:end]) for start, end in pairwise([*starts, len(lines)])]


def _is_full(rule: Rule, left: float, right: float) -> bool:
    return min(rule.right, right) - max(rule.left, left) >= _FULL_WIDTH * (right - left)


def _row(columns: Sequence[Sequence[Sequence[Piece]]]) -> tuple[tuple[str, ...], Rule]:
    cells = tuple(
        join_lines((" ".join(piece.text for piece in line[column]) for line in columns), {})
        for column in range(len(columns[0]))
    )
    pieces = [piece for line in columns for column in line for piece in column]
    box = Rule(
        min(piece.left for piece in pieces),
        min(piece.bottom for piece in pieces),
        max(piece.right for piece in pieces),
        max(piece.top for piece in pieces),
    )
    return cells, box


def _row_starts(
    lines: Sequence[Sequence[Piece]], columns: Sequence[Sequence[Sequence[Piece]]], bands: Sequence[int]
) -> list[int]:
    """The numbers of the lines that begin a row."""
    if _is_ruled(bands):
        return [0, *(place for place, (band, after) in enumerate(pairwise(bands), 1) if band != after)]
    leading = [(before[0].baseline - line[0].baseline) / line[0].size for before, line in pairwise(lines)]
    within = [
        gap for gap, (band, after) in zip(leading, pairwise(bands), strict=True) if band == after and gap > _HALF_LINE
    ]
    closest = min(within, default=1.0)
    has_wraps = sum(gap > _ROW_GAP * closest for gap in within) >= max(2, 0.2 * len(within))
    starts = [0]
    for place, gap in enumerate(leading, 1):
        above = columns[starts[-1] : place]
        is_apart = bands[place] != bands[place - 1]
        is_close = gap <= _WRAPPED * closest
        if is_apart or not (gap < _HALF_LINE or _continues(above, columns[place], is_close=is_close, by_gap=has_wraps)):
            starts.append(place)
    return starts


def _is_ruled(bands: Sequence[int]) -> bool:
    """Whether lines are drawn between the rows."""
    counts = [bands.count(band) for band in set(bands)]
    return len(counts) >= 5 and median(counts) <= 4 and len(counts) >= len(bands) / 4  # noqa: PLR2004


def _continues(
    above: Sequence[Sequence[Sequence[Piece]]], line: Sequence[Sequence[Piece]], *, is_close: bool, by_gap: bool
) -> bool:
    """Whether a line is the rest of the row above it."""
    filled = {column for column, pieces in enumerate(line) if pieces}
    before = {column for each in above for column, pieces in enumerate(each) if pieces}
    if not is_close or not filled <= before:
        return False
    reads_on = [
        bool(_READS_ON.match(line[column][0].text) or _OPEN_END.search(end))
        for column, end in zip(sorted(filled), [_last_text(above, column) for column in sorted(filled)], strict=True)
    ]
    if by_gap:
        is_numeric = any(column and any(map(str.isdigit, line[column][0].text[:2])) for column in filled)
        return not (is_numeric and filled == before) or all(reads_on)
    if 0 in filled and len(before) > 1 and filled == {0}:
        return all(reads_on)
    return (0 not in filled and 2 * len(filled) < len(before)) or all(reads_on)


def _last_text(above: Sequence[Sequence[Sequence[Piece]]], column: int) -> str:
    return next((line[column][-1].text for line in reversed(above) if line[column]), "")
