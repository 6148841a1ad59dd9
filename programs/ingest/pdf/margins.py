"""Leaves out what is around the text: running heads and feet, page numbers, numbers of lines, sidebars."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from programs.ingest.document import Front
from programs.ingest.front_matter import find_dois, find_year, printed_year
from programs.ingest.line_shapes import heading_kind, is_known_heading, is_notice, split_caption
from programs.ingest.pdf.blocks import is_entry
from programs.ingest.pdf.reading_order import PrintedLine, TextRun, before_references, lines_of, most_frequent_size
from programs.ingest.text_repair import is_page_number, margin_key, running_lines

# Rows at the head and the foot of a page in which journals print who they are.
_ROWS = 4
_PAGES_WITH_IMPRINT = 2
# A data set's DOI is on first pages too.
_OF_DATA = re.compile(r"zenodo|dryad|figshare|10\.5281/|10\.5061/|10\.17632/|10\.17605/|10\.6084/", re.IGNORECASE)

# Of a journal's name.
_SHARE_WITH_IMPRINT = 0.25
_SHORTEST, _LONGEST = 3, 90
_SMALL_WORD = 3

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|spring|summer|autumn|winter)[a-z]*"
_YEAR = r"\(?(?:19|20)\d\d\)?"
_NUMBERS = rf"""(?i:
      (?:{_MONTH}[\s–-]*)*(?:(?:19|20)\d\d[\s,.;:|]+|\((?:19|20)\d\d\)\s)(?:vol(?:ume|\.)?\s*)?\d+
    | vol(?:ume|\.)?\s*\d+
    | \d+\s?\(\d+\)\s?:\s?e?\d+
    | \d+\s?{_YEAR}\s?e?\d+
    | (?:\d+\s+)?(?:https?://(?!orcid)|www\.|\w+\.(?:org|com)\b)
    | e?-?issn\b
    )"""
_HEAD = re.compile(
    rf"(?:[^\n]{{0,60}}?\bet\s+al\.?,?\s+|[^\n/]{{3,60}}\s/\s)?(?P<name>[A-Z][^\d\n:;|©/]{{2,90}}?)[\s,.;:|(–-]+{_NUMBERS}",
    re.VERBOSE,
)
_OF_AUTHORS = re.compile(rf"[^\d\n]{{3,60}}\s{_YEAR},\s(?P<name>[A-Z][^\d\n:;|©,]{{2,90}}),\s(?:doi|DOI)\s10\.")
_VOLUME_BELOW = re.compile(r"Volume (?:19|20)\d\d, Article ID \w+")
# The number of the page between name and address.
_PAGE = re.compile(r"\d+\s+(?=[a-z]+\.)")
_WEB = re.compile(r"(?:://|www\.|\.org|\.com)$")
_AT_MONTH = re.compile(rf"[\s,]*\b{_MONTH}\b.*", re.IGNORECASE)
_NO_JOURNAL = re.compile(
    r"\b(?:received|accepted|published|revised|university|department|page|downloaded|copyright|article|doi|http|"
    r"available|et al|homepage|figure|table|hospital|institute|college|corresponding|e-?mail)\b",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"(?:the|an?|original|research|volume|vol|issue|review|report|paper|papers|journal|letters?|editorial|open|access|"
    r"elsevier|sciencedirect|springer|wiley|hindawi|mdpi|frontiers|biomed central|publishing|corporation|"
    r"online|print|supplement|special|section|case|study|short|communication|type|\W)+",
    re.IGNORECASE,
)
# "R., Grando, S.A", "Jeyaseelan, E.C", "Gupta, S. K"
_INITIALS = re.compile(r"(?:^|[\s,])(?:[A-Z]\.,|[A-Z]\.?\s?-?[A-Z]\.?$|[A-Z]\.\s?[A-Z]\b)|,\s[A-Z](?:\.|,|$)")


def imprint_of(pages: Sequence[Sequence[TextRun]], stated_doi: str) -> Front:
    """The year, journal and DOI that the pages of a paper say."""
    first = "\n".join(run.text for run in pages[0])
    rows = [margin(lines_of(page), _ROWS) for page in pages]
    margins = [  # the texts of the outermost rows, also as they are printed apart
        [text for row in page for text in dict.fromkeys((row.text, *(run.text for run in row.runs)))] for page in rows
    ]
    return Front(year=_year(margins, first), journal=journal_of(margins, first), doi=_doi(first, margins, stated_doi))


def _year(margins: Sequence[Sequence[str]], first: str) -> int | None:
    """The year that the first page says of its paper, not of works that it cites, else what several margins repeat."""
    lines = first.splitlines()
    end = next((place for place, line in enumerate(lines) if heading_kind(line) == "references"), len(lines))
    cited = {line.strip() for line in lines[end:]}
    edges = [line for line in margins[0] if line.strip() not in cited and not is_entry(line)]
    running = Counter(said for margin in margins for said in {(margin_key(line), find_year(line)) for line in margin})
    often = (year for (_, year), pages in running.most_common() if year and pages >= _PAGES_WITH_IMPRINT)
    return printed_year([line for line in lines[:end] if not is_entry(line)], edges) or next(often, None)


def _doi(first: str, margins: Sequence[Sequence[str]], stated: str) -> str:
    """The DOI that is stated and printed, else on several pages, at the first page's edge, or anywhere on it."""
    printed = [doi for doi in find_dois(first) if not _OF_DATA.search(doi)]
    same = next((doi for doi in printed if doi.lower() == stated.lower()), "")
    running = Counter(doi for margin in margins for doi in set(find_dois("\n".join(margin))))
    often = next(
        (doi for doi, pages in running.most_common(1) if pages >= _PAGES_WITH_IMPRINT and pages > len(margins) / 4), ""
    )
    edge = next((doi for doi in find_dois("\n".join(margins[0])) if doi in printed), "")
    return same or often or edge or next(iter(printed), "") or stated


def journal_of(margins: Sequence[Sequence[str]], first: str) -> str:
    """The journal's name as its imprint has it, also abbreviated; empty where that is not certain.

    It is above the volume, or before the numbers of a head or foot: on the first page, or with the same on several.
    """
    above = next((name for name, line in pairwise(margins[0]) if _VOLUME_BELOW.match(line)), "")
    if above and _is_title(above):
        return above
    pages_with: dict[tuple[str, str], set[int]] = {}
    for page, margin in enumerate(margins):
        for line in margin:
            found = _OF_AUTHORS.match(line) or _HEAD.match(line)
            name = _AT_MONTH.sub("", found["name"]).strip(" ,.;:|(–-") if found and not is_notice(line) else ""
            if found and _is_title(name):
                pages_with.setdefault((name, _PAGE.sub("", found[0])), set()).add(page)
    # A line of a reference may be the last on a page that has references.
    may_be_cited = any(heading_kind(line) == "references" for line in first.splitlines())
    needed = max(_PAGES_WITH_IMPRINT, _SHARE_WITH_IMPRINT * len(margins))
    sure = {
        name: (0 in pages, len(pages), -len(name))
        for (name, imprint), pages in pages_with.items()
        if len(pages) >= needed
        or (
            0 in pages
            and _is_plain(name)
            and not _WEB.search(imprint)
            and (not may_be_cited or f" {name} published by " in first)
        )
    }
    return max(sure, key=sure.__getitem__, default="")


def _is_plain(name: str) -> bool:
    """Whether all words but small ones are capitalised and no punctuation separates them, unlike in sentences."""
    return re.search(r"[.,] ", name) is None and all(
        len(word) <= _SMALL_WORD or word[0].isupper() for word in name.split()
    )


def _is_title(name: str) -> bool:
    return (
        _SHORTEST <= len(name) <= _LONGEST
        and name[0].isupper()
        and not any(map(str.isdecimal, name))
        and not (_NO_JOURNAL.search(name) or _GENERIC.fullmatch(name) or _INITIALS.search(name))
    )


# Running heads and feet are in the outermost rows of a page; a title is printed larger than they are.
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
# Sidebars are on the first pages, in print of less than this share of the body's, left of where its lines begin; at
# that place begins at least this share of them.
_SIDEBAR_PAGES = 2
_SMALL = 0.94
_MIN_LINES = 0.1
_WIDEST = 0.36  # of the width of the page's text
_MIN_BODY_LINE = 25
# Heads and feet are the smaller part of a paper; where less than this share of its characters is left, they were text.
_LEAST_KEPT = 0.1
_OF_SIDEBAR = re.compile(r"competing interests?\b", re.IGNORECASE)


def sidebars(pages: Sequence[Sequence[TextRun]]) -> list[list[TextRun]]:
    """What is left of the text on each page: numbers of lines, on the first pages also dates and licences."""
    size = most_frequent_size(run for page in before_references(pages) for run in page)
    return [_sidebar(_beside(page, size), size, number) for number, page in enumerate(pages)]


def _beside(page: Sequence[TextRun], size: float) -> list[TextRun]:
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

    A title is repeated in running heads, and stays where it is in larger print than they. Pages that are alike in
    nearly all their text have no heads: of them, only the numbers of pages are left out.
    """
    dropped = {*_repeated_rows(pages), *_repeated_places(pages), *_counted_up(pages)}
    kept = [[run for run in page if run not in dropped] for page in pages]
    if _length(kept) >= _LEAST_KEPT * _length(pages):
        return kept
    return [[run for run in page if not is_page_number(run.text)] for page in pages]


def _length(pages: Iterable[Sequence[TextRun]]) -> int:
    return sum(len(run.text) for page in pages for run in page)


def margin(lines: Sequence[PrintedLine], rows: int = _MARGIN_ROWS) -> list[PrintedLine]:
    """The outermost rows of a page, at its head and its foot."""
    return [*lines[:rows], *lines[rows:][-rows:]]


def _repeated_rows(pages: Iterable[Sequence[TextRun]]) -> Iterator[TextRun]:
    """The runs of outermost rows that are numbers of pages or are repeated from page to page."""
    margins = [margin(lines_of(page)) for page in pages]
    repeated = running_lines([[line.text for line in each] for each in margins])
    of_first = {_letters(run.text) for line in (margins[0] if margins else ()) for run in line.runs} - {""}
    usual_size = median([line.size for each in margins for line in each] or [0.0])
    for number, each in enumerate(margins):
        for line in each:
            counted = _OF_PAGES.fullmatch(line.text.strip())
            is_running = (
                margin_key(line.text) in repeated
                or is_page_number(line.text)
                or (counted is not None and int(counted["pages"]) == len(margins) > 1)
                or (number > 0 and _letters(line.text) in of_first)
            )
            if is_running and line.size <= _LARGER * usual_size:
                yield from line.runs


def _repeated_places(pages: Sequence[Sequence[TextRun]]) -> Iterator[TextRun]:
    pages_with = Counter(place for page in pages for place in {_place(run) for run in page})
    needed = max(_MIN_PAGES, _MIN_SHARE * len(pages))
    often = (run for page in pages for run in page if pages_with[_place(run)] >= needed)
    yield from (run for run in often if any(map(str.isalpha, run.text)) and split_caption(run.text) is None)


def _counted_up(pages: Sequence[Sequence[TextRun]]) -> Iterator[TextRun]:
    """The numbers that are at one height and grow by one from page to page, under whatever else is printed there."""
    numbers = [
        ((int(run.text) - number, round(run.bottom / _SAME_HEIGHT)), run)
        for number, page in enumerate(pages)
        for run in page
        if len(run.text) <= _MOST_DIGITS and run.text.isascii() and run.text.isdecimal()
    ]
    pages_with = Counter(place for place, _ in numbers)
    needed = max(_MIN_PAGES, _MIN_NUMBERED * len(pages))
    yield from (run for place, run in numbers if pages_with[place] >= needed)


def _letters(text: str) -> str:
    """The letters of a head or foot, without the number of the page; empty for a name of a section."""
    return "" if is_known_heading(text) else "".join(filter(str.isalpha, text.lower()))


def _place(run: TextRun) -> tuple[str, int]:
    return margin_key(run.text), round(run.bottom / _SAME_HEIGHT)
