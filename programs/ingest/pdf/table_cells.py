"""Makes columns, rows and cells of the words of a printed table.

    Strain      Days of     Days in          strips between the columns, as places in points:
                life        the cold         (96.0, 104.0), (148.2, 153.1)
    ─────────────────────────────────
    wild type   12.4 ± 1.1  8.2              rows: ("Strain", "Days of life", "Days in the cold"),
    sir2 mutant,            7.9                    ("wild type", "12.4 ± 1.1", "8.2"),
    of the second  9.1 ± 0.8                       ("sir2 mutant, of the second laboratory", "9.1 ± 0.8", "7.9")
    laboratory

Columns are where most lines that have words on both sides of a place have a gap there: a heading over several columns
is in the minority. Lines are a row each, unless lines drawn or wider gaps hold several together that can be one row, or
a line reads as the rest of the row above it. A cell in the middle of several rows is in the first of them.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from statistics import median, median_high
from typing import NamedTuple, TypeAlias

from programs.ingest.pdf.reading_order import Box, Rule, TextRun, box_around
from programs.ingest.text_repair import join_lines

# All in shares of the font size.
_SAME_LINE = 0.35
_HALF_LINE = 0.8
_COLUMN_GAP = 0.5
# Spaces between words are narrower than this, and so many times narrower than the gaps between cells; a gap of this
# share of those also parts cells where it is all of a strip.
_WIDEST_SPACE = 0.7
_WIDER = 1.4
_NEARLY = 0.8
# A line with one piece of print says a quarter as much about columns as one with several.
_ONE_PIECE = 0.25
_NARROWEST = 0.15
_CLEAR_GAP, _FAR_GAP = 1.0, 5.0
_MIN_UPRIGHT = 0.4
# A line with this share of the cells of a table is full.
MOST = 0.6
_ALMOST_ALL = 0.8
# A cell is in the middle of two rows if no further off than this.
_OFF_MIDDLE = 0.25
# Two rows are this far apart at most, in shares of how far rows of one column are from each other.
_PITCH = 1.3
# What is so many times as near to the lower of them is on that one.
_NEARER = 1.6
# Lines of a column begin within this, in points.
_SAME_EDGE = 2.5


class Strip(NamedTuple):
    """A strip from top to bottom between two columns, its ends in points."""

    left: float
    right: float

    @property
    def middle(self) -> float:
        """Halfway between its ends."""
        return (self.left + self.right) / 2


class Grid(NamedTuple):
    """The strips from left to right, and how far apart cells are at least, in shares of the font size."""

    strips: list[Strip]
    gap: float


Line: TypeAlias = Sequence[TextRun]
Columns: TypeAlias = list[list[TextRun]]


def printed_lines(words: Sequence[TextRun]) -> list[list[TextRun]]:
    """Words grouped to lines of print from top to bottom, each from left to right, small marks with their word."""
    if not words:
        return []
    usual = median(word.size for word in words)
    lines: list[list[TextRun]] = []
    for word in sorted(words, key=lambda word: (word.size < _HALF_LINE * usual, -word.baseline)):
        # Words of the usual size come from top to bottom, so the last line is the nearest.
        near = lines if word.size < _HALF_LINE * usual else lines[-1:]
        line = min(near, key=lambda line: abs(line[0].baseline - word.baseline), default=None)
        if line is not None and abs(line[0].baseline - word.baseline) <= _SAME_LINE * usual:
            line.append(word)
        else:
            lines.append([word])
    lines.sort(key=lambda line: -line[0].baseline)
    return [sorted(line, key=lambda word: word.left) for line in lines]


def whole_lines(words: Sequence[TextRun]) -> list[list[TextRun]]:
    """The lines of a table; what is half a line under another, or in the middle of two rows, is on the upper one."""
    lines = printed_lines(words)
    below = (
        next((each for each in lines[place:] if _overlap(line, each)), None) for place, line in enumerate(lines, 1)
    )
    pitch = median([_distance(line, other) for line, other in zip(lines, below, strict=True) if other] or [0.0])
    kept: list[list[TextRun]] = []
    for line, after in zip(lines, [*lines[1:], list[TextRun]()], strict=False):  # none behind the last
        if kept and not _overlap(kept[-1], line):
            upper, lower = _distance(kept[-1], line), _distance(line, after) if after else math.inf
            is_between = upper + lower <= _PITCH * pitch and upper <= _NEARER * lower and not _overlap(line, after)
            if upper < _HALF_LINE * line[0].size or is_between:
                kept[-1] = sorted([*kept[-1], *line], key=lambda word: word.left)
                continue
        kept.append(line)
    return kept


def _overlap(line: Line, other: Line) -> bool:
    """Whether words of one line are over words of another."""
    return any(one.left < two.right and two.left < one.right for one in line for two in other)


def _distance(above: Line, below: Line) -> float:
    """How far one line is from another, by the baselines of most of their words."""
    return median_high(word.baseline for word in above) - median_high(word.baseline for word in below)


def segments(line: Line, gap: float = _COLUMN_GAP) -> list[TextRun]:
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


def grid_of(lines: Sequence[Line], rules: Iterable[Rule] = ()) -> Grid:
    """What separates the columns of a table; two values side by side are cells, and tell nothing of its word spaces."""
    pairs = [
        (after.left - before.right) / after.size
        for line in lines
        for before, after in pairwise(line)
        if not (_VALUE.fullmatch(before.text) and _VALUE.fullmatch(after.text))
    ]
    spaces = [space for space in pairs if _NARROWEST < space < _WIDEST_SPACE]
    gap = max(_COLUMN_GAP, _WIDER * median(spaces or [0.0]))
    parted = [parts for parts in (segments(line, gap) for line in lines) if len(parts) > 1]
    if not parted:
        return Grid([], gap)
    size = median(part.size for parts in parted for part in parts)
    needed = size * gap
    least = min(2, len(parted))
    profile = _profile(lines, needed, 1.0)
    open_places = [place for place in profile if place.gaps >= least and place.votes > place.crossed]
    strips = _joined(open_places, _NARROWEST * size)
    profile = _profile(lines, needed, 0.5)
    found = [each for strip in strips for each in _freest(strip, profile, _NARROWEST * size)]
    height = lines[0][0].top - lines[-1][0].bottom
    drawn = [x for x, length in _uprights(rules) if length >= _MIN_UPRIGHT * height]
    found = sorted([*found, *(Strip(x, x) for x in drawn)])
    filled = {column for line in lines for column, pieces in enumerate(columns_of(line, Grid(found, gap))) if pieces}
    return Grid([strip for column, strip in enumerate(found) if column in filled and max(filled) > column], gap)


class _Stretch(NamedTuple):
    """A stretch from left to right, how many lines have a gap there, what these say, how many have words."""

    left: float
    right: float
    gaps: int
    votes: float
    crossed: float


def _profile(lines: Iterable[Line], needed: float, spaces: float) -> list[_Stretch]:
    """The gaps and words along lines, from left to right; a space between words counts as so much of a word."""
    changes: list[tuple[float, int, float, float]] = []
    for line in lines:
        parts, end = 1, line[0].right
        for word in line[1:]:
            parts += word.left - end >= needed
            end = max(end, word.right)
        weight = 1.0 if parts > 1 else _ONE_PIECE
        end = line[0].left
        for word in line:
            if word.left > end:
                gap, space = (1, 0.0) if word.left - end >= needed else (0, spaces * weight)
                wide = (word.left - end) / word.size  # hardly wider than a space, or over empty columns, it says little
                vote = gap * (0.5 if wide < _CLEAR_GAP else 1.0 if wide <= _FAR_GAP else 0.1)
                changes += [(end, gap, vote, space), (word.left, -gap, -vote, -space)]
            if word.right > end:
                changes += [(max(end, word.left), 0, 0.0, weight), (word.right, 0, 0.0, -weight)]
                end = word.right
    found: list[_Stretch] = []
    gaps, votes, crossed, last = 0, 0.0, 0.0, 0.0
    for x, gap, vote, covered in sorted(changes):
        if x > last:
            found.append(_Stretch(last, x, gaps, round(votes, 3), round(crossed, 3)))
        gaps, votes, crossed, last = gaps + gap, votes + vote, crossed + covered, x
    return found[1:]


def _joined(stretches: Iterable[_Stretch], least: float) -> list[Strip]:
    """Strips of stretches that follow each other, those of some width."""
    joined: list[Strip] = []
    for each in stretches:
        if joined and each.left <= joined[-1].right:
            joined[-1] = Strip(joined[-1].left, each.right)
        else:
            joined.append(Strip(each.left, each.right))
    return [strip for strip in joined if strip.right - strip.left >= least]


def _freest(strip: Strip, profile: Iterable[_Stretch], least: float) -> list[Strip]:
    """Where the fewest lines have words between two ends."""
    inside = [
        each._replace(left=max(each.left, strip.left), right=min(each.right, strip.right))
        for each in profile
        if each.left < strip.right and each.right > strip.left
    ]
    levels = sorted({each.crossed for each in inside})
    tried = (_joined((each for each in inside if each.crossed <= level), least) for level in levels)
    return next(filter(None, tried), [])


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


def columns_of(line: Line, grid: Grid) -> Columns:
    """What is in each column of a line; a heading over several columns is in the first of them."""
    columns: Columns = [[] for _ in range(len(grid.strips) + 1)]
    middles = [strip.middle for strip in grid.strips]
    for part in _split(line, grid):
        crosses = bisect_right(middles, part.left) < bisect_left(middles, part.right)
        columns[bisect_right(middles, part.left if crosses else (part.left + part.right) / 2)].append(part)
    return columns


def _split(line: Line, grid: Grid) -> list[TextRun]:
    """The segments of a line, divided also where a gap that is hardly narrower is all of a strip."""
    stretches = [[line[0]]]
    for before, word in pairwise(line):
        is_wide = word.left - before.right >= _NEARLY * grid.gap * word.size
        if is_wide and any(before.right <= strip.left + 1 and word.left >= strip.right - 1 for strip in grid.strips):
            stretches.append([])
        stretches[-1].append(word)
    return [segment for stretch in stretches for segment in segments(stretch, grid.gap)]


_WRAPPED = 1.12  # of the closest lines of a column
_MIN_GROUPS = 3

_READS_ON = re.compile(r"[a-z](?![a-z]*[A-Z])|[(\[%/–−+&]|±")
_OPEN_END = re.compile(r"(?:[-–,/(+&±]|\b(?:and|or|of|the|to|in|with|for|by|on|at|vs\.?))$")
# A number, a sign or a mark: no part of a sentence, so that two of them under each other are two cells.
_VALUE = re.compile(r"(?![(\[])[^A-Za-z]*\d[^A-Za-z]*%?|[-–—−/✓✗×•]+|N/?A|yes|no|NO|YES|Yes|No")


class _Row(NamedTuple):
    """A line of print: its baseline, those of its highest and lowest words, the size of its print, and its columns."""

    baseline: float
    highest: float
    lowest: float
    size: float
    columns: Columns

    @property
    def filled(self) -> set[int]:
        """The columns that have words."""
        return {column for column, pieces in enumerate(self.columns) if pieces}


def table_rows(words: Sequence[TextRun], rules: Sequence[Rule]) -> list[tuple[tuple[str, ...], Box]]:
    """The rows of a table, each with the texts of its columns and its box."""
    lines = whole_lines(words)
    rows = rows_of(lines, grid_of(lines, rules), rules)
    return [_cells([line.columns for line in row]) for row in rows]


def rows_of(lines: Sequence[Line], grid: Grid, rules: Sequence[Rule]) -> list[list[_Row]]:
    """The lines of a table that make up each row."""
    heights = [[word.baseline for word in line] for line in lines]
    kept = [
        _Row(median_high(each), max(each), min(each), line[0].size, columns_of(line, grid))
        for line, each in zip(lines, heights, strict=True)
    ]
    bars = _bars(lines, rules)
    bands = [sum(bar >= line.baseline for bar in bars) for line in kept]
    rows = [row for group, is_one in _groups(kept, bands) for row in ([group] if is_one else _parted(group))]
    return _with_labels_in_first_rows(rows, rules)


def _bars(lines: Iterable[Line], rules: Iterable[Rule]) -> set[float]:
    """The heights of the level lines of a table but those under words."""
    parts = [part for line in lines for part in segments(line)]

    def is_underline(rule: Rule) -> bool:
        return any(
            part.left - 2 <= rule.left
            and rule.right <= part.right + 2
            and -1 <= part.baseline - rule.y < _SAME_LINE * part.size
            for part in parts
        )

    return {round(rule.y, 1) for rule in rules if rule.is_level and not is_underline(rule)}


def _groups(lines: Sequence[_Row], bands: Sequence[int]) -> list[tuple[list[_Row], bool]]:
    """The lines between lines drawn, or else between wider gaps, and whether most such groups can be one row each."""
    closest = _closest(lines)
    apart = [
        above.lowest - below.highest > _WRAPPED * closest * below.size or band != after
        for (above, below), (band, after) in zip(pairwise(lines), pairwise(bands), strict=True)
    ]
    ruled = [band != after for band, after in pairwise(bands)]
    for parts in (ruled, apart):
        places = [place for place, is_apart in enumerate(parts, 1) if is_apart]
        groups = [list(lines[start:end]) for start, end in pairwise([0, *places, len(lines)])]
        several = [group for group in groups if len(group) > 1]
        single = sum(not _has_two_rows(group) for group in several)
        if len(groups) >= _MIN_GROUPS and single >= _ALMOST_ALL * len(several):
            return [(group, not _has_two_rows(group)) for group in groups]
    return [(group, False) for group in groups]


def _has_two_rows(lines: Sequence[_Row]) -> bool:
    """Whether two lines have numbers in one column, or all their cells side by side."""
    width = len(set().union(*(line.filled for line in lines)))
    full = [line for line in lines if len(line.filled) > MOST * width]
    values = [column for line in lines for column in line.filled if column and _is_value(line.columns[column])]
    return len(values) > len(set(values)) or (width > 1 and len(full) > 1 and not any(map(_reads_on, pairwise(full))))


def _is_value(cell: Sequence[TextRun]) -> bool:
    return _VALUE.fullmatch(" ".join(piece.text for piece in cell)) is not None


def _reads_on(lines: tuple[_Row, _Row]) -> bool:
    """Whether a cell of a line reads as the rest of the one above it."""
    above, below = lines
    shared = above.filled & below.filled
    return any(
        _READS_ON.match(below.columns[column][0].text) or _OPEN_END.search(above.columns[column][-1].text)
        for column in shared
    )


def _parted(lines: Sequence[_Row]) -> list[list[_Row]]:
    """Lines as rows: each is its own unless it reads as the rest of the row above."""
    rows: list[list[_Row]] = []
    for line in lines:
        if rows and _continues(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _closest(lines: Sequence[_Row]) -> float:
    """How close lines of one cell are, in shares of the font size: the closest quarter of all lines of a column."""
    gaps = sorted(
        (above.baseline - below.baseline) / below.size
        for column in range(len(lines[0].columns))
        for above, below in pairwise([line for line in lines if line.columns[column]])
    )
    return gaps[len(gaps) // 4] if gaps else 1.0


def _continues(row: Sequence[_Row], line: _Row) -> bool:
    """Whether a line is the rest of the row above it."""
    filled, before = sorted(line.filled), set().union(*(each.filled for each in row))
    if not before.issuperset(filled):
        return False
    ends = {
        column: next(each.columns[column][-1].text for each in reversed(row) if each.columns[column])
        for column in filled
    }
    reads_on = {
        column: bool(_READS_ON.match(line.columns[column][0].text) or _OPEN_END.search(ends[column]))
        for column in filled
    }
    if all(reads_on.values()):
        return True
    values = [column for column in filled if column and _is_value(line.columns[column]) and not reads_on[column]]
    if 2 * len(values) > len(filled) - (0 in filled) or len(filled) > MOST * len(before):
        return False
    return reads_on.get(0, len(filled) == 1 or any(reads_on.values()))


def _with_labels_in_first_rows(rows: list[list[_Row]], rules: Iterable[Rule]) -> list[list[_Row]]:
    """The rows; what is alone in the middle of several rows between two lines over its column is in the first."""
    level = [rule for rule in rules if rule.is_level]
    for column in range(len(rows[0][0].columns)):
        cells = [[piece for line in row for piece in line.columns[column]] for row in rows]
        middle = median([(piece.left + piece.right) / 2 for cell in cells for piece in cell] or [0.0])
        bars = [rule.y for rule in level if rule.left <= middle <= rule.right]
        bands = groupby(range(len(rows)), key=lambda place: sum(bar >= rows[place][0].baseline for bar in bars))
        for places in (list(band) for _, band in bands):
            filled = [place for place in places if cells[place]]
            count = len(places) // max(len(filled), 1)
            starts = places[::count] if filled and count > 1 and len(places) % len(filled) == 0 else []
            groups = [(place, rows[start : start + count]) for place, start in zip(filled, starts, strict=False)]
            if all(_is_in_middle(cells[place], group) for place, group in groups):
                for place, (first, *_) in groups:
                    for line in rows[place] if rows[place] is not first else rows[place][1:]:
                        first[0].columns[column] += line.columns[column]
                        line.columns[column] = []
    return [row for row in rows if any(line.filled for line in row)]


def _is_in_middle(cell: Sequence[TextRun], rows: Sequence[Sequence[_Row]]) -> bool:
    at, first, last = median(piece.baseline for piece in cell), rows[0][0].baseline, rows[-1][-1].baseline
    return abs(at - (first + last) / 2) <= _OFF_MIDDLE * (first - last) / (len(rows) - 1)


def _cells(lines: Sequence[Columns]) -> tuple[tuple[str, ...], Box]:
    texts = tuple(
        join_lines((" ".join(piece.text for piece in line[column]) for line in lines), {})
        for column in range(len(lines[0]))
    )
    return texts, box_around([piece for line in lines for column in line for piece in column])
