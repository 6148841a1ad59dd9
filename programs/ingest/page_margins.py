"""Leaves out what stands on every page: running heads and feet, page numbers, banners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from programs.ingest.captions import split_caption
from programs.ingest.page_layout import Line, Run, lines_of
from programs.ingest.text_repair import is_page_number, margin_key, running_lines

# Running heads and feet stand in the outermost rows of a page; in larger print than they stands a title.
_MARGIN_ROWS = 2
_LARGER = 1.15
# What is repeated at one height, in points, on three pages and this share of all is no text, wherever it stands.
_SAME_HEIGHT = 4.0
_MIN_PAGES = 3
_MIN_SHARE = 0.3


def without_margins(pages: Sequence[Sequence[Run]]) -> list[list[Run]]:
    """The pages without running heads, running feet and page numbers.

    A title is repeated in running heads, and stays where it stands in larger print than they.
    """
    dropped = {*_repeated_rows(pages), *_repeated_places(pages)}
    return [[run for run in page if run not in dropped] for page in pages]


def margin(lines: Sequence[Line]) -> list[Line]:
    """The outermost rows of a page."""
    return [*lines[:_MARGIN_ROWS], *lines[_MARGIN_ROWS:][-_MARGIN_ROWS:]]


def _repeated_rows(pages: Iterable[Sequence[Run]]) -> Iterator[Run]:
    """The runs of outermost rows that are numbers of pages or are repeated from page to page."""
    margins = [margin(lines_of(page)) for page in pages]
    repeated = running_lines([[line.text for line in each] for each in margins])
    usual_size = median([line.size for each in margins for line in each] or [0.0])
    for each in margins:
        for line in each:
            is_running = margin_key(line.text) in repeated or is_page_number(line.text)
            if is_running and line.size <= _LARGER * usual_size:
                yield from line.runs


def _repeated_places(pages: Sequence[Sequence[Run]]) -> Iterator[Run]:
    """The runs that are repeated at the same height of many pages."""
    pages_with: Counter[tuple[str, int]] = Counter()
    for page in pages:
        pages_with.update({_place(run) for run in page})
    needed = max(_MIN_PAGES, _MIN_SHARE * len(pages))
    for page in pages:
        for run in page:
            text, _ = place = _place(run)
            if pages_with[place] >= needed and any(map(str.isalpha, text)) and split_caption(run.text) is None:
                yield run


def _place(run: Run) -> tuple[str, int]:
    return margin_key(run.text), round(run.bottom / _SAME_HEIGHT)
