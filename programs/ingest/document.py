"""What a paper is once it has been read: one text, and spans into it.

Every section, figure, chunk and later every citation is a pair of character offsets into ``Document.text``; nothing
carries text that is not found there. That is what lets a certificate be replayed without a model:

    document.text[chunk.start:chunk.end] == chunk.text
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, count
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from programs.ingest.line_shapes import SectionKind, classify, strip_numbering

ChunkKind: TypeAlias = Literal["text", "figure", "table"]
NOT_EVIDENCE: Final[frozenset[SectionKind]] = frozenset({"references", "notice"})
"""Kinds of sections that are kept in the text and never cut into passages: other papers' titles, and notices, which are
what a publisher prints around a paper: addresses, dates, licences, how to cite it."""
MetadataValue: TypeAlias = str | int | float | bool | list[str]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text under it, up to the next heading of any level.

    Sections are in reading order and never overlap, so each character of the text belongs to one section at most. A
    subsection whose heading says nothing ("Participants") has the kind of the section it is in.

    Attributes:
        heading: The heading as printed, without numbering; empty for text before the first heading.
        kind: What the section is for.
        start, end: Offsets of its body in the document's text; the heading's own line precedes it.
        level: 1 for a main section, 2 for a subsection, and so on.
    """

    heading: str
    kind: SectionKind
    start: int
    end: int
    level: int = 1


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure or table with its caption, which is in the document's text.

    Attributes:
        id: ``fig2``, ``table1``, or ``figS3`` for a supplementary one; unique in the document.
        label: ``Figure 2``, as printed, without trailing punctuation.
        caption: The caption without the label.
        start, end: Offsets of label, ". " and caption in the document's text.
        image_urls: Addresses of the images, as the source gives them; may be empty.
        tileshop: Address of the zoomable image, or empty.
    """

    id: str
    kind: Literal["figure", "table"]
    label: str
    caption: str
    start: int
    end: int
    image_urls: tuple[str, ...] = ()
    tileshop: str = ""


READ_BY_OCR: Final = "read_by_ocr"
"""Metadata of a paper: the numbers of pages that were pictures and whose text was recognised, from 1."""
BY_OCR: Final = "read by OCR"


class Place(NamedTuple):
    """Where a line of the text is on a printed page.

    Attributes:
        start, end: Offsets of the line in the document's text.
        page: Number of the page in the file, from 1.
        left, bottom, right, top: Its box in points, from the lower left corner of the page's crop box, as the page
            is in the file (before a viewer turns it).
    """

    start: int
    end: int
    page: int
    left: float
    bottom: float
    right: float
    top: float


_RETRACTED = re.compile(r"^\W*(?:RETRACTED\b|Retracted(?: [Aa]rticle)?\s*[:\]])")
_PAPER = r"(?:article|paper|publication|chapter|preprint|manuscript)"
_SAYS_RETRACTED = re.compile(
    rf"""\W*(?:(?:editor\W?s?\s+)?(?:note|notice|warning|important|alert|retraction|retracted)\W+)?(?:
        th(?:is|e)\s+(?:[\w-]+\s+){{0,2}}{_PAPER}\s+(?:has\s+(?:now\s+|since\s+)?been|was|is)\s+(?:[a-z]+ly\s+)?
            (?:retracted|withdrawn)\b
      | (?:the|an?)\s+retraction(?:\s+(?:note|notice))?\s+(?:to|of|for)\s+this\s+{_PAPER}\b
      | retract(?:ion|ed)\s+(?:in|by|published\s+in)\s*:
      | (?:(?:view|see|read)\s+)?(?:the\s+)?retraction\s+(?:note|notice|statement)\W*$
      | (?-i:RETRACTED(?:\s+(?:ARTICLE|PAPER))?|Retracted\s[Aa]rticle)\W*$
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_IS_NOTICE = re.compile(
    r"\W*(?:notice\s+of\s+)?(?:retraction|withdrawal|erratum|corrigendum|(?:author\s+)?correction"
    r"|(?:editorial\s+)?expression[\s-]+of[\s-]+concern)\b",
    re.IGNORECASE,
)
"""Title or kind of what is itself such a notice: "this article" in it is another one."""
_LONGEST_NOTICE = 60
_OPENING_PARTS = 8


def says_retracted(text: str) -> bool:
    """Whether a short paragraph says of the paper that it is in that it is retracted or withdrawn."""
    return len(text.split()) <= _LONGEST_NOTICE and _SAYS_RETRACTED.match(text) is not None


@dataclass(frozen=True, slots=True)
class Front:
    """The fields of a ``Document`` that a file states of itself; empty where it says nothing."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    journal: str = ""
    doi: str = ""
    pmcid: str = ""
    url: str = ""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        """All of them, by the names that a ``Document`` has, texts in one line; a title may say "RETRACTED: …"."""
        texts = {name: one_line(getattr(self, name)) for name in ("title", "journal", "doi", "pmcid", "url")}
        authors = tuple(filter(None, map(one_line, self.authors)))
        metadata = dict(self.metadata)
        if _RETRACTED.match(texts["title"]):
            metadata = _as_retracted(metadata, "retracted, as its title says")
        return {**texts, "authors": authors, "year": self.year, "metadata": metadata}


def _as_retracted(metadata: dict[str, MetadataValue], said: str) -> dict[str, MetadataValue]:
    others = metadata.get("corrections")
    corrections = [said, *(others if isinstance(others, list) else [])]
    return metadata if metadata.get("retracted") else {**metadata, "retracted": True, "corrections": corrections}


@dataclass(frozen=True, slots=True)
class Document:
    """One paper.

    Attributes:
        id: PMCID where there is one ("PMC2654319"), else the file's name without its ending.
        text: The whole text, Unicode NFC, paragraphs parted by one empty line. All offsets index into it.
        title: Empty when the source does not say.
        authors: "Family, Given" in printed order.
        year: Of publication.
        sections: In reading order; those of the kinds ``NOT_EVIDENCE`` are among them and are not chunked.
        figures: In reading order, figures and tables.
        source: Name of the file it was read from.
        metadata: Whatever else is known: organism, mission_env, tags … Filters see every field.
        places: Of each line, in the order of the text, where the source has pages; a line that continues in the next
            column or page has a place in each.
    """

    id: str
    text: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    journal: str = ""
    doi: str = ""
    pmcid: str = ""
    url: str = ""
    sections: tuple[Section, ...] = ()
    figures: tuple[Figure, ...] = ()
    source: str = ""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    places: tuple[Place, ...] = ()

    def places_of(self, start: int, end: int) -> tuple[Place, ...]:
        """The places of the lines that a span of the text has a part in."""
        first = bisect_right(self.places, start, key=lambda place: place.end)
        behind = bisect_left(self.places, end, key=lambda place: place.start)
        return self.places[first:behind]

    @property
    def evidence_text(self) -> str:
        """The text without reference list and notices and their headings; the whole text where nothing else is left."""
        kept, at = [], 0
        for section in self.sections:
            if section.kind in NOT_EVIDENCE:
                before = self.text.rfind("\n\n", at, section.start - 1) if section.heading else section.start
                kept.append(self.text[at : max(at, before)])
                at = max(at, section.end)
        left = [part.strip("\n") for part in (*kept, self.text[at:])]
        return "\n\n".join(filter(None, left)) or self.text

    @property
    def corrections(self) -> tuple[str, ...]:
        """What a reader of its quotes has to know: "retracted by 10.1000/notice", "read by OCR (pages 1, 2), …"."""
        found = self.metadata.get("corrections", ())
        said = (found,) if isinstance(found, str) else tuple(found) if isinstance(found, list | tuple) else ()
        said = said or (("retracted",) if str(self.metadata.get("retracted", "")).lower() == "true" else ())
        pages = self.metadata.get(READ_BY_OCR)
        return (*said, f"{BY_OCR} (pages {pages}): compare names and numbers with the page") if pages else said

    @property
    def content_hash(self) -> str:
        """SHA-256 (hex) over everything above; two documents with the same hash index the same way."""
        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """The document as JSON-ready values; ``from_dict`` reads it back. Without places, the field is left out."""
        values = asdict(replace(self, places=()))
        del values["places"]
        return {**values, "places": [list(place) for place in self.places]} if self.places else values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Document:
        """Read what ``as_dict`` wrote."""
        return cls(
            **{
                **values,
                "authors": tuple(values["authors"]),
                "places": tuple(Place(*place) for place in values.get("places", ())),
                "sections": tuple(Section(**section) for section in values["sections"]),
                "figures": tuple(
                    Figure(**{**figure, "image_urls": tuple(figure["image_urls"])}) for figure in values["figures"]
                ),
            }
        )


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage that is indexed: ``document.text[start:end]``.

    Attributes:
        id: ``PMC12345::sec0::chunk1`` for text, ``PMC12345::fig2`` or ``PMC12345::table1`` for a caption.
        document_id: ``Document.id``.
        section: Kind of the section it is in.
        text: The passage, exactly as in the document.
        start, end: Offsets of the passage in the document's text.
        heading: Heading of its section, or the figure's label.
    """

    id: str
    document_id: str
    section: SectionKind
    kind: ChunkKind
    text: str
    start: int
    end: int
    heading: str = ""


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
    """A row of a table as a line, "| Death | 12 | | 8 |", without empty cells at its end; a bar in a cell is "¦"."""
    last = max((place for place, cell in enumerate(cells) if cell), default=0)
    whole = (cell.replace("|", "¦") for cell in cells[: last + 1])
    return f"| {' | '.join(whole)} |".replace("|  |", "| |").replace("|  |", "| |")


def figure_id(label: str, kind: Literal["figure", "table"], position: int) -> str:
    """``fig2`` for "Figure 2", ``figS3`` for "Supplementary Fig. 3", ``fig{position}`` for a label without a number."""
    prefix = "fig" if kind == "figure" else "table"
    number = _LABEL_NUMBER.search(label.rstrip(_LABEL_END))
    if number is None:
        return f"{prefix}{position}"
    named = next((series for series, sign in _SERIES.items() if sign.search(label)), "")
    return f"{prefix}{(number[1] or named).upper()}{number[2]}"


class DocumentBuilder:
    r"""Builds a document paragraph by paragraph, so that every span is exact by construction.

        builder.add_section("2. Methods")
        builder.add_paragraph("Mice were kept   at 22 °C.")      # the text is "2. Methods\n\nMice were kept at 22 °C."
        document = builder.build(id="PMC1", title="Mice")        # and the section "Methods" starts at "Mice"

    Only headings are outside sections: text before the first heading is a section with an empty heading.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._sections: list[Section] = []
        self._figures: list[Figure] = []
        self._outline: list[tuple[int, SectionKind]] = []

    def add_section(
        self, heading: str, level: int = 1, kind: SectionKind | None = None, *, hint: str = ""
    ) -> SectionKind:
        """Start a section, and return its kind; what is added next belongs to it.

        Args:
            heading: As printed, with its numbering if any; it becomes a line of the text. May be empty.
            level: 1 for a main section, 2 for a subsection, and so on.
            kind: By default classified by the heading and the section that it is in.
            hint: What the source's markup calls the section, for headings that say nothing themselves.
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
        """Add a paragraph to the open section, and return its span; None when it holds nothing but white space.

        White space becomes single spaces; ``keep_lines`` keeps lines and indentation, for code, equations and poems.
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
        """Add a figure or table, and return it; None when it has neither label nor caption.

        "Label. caption" becomes a paragraph of the open section; the kind is by default read from the label.
        """
        label, caption = one_line(label).rstrip(_LABEL_END), one_line(caption)
        span = self.add_paragraph(". ".join(part for part in (label, caption) if part))
        if span is None:
            return None
        kind = kind or ("table" if "table" in label.lower() else "figure")
        base = figure_id(label, kind, 1 + sum(figure.kind == kind for figure in self._figures))
        taken = {figure.id for figure in self._figures}  # a second figure of the same label gets "-2", a third "-3"
        name = next(each for each in chain([base], (f"{base}-{n}" for n in count(2))) if each not in taken)
        figure = Figure(name, kind, label, caption, *span, tuple(image_urls), tileshop)
        self._figures.append(figure)
        return figure

    def add_notices(self, texts: Sequence[str]) -> None:
        """Add what surrounds a paper, such as addresses, as its own section, if there is any."""
        if texts:
            self.add_section("", kind="notice")
        for text in texts:
            self.add_paragraph(text)

    @property
    def last(self) -> tuple[str, int]:
        """The part of the text that was added last, as it is there, and its offset; empty before the first."""
        return (self._parts[-1], self._length - len(self._parts[-1])) if self._parts else ("", 0)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been added but headings."""
        return not any(section.end > section.start for section in self._sections)

    def build(
        self,
        *,
        id: str,  # noqa: A002 - the document's own field name
        source: str = "",
        places: Iterable[Place] = (),
        **front: Any,  # noqa: ANN401 - as ``Front`` has them
    ) -> Document:
        """The document so far, with the fields of a ``Front``. Sections without heading and text are left out.

        What its opening or the notices around it say of a retraction becomes metadata.
        """
        text, fields = PARAGRAPH_BREAK.join(self._parts), Front(**front).fields()
        notices = (
            text[each.start : each.end].split(PARAGRAPH_BREAK) for each in self._sections if each.kind == "notice"
        )
        is_notice = any(map(_IS_NOTICE.match, (fields["title"], str(fields["metadata"].get("article_type", "")))))
        if not is_notice and any(map(says_retracted, chain(self._parts[:_OPENING_PARTS], *notices))):
            fields["metadata"] = _as_retracted(fields["metadata"], "retracted, as the notice on it says")
        return Document(
            id=one_line(id),
            text=text,
            sections=tuple(section for section in self._sections if section.heading or section.end > section.start),
            figures=tuple(self._figures),
            source=source,
            places=tuple(places),
            **fields,
        )

    def _append(self, part: str) -> int:
        start = self._length + len(PARAGRAPH_BREAK) if self._parts else 0
        self._parts.append(part)
        self._length = start + len(part)
        return start


def _clean(text: str) -> str:
    text = _SURROGATE.sub("\ufffd", text.translate(_INVISIBLE))
    return unicodedata.normalize("NFC", _CONTROL.sub(" ", text))
