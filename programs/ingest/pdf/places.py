"""Finds out where each line of print has come to stand in a document's text.

Joining lines to paragraphs takes hyphens out and puts spaces and marks in, but changes no letter and no digit: counting
these tells which part of the paragraph came from which line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from programs.ingest.document import Place
from programs.ingest.pdf.layout import PrintedLine, TextRun
from programs.ingest.pdf.page import turned
from programs.ingest.pdf.text import PrintedPage


def places_of(text: str, start: int, lines: Iterable[PrintedLine], pages: Sequence[PrintedPage]) -> Iterator[Place]:
    """The place of each line that a part of a document was made of.

    Args:
        text: The part as it stands in the document.
        start: Its offset.
        lines: What it was made of, in order; a table counts as its rows.
        pages: What ``PrintedLine.page`` counts.
    """
    counted = [place for place, character in enumerate(text) if character.isalnum()]
    done = 0
    for line in lines:
        for row in line.runs[0].parts or (None,):
            count = sum(map(str.isalnum, row.text if row else line.text))
            if not count or done + count > len(counted):
                continue
            first = counted[done] if done else 0
            done += count
            end = counted[done] if done < len(counted) else len(text)
            box = _box((row,) if row else line.runs, pages[line.page])
            yield Place(start + first, start + len(text[:end].rstrip()), pages[line.page].number + 1, *box)


def _box(runs: Sequence[TextRun], page: PrintedPage) -> tuple[float, float, float, float]:
    """The box around runs in points, from the lower left corner of the page's crop box."""
    whole = (
        min(run.left for run in runs),
        min(run.bottom for run in runs),
        max(run.right for run in runs),
        max(run.top for run in runs),
    )
    left, bottom, right, top = turned(whole, -page.turns)
    x, y = page.origin
    return round(left - x, 1), round(bottom - y, 1), round(right - x, 1), round(top - y, 1)
