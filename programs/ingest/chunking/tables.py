"""Tables as passages: caption, rows and notes together; a long one is cut between rows.

    Table 2. Relapses in a year.                            heading "Table 2"

    | | Drug | Placebo |
    | Relapses, n | 12 | 31 |

    *Per protocol.

In a document a table's rows follow its caption as paragraphs of lines that begin with "|", and its notes follow these.
What goes on in a second passage has caption and header in its heading:
"Table 2 (continued). Relapses in a year. | | Drug | Placebo |".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from metrics.sentences import Span
from programs.ingest.chunking.words import words
from programs.ingest.document import Document, Figure

CONTINUED = " (continued)"
"""Behind the label, in the heading of a part that is not the first."""
_LONGEST = 2
"""Times the size of a passage: a table of so many words is still whole."""
_CAPTION_WORDS = 30
_NOTE_WORDS = 120

_LINE = re.compile(r"[^\n]+")
_ROWS = re.compile(r"(?:\s*\n\|[^\n]*)+")
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
    header = next((text[each.start : each.end] for each in lines if text[each.start] == "|"), "")
    caption = " ".join(figure.caption.split()[:_CAPTION_WORDS])
    repeated = " ".join(filter(None, [f"{figure.label}{CONTINUED}.", caption, header]))
    part: Span | None = None
    count, is_first = 0, True
    for line in lines:
        length = len(words(text, line))
        if part and count + length > size:
            yield part, figure.label if is_first else repeated
            part, count, is_first = None, 0, False
        part = Span(part.start if part else line.start, line.end)
        count += length
    if part:
        yield part, figure.label if is_first else repeated
