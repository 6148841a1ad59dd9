"""Brings the runs of text of a printed page into reading order.

    ┌──────────────────────────┐
    │ A title over both        │ 1     A *gutter* parts a page where running text is on both sides of it. What
    │ Left one   │ Right one   │ 2 4   crosses the gutter parts the page into bands; each band is read on its left
    │ Left two   │ Right two   │ 3 5   side first, then on its right, and each side may have its own gutter.
    │ A figure's caption       │ 6     A rule across the gutter does too: above references, say. Without a gutter a
    └──────────────────────────┘       page is read line by line, which is right for tables.

Coordinates are in points with the origin at the lower left, as in PDF.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from statistics import median
from typing import Literal, NamedTuple, TypeAlias, TypeVar

# A side of a gutter is running text when it has this many lines, and half of them have this many characters and are
# this wide (share of the side's width).
_MIN_COLUMN_LINES = 4
_MIN_PROSE_CHARACTERS = 16
_MIN_PROSE_WIDTH = 0.55
# Columns are no narrower than this share of the text's width; three columns are found as one and two.
_MIN_COLUMN_SHARE = 0.2
# Runs are on one line when they overlap by this share of the lower one's height; superscripts overlap by about half.
_SAME_LINE = 0.4
# Runs of one line that are no further apart than words, in shares of their size, are one: print starts anew after a
# subscript or a sign such as "®", and what follows it is not a column.
_WORD_GAP = 0.6
# Between the lines that cross a gutter are so many rows beside it; a justified line with wide spaces stands alone.
_MIN_ROWS_OF_BAND = 2
# A rule that parts bands reaches this far, in points, to both sides of a gutter.
_ACROSS = 20.0
_TOLERANCE = 1.0
# The labels of a figure beside running text are smaller than this share of its print.
_SMALL = 0.94


_T = TypeVar("_T")
RunKind: TypeAlias = Literal["text", "table", "note"]
Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""


class Word(NamedTuple):
    """A word of a run, with its left and right end in points.

    ``bare`` is its text without superscripts; ``is_bold`` and ``is_italic`` say how it begins.
    """

    text: str
    left: float
    right: float
    bare: str = ""
    is_bold: bool = False
    is_italic: bool = False


class Rule(NamedTuple):
    """A straight line, level or upright, or the side of a box; its ends in points."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def is_level(self) -> bool:
        """Whether it runs from left to right."""
        return self.right - self.left >= self.top - self.bottom

    @property
    def y(self) -> float:
        """Where it runs, if level."""
        return (self.bottom + self.top) / 2

    @property
    def length(self) -> float:
        """Of its longer side."""
        return max(self.right - self.left, self.top - self.bottom)

    @property
    def thickness(self) -> float:
        """Of its shorter side."""
        return min(self.right - self.left, self.top - self.bottom)


@dataclass(frozen=True, slots=True)
class TextRun:
    """Characters that follow each other without a wide gap.

    Attributes:
        text: One line at most.
        left, bottom, right, top: Box in points.
        size: Font size in points.
        is_bold: Whether the font is heavier than regular.
        baseline: Height in points of the line that its letters are on; its bottom where it is not known.
        words: Its words with their places; none where they are not known.
        kind: ``table`` for a whole table, whose text has a line for each row, and ``note`` for what is under one.
        parts: The rows of a table.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float
    is_bold: bool = False
    baseline: float = math.nan
    words: tuple[Word, ...] = ()
    kind: RunKind = "text"
    parts: tuple[TextRun, ...] = ()


def box_around(runs: Sequence[TextRun]) -> Box:
    """The box that holds all of them."""
    left, bottom = min(run.left for run in runs), min(run.bottom for run in runs)
    return left, bottom, max(run.right for run in runs), max(run.top for run in runs)


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of a column from left to right, the column's own edges in points, and the number of its page, from 0."""

    runs: tuple[TextRun, ...]
    column_left: float
    column_right: float
    page: int = 0

    @property
    def text(self) -> str:
        """The runs with a space between any two."""
        return " ".join(run.text.strip() for run in self.runs)

    @property
    def kind(self) -> RunKind:
        """Of its first run."""
        return self.runs[0].kind

    @property
    def left(self) -> float:
        """Left end in points."""
        return self.runs[0].left

    @property
    def right(self) -> float:
        """Right end in points."""
        return max(run.right for run in self.runs)

    @property
    def bottom(self) -> float:
        """Bottom of its longest run, so that a superscript moves nothing."""
        return self._main.bottom

    @property
    def top(self) -> float:
        """Top of its longest run."""
        return self._main.top

    @property
    def size(self) -> float:
        """Font size of its longest run, in points."""
        return self._main.size

    @property
    def is_bold(self) -> bool:
        """Whether all of it is bold."""
        return all(run.is_bold for run in self.runs)

    @property
    def is_italic(self) -> bool:
        """Whether most of its words are italic; names of species are upright in italic headings."""
        printed = [word for run in self.runs for word in run.words]
        return 2 * sum(word.is_italic for word in printed) > len(printed)

    @property
    def _main(self) -> TextRun:
        return max(self.runs, key=lambda run: len(run.text))


def before_references(pages: Sequence[_T]) -> Sequence[_T]:
    """The first three fifths of the pages: references, in small print, may have more letters than the text."""
    return pages[: max(1, 3 * len(pages) // 5)]


def most_frequent_size(printed: Iterable[TextRun | PrintedLine]) -> float:
    """The font size that has the most characters; 0 without any."""
    sizes: Counter[float] = Counter()
    for each in printed:
        sizes[each.size] += len(each.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def median_size(printed: Iterable[TextRun | PrintedLine]) -> float:
    """The font size of the character in the middle when all are ordered by size; 0 without any."""
    return median([each.size for each in printed for _ in each.text] or [0.0])


def reading_order(pages: Iterable[Sequence[TextRun]], rules: Sequence[Sequence[Rule]] = ()) -> list[list[PrintedLine]]:
    """All runs of each page as lines, in the order in which a reader reads them.

    The gutters of all pages are found first, since a last page may be too short to show its own.
    """
    pages = [_joined(page) for page in pages]
    known = frozenset(gutter for page in pages for gutter in _gutters(page))
    drawn = zip(pages, chain(rules, repeat(())), strict=False)
    ordered = [_in_order(page, known, lines) for page, lines in drawn]
    return [[replace(line, page=number) for line in page] for number, page in enumerate(ordered)]


def _joined(runs: Sequence[TextRun]) -> list[TextRun]:
    joined: list[TextRun] = []
    for line in lines_of(runs):
        joined.append(line.runs[0])
        for run in line.runs[1:]:
            last, size = joined[-1], min(joined[-1].size, run.size)
            if last.kind == run.kind == "text" and -size <= run.left - last.right <= _WORD_GAP * size:
                joined[-1] = as_one(last, run)
            else:
                joined.append(run)
    return joined


def as_one(first: TextRun, second: TextRun) -> TextRun:
    """Two runs of one line as one."""
    longer = max(first, second, key=lambda run: len(run.text))
    return replace(
        longer,
        text=f"{first.text.strip()} {second.text.strip()}",
        left=first.left,
        right=max(first.right, second.right),
        is_bold=first.is_bold and second.is_bold,
        words=(*first.words, *second.words) if first.words and second.words else (),
    )


def _gutters(runs: Sequence[TextRun]) -> Iterator[float]:
    gutter = gutter_of(runs)
    if gutter is not None:
        yield gutter
        yield from _gutters(_left_of(runs, gutter))
        yield from _gutters(_right_of(runs, gutter))


def _in_order(runs: Sequence[TextRun], known: frozenset[float], rules: Sequence[Rule]) -> list[PrintedLine]:
    gutter = gutter_of(runs)
    if gutter is None:
        # Another page's gutter separates this one too where nothing crosses it, and left of it is running text.
        free = (x for x in sorted(known) if _crossing(runs, x) == 0 and _right_of(runs, x))
        gutter = next((x for x in free if _is_prose(_left_of(runs, x))), None)
    if gutter is not None:
        regions = _regions(runs, gutter, rules)
        return [line for region in regions for line in _in_order(region, known, rules)]
    for x in sorted(known):
        if parts := _with_foot(runs, x):
            return [line for part in parts for line in _in_order(part, known, rules)]
    beside = _beside_figure(runs)
    return [line for region in _regions(runs, beside, ()) for line in lines_of(region)] if beside else lines_of(runs)


def _beside_figure(runs: Sequence[TextRun]) -> float | None:
    """Where to divide running text from a figure beside it: the labels there are in smaller print than the text."""
    size = most_frequent_size(runs)
    small = [run for run in runs if run.size < _SMALL * size]
    free: list[tuple[int, float]] = []
    for x in _places(runs) if len(small) >= _MIN_COLUMN_LINES else ():
        sides = _left_of(runs, x), _right_of(runs, x)
        for text, aside in (sides, sides[::-1]):
            labels = [run for run in aside if run.size < _SMALL * size]
            if len(labels) >= _MIN_COLUMN_LINES and 2 * len(labels) > len(aside) and _is_prose(text):
                _, bottom, _, top = box_around(labels)
                if not any(run.size < _SMALL * size and bottom < run.top and run.bottom < top for run in text):
                    free.append((_crossing(runs, x), x))
    return min(free)[1] if free else None


def _with_foot(runs: Sequence[TextRun], x: float) -> list[list[TextRun]]:
    """What is above the foot of a page, and both sides of the foot where another page's gutter separates it.

    The foot is below all that crosses the gutter, such as the first lines of a paper under its abstract.
    """
    floor = min((run.bottom for run in runs if _crosses(run, x)), default=None)
    if floor is None:
        return []
    foot = [run for run in runs if run.top <= floor + _TOLERANCE]
    left, right = _left_of(foot, x), _right_of(foot, x)
    is_text = left and right and (_is_prose(left) or _is_prose(right))
    return [[run for run in runs if run.top > floor + _TOLERANCE], left, right] if is_text else []


def lines_of(runs: Iterable[TextRun]) -> list[PrintedLine]:
    """Runs grouped to lines, from top to bottom; within a line from left to right."""
    rows: list[list[TextRun]] = []
    for run in sorted(runs, key=lambda run: -(run.top + run.bottom)):
        row = next((row for row in rows[-3:] if _on_one_line(row[0], run)), None)
        if row is None:
            rows.append([run])
        else:
            row.append(run)
    if not rows:
        return []
    left, right = min(run.left for row in rows for run in row), max(run.right for row in rows for run in row)
    return [PrintedLine(tuple(sorted(row, key=lambda run: run.left)), left, right) for row in rows]


def _on_one_line(first: TextRun, second: TextRun) -> bool:
    if "table" in (first.kind, second.kind):
        return False
    overlap = min(first.top, second.top) - max(first.bottom, second.bottom)
    return overlap > _SAME_LINE * min(first.top - first.bottom, second.top - second.bottom)


def gutter_of(runs: Sequence[TextRun]) -> float | None:
    """Where to divide a page into left and right; None where no place has running text on both sides.

    Of all places that is taken which the fewest characters cross, of these the one nearest to the middle.
    """
    if len(runs) < 2 * _MIN_COLUMN_LINES:
        return None
    middle = (min(run.left for run in runs) + max(run.right for run in runs)) / 2
    ranked = sorted(_places(runs), key=lambda x: (_crossing(runs, x), abs(x - middle)))
    return next((x for x in ranked[:8] if _parts(runs, x)), None)


def _places(runs: Sequence[TextRun]) -> set[float]:
    """Where runs begin that leave enough of the page's width for a column on both sides."""
    start, _, end, _ = box_around(runs)
    margin = _MIN_COLUMN_SHARE * (end - start)
    return {round(run.left, 0) - _TOLERANCE for run in runs if start + margin < run.left < end - margin}


def _parts(runs: Sequence[TextRun], x: float) -> bool:
    """Whether running text is on both sides, and not merely a wide space in single lines of a justified column."""
    if not (_is_prose(_left_of(runs, x)) and _is_prose(_right_of(runs, x))):
        return False
    bars = sorted((run for run in runs if _crosses(run, x)), key=lambda run: -run.top)
    rows = lines_of(run for run in runs if not _crosses(run, x))
    bands = {sum(bar.top > row.top for bar in bars) for row in rows}
    return len(bands) < _MIN_COLUMN_LINES or len(rows) >= _MIN_ROWS_OF_BAND * len(bands)


def _crossing(runs: Iterable[TextRun], x: float) -> int:
    return sum(len(run.text) for run in runs if run.kind == "text" and _crosses(run, x))


def _crosses(run: TextRun, x: float) -> bool:
    return run.left < x - _TOLERANCE and run.right > x + _TOLERANCE


def _left_of(runs: Iterable[TextRun], x: float) -> list[TextRun]:
    return [run for run in runs if run.right <= x + _TOLERANCE]


def _right_of(runs: Iterable[TextRun], x: float) -> list[TextRun]:
    return [run for run in runs if run.left >= x - _TOLERANCE and run.right > x + _TOLERANCE]


def _is_prose(runs: Sequence[TextRun]) -> bool:
    """Whether runs make a column of running text, unlike the cells of a table."""
    lines = lines_of(runs)
    if len(lines) < _MIN_COLUMN_LINES:
        return False
    width = lines[0].column_right - lines[0].column_left
    is_wide = median(line.right - line.left for line in lines) >= _MIN_PROSE_WIDTH * width
    return is_wide and median(len(line.text) for line in lines) >= _MIN_PROSE_CHARACTERS


def _regions(runs: Sequence[TextRun], gutter: float, rules: Iterable[Rule]) -> Iterator[list[TextRun]]:
    """The bands of a page from top to bottom: left side, right side, what crosses the gutter, and so on."""
    beside = [run for run in runs if not _crosses(run, gutter)]
    across: list[TextRun] = []
    crossing = [run for run in runs if _crosses(run, gutter)]
    bars: list[tuple[float, TextRun | None]] = [((run.top + run.bottom) / 2, run) for run in crossing]
    clear = median_size(runs) / 2  # a rule that has this much space around it parts bands too
    bars += [
        (rule.y, None)
        for rule in rules
        if min(gutter - rule.left, rule.right - gutter) > _ACROSS
        and not any(run.bottom - clear < rule.y < run.top + clear for run in runs)
    ]
    for middle, bar in sorted(bars, key=lambda bar: -bar[0]):
        above = [run for run in beside if run.bottom > middle]
        if above:
            yield from filter(None, (across, _left_of(above, gutter), _right_of(above, gutter)))
            across = []
            beside = [run for run in beside if run.bottom <= middle]
        across += [bar] if bar else []
    yield from filter(None, (across, _left_of(beside, gutter), _right_of(beside, gutter)))
