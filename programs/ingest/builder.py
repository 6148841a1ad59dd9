"""Builds a document paragraph by paragraph, so that every span is exact by construction.

    builder = DocumentBuilder()
    builder.add_section("2. Methods")
    builder.add_paragraph("Mice were kept   at 22 °C.")
    builder.add_figure("Figure 1.", "Body weight.")
    document = builder.build(id="PMC1", title="Mice")

gives the text

    2. Methods

    Mice were kept at 22 °C.

    Figure 1. Body weight.

with a section "Methods" that starts at "Mice", and a figure "Figure 1" inside it. Only headings stand outside sections:
text before the first heading is a section with an empty heading.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from programs.ingest.document import Document, Figure, MetadataValue, Place, Section, SectionKind
from programs.ingest.sections import classify, strip_numbering

PARAGRAPH_BREAK = "\n\n"

# Soft hyphen, zero-width space, word joiner, byte order mark: they are invisible, and keep a word from being found.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
# Half of a UTF-16 pair, as found in broken JSON and PDFs; no encoding can write one.
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_LABEL_END = " .,:;|–—-"
_LABEL_NUMBER = re.compile(r"\b(S|A|E)?\s*[-.]?\s*(\d+(?:\.\d+)*[A-Za-z]?|[IVXL]+)$", re.IGNORECASE)
# What a label says instead of "S2": "Supplementary Figure 2". Extended data figures are counted apart from those.
_SERIES = {
    "S": re.compile(r"\b(?:suppl\w*|additional|supporting|online)\b", re.IGNORECASE),
    "ED": re.compile(r"\bextended\b", re.IGNORECASE),
}


def one_line(text: str) -> str:
    """The text in NFC with every run of white space as one space, without invisible or control characters."""
    return " ".join(_clean(text).split())


def verbatim(text: str) -> str:
    """The text in NFC with its lines and indentation, without empty lines around it."""
    return _clean(text.replace("\r\n", "\n")).rstrip().lstrip("\n")


def table_row(cells: Sequence[str]) -> str:
    """A row of a table as a line, "| Death | 12 | | 8 |"; empty cells at its end are left out."""
    last = max((place for place, cell in enumerate(cells) if cell), default=0)
    return f"| {' | '.join(cells[: last + 1])} |".replace("|  |", "| |").replace("|  |", "| |")


def figure_id(label: str, kind: Literal["figure", "table"], position: int) -> str:
    """``fig2`` for "Figure 2", ``figS3`` for "Supplementary Fig. 3", ``fig{position}`` for a label without a number."""
    prefix = "fig" if kind == "figure" else "table"
    number = _LABEL_NUMBER.search(label.rstrip(_LABEL_END))
    if number is None:
        return f"{prefix}{position}"
    named = next((series for series, sign in _SERIES.items() if sign.search(label)), "")
    return f"{prefix}{(number[1] or named).upper()}{number[2]}"


class DocumentBuilder:
    """Collects sections, paragraphs and figures in reading order; ``build`` gives the document."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._sections: list[Section] = []
        self._figures: list[Figure] = []
        self._figure_ids: set[str] = set()
        self._outline: list[tuple[int, SectionKind]] = []

    def add_section(
        self, heading: str, level: int = 1, kind: SectionKind | None = None, *, hint: str = ""
    ) -> SectionKind:
        """Start a section; what is added next belongs to it.

        Args:
            heading: As printed, with its numbering if any. It becomes a line of the text. May be empty.
            level: 1 for a main section, 2 for a subsection, and so on.
            kind: What the section is for; by default classified by its heading and the section that it stands in.
            hint: What the source's markup calls the section, for headings that say nothing themselves.

        Returns:
            The kind of the section.
        """
        heading = one_line(heading)
        while self._outline and self._outline[-1][0] >= level:
            self._outline.pop()
        parent = self._outline[-1][1] if self._outline else None
        opens_paper = not any(section.heading for section in self._sections)
        kind = kind or classify(heading, parent, hint=hint, opens_paper=opens_paper)
        self._outline.append((level, kind))
        if heading:
            self._append(heading)
        self._sections.append(Section(strip_numbering(heading), kind, self._length, self._length, level))
        return kind

    def add_paragraph(self, text: str, *, keep_lines: bool = False) -> tuple[int, int] | None:
        """Add a paragraph to the open section.

        Args:
            text: The paragraph; its white space becomes single spaces.
            keep_lines: Keep line breaks and indentation, for code blocks, equations and poems.

        Returns:
            Its span in the document's text, or None when it holds nothing but white space.
        """
        text = verbatim(text) if keep_lines else one_line(text)
        if not text:
            return None
        if not self._sections:
            self._sections.append(Section("", "other", 0, 0))
        start = self._append(text)
        section = self._sections[-1]
        body_start = section.start if section.end > section.start else start
        self._sections[-1] = replace(section, start=body_start, end=self._length)
        return start, self._length

    def add_figure(
        self,
        label: str,
        caption: str,
        *,
        kind: Literal["figure", "table"] | None = None,
        image_urls: Iterable[str] = (),
        tileshop: str = "",
    ) -> Figure | None:
        """Add a figure or table; "Label. caption" becomes a paragraph of the open section.

        Args:
            label: As printed, such as "Figure 2." or "TABLE II"; may be empty.
            caption: Without the label; may be empty when there is a label.
            kind: By default read from the label.
            image_urls: Addresses of the images.
            tileshop: Address of the zoomable image.

        Returns:
            The figure, or None when it has neither label nor caption.
        """
        label, caption = one_line(label).rstrip(_LABEL_END), one_line(caption)
        span = self.add_paragraph(". ".join(part for part in (label, caption) if part))
        if span is None:
            return None
        kind = kind or ("table" if "table" in label.lower() else "figure")
        figure = Figure(self._new_figure_id(label, kind), kind, label, caption, *span, tuple(image_urls), tileshop)
        self._figures.append(figure)
        return figure

    @property
    def last(self) -> tuple[str, int]:
        """The part of the text that was added last, as it stands there, and its offset; empty before the first."""
        return (self._parts[-1], self._length - len(self._parts[-1])) if self._parts else ("", 0)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been added but headings."""
        return not any(section.end > section.start for section in self._sections)

    def build(
        self,
        *,
        id: str,  # noqa: A002 - the document's own field name
        title: str = "",
        authors: Iterable[str] = (),
        year: int | None = None,
        journal: str = "",
        doi: str = "",
        pmcid: str = "",
        url: str = "",
        source: str = "",
        metadata: Mapping[str, MetadataValue] | None = None,
        places: Iterable[Place] = (),
    ) -> Document:
        """The document so far. Sections that have neither heading nor text are left out."""
        return Document(
            id=one_line(id),
            text=PARAGRAPH_BREAK.join(self._parts),
            title=one_line(title),
            authors=tuple(author for author in map(one_line, authors) if author),
            year=year,
            journal=one_line(journal),
            doi=one_line(doi),
            pmcid=one_line(pmcid),
            url=one_line(url),
            sections=tuple(section for section in self._sections if section.heading or section.end > section.start),
            figures=tuple(self._figures),
            source=source,
            metadata=dict(metadata or {}),
            places=tuple(places),
        )

    def _append(self, part: str) -> int:
        """Add a part of the text and return the offset at which it starts."""
        start = self._length + len(PARAGRAPH_BREAK) if self._parts else 0
        self._parts.append(part)
        self._length = start + len(part)
        return start

    def _new_figure_id(self, label: str, kind: Literal["figure", "table"]) -> str:
        """An id made from the label; a second figure of the same label gets ``-2``, a third ``-3``."""
        position = 1 + sum(figure.kind == kind for figure in self._figures)
        base = candidate = figure_id(label, kind, position)
        count = 1
        while candidate in self._figure_ids:
            count += 1
            candidate = f"{base}-{count}"
        self._figure_ids.add(candidate)
        return candidate


def _clean(text: str) -> str:
    """The text in NFC without invisible and control characters."""
    text = _SURROGATE.sub("\ufffd", text.translate(_INVISIBLE))
    return unicodedata.normalize("NFC", _CONTROL.sub(" ", text))
