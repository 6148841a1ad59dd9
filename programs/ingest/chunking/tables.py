"""Tables as passages: caption, rows and notes together; a long one is cut between rows.

    Table 2. Relapses in a year.                            heading "Table 2"

    | | Drug | Placebo |
    | Relapses, n | 12 | 31 |

    *Per protocol.

In a document a table's rows follow its caption as paragraphs of lines that begin with "|", and its notes follow these.
What goes on in a second passage has caption and header in its heading, and the row that its first rows stand under:
"Table 2 (continued). Relapses in a year. | | Drug | Placebo | | Women |".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.sentences import Span
from programs.ingest.chunking.words import words
from programs.ingest.document import Document, Figure

CONTINUED = " (continued)"
"""Behind the label, in the heading of a part that is not the first."""
_LONGEST = 2
"""Times the size of a passage: a table of so many words is still whole."""
_CAPTION_WORDS = 30
_NOTE_WORDS = 120
_HEADER_ROWS = 3
_HEADING_WORDS = 8

_LINE = re.compile(r"[^\n]+")
_ROWS = re.compile(r"(?:\s*\n\|[^\n]*)+")
_VALUE = re.compile(r"[<>≤≥=~(−–-]{0,2}\s?\d[\d.,]*\s?(?:$|[-–%(±/*^])")
_PARAGRAPH = re.compile(r"\s*\n([^\n|][^\n]*)")
_NOTE = re.compile(
    r"[*†‡§¶#°∗⁎]|[a-z0-9]{1,2}(?:\)|\s+[A-Z])|\(?(?:abbreviations?|values?|data|notes?|results?|numbers?|means?)\b"
    r"|[A-Z][\w-]{0,7}\s?[=:,]\s",
    re.IGNORECASE,
)


def table_span(document: Document, figure: Figure) -> Span:
    """From a figure's caption to its end; of a table, to the end of its rows and notes."""
    end = figure.end
    if figure.kind != "table":
        return Span(figure.start, end)
    stop = next((each.end for each in document.sections if each.start <= figure.start < each.end), len(document.text))
    if rows := _ROWS.match(document.text, end, max(stop, end)):
        end = rows.end()
        note = _PARAGRAPH.match(document.text, end, max(stop, end))
        if note and _NOTE.match(note[1]) and len(note[1].split()) <= _NOTE_WORDS:
            end = note.end()
    return Span(figure.start, end)


def table_parts(text: str, figure: Figure, span: Span, size: int) -> Iterator[tuple[Span, str]]:
    """A table's passages with their headings.

    Args:
        text: The document's text.
        figure: The table.
        span: Caption, rows and notes.
        size: Words of a passage; a table of twice as many is whole.
    """
    if len(words(text, span)) <= _LONGEST * size:
        yield span, figure.label
        return
    lines = [Span(*each.span()) for each in _LINE.finditer(text, span.start, span.end)]
    part: Span | None = None
    count = 0
    for line in lines:
        length = len(words(text, line))
        if part and count + length > size:
            yield part, part_heading(text, figure, span, part.start)
            part, count = None, 0
        part = Span(part.start if part else line.start, line.end)
        count += length
    if part:
        yield part, part_heading(text, figure, span, part.start)


def part_heading(text: str, figure: Figure, span: Span, start: int) -> str:
    """The heading of the part of a table that begins at an offset of the text."""
    if start <= span.start:
        return figure.label
    before, after = _rows(text[span.start : start]), _rows(text[start : span.end])
    header = list(_header([*before, *after]))
    groups = [row for row in before[len(header) :] if _is_group(row)]
    group = "" if not groups or (after and _is_group(after[0])) else groups[-1]
    caption = " ".join(figure.caption.split()[:_CAPTION_WORDS])
    return " ".join(filter(None, [f"{figure.label}{CONTINUED}.", caption, *header, group]))


def _header(rows: Sequence[str]) -> Iterator[str]:
    """The first row, and those below it that hold no values and whose first cell is empty or comes again.

    A table may have none: then its first row has a value beside a cell that is too long to head a column.
    """
    if not rows or _is_data(_cells(rows[0])):
        return
    yield rows[0]
    for row in rows[1:_HEADER_ROWS]:
        first, *others = _cells(row)
        if not others or (first and first not in others) or any(map(_VALUE.match, others)):
            return
        yield row


def _is_data(cells: Sequence[str]) -> bool:
    return any(map(_VALUE.match, cells[1:])) and any(len(each.split()) > _HEADING_WORDS for each in cells)


def _rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def _is_group(row: str) -> bool:
    """Whether a row only names the rows below it."""
    return len(_cells(row)) == 1


def _cells(row: str) -> list[str]:
    return [each.strip() for each in row.strip().strip("|").split("|")]
