"""What a paper is once it has been read: one text, and spans into it.

Every section, figure, chunk and later every citation is a pair of character offsets into ``Document.text``; nothing
carries text of its own that is not found there. That is what lets a certificate be replayed without a model:

    document.text[chunk.start:chunk.end] == chunk.text
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias

SectionKind: TypeAlias = Literal[
    "abstract",
    "introduction",
    "methods",
    "results",
    "discussion",
    "conclusion",
    "references",
    "appendix",
    "other",
    "notice",
]
ChunkKind: TypeAlias = Literal["text", "figure", "table"]
NOT_EVIDENCE: Final[frozenset[SectionKind]] = frozenset({"references", "notice"})
"""Kinds of sections that are kept in the text and never cut into passages: other papers' titles, and notices, which are
what a publisher prints around a paper: addresses, dates, licences, how to cite it."""
MetadataValue: TypeAlias = str | int | float | bool | list[str]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text under it, up to the next heading of any level.

    Sections are in reading order and never overlap, so each character of the text belongs to one section at most. A
    subsection whose heading says nothing ("Participants") has the kind of the section it stands in.

    Attributes:
        heading: The heading as printed, without numbering; empty for text before the first heading.
        kind: What the section is for.
        start: Offset of the first character of its body in the document's text; the heading's own line precedes it.
        end: Offset after its last character.
        level: 1 for a main section, 2 for a subsection, and so on.
    """

    heading: str
    kind: SectionKind
    start: int
    end: int
    level: int = 1


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure or table with its caption, which stands in the document's text.

    Attributes:
        id: ``fig2``, ``table1``, or ``figS3`` for a supplementary one; unique in the document.
        kind: ``figure`` or ``table``.
        label: ``Figure 2``, as printed, without trailing punctuation.
        caption: The caption without the label; ``text[start:end]`` is label, ". " and caption.
        start: Offset of the label in the document's text.
        end: Offset after the caption.
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
    """Where a line of the text stands on a printed page.

    Attributes:
        start: Offset of the line's first character in the document's text.
        end: Offset after its last one.
        page: Number of the page in the file, from 1.
        left, bottom, right, top: Its box in points, from the lower left corner of the page's crop box, as the page
            stands in the file (before a viewer turns it).
    """

    start: int
    end: int
    page: int
    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class Front:
    """The fields of a ``Document`` that a file states about itself, in JATS or YAML; empty where it says nothing."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    journal: str = ""
    doi: str = ""
    pmcid: str = ""
    url: str = ""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """One paper.

    Attributes:
        id: PMCID where there is one ("PMC2654319"), else the file's name without its ending.
        text: The whole text, Unicode NFC, paragraphs parted by one empty line. All offsets index into it.
        title: Empty when the source does not say.
        authors: "Family, Given" in printed order.
        year: Year of publication.
        sections: In reading order; those of the kinds ``NOT_EVIDENCE`` are among them and are not chunked.
        figures: In reading order, figures and tables.
        source: Name of the file it was read from.
        metadata: Whatever else is known: organism, mission_env, tags … Filters see every field.
        places: Of each line, in the order of the text, where the source has pages; a line that goes on in the next
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
        """The places of the lines that overlap a span of the text."""
        first = bisect_right(self.places, start, key=lambda place: place.end)
        behind = bisect_left(self.places, end, key=lambda place: place.start)
        return self.places[first:behind]

    @property
    def evidence_text(self) -> str:
        """The text without references and notices and their headings; the whole text where nothing would be left."""
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
        """What a reader of its quotes must know: "retracted by 10.1000/notice", "read by OCR (pages 1, 2), …"."""
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
        section: Kind of the section it stands in.
        kind: ``text``, ``figure`` or ``table``.
        text: The passage, exactly as in the document.
        start: Offset of its first character in the document's text.
        end: Offset after its last character.
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
