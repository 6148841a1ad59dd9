"""Tables as passages: whole, or cut between rows with the header repeated.

A table is one passage with its caption, rows and notes; a long one is cut between rows:

    Table 2. Relapses in a year.                            heading "Table 2"

    | | Drug | Placebo |
    | Relapses, n | 12 | 31 |

    *Per protocol.

In a document a table's rows follow its caption as paragraphs of lines that begin with "|", and its notes follow these.
What continues in a second passage has caption and header in its heading, and the row that its first rows are under:
"Table 2 (continued). Relapses in a year. | | Drug | Placebo | | Women |".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metrics.sentences import Span
from programs.ingest.document import Document, Figure
from programs.ingest.regions import packed, words

CONTINUED = " (continued)"
"""Follows the label in the heading of every part but the first."""
_LONGEST = 2
"""Times the size of a passage: a table of so many words is still whole."""
_CAPTION_WORDS = 30
_NOTE_WORDS = 180
_HEADER_ROWS = 3
_HEADING_WORDS = 8

_LINE = re.compile(r"[^\n]+")
_ROW = re.compile(r"^\|[^\n]*", re.MULTILINE)
_ROWS = re.compile(r"(?:\s*\n\|[^\n]*)+")
_VALUE = re.compile(r"[<>≤≥=~(−–-]{0,2}\s?[.·]?\d[\d.,·]*\s?(?:$|[-–%(±/*^])")
_PARAGRAPH = re.compile(r"\s*\n([^\n|][^\n]*)")
_SHORT = r"(?-i:(?=[\w/%-]*[A-Z][\w/%-]*[A-Z0-9]|[\w/%-]*\d[\w/%-]*[A-Z])[\w/%-]{2,12})"
"""A short form: "BMI", "HbA1c", "6MWT"; a word with a capital in front alone is none."""
_MEANS = rf"{_SHORT}(?:\s?[.:=,-]\s?|\s)[^,;.\n]{{3,60}}"
_NOTE = re.compile(
    r"[*†‡§¶#°∗⁎+ªºΩ]|(?-i:[a-z0-9]{1,2}(?:\)|,?\s+(?:[A-Zα-ω]|n\s?=)))|\([a-z0-9*†‡]{1,2}\)|(?-i:[a-z](?:,\s?[a-z])+\s)"
    r"|\(?(?:abbreviations?|values?|data|notes?|results?|numbers?|means?|legends?|each\s+value)\b"
    r"|(?:adapted|modified)\s+from\b|sources?:"
    r"|(?:[\w-]+\s+){1,6}(?:are|is|was|were)\s+(?:expressed|presented|displayed|ranked)\s+(?:as|in|from)\b"
    r"|(?:[\w-]+\s+){1,2}(?:models?|analyses)\s+(?:(?:are|were|was)\s+)?adjust"
    rf"|(?-i:[A-Z][\w-]{{0,7}})\s?[=:]\s|{_SHORT},\s|{_MEANS}[,;]\s+{_MEANS}(?:[,;.]|$)"
    r"|[^\n]{0,300}[*∗†‡§¶]\s?\(?(?:p\b|statistically|significan)",
    re.IGNORECASE,
)
"""How a note of a table begins: a mark, a short form and what it means, how values are given."""


def table_span(document: Document, figure: Figure) -> Span:
    """From a figure's caption to its end; of a table, to the end of its rows and notes."""
    end = figure.end
    if figure.kind != "table":
        return Span(figure.start, end)
    stop = next((each.end for each in document.sections if each.start <= figure.start < each.end), len(document.text))
    if rows := _ROWS.match(document.text, end, max(stop, end)):
        end = rows.end()
        while note := _PARAGRAPH.match(document.text, end, max(stop, end)):
            if len(note[1].split()) > _NOTE_WORDS or not _NOTE.match(note[1]):
                break
            end = note.end()
    return Span(figure.start, end)


def table_parts(text: str, figure: Figure, span: Span, size: int) -> Iterator[tuple[Span, str]]:
    """A table's passages with their headings."""
    if len(words(text, span)) <= _LONGEST * size:
        yield span, figure.label
        return
    found: list[Span] = []
    for part, _ in packed(_with_names(text, span), size):  # notes alone go to the rows before them
        whole = Span(found[-1].start if found else part.start, part.end)
        if found and not _ROW.search(text, part.start, part.end) and len(words(text, whole)) <= _LONGEST * size:
            found[-1] = whole
        else:
            found.append(part)
    for part in found:
        yield part, part_heading(text, figure, span, part.start)


def _with_names(text: str, span: Span) -> Iterator[tuple[Span, int]]:
    """The lines of a table with their numbers of words, the name of a group as one with the row below it."""
    start: int | None = None
    lines = list(_LINE.finditer(text, span.start, span.end))
    for line in lines:
        start = line.start() if start is None else start
        if line[0].startswith("|") and len(_cells(line[0])) == 1 and line is not lines[-1]:
            continue
        whole = Span(start, line.end())
        yield whole, len(words(text, whole))
        start = None


@dataclass(frozen=True, slots=True)
class Repeated:
    """A line that a later part of a table repeats, as its heading shows it, and where it is in the document."""

    shown: str
    span: Span


def part_heading(text: str, figure: Figure, span: Span, start: int) -> str:
    """The heading of the part of a table that begins at an offset of the text."""
    return " ".join(each.shown for each in repeated_lines(text, figure, span, start)) or figure.label


def repeated_lines(text: str, figure: Figure, span: Span, start: int) -> list[Repeated]:
    """What the heading of a table's part repeats, in order; nothing for the first part."""
    if start <= span.start:
        return []
    rows = [Span(*each.span()) for each in _ROW.finditer(text, span.start, span.end)]
    printed = [text[row.start : row.end] for row in rows]
    head = len(header(printed))
    before = sum(row.start < start for row in rows)
    caption = " ".join(figure.caption.split()[:_CAPTION_WORDS])
    title = " ".join(filter(None, [f"{figure.label}{CONTINUED}.", caption]))
    kept = [*range(head), *_naming([_cells(row) for row in printed], head, before)]
    below = range(head, min(before, len(rows)) if head else 0)
    if again := [row for row in below if heads_again(printed[row], printed[head - 1])]:
        kept = [*range(head - 1), again[-1], *(row for row in kept if row > again[-1])]
    caption_line = Repeated(title, Span(figure.start, figure.end))
    return [caption_line, *(Repeated(printed[place], rows[place]) for place in kept)]


def header(rows: Sequence[str]) -> list[str]:
    """The first row, and those below it that hold no values and whose first cell is empty or comes again.

    The first cell of one of them may be its own label, where the first row has none: "| | Treatment |" above
    "| Outcome | CQ | AQ |". A table may have no header: then its first row has a value beside a cell that is too long
    to head a column.
    """
    cells = _cells(rows[0]) if rows else []
    is_data = any(map(_VALUE.match, cells[1:])) and any(len(each.split()) > _HEADING_WORDS for each in cells)
    found = [] if is_data else [*rows[:1]]
    is_unlabelled = bool(found) and not cells[0]
    for row in rows[1:_HEADER_ROWS] if found else ():
        first, *others = _cells(row)
        is_label = is_unlabelled and sum(map(bool, others)) > 1
        if not others or (first and first not in others and not is_label) or any(map(_VALUE.match, others)):
            break
        found.append(row)
        is_unlabelled = is_unlabelled and not first
    return found


def heads_again(row: str, head: str) -> bool:
    """Whether a row inside a table is its header under another label: "Week 52 | Drug | Placebo" of "Week 1 | …"."""
    (own, *columns), (label, *named) = _cells(row), _cells(head)
    return own != label and columns == named and any(columns)


def has_values(row: str) -> bool:
    """Whether a row holds a value behind its first cell."""
    return any(map(_VALUE.match, _cells(row)[1:]))


def _naming(rows: Sequence[Sequence[str]], head: int, place: int) -> list[int]:
    """Which row of a table names the group that a row is in; none for a row that names one, and for notes.

    A group's name stands alone in its row, or beside a probability that the rows of the group then do not have: there
    the group ends with the next row that has one. A reader of PDFs may have cut the name in two.
    """
    if place >= len(rows):
        return []
    width = max(map(len, rows))
    labels = min((at for row in rows[head:] for at, cell in enumerate(row) if at and _VALUE.match(cell)), default=1)
    names: list[int] = []
    is_tested = False
    for number, row in enumerate(rows[head : place + 1], start=head):
        below = rows[number + 1] if number + 1 < len(rows) else ()
        is_short = len(row) <= labels and row[0][:1].isupper() and len(" ".join(row).split()) <= _HEADING_WORDS
        is_bare = len(row) == width > _HEADER_ROWS and bool(row[0]) and not any(row[1:-1])
        if len(row) == 1 or is_short:
            names, is_tested = [number], False
        elif is_bare and _VALUE.match(row[-1]) and 1 < len(below) < width:
            names, is_tested = [number], True
        elif is_tested and len(row) == width:
            names = []
    return [each for each in names if each != place]


def _cells(row: str) -> list[str]:
    return [each.strip() for each in row.strip().strip("|").split("|")]
