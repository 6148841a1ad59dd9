"""Makes columns, rows and cells of the words of a printed table.

    Strain      Days of     Days in          strips between the columns, as places in points:
                life        the cold         (96.0, 104.0), (148.2, 153.1)
    ─────────────────────────────────
    wild type   12.4 ± 1.1  8.2              rows: ("Strain", "Days of life", "Days in the cold"),
    sir2 mutant,            7.9                    ("wild type", "12.4 ± 1.1", "8.2"),
    of the second  9.1 ± 0.8                       ("sir2 mutant, of the second laboratory", "9.1 ± 0.8", "7.9")
    laboratory

A column ends where a strip from top to bottom holds no words, or at an upright line. A line of print is a row of its
own unless it reads as the rest of the row above it: ruled off together, set closer than rows are, or with few cells.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple, TypeAlias

from programs.ingest.pdf.reading_order import Box, Rule, TextRun, box_around
from programs.ingest.text_repair import join_lines

# All in shares of the font size.
_SAME_LINE = 0.35
HALF_LINE = 0.8
_COLUMN_GAP = 0.5
FEW_LINES_GAP = 1.0
_FEW_LINES = 5
# Words may be in the strip between two columns in this share of the lines: headings over several columns do.
_MAX_CROSSING = 0.1
_MIN_UPRIGHT = 0.4
# A line with this share of the cells of the row above it is its own row.
MOST = 0.6
# Lines of a column begin within this, in points.
_SAME_EDGE = 2.5
# So many level lines mark a table even if its cells are long.
MANY_RULES = 5
ALMOST_ALL = 0.8
# A level line over this share of a table's width separates its rows.
_FULL_WIDTH = 0.9


class Strip(NamedTuple):
    """A strip from top to bottom between two columns, its ends in points."""

    left: float
    right: float

    @property
    def middle(self) -> float:
        """Halfway between its ends."""
        return (self.left + self.right) / 2


Columns: TypeAlias = list[list[TextRun]]


def pieces_of(runs: Iterable[TextRun]) -> list[TextRun]:
    """The words of runs, each with its place."""
    return [
        TextRun(word.text, word.left, run.bottom, word.right, run.top, run.size, baseline=run.baseline)
        for run in runs
        for word in run.words
    ]


def printed_lines(words: Sequence[TextRun]) -> list[list[TextRun]]:
    """Words grouped to lines of print from top to bottom, each from left to right, small marks with their word."""
    if not words:
        return []
    usual = median(word.size for word in words)
    lines: list[list[TextRun]] = []
    for word in sorted(words, key=lambda word: (word.size < HALF_LINE * usual, -word.baseline)):
        # Words of the usual size come from top to bottom, so the last line is the nearest.
        near = lines if word.size < HALF_LINE * usual else lines[-1:]
        line = min(near, key=lambda line: abs(line[0].baseline - word.baseline), default=None)
        if line is not None and abs(line[0].baseline - word.baseline) <= _SAME_LINE * usual:
            line.append(word)
        else:
            lines.append([word])
    lines.sort(key=lambda line: -line[0].baseline)
    return [sorted(line, key=lambda word: word.left) for line in lines]


def segments(line: Sequence[TextRun], gap: float = _COLUMN_GAP) -> list[TextRun]:
    """Words of a line joined where they are closer than columns."""
    joined: list[TextRun] = []
    for word in line:
        if joined and word.left - joined[-1].right < gap * max(word.size, joined[-1].size):
            last = joined[-1]
            joined[-1] = replace(
                last,
                text=last.text + ("" if last.text.endswith(("(", "[")) else " ") + word.text,
                right=max(last.right, word.right),
                bottom=min(last.bottom, word.bottom),
                top=max(last.top, word.top),
            )
        else:
            joined.append(word)
    return joined


def separators(lines: Sequence[Sequence[TextRun]], rules: Iterable[Rule] = ()) -> list[Strip]:
    """The strips that separate columns, from left to right."""
    parted = [line for line in lines if len(segments(line, FEW_LINES_GAP)) > 1]
    if not parted:
        return []
    size = median(word.size for line in parted for word in line)
    needed = size * (_COLUMN_GAP if len(parted) >= _FEW_LINES else FEW_LINES_GAP)
    narrow = [line for line in lines if len(line) > 0 and line not in parted]
    found = _strips(parted, narrow, int(_MAX_CROSSING * len(parted)), needed)
    height = lines[0][0].top - lines[-1][0].bottom
    drawn = [x for x, length in _uprights(rules) if length >= _MIN_UPRIGHT * height]
    found = sorted([*found, *(Strip(x, x) for x in _merged(drawn, size))])
    filled = {column for line in lines for column, pieces in enumerate(columns_of(line, found)) if pieces}
    return [strip for column, strip in enumerate(found) if column in filled and max(filled) > column]


def _uprights(rules: Iterable[Rule]) -> list[tuple[float, float]]:
    """Where upright lines are, and how long they are in all: boxes of cells have a part of each for every row."""
    lines: list[list[Rule]] = []
    for rule in sorted((rule for rule in rules if not rule.is_level), key=lambda rule: rule.left):
        if lines and rule.left - lines[-1][0].left <= _SAME_EDGE:
            lines[-1].append(rule)
        else:
            lines.append([rule])
    return [(line[0].left, _covered(line)) for line in lines]


def _covered(line: Iterable[Rule]) -> float:
    """How much of an upright line its parts cover, which may lie over one another."""
    length, end = 0.0, -math.inf
    for part in sorted(line, key=lambda part: part.bottom):
        length += max(0.0, part.top - max(part.bottom, end))
        end = max(end, part.top)
    return length


def _merged(places: Iterable[float], apart: float) -> list[float]:
    merged: list[float] = []
    for place in sorted(places):
        if not merged or place - merged[-1] > apart:
            merged.append(place)
    return merged


def _strips(
    lines: Sequence[Sequence[TextRun]], others: Sequence[Sequence[TextRun]], allowed: int, needed: float
) -> list[Strip]:
    """The strips that hold no words, but for words over several columns in as many lines as are allowed."""
    parts = [segment for line in lines for segment in segments(line, _COLUMN_GAP / 2)]
    left, right = min(part.left for part in parts), max(part.right for part in parts)
    open_strips = _uncovered(parts, left, right, allowed, needed)
    parts += [segment for line in others for segment in segments(line, _COLUMN_GAP)]
    found: list[Strip] = []
    for strip in open_strips:
        inside = [part for part in parts if part.left >= strip.left - 1 and part.right <= strip.right + 1]
        gaps = _uncovered(inside, strip.left, strip.right, 0, needed) if inside else [strip]
        found += [gap for gap in gaps if gap.left > left + 1 and gap.right < right - 1]
    return found


def _uncovered(parts: Iterable[TextRun], left: float, right: float, allowed: int, needed: float) -> list[Strip]:
    """Where at most so many parts are above each other, between two ends."""
    changes = [(left, 0), (right, 0)]
    for part in parts:
        changes += [(max(part.left, left), 1), (min(part.right, right), -1)]
    strips: list[Strip] = []
    covered, start = 0, left
    for x, change in sorted(changes):
        if covered <= allowed < covered + change or (x == right and covered <= allowed):
            if x - start >= needed:
                strips.append(Strip(start, x))
        elif covered > allowed >= covered + change:
            start = x
        covered += change
    return list(dict.fromkeys(strips))


def columns_of(line: Sequence[TextRun], places: Sequence[Strip]) -> Columns:
    """What is in each column of a line; a heading over several columns is in the first of them."""
    columns: Columns = [[] for _ in range(len(places) + 1)]
    middles = sorted(place.middle for place in places)
    for part in _split(line, places):
        crosses = bisect_right(middles, part.left) < bisect_left(middles, part.right)
        columns[bisect_right(middles, part.left if crosses else (part.left + part.right) / 2)].append(part)
    return columns


def in_columns(line: Sequence[TextRun], places: Sequence[Strip]) -> int:
    """In how many columns a line has words; none when words span two."""
    parts = _split(line, places)
    if any(part.left < place.middle < part.right for part in parts for place in places):
        return 0
    return sum(map(bool, columns_of(line, places)))


def ends_row(places: Sequence[Strip], line: Sequence[TextRun]) -> bool:
    """Whether a line under the last row of a table is the rest of a cell: words in one column, not the first."""
    return in_columns(line, places) == 1 and not columns_of(line, places)[0]


def _split(line: Sequence[TextRun], places: Sequence[Strip]) -> list[TextRun]:
    """The segments of a line, divided also where the next word begins a column after an ordinary space."""
    stretches: list[list[TextRun]] = []
    for word in line:
        last = stretches[-1][-1] if stretches else word
        begins = (each for each in places if last.right <= each.right and each.middle <= word.left)
        if stretches and not any(abs(word.left - each.right) <= _SAME_EDGE for each in begins):
            stretches[-1].append(word)
        else:
            stretches.append([word])
    return [segment for stretch in stretches for segment in segments(stretch)]


def filled_of(row: Columns) -> set[int]:
    """The numbers of the columns in which a line has words."""
    return {column for column, pieces in enumerate(row) if pieces}


def bands_of(lines: Sequence[Sequence[TextRun]], rules: Iterable[Rule]) -> list[int]:
    """The number of the band between lines over the whole table that each line of print is in."""
    left, right = min(line[0].left for line in lines), max(word.right for line in lines for word in line)
    least = _FULL_WIDTH * (right - left)
    bars = {
        round(rule.y, 1) for rule in rules if rule.is_level and min(rule.right, right) - max(rule.left, left) >= least
    }
    return [sum(bar >= line[0].baseline for bar in bars) for line in lines]


def is_ruled(bands: Sequence[int], columns: Sequence[Columns]) -> bool:
    """Whether lines are drawn between the rows: few lines of print are between two, or one that is nearly full."""
    lines = Counter(bands)
    full = Counter(band for band, row in zip(bands, columns, strict=True) if len(filled_of(row)) > MOST * len(row))
    are_few = median(lines.values()) <= 4 and len(lines) >= len(bands) / 4
    return len(lines) >= MANY_RULES and (are_few or sum(full[band] <= 1 for band in lines) >= ALMOST_ALL * len(lines))


# All in shares of the font size.
_WRAPPED = 1.12
_ROW_GAP = 1.2
# Cells are in the middle of their rows when this share of the rows have their first cell below the first line, and
# almost all cells are off the middle by half a line at most (counted in half lines).
_MIN_LOWERED = 0.3
_OFF_MIDDLE = 1
# A cell is in the middle of two rows if no further off than this, in shares of the font size.
_OFF_MIDDLE_OF_TWO = 0.2

_READS_ON = re.compile(r"[a-z(\[%/–−+&]|±")
_OPEN_END = re.compile(r"(?:[-–,/(+&±]|\b(?:and|or|of|the|to|in|with|for|by|on|at|vs\.?))$")


def table_rows(words: Sequence[TextRun], rules: Sequence[Rule]) -> list[tuple[tuple[str, ...], Box]]:
    """The rows of a table, each with the texts of its columns and its box."""
    lines = printed_lines(words)
    places = separators(lines, rules)
    kept, columns = _without_half_lines(lines, [columns_of(line, places) for line in lines])
    starts = _row_starts(kept, columns, bands_of(kept, rules))
    return [_row(columns[start:end]) for start, end in pairwise([*starts, len(kept)])]


def _without_half_lines(
    lines: Sequence[Sequence[TextRun]], columns: Sequence[Columns]
) -> tuple[list[Sequence[TextRun]], list[Columns]]:
    """The lines, those between two lines that are one row, or half a line under another, joined to the one above."""
    kept: list[Sequence[TextRun]] = []
    cells: list[Columns] = []
    for place, (line, row) in enumerate(zip(lines, columns, strict=True)):
        is_near = bool(kept) and (
            kept[-1][0].baseline - line[0].baseline < HALF_LINE * line[0].size
            or _is_between([kept[-1], *lines[place : place + 2]], columns[place:], cells)
        )
        if is_near and not filled_of(row) & filled_of(cells[-1]):
            cells[-1] = [mine or theirs for mine, theirs in zip(row, cells[-1], strict=True)]
        else:
            kept.append(line)
            cells.append(row)
    return kept, cells


def _is_between(lines: Sequence[Sequence[TextRun]], rows: Sequence[Columns], above: Sequence[Columns]) -> bool:
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


def _row(columns: Sequence[Columns]) -> tuple[tuple[str, ...], Box]:
    cells = tuple(
        join_lines((" ".join(piece.text for piece in line[column]) for line in columns), {})
        for column in range(len(columns[0]))
    )
    return cells, box_around([piece for line in columns for column in line for piece in column])


def _row_starts(lines: Sequence[Sequence[TextRun]], columns: Sequence[Columns], bands: Sequence[int]) -> list[int]:
    if is_ruled(bands, columns):
        return [0, *(place for place, (band, after) in enumerate(pairwise(bands), 1) if band != after)]
    leading = [(before[0].baseline - line[0].baseline) / line[0].size for before, line in pairwise(lines)]
    within = [gap for gap, (band, after) in zip(leading, pairwise(bands), strict=True) if band == after]
    closest = _closest(columns)
    has_wraps = sum(gap > _ROW_GAP * closest for gap in within) >= max(2, 0.2 * len(within))
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
    """Whether cells are in the middle of their rows, so that the first line of a row lacks its first cell."""
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
    """How close lines of one cell are, in shares of the font size: the closest quarter of all lines of a column."""
    gaps = sorted(
        (before.baseline - after.baseline) / after.size
        for column in range(len(columns[0]))
        for before, after in pairwise([row[column][0] for row in columns if row[column]])
    )
    return gaps[len(gaps) // 4] if gaps else 1.0


def _continues(above: Sequence[Columns], line: Columns, *, by_gap: bool) -> bool:
    """Whether a line is the rest of the row above it; ``by_gap`` where rows are further apart than their lines."""
    filled = sorted(filled_of(line))
    before = set().union(*map(filled_of, above))
    if not (by_gap or before.issuperset(filled)):
        return False
    ends = {column: next((each[column][-1].text for each in reversed(above) if each[column]), "") for column in filled}
    reads_on = {
        column: bool(_READS_ON.match(line[column][0].text) or _OPEN_END.search(ends[column])) for column in filled
    }
    if all(reads_on.values()):
        return True
    numbers = [column for column in filled if column and line[column][0].text[:1].isdigit() and not reads_on[column]]
    if 2 * len(numbers) > len(filled) - (0 in filled) or len(filled) > MOST * len(before):
        return by_gap and not numbers and 0 not in filled
    return by_gap or 0 not in filled or reads_on[0]
