"""Leaves out what stands around the text: running heads and feet, page numbers, numbers of lines, sidebars."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import TypeVar

from programs.ingest.line_shapes import is_known_heading, is_notice, split_caption
from programs.ingest.pdf.layout import PrintedLine, TextRun, lines_of
from programs.ingest.text_repair import is_page_number, margin_key, running_lines

_T = TypeVar("_T")

# Running heads and feet stand in the outermost rows of a page; a title is printed larger than they are.
_MARGIN_ROWS = 2
_LARGER = 1.15
# What is repeated at one height, in points, on three pages and this share of all is not running text, wherever it is.
_SAME_HEIGHT = 4.0
_MIN_PAGES = 3
_MIN_SHARE = 0.3
# Numbers of pages, of so many digits at most, grow by one on this share of the pages.
_MIN_NUMBERED = 0.6
_MOST_DIGITS = 6
_OF_PAGES = re.compile(r"(?:^|.{0,120}\s)\d{1,4}\s+of\s+(?P<pages>\d{1,4})(?:\s\D{1,60})?")
"""A head or foot with the number of the page among all: "journal.org/x 1 of 12", "2 of 12 MAYER ET AL."."""
# Sidebars stand on the first pages, in print of less than this share of the body's, left of where its lines begin; at
# that place begins at least this share of them.
_SIDEBAR_PAGES = 2
_SMALL = 0.94
_MIN_LINES = 0.1
_WIDEST = 0.36  # of the width of the page's text
_MIN_BODY_LINE = 25
# Heads and feet are the smaller part of a paper; where less than this share of its characters is left, they were text.
_LEAST_KEPT = 0.1
_OF_SIDEBAR = re.compile(
    r"(?:competing interests?|conflicts? of interest|funding|abbreviations?|data availability)\b", re.I
)


def before_references(pages: Sequence[_T]) -> Sequence[_T]:
    """The first three fifths of the pages: references, in small print, may have more letters than the text."""
    return pages[: max(1, 3 * len(pages) // 5)]


def sidebars(pages: Sequence[Sequence[TextRun]]) -> list[list[TextRun]]:
    """What stands left of the text on each page: numbers of lines, on the first pages also dates and licences."""
    sizes: Counter[float] = Counter()
    for page in before_references(pages):
        for run in page:
            sizes[run.size] += len(run.text)
    size = sizes.most_common(1)[0][0] if sizes else 0.0
    return [_sidebar(_beside(page, size), size, number) for number, page in enumerate(pages)]


def _beside(page: Sequence[TextRun], size: float) -> list[TextRun]:
    """What ends left of where the lines of the body begin."""
    starts = Counter(round(run.left) for run in page if run.size == size and len(run.text) >= _MIN_BODY_LINE)
    near = {left: sum(starts[left + off] for off in (-1, 0, 1)) for left in starts}
    edge = min((left for left, lines in near.items() if lines >= _MIN_LINES * starts.total()), default=0) - 2
    beside = [run for run in page if run.right < edge]
    start, end = min((run.left for run in page), default=0.0), max((run.right for run in page), default=0.0)
    return beside if edge - start <= _WIDEST * (end - start) else []


def _sidebar(beside: Sequence[TextRun], size: float, number: int) -> list[TextRun]:
    small = [run for run in beside if run.size < _SMALL * size]
    lines = lines_of(small)
    if number < _SIDEBAR_PAGES and any(is_notice(line.text) or _OF_SIDEBAR.match(line.text) for line in lines):
        return [run for line in lines for run in line.runs]
    return [run for run in beside if run.text.isdecimal()]


def without_margins(pages: Sequence[Sequence[TextRun]]) -> list[list[TextRun]]:
    """The pages without running heads, running feet and page numbers.

    A title is repeated in running heads, and stays where it stands in larger print than they. Pages that are alike in
    nearly all their text have no heads: of them, only the numbers of pages are left out.
    """
    dropped = {*_repeated_rows(pages), *_repeated_places(pages), *_counted_up(pages)}
    kept = [[run for run in page if run not in dropped] for page in pages]
    if _length(kept) >= _LEAST_KEPT * _length(pages):
        return kept
    return [[run for run in page if not is_page_number(run.text)] for page in pages]


def _length(pages: Iterable[Sequence[TextRun]]) -> int:
    return sum(len(run.text) for page in pages for run in page)


def margin(lines: Sequence[PrintedLine]) -> list[PrintedLine]:
    """The outermost rows of a page."""
    return [*lines[:_MARGIN_ROWS], *lines[_MARGIN_ROWS:][-_MARGIN_ROWS:]]


def _repeated_rows(pages: Iterable[Sequence[TextRun]]) -> Iterator[TextRun]:
    """The runs of outermost rows that are numbers of pages or are repeated from page to page."""
    margins = [margin(lines_of(page)) for page in pages]
    repeated = running_lines([[line.text for line in each] for each in margins])
    of_first = {_letters(run.text) for line in (margins[0] if margins else ()) for run in line.runs} - {""}
    usual_size = median([line.size for each in margins for line in each] or [0.0])
    for number, each in enumerate(margins):
        for line in each:
            is_running = margin_key(line.text) in repeated or is_page_number(line.text)
            is_running = is_running or _counts_pages(line.text, len(margins))
            is_running = is_running or (number > 0 and _letters(line.text) in of_first)
            if is_running and line.size <= _LARGER * usual_size:
                yield from line.runs


def _repeated_places(pages: Sequence[Sequence[TextRun]]) -> Iterator[TextRun]:
    """The runs that are repeated at the same height on many pages."""
    pages_with: Counter[tuple[str, int]] = Counter()
    for page in pages:
        pages_with.update({_place(run) for run in page})
    needed = max(_MIN_PAGES, _MIN_SHARE * len(pages))
    for page in pages:
        for run in page:
            text, _ = place = _place(run)
            if pages_with[place] >= needed and any(map(str.isalpha, text)) and split_caption(run.text) is None:
                yield run


def _counted_up(pages: Sequence[Sequence[TextRun]]) -> Iterator[TextRun]:
    """The numbers that stand at one height and grow by one from page to page, under whatever else is printed there."""
    numbers = [
        ((int(run.text) - number, round(run.bottom / _SAME_HEIGHT)), run)
        for number, page in enumerate(pages)
        for run in page
        if len(run.text) <= _MOST_DIGITS and run.text.isascii() and run.text.isdecimal()
    ]
    pages_with = Counter(place for place, _ in numbers)
    needed = max(_MIN_PAGES, _MIN_NUMBERED * len(pages))
    yield from (run for place, run in numbers if pages_with[place] >= needed)


def _counts_pages(text: str, pages: int) -> bool:
    found = _OF_PAGES.fullmatch(text.strip())
    return found is not None and pages > 1 and int(found["pages"]) == pages


def _letters(text: str) -> str:
    """The letters of a head or foot, without the number of the page; empty for a name of a section."""
    return "" if is_known_heading(text) else "".join(filter(str.isalpha, text.lower()))


def _place(run: TextRun) -> tuple[str, int]:
    return margin_key(run.text), round(run.bottom / _SAME_HEIGHT)
