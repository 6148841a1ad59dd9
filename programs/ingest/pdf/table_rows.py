"""Makes rows and cells of the words of a printed table.

    Strain      Days of     Days in          rows: ("Strain", "Days of life", "Days in the cold"),
                life        the cold               ("wild type", "12.4 ± 1.1", "8.2"),
    ─────────────────────────────────              ("sir2 mutant, of the second laboratory", "9.1 ± 0.8", "7.9")
    wild type   12.4 ± 1.1  8.2
    sir2 mutant,            7.9
    of the second  9.1 ± 0.8
    laboratory

A column ends where a strip from top to bottom holds no words, or at an upright line. A line of print is a row of its
own unless it reads as the rest of the row above it: ruled off together, set closer than rows are, or with few cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from programs.ingest.pdf.layout import Rule
from programs.ingest.pdf.table_columns import (
    ALMOST_ALL,
    HALF_LINE,
    MOST,
    Columns,
    PrintedWords,
    bands_of,
    columns_of,
    filled_of,
    is_ruled,
    printed_lines,
    separators,
)
from programs.ingest.text_repair import join_lines

# All in shares of the font size.
_WRAPPED = 1.12
_ROW_GAP = 1.2
# Cells stand in the middle of their rows when this share of the rows have their first cell below the first line, and
# almost all cells are off the middle by half a line at most (counted in half lines).
_MIN_LOWERED = 0.3
_OFF_MIDDLE = 1
# A cell stands in the middle of two rows if no further off than this, in shares of the font size.
_OFF_MIDDLE_OF_TWO = 0.2

_READS_ON = re.compile(r"[a-z(\[%/–−+&]|±")
_OPEN_END = re.compile(r"(?:[-–,/(+&±]|\b(?:and|or|of|the|to|in|with|for|by|on|at|vs\.?))$")


def table_rows(words: Sequence[PrintedWords], rules: Sequence[Rule]) -> list[tuple[tuple[str, ...], Rule]]:
    """The rows of a table, each with the texts of its columns and its box.

    Args:
        words: All that stand in the table.
        rules: Those inside it.
    """
    lines = printed_lines(words)
    places = separators(lines, rules)
    kept, columns = _without_half_lines(lines, [columns_of(line, places) for line in lines])
    starts = _row_starts(kept, columns, bands_of(kept, rules))
    return [_row(columns[start:end]) for start, end in pairwise([*starts, len(kept)])]


def _without_half_lines(
    lines: Sequence[Sequence[PrintedWords]], columns: Sequence[Columns]
) -> tuple[list[Sequence[PrintedWords]], list[Columns]]:
    """The lines, those between two lines that are one row, or half a line under another, joined to the one above."""
    kept: list[Sequence[PrintedWords]] = []
    cells: list[Columns] = []
    for place, (line, row) in enumerate(zip(lines, columns, strict=True)):
        is_near = bool(kept) and kept[-1][0].baseline - line[0].baseline < HALF_LINE * line[0].size
        is_near = is_near or (
            bool(kept) and _stands_between([kept[-1], *lines[place : place + 2]], columns[place:], cells)
        )
        if is_near and not filled_of(row) & filled_of(cells[-1]):
            cells[-1] = [mine or theirs for mine, theirs in zip(row, cells[-1], strict=True)]
        else:
            kept.append(line)
            cells.append(row)
    return kept, cells


def _stands_between(lines: Sequence[Sequence[PrintedWords]], rows: Sequence[Columns], above: Sequence[Columns]) -> bool:
    """Whether a line is one cell in the middle of the line above and the line below, which have most others."""
    if len(lines) < 3:
        return False
    before, after = (filled_of(above[-1]), filled_of(rows[1]))
    upper, lower = (one[0].baseline - other[0].baseline for one, other in pairwise(lines))
    return (
        len(filled_of(rows[0])) == 1
        and before == after
        and len(before) > MOST * len(rows[0])
        and abs(upper - lower) < _OFF_MIDDLE_OF_TWO * lines[1][0].size
        and upper < _ROW_GAP * lines[1][0].size
    )


def _row(columns: Sequence[Columns]) -> tuple[tuple[str, ...], Rule]:
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


def _row_starts(lines: Sequence[Sequence[PrintedWords]], columns: Sequence[Columns], bands: Sequence[int]) -> list[int]:
    """The numbers of the lines that begin a row."""
    if is_ruled(bands, columns):
        return [0, *(place for place, (band, after) in enumerate(pairwise(bands), 1) if band != after)]
    leading = [(before[0].baseline - line[0].baseline) / line[0].size for before, line in pairwise(lines)]
    within = [gap for gap, (band, after) in zip(leading, pairwise(bands), strict=True) if band == after]
    closest = _closest(columns)
    has_wraps = sum(gap > _ROW_GAP * closest for gap in within) >= max(2, 0.2 * len(within)) and _are_uneven(
        columns, [gap <= _WRAPPED * closest for gap in leading]
    )
    apart = [gap > _WRAPPED * closest or bands[place] < bands[place + 1] for place, gap in enumerate(leading)]
    parted = [0, *(place for place, is_apart in enumerate(apart, 1) if is_apart)]
    if has_wraps and _are_centred([columns[start:end] for start, end in pairwise([*parted, len(lines)])]):
        return parted
    starts = [0]
    for place, gap in enumerate(leading, 1):
        is_close = bands[place] == bands[place - 1] and gap <= _WRAPPED * closest
        if not (is_close and _continues(columns[starts[-1] : place], columns[place], by_gap=has_wraps)):
            starts.append(place)
    return starts


def _are_centred(rows: Sequence[Sequence[Columns]]) -> bool:
    """Whether cells stand in the middle of their rows, so that the first line of a row lacks its first cell.

    Args:
        rows: The lines of what may be rows, each from one wide gap to the next.
    """
    filled = [
        [[place for place, line in enumerate(row) if line[column]] for column in range(len(row[0]))]
        for row in rows
        if len(row) > 1
    ]
    lowered = sum(bool(row[0]) and row[0][0] > 0 for row in filled)
    middles = [
        abs(cell[0] + cell[-1] - max(map(max, filter(None, row)))) <= _OFF_MIDDLE
        for row in filled
        for cell in row
        if cell
    ]
    return lowered >= _MIN_LOWERED * len(rows) and sum(middles) >= ALMOST_ALL * len(middles)


def _closest(columns: Sequence[Columns]) -> float:
    """How close lines of one cell stand, in shares of the font size: the closest quarter of all lines of a column."""
    gaps = sorted(
        (before.baseline - after.baseline) / after.size
        for column in range(len(columns[0]))
        for before, after in pairwise([row[column][0] for row in columns if row[column]])
    )
    return gaps[len(gaps) // 4] if gaps else 1.0


def _are_uneven(columns: Sequence[Columns], is_close: Sequence[bool]) -> bool:
    """Whether lines that stand close under another mostly have other cells than it, as wrapped cells do."""
    filled = [[bool(pieces) for pieces in row] for row in columns]
    pairs = [pair for pair, close in zip(pairwise(filled), is_close, strict=True) if close]
    return sum(before != after for before, after in pairs) >= 0.4 * len(pairs)


def _continues(above: Sequence[Columns], line: Columns, *, by_gap: bool) -> bool:
    """Whether a line, set as close as lines of one cell are, is the rest of the row above it.

    Args:
        above: The lines of the row so far.
        line: The line in question.
        by_gap: Whether rows of this table stand further apart than lines of one cell.
    """
    filled = [column for column, pieces in enumerate(line) if pieces]
    before = {column for each in above for column, pieces in enumerate(each) if pieces}
    if not (by_gap or before.issuperset(filled)):
        return False
    reads_on = {column: _reads_on(_last_text(above, column), line[column][0].text) for column in filled}
    if all(reads_on.values()):
        return True
    numbers = [column for column in filled if column and line[column][0].text[:1].isdigit() and not reads_on[column]]
    if 2 * len(numbers) > len(filled) - (0 in filled) or len(filled) > MOST * len(before):
        return by_gap and not numbers and 0 not in filled
    return by_gap or 0 not in filled or reads_on[0]


def _reads_on(end: str, start: str) -> bool:
    """Whether the second text looks like the rest of the first."""
    return bool(_READS_ON.match(start) or _OPEN_END.search(end))


def _last_text(above: Sequence[Columns], column: int) -> str:
    return next((line[column][-1].text for line in reversed(above) if line[column]), "")
