"""Takes the text of a PDF out of its pages, the straight lines drawn on them, and what is seen of the text.

PDFium was chosen over pypdf and pdfplumber: it alone kept words and their spaces where a page is drawn without space
characters, and it gives the text of 36 pages in 0.04 s (pypdf 0.46 s, pdfplumber 2.3 s). It is not safe to call from
two threads at once.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError, PdfMatrix, PdfObject, PdfPage, PdfTextPage

from programs.errors import EmptyFile, EncryptedFile, IngestError, UnsafeFile, UnsupportedFormat
from programs.ingest.decoding import read_bytes
from programs.ingest.front_matter import find_doi
from programs.ingest.pdf.characters import SLANTED, characters, runs_of
from programs.ingest.pdf.composing import Character
from programs.ingest.pdf.fonts import GlyphNames
from programs.ingest.pdf.reading_order import Box, Rule, TextRun, median_size

# Text across the page's own is read when it has this many characters and this share of the page's; axes and stamps of
# libraries have fewer.
_MIN_ACROSS = 200
_MIN_SHARE_ACROSS = 0.25
# In shares of the size of the text under it.
_WATERMARK = 2.0
_LINES_UNDER_WATERMARK = 2
_LETTERS_OF_WATERMARK = 4
# A page of text has more characters than this.
MIN_OF_PAGE = 150
# A PDF ends with "%%EOF"; programs put some bytes after it, and the standard lets readers look in the last 1,024.
_TAIL_BYTES = 2048
_XMP_DOI = re.compile(
    rb"<(?:prism:doi|prism:url|crossmark:DOI|pdfx:doi|dc:identifier)[^<>]{0,80}>\s*([^<>]{0,40}10\.\d{4,9}/[^<>\s]{1,80})",
    re.IGNORECASE,
)
_DOWNLOAD_AGAIN = "download it again"

# The longest books have some 3,000 pages and 5 million characters; what claims more would hold the machine for minutes.
MAX_PAGES = 5_000
MAX_CHARACTERS = 5_000_000


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """The text of a page that is the same way up, as if the page were turned so that it can be read.

    A table printed along the page's side is its own page after the page that it is on.

    Attributes:
        runs: In the order of the file, which may differ from the order of reading.
        rules: Straight lines, level and upright.
        number: Of the page in the file, from 0.
        turns: Quarter turns to the left by which the text is turned, 0 to 3.
        origin: Left and bottom of the page's crop box, in points.
        is_scan: Whether it is a picture, with no more text than a library's stamp.
    """

    runs: tuple[TextRun, ...]
    rules: tuple[Rule, ...] = ()
    number: int = 0
    turns: int = 0
    origin: tuple[float, float] = (0.0, 0.0)
    is_scan: bool = False


@dataclass(frozen=True, slots=True)
class PrintedText:
    """What a PDF prints on its pages, and the DOI that its metadata have, which may be empty or wrong."""

    pages: tuple[PrintedPage, ...]
    doi: str = ""


def extract(path: Path) -> PrintedText:
    """The text of all pages, within ``MAX_PAGES`` and ``MAX_CHARACTERS``."""
    data = _checked_bytes(path)
    with _opened(path) as document:
        pages = tuple(_pages(path, document))
        information = document.get_metadata_dict()
    xmp = _XMP_DOI.search(data)  # it is in the file uncompressed
    doi = find_doi(information.get("Subject", "")) or (find_doi(xmp[1].decode("ascii", "ignore")) if xmp else "")
    return PrintedText(pages, doi)


def plain_pages(path: Path) -> list[str]:
    """The text of each page in PDFium's own order: another way to read what ``extract`` has read."""
    with _opened(path) as document:
        return [page.get_textpage().get_text_range() for page in document]


@contextmanager
def _opened(path: Path) -> Iterator[PdfDocument]:
    try:
        with PdfDocument(path) as document:
            yield document
    except PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
            action = "save a copy without one, such as with `qpdf --decrypt`"
            raise EncryptedFile(path, "it needs a password", action) from error
        raise IngestError(path, f"damaged: {error}", _DOWNLOAD_AGAIN) from error


def _checked_bytes(path: Path) -> bytes:
    """The file's bytes; errors for what PDFium would repair silently or report only as a format error."""
    data = read_bytes(path, most=math.inf)
    head = data[:1024]
    if not head.strip():
        raise EmptyFile(path, f"empty ({len(data)} bytes)", _DOWNLOAD_AGAIN)
    if b"%PDF-" not in head:
        raise UnsupportedFormat(path, f"not a PDF: it begins with {head[:16]!r}", "give the file its right ending")
    if b"%%EOF" not in data[-_TAIL_BYTES:]:
        raise IngestError(path, f"cut off: its {len(data)} bytes do not end with %%EOF", _DOWNLOAD_AGAIN)
    return data


def _pages(path: Path, document: PdfDocument) -> Iterator[PrintedPage]:
    """What each page prints, within the limits on pages and characters."""
    if len(document) > MAX_PAGES:
        raise _too_much(path, f"{len(document)} pages are more than the limit of {MAX_PAGES}")
    characters, names = 0, GlyphNames(path)
    for number, page in enumerate(document):
        text_page = page.get_textpage()
        characters += text_page.count_chars()
        if characters > MAX_CHARACTERS:
            raise _too_much(path, f"its pages hold more than the limit of {MAX_CHARACTERS} characters")
        yield from _ways_up(number, page, text_page, names)
        text_page.close()
        page.close()


def _too_much(path: Path, reason: str) -> UnsafeFile:
    return UnsafeFile(path, f"{reason} for one paper", "split it into one file per paper")


def _ways_up(number: int, page: PdfPage, text_page: PdfTextPage, names: GlyphNames) -> Iterator[PrintedPage]:
    """The page, then what is across it when that is more than stamps and axes."""
    (drawn, clips, texts), whole = drawing(page), page.get_cropbox()
    found = list(characters(text_page, whole, clips, names.on_page(number), texts))
    is_scan = len(found) < MIN_OF_PAGE and is_picture(page)
    turns = Counter(each.print.turns for each in found if each is not None and each.print.turns != SLANTED)
    main = turns.most_common(1)[0][0] if turns else 0
    for turn, count in turns.most_common() or [(0, 0)]:
        if turn == main or count >= max(_MIN_ACROSS, _MIN_SHARE_ACROSS * turns.total()):
            runs, rules = list(runs_of(_turned(found, turn))), tuple(Rule(*turned(line, turn)) for line in drawn)
            yield PrintedPage(
                tuple(_without_watermarks(runs)), rules, number, turn, origin=(whole[0], whole[1]), is_scan=is_scan
            )


def _without_watermarks(runs: Sequence[TextRun]) -> Iterator[TextRun]:
    """The runs without words in large print that are over several lines of other text, or under them."""
    usual = median_size(runs)
    for run in runs:
        is_large = run.size >= _WATERMARK * usual and sum(map(str.isalpha, run.text)) >= _LETTERS_OF_WATERMARK
        lines = {
            round(other.baseline)
            for other in (runs if is_large else ())
            if run.size >= _WATERMARK * other.size
            and other.left < run.right
            and run.left < other.right
            and run.bottom < other.baseline < run.top
        }
        if len(lines) < _LINES_UNDER_WATERMARK:
            yield run


def _turned(found: Iterable[Character | None], turns: int) -> Iterator[Character | None]:
    """The characters that are at these quarter turns, as if the page were turned back."""
    for character in found:
        if character is None or (character.print.turns == turns and not turns):
            yield character
        elif character.print.turns == turns:
            x, y, *_ = turned((character.print.x, character.print.y) * 2, turns)
            yield Character(character.text, *turned(character[1:5], turns), character.print._replace(x=x, y=y))


def turned(box: Box, turns: int) -> Box:
    """A box (left, bottom, right, top) of text that is at quarter turns, as if the page were turned back."""
    left, bottom, right, top = box
    for _ in range(turns % 4):
        left, bottom, right, top = bottom, -right, top, -left
    return left, bottom, right, top


# A line is thinner than this and longer than that, in points. A page with more paths than this has drawings on it, and
# a path of more parts is one.
_MAX_THICKNESS = 3.0
_MIN_LENGTH = 8.0
_SLANT = 0.5
_MAX_PATHS = 5_000
_MAX_SEGMENTS = 2_000
_MAX_FORM_DEPTH = 4

_MOST_OF_PAGE = 0.7

# Letters protrude slightly from what clips them.
_CLIP_MARGIN = 2.0
_NEARLY_WHITE = 250


def drawing(page: PdfPage) -> tuple[list[Rule], dict[int, Box], Mapping[int, Callable[[], Box]]]:
    """What is drawn on a page, in points.

    Returns:
        The straight level and upright lines, with the sides of boxes; what is seen of a text object (left, bottom,
        right, top), by the object's address, where that is not all of it; and what gives the boxes of text objects.
    """
    whole = page.get_cropbox()
    found = list(_objects(page, whole))
    paths = (each for each in found if each[0].type == pdfium.FPDF_PAGEOBJ_PATH)
    rules = [rule for path, matrix, _ in islice(paths, _MAX_PATHS + 1) for rule in _lines_in(path, matrix)]
    texts = [each for each in found if each[0].type == pdfium.FPDF_PAGEOBJ_TEXT]
    boxes = {_address(each): partial(_box, each, matrix) for each, matrix, _ in texts}
    return rules, dict(_clips(texts, found, whole)), boxes


def _box(each: PdfObject, matrix: PdfMatrix) -> Box:
    left, bottom, right, top = matrix.on_rect(*each.get_bounds())
    return left, bottom, right, top


def is_picture(page: PdfPage) -> bool:
    """Whether images cover most of a page, as the strips of a scan do."""
    images = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=_MAX_FORM_DEPTH)
    return sum(_area(image.get_bounds()) for image in images) >= _MOST_OF_PAGE * _area(page.get_cropbox())


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


_Placed: TypeAlias = tuple[PdfObject, PdfMatrix, Box]
"""An object of a page, or of a form on it, with the matrix to the page's space and what is seen where it is."""


def _objects(page: PdfPage, whole: Box) -> Iterator[_Placed]:
    """The objects of a page, those inside forms in place of the forms."""
    around: dict[int, tuple[PdfMatrix, Box]] = {id(None): (PdfMatrix(), whole)}  # by the form that an object is in
    for each in page.get_objects(max_depth=_MAX_FORM_DEPTH + 1):
        matrix, seen = around[id(each.container)]
        if each.type == pdfium.FPDF_PAGEOBJ_FORM:
            around[id(each)] = each.get_matrix().multiply(matrix), _seen(each, matrix, seen)
        else:
            yield each, matrix, seen


def _clips(texts: Sequence[_Placed], found: Sequence[_Placed], whole: Box) -> Iterator[tuple[int, Box]]:
    """What is seen of text that something clips; nothing for white or invisible text, but over a scan or ground."""
    for each, matrix, around in texts:
        left, bottom, right, top = box = _seen(each, matrix, around)
        if box != whole:
            margin = _CLIP_MARGIN
            yield _address(each), (left - margin, bottom - margin, right + margin, top + margin)
    hidden = [
        (each, matrix)
        for each, matrix, _ in texts
        if _is_white(each) or pdfium.FPDFTextObj_GetTextRenderMode(each) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE
    ]
    ground = [
        _box(each, matrix)
        for each, matrix, _ in found
        if hidden
        and each.type != pdfium.FPDF_PAGEOBJ_TEXT
        and not (each.type == pdfium.FPDF_PAGEOBJ_PATH and _is_white(each))
    ]
    for each, matrix in hidden:
        left, bottom, right, top = _box(each, matrix)
        x, y = (left + right) / 2, (bottom + top) / 2
        if not any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in ground):
            yield _address(each), (0.0, 0.0, -1.0, -1.0)


def _seen(each: PdfObject, matrix: PdfMatrix, seen: Box) -> Box:
    """What an object's own clip leaves of what is seen there, in the page's space."""
    clip = pdfium.FPDFPageObj_GetClipPath(each)
    for number in range(pdfium.FPDFClipPath_CountPaths(clip) if clip else 0):
        count = pdfium.FPDFClipPath_CountPathSegments(clip, number)
        segments = (pdfium.FPDFClipPath_GetPathSegment(clip, number, index) for index in range(count))
        if points := [_point(each, matrix) for each in segments]:
            across, upright = zip(*points, strict=True)
            left, bottom, right, top = seen
            seen = (max(left, min(across)), max(bottom, min(upright)), min(right, max(across)), min(top, max(upright)))
    return seen


def _address(each: PdfObject) -> int:
    return ctypes.cast(each.raw, ctypes.c_void_p).value or 0


def _is_white(each: PdfObject) -> bool:
    colour = [ctypes.c_uint() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetFillColor(each, *colour):
        return False
    *light, opacity = (each.value for each in colour)
    return min(light) >= _NEARLY_WHITE or not opacity


def _lines_in(path: PdfObject, matrix: PdfMatrix) -> Iterator[Rule]:
    """The lines that a path draws: itself if it is thin, else its straight parts if it is stroked or made of boxes."""
    whole = Rule(*_box(path, matrix))
    sides = [whole]
    if whole.thickness > _MAX_THICKNESS:
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
        sides = list(_sides(path, path.get_matrix().multiply(matrix)))
        if not stroke.value and _is_white(path):  # a background of cells; some programs draw one for each line of text
            sides = [side for side in sides if not side.is_level]
        if not stroke.value and any(side.thickness > _SLANT for side in sides):
            return
    yield from (side for side in sides if side.thickness <= _MAX_THICKNESS and side.length >= _MIN_LENGTH)


def _sides(path: PdfObject, matrix: PdfMatrix) -> Iterator[Rule]:
    """The parts of a path from point to point; a curve is as the straight line between its points."""
    start = last = (0.0, 0.0)
    count = pdfium.FPDFPath_CountSegments(path)
    for index in range(count if count <= _MAX_SEGMENTS else 0):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        ends = [_point(segment, matrix)]
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_MOVETO:
            start = last = ends.pop()
        if pdfium.FPDFPathSegment_GetClose(segment):
            ends.append(start)
        for end in ends:
            (x, y), (other_x, other_y), last = last, end, end
            yield Rule(min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y))


def _point(segment: pdfium.FPDF_PATHSEGMENT, matrix: PdfMatrix) -> tuple[float, float]:
    """Where a segment of a path ends, in the page's space."""
    x, y = ctypes.c_float(), ctypes.c_float()
    pdfium.FPDFPathSegment_GetPoint(segment, x, y)
    point: tuple[float, float] = matrix.on_point(x.value, y.value)
    return point
