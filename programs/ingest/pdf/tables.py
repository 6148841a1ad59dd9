"""Finds the tables of a printed page and takes them out of its text, so that no cell is read as a sentence.

A table is between level lines of one length, or under a caption that names it, in columns that are not columns of
running text. It becomes one run of text with a line for each row, in the form in which tables of JATS are written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from statistics import median
from typing import NamedTuple

from programs.ingest.document import table_row
from programs.ingest.line_shapes import split_caption
from programs.ingest.pdf.reading_order import Rule, TextRun, as_one, box_around, gutter_of, median_size
from programs.ingest.pdf.table_cells import (
    MOST,
    Grid,
    columns_of,
    grid_of,
    rows_of,
    segments,
    table_rows,
    whole_lines,
)

# In points: lines of one table end within this; parts of one line are drawn this far apart.
_SAME_END = 9.0
_SAME_HEIGHT = 2.0
_MIN_WIDTH = 60.0
# In shares of the font size: how far the first row is from its caption, rows from each other, notes from the table.
_FEW_LINES_GAP = 1.0
_NEAR = 8.0
_ROW_DISTANCE = 4.0
_NOTE_DISTANCE = 3.0
_SMALLER = 0.97
_MIN_ROWS = 2
# So many level lines mark a table even if its cells are long.
_MANY_RULES = 5
# Lines over and under its header and under its last row close a table.
_CLOSED = 3
_FEW_LINES = 3
# A label is this far from its caption at most.
_LABEL_GAP = 4.0
_MOST_LINES = 0.5
_EMPTY_BAND = 15.0
# A line belongs to a table when its distance is at most this many times the widest gap between the table's lines.
_APART = 1.5
# Print is running text when its lines fill their column and are long.
_PROSE_FILL = 0.8
_PROSE_CHARACTERS = 25
_MIN_PROSE_LINES = 4
_FILLED = 0.7
# So many lines of running text end a table.
_PROSE_LINES = 3


class _Area(Rule):
    """A rectangle in points."""

    def holds(self, run: TextRun) -> bool:
        """Whether a run is inside."""
        is_level = self.bottom <= (run.bottom + run.top) / 2 <= self.top
        return is_level and run.left >= self.left - _SAME_END and run.right <= self.right + _SAME_END

    def cut_by(self, run: TextRun) -> bool:
        """Whether a run is partly inside and partly beside it."""
        is_level = self.bottom < (run.bottom + run.top) / 2 < self.top
        return is_level and self.is_over(run) and not self.holds(run)

    def is_over(self, other: Rule | TextRun) -> bool:
        """Whether a part of it is over or under a part of the other."""
        return other.left < self.right and other.right > self.left

    def ends_with(self, bar: Rule) -> bool:
        """Whether a level line has its ends."""
        return abs(bar.left - self.left) <= _SAME_END and abs(bar.right - self.right) <= _SAME_END


class _Page(NamedTuple):
    """A page: its print, the lines drawn on it, and the level ones with their parts joined."""

    runs: Sequence[TextRun]
    rules: Sequence[Rule]
    bars: Sequence[Rule]

    def lines_in(self, area: _Area) -> list[list[TextRun]]:
        """The lines of print in an area, word by word."""
        return whole_lines(_words(run for run in self.runs if area.holds(run)))

    def rules_in(self, area: _Area) -> list[Rule]:
        """The lines drawn in an area."""

        def is_inside(rule: Rule) -> bool:
            sides = (rule.left - area.left, rule.bottom - area.bottom, area.right - rule.right, area.top - rule.top)
            return min(sides) >= -_SAME_END

        return list(filter(is_inside, self.rules))

    def heights_in(self, area: _Area) -> list[float]:
        """The heights of the level lines of an area that are as long as it is, from the top."""
        return [bar.y for bar in self.bars if area.bottom <= bar.y <= area.top and area.ends_with(bar)]


def with_tables(runs: Sequence[TextRun], rules: Sequence[Rule]) -> list[TextRun]:
    """The page with one run in place of the words of each table; notes under tables are marked as such."""
    page = _Page(_with_whole_captions(runs), rules, _bars(rules))
    areas = _between_bars(page)
    for caption in (run for run in page.runs if (found := split_caption(run.text)) and found.is_table):
        if not any(_belongs(caption, area) for area in areas):
            areas += _under_caption(caption, page, areas)
    left = list(page.runs)
    for area in areas:
        if inside := [run for run in left if run.kind == "text" and run.words and area.holds(run)]:
            table = _as_run(inside, page.rules_in(area))
            taken = set(map(id, inside))
            left = [*_with_notes([run for run in left if id(run) not in taken], table), table]
    return left


def _with_whole_captions(runs: Sequence[TextRun]) -> list[TextRun]:
    """The runs, with a label that is apart from its caption ("TABLE 2    Days of life") put together with it."""
    whole = list(runs)
    for label in runs:
        caption = split_caption(label.text)
        if caption is None or caption.text:
            continue
        after = (
            run
            for run in whole
            if 0 <= run.left - label.right <= _LABEL_GAP * label.size
            and min(label.top, run.top) - max(label.bottom, run.bottom) > (label.top - label.bottom) / 2
        )
        if rest := min(after, key=lambda run: run.left, default=None):
            _, bottom, _, top = box_around([label, rest])
            joined = replace(as_one(label, rest), bottom=bottom, top=top)
            whole = [*(run for run in whole if run not in (label, rest)), joined]
    return whole


def _bars(rules: Iterable[Rule]) -> list[Rule]:
    bars: list[Rule] = []
    for rule in sorted((rule for rule in rules if rule.is_level), key=lambda rule: (-round(rule.y), rule.left)):
        last = bars[-1] if bars else None
        if last and abs(last.y - rule.y) <= _SAME_HEIGHT and rule.left - last.right <= _SAME_END:
            bars[-1] = Rule(last.left, last.bottom, max(last.right, rule.right), last.top)
        else:
            bars.append(rule)
    return [bar for bar in bars if bar.right - bar.left >= _MIN_WIDTH]


def _between_bars(page: _Page) -> list[_Area]:
    """The areas between lines of one length that hold columns, and the rows under them."""
    areas: list[_Area] = []
    used: set[int] = set()
    for place, first in enumerate(page.bars):
        if place in used:
            continue
        wholes: list[_Area] = []
        for number, bar in enumerate(page.bars[place + 1 :], place + 1):
            whole = _Area(first.left, bar.y, first.right, first.y)
            if not whole.ends_with(bar):
                continue
            edge = wholes[-1].bottom if wholes else first.y
            if not _may_go_on(page, whole._replace(top=edge)) or _is_apart(page, whole, edge):
                break
            used.add(number)
            wholes.append(whole)
        tables = (each for each in reversed(wholes) if _is_tabular(page.lines_in(each), page.rules_in(each)))
        areas += [_grown(area, page, most=_tallest_band(area, page)) for area in islice(tables, 1)]
    return areas


def _tallest_band(area: _Area, page: _Page) -> float:
    """How far rows may be under an area's last line: a row's height under lines of rows, any way under a header's."""
    heights = page.heights_in(area)
    if len(heights) < _MANY_RULES:
        return math.inf if len(heights) < _CLOSED else 0.0
    return max(above - below for above, below in pairwise(heights)) + _SAME_HEIGHT


def _may_go_on(page: _Page, band: _Area) -> bool:
    """Whether what is between two lines can be part of the table above: no running text."""
    if any(band.cut_by(run) or (band.holds(run) and split_caption(run.text) is not None) for run in page.runs):
        return False
    lines = page.lines_in(band)
    if len(lines) > 1 and all(len(segments(line)) == 1 and line[0].left <= band.left + _SAME_END for line in lines):
        return False  # notes
    if len(lines) <= _FEW_LINES:
        return bool(lines) or band.top - band.bottom <= _EMPTY_BAND
    width = max(line[-1].right for line in lines) - min(line[0].left for line in lines)
    return sum(_is_text(line, width) for line in lines) < _MOST_LINES * len(lines)


def _is_apart(page: _Page, whole: _Area, edge: float) -> bool:
    """Whether what is under a line of a table is further from it than any row, and not in the table's columns."""
    lines = page.lines_in(whole)
    tops = page.heights_in(whole._replace(bottom=edge))
    above = [[], *([min(piece.bottom for piece in line)] for line in lines)]
    nearest = [
        min((y - top for y in [*tops, *bottoms] if y >= top - 1), default=0.0)
        for top, bottoms in zip((max(piece.top for piece in line) for line in lines), above, strict=False)
    ]
    usual = max((gap for line, gap in zip(lines, nearest, strict=True) if line[0].bottom > edge), default=math.inf)
    blocks: list[list[Sequence[TextRun]]] = [[]]
    for line, gap in zip(lines, nearest, strict=True):
        if line[0].bottom <= edge:
            if gap > max(_APART * usual, line[0].size):
                blocks.append([])
            blocks[-1].append(line)
    if len(blocks) == 1:
        return False
    grid = grid_of([line for line in lines if line[0].bottom > edge])
    counts = [
        [_in_columns(line, grid) if len(segments(line, _FEW_LINES_GAP)) <= 2 else 2 for line in block]
        for block in blocks[1:]
    ]
    return any(max(each) < 2 and not min(each) for each in counts)


def _words(runs: Iterable[TextRun]) -> list[TextRun]:
    """The words of runs, each with its place."""
    return [
        TextRun(word.text, word.left, run.bottom, word.right, run.top, run.size, baseline=run.baseline)
        for run in runs
        for word in run.words
    ]


def _in_columns(line: Sequence[TextRun], grid: Grid) -> int:
    """In how many columns a line has words; none when words span two."""
    columns = columns_of(line, grid)
    if any(part.left < strip.middle < part.right for parts in columns for part in parts for strip in grid.strips):
        return 0
    return sum(map(bool, columns))


def _is_tabular(lines: Sequence[Sequence[TextRun]], rules: Sequence[Rule] = ()) -> bool:
    """Whether two lines of print or more are in columns that are not columns of running text."""
    grid = grid_of(lines, rules) if len(lines) >= _MIN_ROWS else None
    if not grid or not grid.strips:
        return False
    rows = [columns_of(line, grid) for line in lines]
    filled = [set().union(*(line.filled for line in row)) for row in rows_of(lines, grid, rules)]
    if sum(len(each) > 1 for each in filled) < max(min(2, len(filled)), 0.4 * len(filled)):
        return False
    columns = [[row[column] for row in rows if row[column]] for column in range(len(grid.strips) + 1)]
    prose = [column for column in columns if _is_prose(column)]
    return len(prose) < len(columns) and (len(prose) <= 1 or _length(prose) < MOST * _length(columns))


def _is_text(line: Sequence[TextRun], width: float) -> bool:
    """Whether a line looks like running text in one or two columns of this width in all: its parts are long."""
    parts = segments(line, _FEW_LINES_GAP)
    filled = sum(part.right - part.left for part in parts)
    return len(parts) <= 2 and all(len(part.text) >= _PROSE_CHARACTERS for part in parts) and filled >= _FILLED * width


def _length(columns: Iterable[Sequence[Sequence[TextRun]]]) -> int:
    return sum(len(piece.text) for column in columns for line in column for piece in line)


def _is_prose(column: Sequence[Sequence[TextRun]]) -> bool:
    """Whether the lines of a column are long and fill it."""
    if len(column) < _MIN_PROSE_LINES:
        return False
    left, right = min(line[0].left for line in column), max(line[-1].right for line in column)
    filled = median((line[-1].right - line[0].left) / max(right - left, 1.0) for line in column)
    characters = median(sum(len(piece.text) for piece in line) for line in column)
    return filled >= _PROSE_FILL and characters >= _PROSE_CHARACTERS


def _belongs(caption: TextRun, area: _Area) -> bool:
    return area.is_over(caption) and (
        -caption.size <= caption.bottom - area.top <= _NEAR * caption.size
        or 0 <= area.bottom - caption.top <= _NOTE_DISTANCE * caption.size
    )


def _under_caption(caption: TextRun, page: _Page, taken: Sequence[_Area]) -> list[_Area]:
    """The area of a table that its caption alone tells, from the line under the caption or from its first row."""
    near = (bar for bar in page.bars if caption.left < bar.right and caption.right > bar.left)
    bar = next((bar for bar in near if 0 <= caption.bottom - bar.y <= _NEAR * caption.size), None)
    if bar is not None:
        start = _Area(bar.left, bar.y, bar.right, bar.y)
    else:
        left, right = _column_of(caption, page.runs)
        start = _Area(left, caption.bottom, right, caption.bottom)
    area = _grown(start, page)
    is_free = not any(area.is_over(other) and area.bottom < other.top and area.top > other.bottom for other in taken)
    return [area] if is_free and area != start else []


def _column_of(caption: TextRun, runs: Sequence[TextRun]) -> tuple[float, float]:
    left, right = min(run.left for run in runs), max(run.right for run in runs)
    gutter = gutter_of(runs)
    if gutter is None or caption.left < gutter < caption.right:
        return left, right
    return (left, gutter) if caption.right <= gutter else (gutter, right)


def _grown(area: _Area, page: _Page, most: float = math.inf) -> _Area:
    """The area with the rows under it, as far as print continues in its columns, and no further than so many points."""
    inside = page.lines_in(area)
    below = _lines_below(area, page.runs)
    lines = inside + [line for line in below if area.bottom - min(piece.bottom for piece in line) <= most]
    within = page.rules_in(area) if inside else ()
    while len(lines) > len(inside):
        if _in_columns(lines[-1], grid_of(lines, within)) > 1 and _is_tabular(lines, within):
            return area._replace(bottom=min(piece.bottom for piece in lines[-1]) - 1)
        lines.pop()
    return area


def _lines_below(area: _Area, runs: Sequence[TextRun]) -> list[list[TextRun]]:
    """The lines under an area up to a wide gap, a caption, print that leaves the area, or running text."""
    below = [run for run in runs if run.top < area.bottom + run.size / 2 and area.is_over(run)]
    stop = max((run.top for run in below if split_caption(run.text) is not None), default=-math.inf)
    lines: list[list[TextRun]] = []
    edge = area.bottom
    for line in whole_lines(_words(below)):
        size, top = line[0].size, max(piece.top for piece in line)
        leaves = line[0].left < area.left - _SAME_END or line[-1].right > area.right + _SAME_END
        distance = _ROW_DISTANCE if lines or area.top > area.bottom else _NEAR
        if leaves or edge - top > distance * size or top <= stop:
            break
        lines.append(line)
        edge = min(piece.bottom for piece in line)
        if len(lines) >= _PROSE_LINES and all(_is_text(each, area.right - area.left) for each in lines[-_PROSE_LINES:]):
            return lines[:-_PROSE_LINES]
    return lines


def _as_run(inside: Sequence[TextRun], rules: Sequence[Rule]) -> TextRun:
    rows, size = table_rows(_words(inside), rules), median(run.size for run in inside)
    parts = tuple(TextRun(table_row(cells), *box, size=size, kind="table") for cells, box in rows)
    text = "\n".join(part.text for part in parts)
    return TextRun(text, *box_around(parts), size=size, kind="table", parts=parts)


def _with_notes(runs: Sequence[TextRun], table: TextRun) -> list[TextRun]:
    """The runs, with those in small print right under a table marked as its notes."""
    body = median_size(runs)
    edge, marked = table.bottom, []
    for run in sorted(runs, key=lambda run: -run.top):
        is_under = run.left >= table.left - _SAME_END and run.right <= table.right + _SAME_END
        is_near = -run.size <= edge - run.top <= _NOTE_DISTANCE * run.size
        if is_under and is_near and run.size <= _SMALLER * body and split_caption(run.text) is None:
            edge = min(edge, run.bottom)
            run = replace(run, kind="note")  # noqa: PLW2901
        marked.append(run)
    return marked
