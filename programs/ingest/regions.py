"""The stretches of a document that are cut into chunks: sections without their figures, their words, and tables.

References and notices are left out; text that stands in no section is not. Figures and tables are cut out, since their
captions are chunks of their own, and headings are left to ``Chunk.heading``.

A table as a passage is whole with its caption, rows and notes, or cut between rows with the header repeated:

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
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metrics.sentences import Span
from programs.ingest.document import NOT_EVIDENCE, Document, Figure, Section
from programs.ingest.line_shapes import SectionKind, strip_numbering

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
_VALUE = re.compile(r"[<>≤≥=~(−–-]{0,2}\s?\d[\d.,]*\s?(?:$|[-–%(±/*^])")
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
    lines = (Span(*each.span()) for each in _LINE.finditer(text, span.start, span.end))
    for part, _ in packed(((line, len(words(text, line))) for line in lines), size):
        yield part, part_heading(text, figure, span, part.start)


@dataclass(frozen=True, slots=True)
class Repeated:
    """A line that a later part of a table repeats, as its heading shows it, and where it stands in the document."""

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
    caption_line = Repeated(title, Span(figure.start, figure.end))
    return [caption_line, *(Repeated(printed[place], rows[place]) for place in kept)]


def header(rows: Sequence[str]) -> list[str]:
    """The first row, and those below it that hold no values and whose first cell is empty or comes again.

    A table may have none: then its first row has a value beside a cell that is too long to head a column.

    Args:
        rows: All of a table, as they are printed.
    """
    return list(_header(rows))


def _header(rows: Sequence[str]) -> Iterator[str]:
    cells = _cells(rows[0]) if rows else []
    is_data = any(map(_VALUE.match, cells[1:])) and any(len(each.split()) > _HEADING_WORDS for each in cells)
    if not rows or is_data:
        return
    yield rows[0]
    for row in rows[1:_HEADER_ROWS]:
        first, *others = _cells(row)
        if not others or (first and first not in others) or any(map(_VALUE.match, others)):
            return
        yield row


def _naming(rows: Sequence[Sequence[str]], head: int, place: int) -> list[int]:
    """Which row of a table names the group that a row stands in; none for a row that names one, and for notes.

    A group's name stands alone in its row, or beside a probability that the rows of the group then do not have: there
    the group ends with the next row that has one. A reader of PDFs may have cut the name in two.

    Args:
        rows: The cells of all rows.
        head: How many rows the header has.
        place: Number of the row.
    """
    if place >= len(rows):
        return []
    width = max(map(len, rows))
    labels = min((column for row in rows[head:] for column in _values(row)), default=1)
    names: list[int] = []
    is_tested = False
    for number, row in enumerate(rows[: place + 1]):
        below = rows[number + 1] if number + 1 < len(rows) else ()
        if number < head:
            continue
        if _is_name(row, labels):
            names, is_tested = [number], False
        elif _is_tested_name(row, below, width):
            names, is_tested = [number], True
        elif is_tested and len(row) == width:
            names = []
    return [each for each in names if each != place]


def _is_name(row: Sequence[str], labels: int) -> bool:
    """Whether a row has nothing but a name, in one cell or in cells of the columns before the first with values."""
    words = " ".join(row).split()
    return len(row) == 1 or (len(row) <= labels and row[0][:1].isupper() and len(words) <= _HEADING_WORDS)


def _is_tested_name(row: Sequence[str], below: Sequence[str], width: int) -> bool:
    """Whether a row has a name and, in the last column, a value, which the row below it does not have."""
    is_bare = len(row) == width > _HEADER_ROWS and bool(row[0]) and not any(row[1:-1])
    return is_bare and _VALUE.match(row[-1]) is not None and 1 < len(below) < width


def _values(row: Sequence[str]) -> Iterator[int]:
    """The columns behind the first in which a row has a value."""
    return (column for column, cell in enumerate(row) if column and _VALUE.match(cell))


def _cells(row: str) -> list[str]:
    return [each.strip() for each in row.strip().strip("|").split("|")]


# Japanese and Chinese put no spaces between words; two characters make a word on average. A run of more than 200
# characters is not a word but a sequence or encoded data, which would not fit into any chunk.
_UNSPACED = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]{{1,200}}")


def words(text: str, span: Span) -> list[Span]:
    """The words inside a span; every character outside them is white space."""
    return [Span(*match.span()) for match in _WORD.finditer(text, span.start, span.end)]


def joined(words: list[Span], first: int, end: int) -> Span:
    """From the first character of ``words[first]`` to the last of ``words[end - 1]``."""
    return Span(words[first].start, words[end - 1].end)


def index_at(words: list[Span], offset: int) -> int:
    """Index of the first word that starts at or after an offset."""
    return bisect_left(words, offset, key=lambda word: word.start)


def index_around(words: list[Span], offset: int) -> int:
    """Index of the word that holds the character at an offset, else of the next one."""
    return bisect_right(words, offset, key=lambda word: word.end)


def packed(units: Iterable[tuple[Span, int]], size: int) -> list[tuple[Span, int]]:
    """Neighbouring spans joined as far as ``size`` words hold, each with its number of words."""
    groups: list[tuple[Span, int]] = []
    for span, length in units:
        if groups and groups[-1][1] + length <= size:
            groups[-1] = Span(groups[-1][0].start, span.end), groups[-1][1] + length
        else:
            groups.append((span, length))
    return groups


def windows(words: list[Span], size: int, overlap: int) -> Iterator[Span]:
    """Windows of ``size`` words, each ``overlap`` words into the one before; the last may be shorter.

    No window lies wholly inside the one before: the last one ends with the last word and is the first to do so.
    """
    for first in range(0, max(len(words) - overlap, min(len(words), 1)), size - overlap):
        yield joined(words, first, min(first + size, len(words)))


_APPARATUS = re.compile(
    r"(?:acknowledge?ments?|list of abbreviations|abbreviations?|nomenclature|glossary|authors?\b|contributor"
    r"|credit author|about the author|correspondence|key ?words|publisher['’]?s note|pre-?publication history"
    r"|agradecimientos|danksagung|remerciements)",
    re.IGNORECASE,
)
_OUTSIDE: tuple[SectionKind, str] = ("other", "")
_INTERESTS = re.compile(r"\b(?:fund|grant|sponsor|financ|conflict|competing interest|disclos)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Region:
    """A section, or text between sections, as the spans of it that are left without its figures."""

    heading: str
    kind: SectionKind
    spans: tuple[Span, ...]


def regions(document: Document, figures: Sequence[Span] | None = None) -> Iterator[Region]:
    """The document's regions that hold text to be chunked, in reading order."""
    figures = [Span(each.start, each.end) for each in document.figures] if figures is None else figures
    for section in _sections_and_gaps(document):
        spans = tuple(span for span in _without(section, figures) if document.text[span.start : span.end].strip())
        if spans and section.kind not in NOT_EVIDENCE:
            yield Region(section.heading, section.kind, spans)


def is_apparatus(region: Region, text: str) -> bool:
    """Whether a region is apparatus around a paper: abbreviations, thanks, author contributions; not funding."""
    if region.kind not in ("other", "appendix") or not _APPARATUS.match(region.heading.strip()):
        return False
    return not any(_INTERESTS.search(text, span.start, span.end) for span in region.spans)


def section_of(document: Document, figure: Figure) -> SectionKind:
    """Kind of the section that a figure stands in; ``other`` outside of sections, among references and notices.

    Manuscripts have their figures at the end, after the references; that does not make them references.
    """
    for section in document.sections:
        if section.start <= figure.start < section.end and section.kind not in NOT_EVIDENCE:
            return section.kind
    return "other"


def place_of(document: Document, start: int, end: int) -> tuple[SectionKind, str]:
    """Kind and heading of the section, or kind and label of the figure, whose text or caption makes most of a span.

    Text outside of sections is ``other``, without a heading; so is text of references and notices.
    """
    held: Counter[tuple[SectionKind, str]] = Counter()
    captions = [Span(each.start, each.end) for each in document.figures]
    for section in _sections_and_gaps(document):
        if section.start < end and start < section.end:
            named = _OUTSIDE if section.kind in NOT_EVIDENCE else (section.kind, section.heading)
            held[named] += sum(_shared(each, start, end) for each in _without(section, captions))
    for figure, caption in zip(document.figures, captions, strict=True):
        held[section_of(document, figure), figure.label] += _shared(caption, start, end)
    most = held.most_common(1)
    return most[0][0] if most else _OUTSIDE


def _shared(span: Span, start: int, end: int) -> int:
    return max(0, min(span.end, end) - max(span.start, start))


def _sections_and_gaps(document: Document) -> Iterator[Section]:
    """The sections, and the text before, between and after them without their headings, as sections ``other``."""
    position = 0
    for section in document.sections:
        # The paragraph before a section may be its heading.
        gap = document.text[position : section.start].rstrip()
        start = gap.rfind("\n\n") + 1
        printed = gap[start:].strip()
        is_heading = printed and section.heading in {printed, strip_numbering(printed)}
        heading = position + start if is_heading else section.start
        yield Section("", "other", position, heading)
        yield section
        position = section.end
    yield Section("", "other", position, len(document.text))


def _without(section: Section, figures: Iterable[Span]) -> Iterator[Span]:
    position = section.start
    inside = (figure for figure in figures if figure.start < section.end and figure.end > section.start)
    for figure in sorted(inside, key=lambda figure: figure.start):
        yield Span(position, max(position, figure.start))
        position = max(position, figure.end)
    yield Span(position, max(position, section.end))
