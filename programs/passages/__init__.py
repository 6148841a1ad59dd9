"""A passage as answers cite it: a span of a document, with why it was chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from metrics.passages import label
from metrics.sentences import Span, sentences
from programs.ingest.document import Document, Place
from programs.ingest.line_shapes import SectionKind, named_kind
from programs.ingest.table_parts import CONTINUED, repeated_lines, table_span
from signatures import citation_markers
from signatures.passages import labelled

OF_THE_PAPER = frozenset({"places", "repeated", "before", "after"})
"""What of a passage is taken from its paper anew, and not written to JSON."""

WHERE_KNOWN = frozenset({"corrections", "authors"})
"""What is written to JSON only where there is something: lists of texts."""

LONGEST_PARAGRAPH = 4_000
"""Characters before and behind an offset that are read to find its sentence."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_FOUND = re.compile(r"\b(?:findings|results)\b", re.IGNORECASE)


def cut_sentences(document: Document, start: int, end: int) -> tuple[str, str]:
    """What a span leaves out of the sentences that it cuts: of its first one the beginning, of its last one the end.

    Both are empty for a span of whole sentences. No sentence leaves its paragraph, section, caption or row of a table.

    Args:
        document: The paper.
        start: Offset of the span in the document's text.
        end: Offset after it.
    """
    first, last = _sentence_across(document, start), _sentence_across(document, end)
    return document.text[first.start : start], document.text[end : last.end]


def _sentence_across(document: Document, offset: int) -> Span:
    """The sentence that begins before an offset and ends behind it, else nothing."""
    offset = min(offset, len(document.text))
    low, high = max(0, offset - LONGEST_PARAGRAPH), offset + LONGEST_PARAGRAPH
    edges = [edge for section in document.sections for edge in (section.start, section.end)]
    edges += [edge for figure in document.figures for edge in (figure.start, figure.end)]
    edges += [edge for found in _BLANK_LINE.finditer(document.text, low, high) for edge in found.span()]
    low = max([low, *(edge for edge in edges if edge <= offset)])
    high = min([high, *(edge for edge in edges if edge >= offset)])
    for each in sentences(document.text[low:high]):
        if each.start < offset - low < each.end:
            return Span(low + each.start, low + each.end)
    return Span(offset, offset)


@dataclass(frozen=True, slots=True)
class RepeatedLine:
    """A line that is shown before a later part of a table, and is at the table's beginning.

    Attributes:
        shown: As it is shown: "Table 2 (continued). Relapses in a year."
        text: As it is in the document, from ``start`` to ``end``: "Table 2. Relapses in a year."
        places: Of its lines of print, where the paper has pages.
    """

    shown: str
    text: str
    start: int
    end: int
    places: tuple[Place, ...] = ()


def repeated_before(document: Document, passage_id: str, start: int) -> tuple[RepeatedLine, ...]:
    """What is shown before the passage that begins at ``start``, if it is of a table that continues; else empty."""
    name, is_part, _ = passage_id.removeprefix(f"{document.id}::").partition("::part")
    table = next((each for each in document.figures if each.id == name), None) if is_part else None
    if table is None:
        return ()
    lines = repeated_lines(document.text, table, table_span(document, table), start)
    spans = ((each.shown, each.span.start, each.span.end) for each in lines)
    return tuple(
        RepeatedLine(shown, document.text[start:end], start, end, document.places_of(start, end))
        for shown, start, end in spans
    )


@dataclass(frozen=True, slots=True)
class Passage:
    """What an answer was written from; ``text`` is ``document.text[start:end]``.

    Attributes:
        id: A chunk's id, or ``PMC12345::812-1930`` for a span that joins several.
        document_id: The paper.
        section: Kind of section it was found in.
        heading: That section's heading.
        text: The passage, exactly as in the document.
        start: Offset of its first character in the document's text.
        end: Offset after its last character.
        scores: Retrieval scores by name.
        relevance_reason: Those scores in words.
        title: The paper's title.
        year: Its year.
        doi: Its DOI, or empty.
        url: Its address, or empty.
        key: What answers cite it by, ``[PMC12345]``, shared by all passages of its paper; empty where they cite its
            number.
        corrections: What was said of the paper after it came out, such as "retracted by 10.1000/notice"; not written
            to JSON where there is nothing.
        authors: Of the paper, "Family, Given"; not written to JSON where none is known.
        places: Of the lines that its sentences cover, where the paper has pages; they are not written to JSON, where
            quotes have theirs, and the paper has all of them.
        repeated: What is shown before it, where it is a later part of a table; not written to JSON either.
        before: What it leaves out of its first sentence, where it begins inside of one; not written to JSON either.
        after: What it leaves out of its last sentence, where it ends inside of one; not written to JSON either.
    """

    id: str
    document_id: str
    section: SectionKind
    heading: str
    text: str
    start: int
    end: int
    scores: Mapping[str, float] = field(default_factory=dict)
    relevance_reason: str = ""
    title: str = ""
    year: int | None = None
    doi: str = ""
    url: str = ""
    key: str = ""
    corrections: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    repeated: tuple[RepeatedLine, ...] = ()
    before: str = ""
    after: str = ""

    def label(self, number: int) -> str:
        """What answers cite it by: its key, else its number, from 1."""
        return label(self.key, number)

    @property
    def whole(self) -> str:
        """Its sentences as the paper has them, the first and the last one whole: what is quoted."""
        return f"{self.before}{self.text}{self.after}"

    @property
    def whole_start(self) -> int:
        """Offset of ``whole`` in the document's text."""
        return self.start - len(self.before)

    @classmethod
    def of(
        cls,
        document: Document,
        start: int,
        end: int,
        *,
        id: str,  # noqa: A002 - the field's name
        section: SectionKind,
        heading: str = "",
        scores: Mapping[str, float] | None = None,
        relevance_reason: str = "",
        key: str = "",
    ) -> Passage:
        """Take a span of a document."""
        before, after = cut_sentences(document, start, end)
        return cls(
            id,
            document.id,
            section,
            heading,
            document.text[start:end],
            start,
            end,
            dict(scores or {}),
            relevance_reason,
            document.title,
            document.year,
            document.doi,
            document.url,
            key,
            document.corrections,
            document.authors,
            document.places_of(start - len(before), end + len(after)),
            repeated_before(document, id, start),
            before,
            after,
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values of what the passage itself holds."""
        values = {name: value for name, value in asdict(self).items() if name not in OF_THE_PAPER}
        return {name: value for name, value in values.items() if value or name not in WHERE_KNOWN}


def shown(passages: Iterable[Passage]) -> str:
    """Passages as they are in a prompt: each under its label."""
    return labelled((each.label(number), _section(each), _read(each)) for number, each in enumerate(passages, start=1))


def _section(passage: Passage) -> str:
    """The kind of section; of an abstract in parts, "abstract introduction" and "abstract methods" for these two."""
    heading = "" if _FOUND.search(passage.heading) else passage.heading
    part = named_kind(heading) if passage.section == "abstract" else None
    return f"abstract {part}" if part in ("introduction", "methods") else passage.section


def _read(passage: Passage) -> str:
    """A passage as a model reads it: a table that continues has its caption and header before its rows, line by line.

    The paper's own citation marks are left out, which would pass for numbers of passages; quotes are placed without.
    """
    before = [each.shown for each in passage.repeated] or [passage.heading] * (CONTINUED in passage.heading)
    text = "\n".join([*before, passage.text])
    return "\n".join(citation_markers.strip(line) for line in text.splitlines())
