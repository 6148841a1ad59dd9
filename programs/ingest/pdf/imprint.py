"""Reads year, journal and DOI off the heads and feet of a paper's pages and off its first page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from programs.ingest.identifiers import find_dois, find_year
from programs.ingest.pdf.journal_name import journal_of
from programs.ingest.pdf.layout import TextRun, lines_of

# Rows at the head and the foot of a page in which journals print who they are.
_ROWS = 4
_MIN_PAGES = 2
# A data set's DOI stands on first pages too.
_OF_DATA = re.compile(r"zenodo|dryad|figshare|10\.5281/|10\.5061/|10\.17632/|10\.17605/|10\.6084/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Imprint:
    """Where and when a paper came out; empty or None where its pages do not say."""

    year: int | None
    journal: str
    doi: str


def imprint_of(pages: Sequence[Sequence[TextRun]], stated_doi: str) -> Imprint:
    """The imprint of a paper.

    Args:
        pages: The runs of its pages, without covers.
        stated_doi: The DOI in the file's metadata; counts where the first page has the same or none.
    """
    margins = [_margin(page) for page in pages]
    first = "\n".join(run.text for run in pages[0])
    text = "\n".join([*margins[0], first, *(line for margin in margins[1:] for line in margin)])
    return Imprint(
        year=find_year("\n".join(margins[0]) + "\n" + first) or find_year(text),
        journal=journal_of(margins, first),
        doi=_doi(first, margins, stated_doi),
    )


def _margin(page: Sequence[TextRun]) -> list[str]:
    """The texts of the outermost rows of a page, as they are printed apart."""
    lines = lines_of(page)
    rows = [*lines[:_ROWS], *lines[_ROWS:][-_ROWS:]]
    return [text for row in rows for text in dict.fromkeys((row.text, *(run.text for run in row.runs)))]


def _doi(first: str, margins: Sequence[Sequence[str]], stated: str) -> str:
    """The DOI that is stated and printed, else on several pages, at the first page's edge, or anywhere on it."""
    printed = [doi for doi in find_dois(first) if not _OF_DATA.search(doi)]
    same = next((doi for doi in printed if doi.lower() == stated.lower()), "")
    running = Counter(doi for margin in margins for doi in set(find_dois("\n".join(margin))))
    often = next((doi for doi, pages in running.most_common(1) if pages >= _MIN_PAGES and pages > len(margins) / 4), "")
    edge = next((doi for doi in find_dois("\n".join(margins[0])) if doi in printed), "")
    return same or often or edge or next(iter(printed), "") or stated
