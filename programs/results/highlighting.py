"""Marks the quotes that prove an answer in a PDF: in a copy of the file, or in a picture of one page.

    for each quote: its place in the text → the lines it is part of → its letters on each line → one annotation

Annotations are what PDF viewers show and list; the pages themselves are not changed. Pictures are drawn by a separate
process with bounded time and memory: drawing an untrusted page can take any amount of both, or crash PDFium.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from programs.errors import IngestError, UsageError
from programs.ingest.document import Document, Place

_YELLOW = (255, 221, 87)
_SLACK = 1.0
"""Points that a letter may be outside the box of its line."""
SECONDS = 20.0
"""To draw a page; one of a paper takes less than one second."""
_MOST_PIXELS = 6_000_000
_SMALLEST_SCALE, _LARGEST_SCALE = 0.05, 8.0
_OPEN = "open it in a viewer"


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

    said = _quotes(results, paper)
    if not said:
        raise UsageError(f"no quote of this answer is in {source}; give the file that was indexed, or asked by --paper")
    try:
        pdf = pypdfium2.PdfDocument(source)
    except pypdfium2.PdfiumError as error:
        raise IngestError(source, f"it cannot be opened ({error})", "give the PDF that was read") from error
    try:
        marked = [_marked(pdf, paper, span, said[span]) for span in said]
        pdf.save(target)
    finally:
        pdf.close()
    return marked


def _quotes(results: Iterable[Mapping[str, Any]], paper: Document) -> dict[tuple[int, int], str]:
    """The spans of the paper that are quoted, each with the sentence that it proves."""
    spans: dict[tuple[int, int], str] = {}
    for citation in (each for result in results for each in result["citations"]):
        for quote in citation["quotes"]:
            start, end = quote["start"], quote["end"]
            if start < end and paper.text[start:end] == quote["quote"]:
                spans.setdefault((start, end), f"{citation['verdict']}: {citation['sentence']}")
    return spans


def _marked(pdf: Any, paper: Document, span: tuple[int, int], note: str) -> Marked:  # noqa: ANN401 - pypdfium2 has no types
    places = paper.places_of(*span)
    if not places:
        raise UsageError(f"{paper.source or paper.id} has no pages with places; give the paper as a PDF with text")
    boxes: dict[int, list[Box]] = {}
    for place in places:
        boxes.setdefault(place.page, []).append(part_of_line(pdf[place.page - 1], place, *span))
    for page, parts in boxes.items():
        annotate(pdf[page - 1], parts, note)
    return Marked(paper.text[span[0] : span[1]], boxes)


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


def page_image(path: Path, page: int, marked: Sequence[tuple[Place, int, int]], width: int) -> bytes:
    """A page of a PDF, from 1, as PNG, with the spans of its lines marked.

    ``width`` is in pixels; it is less where the page is so long that the picture would become too large.

    Raises:
        IngestError: It cannot be drawn, or not in time.
    """
    asked = {"path": str(path), "page": page, "marked": [[list(line), *span] for line, *span in marked], "width": width}
    code = (
        "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
        "from programs.results.highlighting import main; main()"
    )
    try:
        drawn = subprocess.run(  # noqa: S603 - this interpreter, and a module of ours
            [sys.executable, "-c", code, json.dumps(sys.path)],
            input=json.dumps(asked).encode(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise IngestError(path, f"page {page} could not be drawn in {SECONDS:.0f} seconds", _OPEN) from error
    if drawn.returncode or not drawn.stdout:
        said = drawn.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise IngestError(path, f"page {page} could not be drawn ({said or f'exit code {drawn.returncode}'})", _OPEN)
    return drawn.stdout


def main() -> None:
    """Draw what is on the standard input, onto the standard output."""
    from programs.ingest.reader_processes import limit_memory

    limit_memory()
    asked = json.load(sys.stdin)
    marked = [(Place(*line), start, end) for line, start, end in asked["marked"]]
    sys.stdout.buffer.write(_drawn(Path(asked["path"]), asked["page"], marked, asked["width"]))


def _drawn(path: Path, number: int, marked: Sequence[tuple[Place, int, int]], width: int) -> bytes:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        page = pdf[number - 1]
        boxes = [part_of_line(page, line, start, end) for line, start, end in marked]
        if boxes:
            annotate(page, boxes, "")
        across, down = page.get_size()
        scale = min(width / across, (_MOST_PIXELS / (across * down)) ** 0.5)
        scale = min(max(scale, _SMALLEST_SCALE), _LARGEST_SCALE)
        picture = page.render(scale=scale, may_draw_forms=False).to_pil()
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()
