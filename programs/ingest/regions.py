"""The stretches of a document that are cut into chunks: sections without their figures, and their words.

References and notices are left out; text that is in no section is not. Figures and tables are cut out, since their
captions are their own chunks, and headings are left to ``Chunk.heading``.
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
    """Kind of the section that a figure is in; ``other`` outside of sections, among references and notices.

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
