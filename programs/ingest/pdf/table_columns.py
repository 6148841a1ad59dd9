"""Finds the columns of a printed table: where strips from top to bottom hold no words, or upright lines stand.

    Strain      Days of     Days in          strips between the columns, as places in points:
                life        the cold         (96.0, 104.0), (148.2, 153.1)
    wild type   12.4 ± 1.1  8.2

Running text in two columns has such a strip too; a table is distinguished from it by how its cells are filled.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple, TypeAlias

from programs.ingest.pdf.layout import Rule, TextRun

# All in shares of the font size.
_SAME_LINE = 0.35
HALF_LINE = 0.8
_COLUMN_GAP = 0.5
_FEW_LINES_GAP = 1.0
_FEW_LINES = 5
# Words may stand in the strip between two columns in this share of the lines: headings over several columns do.
_MAX_CROSSING = 0.1
_MIN_UPRIGHT = 0.4
# A line with this share of the cells of the row above it is a row of its own.
MOST = 0.6
# Lines of a column begin within this, in points.
_SAME_EDGE = 2.5
# Print is running text when its lines fill their column and are long.
_PROSE_FILL = 0.8
_PROSE_CHARACTERS = 25
_MIN_PROSE_LINES = 4
# So many level lines mark a table even if its cells are long.
MANY_RULES = 5
ALMOST_ALL = 0.8
_FILLED = 0.7
# A level line over this share of a table's width separates its rows.
_FULL_WIDTH = 0.9


class PrintedWords(NamedTuple):
    """Words of one line that stand together, with their box in points."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    baseline: float
    size: float


class Strip(NamedTuple):
    """A strip from top to bottom between two columns, its ends in points."""

    left: float
    right: float

    @property
    def middle(self) -> float:
        """Halfway between its ends."""
        return (self.left + self.right) / 2


Columns: TypeAlias = list[list[PrintedWords]]


def pieces_of(runs: Iterable[TextRun]) -> list[PrintedWords]:
    """The words of runs, each with its place."""
    return [
        PrintedWords(word.text, word.left, word.right, run.bottom, run.top, _baseline(run), run.size)
        for run in runs
        for word in run.words
    ]


def _baseline(run: TextRun) -> float:
    return run.bottom if run.baseline != run.baseline else run.baseline


def printed_lines(words: Sequence[PrintedWords]) -> list[list[PrintedWords]]:
    """Words grouped to lines of print from top to bottom, each from left to right, small marks with their word."""
    if not words:
        return []
    usual = median(word.size for word in words)
    lines: list[list[PrintedWords]] = []
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


def segments(line: Sequence[PrintedWords], gap: float = _COLUMN_GAP) -> list[PrintedWords]:
    """Words of a line joined where they stand closer than columns do."""
    joined: list[PrintedWords] = []
    for word in line:
        if joined and word.left - joined[-1].right < gap * max(word.size, joined[-1].size):
            last = joined[-1]
            joined[-1] = last._replace(
                text=last.text + ("" if last.text.endswith(("(", "[")) else " ") + word.text,
                right=max(last.right, word.right),
                bottom=min(last.bottom, word.bottom),
                top=max(last.top, word.top),
            )
        else:
            joined.append(word)
    return joined


def separators(lines: Sequence[Sequence[PrintedWords]], rules: Iterable[Rule] = ()) -> list[Strip]:
    """The strips that separate columns, from left to right.

    Args:
        lines: As ``printed_lines`` gives them.
        rules: Those inside the table.
    """
    parted = [line for line in lines if len(segments(line, _FEW_LINES_GAP)) > 1]
    if not parted:
        return []
    size = median(word.size for line in parted for word in line)
    needed = size * (_COLUMN_GAP if len(parted) >= _FEW_LINES else _FEW_LINES_GAP)
    narrow = [line for line in lines if len(line) > 0 and line not in parted]
    found = _strips(parted, narrow, int(_MAX_CROSSING * len(parted)), needed)
    height = lines[0][0].top - lines[-1][0].bottom
    drawn = [x for x, length in _uprights(rules) if length >= _MIN_UPRIGHT * height]
    left, right = min(line[0].left for line in lines), max(word.right for line in lines for word in line)
    apart = [x for x in drawn if left < x < right and all(abs(x - each.middle) > size for each in found)]
    found = sorted([*found, *(Strip(x, x) for x in _merged(apart, size))])
    return _without_empty(lines, found)


def _uprights(rules: Iterable[Rule]) -> list[tuple[float, float]]:
    """Where upright lines stand, and how long they are in all: boxes of cells have a part of each for every row."""
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


def _without_empty(lines: Sequence[Sequence[PrintedWords]], found: list[Strip]) -> list[Strip]:
    """The strips, without those beside a column that has no words."""
    filled = {column for line in lines for column, pieces in enumerate(columns_of(line, found)) if pieces}
    return [strip for column, strip in enumerate(found) if column in filled and max(filled) > column]


def _merged(places: Iterable[float], apart: float) -> list[float]:
    merged: list[float] = []
    for place in sorted(places):
        if not merged or place - merged[-1] > apart:
            merged.append(place)
    return merged


def _strips(
    lines: Sequence[Sequence[PrintedWords]], others: Sequence[Sequence[PrintedWords]], allowed: int, needed: float
) -> list[Strip]:
    """The strips that hold no words, but for words over several columns in as many lines as are allowed.

    Args:
        lines: Those with words in several columns.
        others: Those without; they divide a column where they stand between two strips.
        allowed: How many lines may have words across a strip.
        needed: Width of a strip in points.
    """
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


def _uncovered(parts: Iterable[PrintedWords], left: float, right: float, allowed: int, needed: float) -> list[Strip]:
    """Where at most so many parts stand above each other, between two ends."""
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


def is_tabular(lines: Sequence[Sequence[PrintedWords]], rules: Iterable[Rule] = ()) -> bool:
    """Whether lines of print stand in columns that are not columns of running text."""
    rules = list(rules)
    has_rules = sum(rule.is_level for rule in rules) >= MANY_RULES
    if share_of_text(lines) >= (ALMOST_ALL if has_rules else MOST):
        return False
    places = separators(lines, rules)
    if not places:
        return False
    rows = [columns_of(line, places) for line in lines]
    filled = [filled_of(row) for row in rows]
    bands = bands_of(lines, rules)
    if is_ruled(bands, rows):
        filled = [
            set().union(*(each for each, of in zip(filled, bands, strict=True) if of == band)) for band in {*bands}
        ]
    if sum(len(each) > 1 for each in filled) < max(min(2, len(filled)), 0.4 * len(filled)):
        return False
    columns = [[row[column] for row in rows if row[column]] for column in range(len(places) + 1)]
    prose = [column for column in columns if _is_prose(column)]
    return len(prose) < len(columns) and (len(prose) <= 1 or _length(prose) < MOST * _length(columns))


def share_of_text(lines: Sequence[Sequence[PrintedWords]]) -> float:
    """The share of lines that look like running text in one or two columns: with long parts that fill the width."""
    if not lines:
        return 0.0
    width = max(line[-1].right for line in lines) - min(line[0].left for line in lines)
    return sum(is_text(line, width) for line in lines) / len(lines)


def is_text(line: Sequence[PrintedWords], width: float) -> bool:
    """Whether a line looks like running text in one or two columns of this width in all."""
    parts = segments(line, _FEW_LINES_GAP)
    filled = sum(part.right - part.left for part in parts)
    return len(parts) <= 2 and all(len(part.text) >= _PROSE_CHARACTERS for part in parts) and filled >= _FILLED * width


def _length(columns: Iterable[Sequence[Sequence[PrintedWords]]]) -> int:
    return sum(len(piece.text) for column in columns for line in column for piece in line)


def _is_prose(column: Sequence[Sequence[PrintedWords]]) -> bool:
    """Whether the lines of a column are long and fill it."""
    if len(column) < _MIN_PROSE_LINES:
        return False
    left, right = min(line[0].left for line in column), max(line[-1].right for line in column)
    filled = median((line[-1].right - line[0].left) / max(right - left, 1.0) for line in column)
    characters = median(sum(len(piece.text) for piece in line) for line in column)
    return filled >= _PROSE_FILL and characters >= _PROSE_CHARACTERS


def columns_of(line: Sequence[PrintedWords], places: Sequence[Strip]) -> Columns:
    """What stands in each column of a line; a heading over several columns stands in the first of them."""
    columns: Columns = [[] for _ in range(len(places) + 1)]
    middles = sorted(place.middle for place in places)
    for part in _split(line, places):
        crosses = bisect_right(middles, part.left) < bisect_left(middles, part.right)
        columns[bisect_right(middles, part.left if crosses else (part.left + part.right) / 2)].append(part)
    return columns


def in_columns(line: Sequence[PrintedWords], places: Sequence[Strip]) -> int:
    """In how many columns a line has words; none when words stand across two."""
    parts = _split(line, places)
    if any(part.left < place.middle < part.right for part in parts for place in places):
        return 0
    return sum(map(bool, columns_of(line, places)))


def ends_row(places: Sequence[Strip], line: Sequence[PrintedWords]) -> bool:
    """Whether a line under the last row of a table is the rest of a cell: words in one column, not the first."""
    return in_columns(line, places) == 1 and not columns_of(line, places)[0]


def _split(line: Sequence[PrintedWords], places: Sequence[Strip]) -> list[PrintedWords]:
    """The segments of a line, divided also where the next word begins a column after an ordinary space."""
    stretches: list[list[PrintedWords]] = []
    for word in line:
        last = stretches[-1][-1] if stretches else None
        if last and not any(_begins(place, last, word) for place in places):
            stretches[-1].append(word)
        else:
            stretches.append([word])
    return [segment for stretch in stretches for segment in segments(stretch)]


def _begins(place: Strip, last: PrintedWords, word: PrintedWords) -> bool:
    """Whether a word is the first of the column right of a strip."""
    return last.right <= place.right and place.middle <= word.left and abs(word.left - place.right) <= _SAME_EDGE


def filled_of(row: Columns) -> set[int]:
    """The numbers of the columns in which a line has words."""
    return {column for column, pieces in enumerate(row) if pieces}


def bands_of(lines: Sequence[Sequence[PrintedWords]], rules: Iterable[Rule]) -> list[int]:
    """The number of the band between lines over the whole table that each line of print stands in."""
    left, right = min(line[0].left for line in lines), max(word.right for line in lines for word in line)
    bars = {round(rule.y, 1) for rule in rules if rule.is_level and _is_full(rule, left, right)}
    return [sum(bar >= line[0].baseline for bar in bars) for line in lines]


def _is_full(rule: Rule, left: float, right: float) -> bool:
    return min(rule.right, right) - max(rule.left, left) >= _FULL_WIDTH * (right - left)


def is_ruled(bands: Sequence[int], columns: Sequence[Columns]) -> bool:
    """Whether lines are drawn between the rows: few lines of print stand between two, or one that is nearly full."""
    lines = Counter(bands)
    full = Counter(band for band, row in zip(bands, columns, strict=True) if len(filled_of(row)) > MOST * len(row))
    are_few = median(lines.values()) <= 4 and len(lines) >= len(bands) / 4
    return len(lines) >= MANY_RULES and (are_few or sum(full[band] <= 1 for band in lines) >= ALMOST_ALL * len(lines))
