"""Marks the quotes that prove an answer in a copy of a PDF.

    for each quote: its place in the text → the lines it is part of → its letters on each line → one annotation

Annotations are what PDF viewers show and list; the pages themselves are not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from programs.errors import IngestError, UsageError
from programs.ingest.document import Document, Place
from programs.results.finds import verdict_of

_YELLOW = (255, 221, 87)
_SLACK = 1.0
"""Points that a letter may be outside the box of its line."""


class Box(NamedTuple):
    """Part of a line, in points from the lower left corner of the page's crop box."""

    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class Marked:
    """A quote that was marked, and where, by page from 1."""

    quote: str
    boxes: Mapping[int, Sequence[Box]]


def highlight(results: Iterable[Mapping[str, Any]], paper: Document, source: Path, target: Path) -> list[Marked]:
    """Write a copy of a PDF, over a former one, in which what results quote from the paper is marked, each quote once.

    Raises:
        UsageError: No quote is in the paper, or the paper has no places, as a text that is not a PDF.
        IngestError: The PDF cannot be opened.
    """
    import pypdfium2

    said = marks(results, paper, source.name)
    try:
        pdf = pypdfium2.PdfDocument(source)
    except pypdfium2.PdfiumError as error:
        raise IngestError(source, f"it cannot be opened ({error})", "give the PDF that was read") from error
    try:
        marked = [
            Marked(paper.text[slice(*span)], mark(pdf, places, span, note)) for span, (note, places) in said.items()
        ]
        pdf.save(target)
    finally:
        pdf.close()
    return marked


def marks(
    results: Iterable[Mapping[str, Any]], paper: Document, name: str
) -> dict[tuple[int, int], tuple[str, tuple[Place, ...]]]:
    """The spans of a paper that are quoted, each with the sentence that it proves and the lines that it is on.

    Raises:
        UsageError: No quote is in the paper, whose file has that name, or the paper has no places.
    """
    spans: dict[tuple[int, int], str] = {}
    for citation in (each for result in results for each in result["citations"]):
        for quote in citation["quotes"]:
            start, end = quote["start"], quote["end"]
            if start < end and paper.text[start:end] == quote["quote"]:
                spans.setdefault((start, end), f"{verdict_of(citation)}: {citation['sentence']}")
    if not spans:
        raise UsageError(f"no quote of this answer is in {name}; give the file that was indexed, or asked by --paper")
    found = {span: (note, paper.places_of(*span)) for span, note in spans.items()}
    if not all(places for _, places in found.values()):
        raise UsageError(f"{name} has no pages with places; give the paper as a PDF with text")
    return found


def mark(pdf: Any, places: Sequence[Place], span: tuple[int, int], note: str) -> dict[int, list[Box]]:  # noqa: ANN401 - pypdfium2 has no types
    """Mark a span of a paper's text on the lines that it is on; its boxes by page from 1."""
    boxes: dict[int, list[Box]] = {}
    for place in places:
        boxes.setdefault(place.page, []).append(part_of_line(pdf[place.page - 1], place, *span))
    for page, parts in boxes.items():
        annotate(pdf[page - 1], parts, note)
    return boxes


def part_of_line(page: Any, place: Place, start: int, end: int) -> Box:  # noqa: ANN401 - pypdfium2 has no types
    """The letters of a line that a span holds, by their share of the line."""
    whole = Box(place.left, place.bottom, place.right, place.top)
    length = place.end - place.start
    first, last = max(start - place.start, 0) / length, min(end - place.start, length) / length
    if (first, last) == (0, 1):
        return whole
    letters = sorted(_letters(page, whole))
    if not letters:
        return whole
    held = letters[int(first * len(letters)) : max(round(last * len(letters)), 1)] or letters[-1:]
    return Box(held[0].left, place.bottom, max(each.right for each in held), place.top)


def _letters(page: Any, line: Box) -> Iterator[Box]:  # noqa: ANN401 - pypdfium2 has no types
    """The boxes of the characters on a line."""
    x, y = page.get_cropbox()[:2]
    text = page.get_textpage()
    try:
        for number in range(text.count_chars()):
            left, bottom, right, top = text.get_charbox(number, loose=True)
            box = Box(left - x, bottom - y, right - x, top - y)
            middle = (box.bottom + box.top) / 2
            inside = line.left - _SLACK <= box.left and box.right <= line.right + _SLACK
            if inside and line.bottom <= middle <= line.top:
                yield box
    finally:
        text.close()


def annotate(page: Any, boxes: Sequence[Box], note: str) -> None:  # noqa: ANN401 - pypdfium2 has no types
    """Lay one highlight over boxes of a page of pypdfium2, with a note that viewers show."""
    from pypdfium2 import raw

    x, y = page.get_cropbox()[:2]
    annotation = raw.FPDFPage_CreateAnnot(page.raw, raw.FPDF_ANNOT_HIGHLIGHT)
    try:
        raw.FPDFAnnot_SetColor(annotation, raw.FPDFANNOT_COLORTYPE_Color, *_YELLOW, 255)
        for box in boxes:
            left, bottom, right, top = box.left + x, box.bottom + y, box.right + x, box.top + y
            corners = raw.FS_QUADPOINTSF(left, top, right, top, left, bottom, right, bottom)
            raw.FPDFAnnot_AppendAttachmentPoints(annotation, corners)
        around = raw.FS_RECTF(
            min(box.left for box in boxes) + x,
            max(box.top for box in boxes) + y,
            max(box.right for box in boxes) + x,
            min(box.bottom for box in boxes) + y,
        )
        raw.FPDFAnnot_SetRect(annotation, around)
        raw.FPDFAnnot_SetStringValue(annotation, b"Contents", _wide(note))
    finally:
        raw.FPDFPage_CloseAnnot(annotation)


def _wide(text: str) -> Any:  # noqa: ANN401 - an array of C
    import ctypes

    data = (text + "\0").encode("utf-16-le", "replace")
    return (ctypes.c_ushort * (len(data) // 2)).from_buffer_copy(data)
