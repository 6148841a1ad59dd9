"""Takes characters and ruling lines off one page of a PDF; with ``pdf_text`` the only file that knows pypdfium2."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from programs.ingest.page_layout import Rule
from programs.ingest.printed_runs import Character, Print

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

Box = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float]

# PDFium writes this in place of a hyphen at the end of a line.
_LINE_END_HYPHENS = "\ufffe\x02"
_BOLD_NAME = re.compile(r"bold|black|heavy|cmbx|-medi(?!um)|-bd", re.IGNORECASE)
_BOLD_WEIGHT = 600
_ITALIC_NAME = re.compile(r"ital|obli|slant|cmti|-it(?![a-z])|kursiv", re.IGNORECASE)
_ITALIC_FLAG = 1 << 6  # ISO 32000-1, table 123
_FONT_NAME_BYTES = 128
# A line is thinner than this and longer than that, in points. A page with more paths than this has drawings on it, and
# a path of more parts is one.
_MAX_THICKNESS = 3.0
_MIN_LENGTH = 8.0
_MAX_PATHS = 5_000
_MAX_SEGMENTS = 400
# Sides of a path that is filled alone, such as the shade of a row; more are a shape.
_MAX_BOX_SEGMENTS = 6
_MAX_FORM_DEPTH = 4
_WHOLE: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def characters(page: PdfTextPage) -> Iterator[Character | None]:
    """The characters of a page as they stand on it, with None at the end of each line."""
    import pypdfium2.raw as pdfium

    handle = ctypes.cast(page.raw, ctypes.c_void_p)
    text_object, unicode, box_of = _text_object(), pdfium.FPDFText_GetUnicode, page.get_charbox
    prints: dict[int, Print] = {}
    last = Print(0.0, False, 0, 0.0, 0.0)
    for index in range(pdfium.FPDFText_CountChars(page)):
        text = chr(unicode(page, index))
        if text in "\r\n":
            yield None
            continue
        if key := text_object(handle, index):
            last = prints.get(key) or prints.setdefault(key, _print(page, index))
        if text == " ":
            yield Character(text, 0.0, 0.0, 0.0, 0.0, last)
            continue
        is_hyphen = text in _LINE_END_HYPHENS
        left, bottom, right, top = box_of(index)
        yield Character("-" if is_hyphen else text, left, bottom, right, top, last)
        if is_hyphen:
            yield None


@cache
def _text_object() -> Callable[[Any, int], int | None]:
    """``FPDFText_GetTextObject`` with an address as its result, which is ten times as fast as a typed pointer."""
    import pypdfium2.raw as pdfium

    address = ctypes.cast(pdfium.FPDFText_GetTextObject, ctypes.c_void_p).value
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(address or 0)


def _print(page: PdfTextPage, index: int) -> Print:
    """How a text object is printed, asked of one of its characters.

    ``FPDFText_GetFontSize`` gives the operand of ``Tf`` alone, which most publishers set to 1: the matrix scales it.
    """
    import pypdfium2.raw as pdfium

    matrix = pdfium.FS_MATRIX()
    size: float = pdfium.FPDFText_GetFontSize(page, index)
    is_bold, is_italic = _weight_and_slant(page, index)
    if not pdfium.FPDFText_GetMatrix(page, index, matrix):
        return Print(size, is_bold, 0, 0.0, 0.0, is_italic)
    turns = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4
    return Print(size * math.hypot(matrix.c, matrix.d), is_bold, turns, matrix.e, matrix.f, is_italic)


def _weight_and_slant(page: PdfTextPage, index: int) -> tuple[bool, bool]:
    """Whether a character's font is bold and whether it is italic, by its name, weight and flags."""
    import pypdfium2.raw as pdfium

    buffer, flags = ctypes.create_string_buffer(_FONT_NAME_BYTES), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(page, index, buffer, _FONT_NAME_BYTES, flags)
    name = buffer.value.decode("utf-8", "replace")
    is_bold = _BOLD_NAME.search(name) is not None or pdfium.FPDFText_GetFontWeight(page, index) >= _BOLD_WEIGHT
    return is_bold, _ITALIC_NAME.search(name) is not None or bool(flags.value & _ITALIC_FLAG)


def turned(box: Box, turns: int) -> Box:
    """A box (left, bottom, right, top) of text that stands at quarter turns, as if the page were turned back."""
    left, bottom, right, top = box
    for _ in range(turns % 4):
        left, bottom, right, top = bottom, -right, top, -left
    return left, bottom, right, top


def upright(character: Character, turns: int) -> Character:
    """A character of text that stands at quarter turns, as if the page were turned back."""
    if not turns:
        return character
    x, y, *_ = turned((character.print.x, character.print.y) * 2, turns)
    left, bottom, right, top = turned(character[1:5], turns)
    return Character(character.text, left, bottom, right, top, character.print._replace(x=x, y=y))


def rules(page: PdfPage) -> list[Rule]:
    """The straight level and upright lines of a page, with the sides of boxes."""
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFPage_CountObjects(page)
    handles = (pdfium.FPDFPage_GetObject(page, index) for index in range(count))
    found: list[Rule] = []
    for paths, (path, matrix) in enumerate(_paths(handles, _WHOLE, 0)):
        if paths > _MAX_PATHS:
            break
        found += _lines_in(path, matrix)
    return found


def _paths(handles: Iterator[Any], matrix: Matrix, depth: int) -> Iterator[tuple[Any, Matrix]]:
    """All paths, also those inside forms, with the matrix from their space to the page's."""
    import pypdfium2.raw as pdfium

    for handle in handles:
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            yield handle, matrix
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_FORM_DEPTH:
            inside = (
                pdfium.FPDFFormObj_GetObject(handle, index) for index in range(pdfium.FPDFFormObj_CountObjects(handle))
            )
            yield from _paths(inside, _product(_matrix(handle), matrix), depth + 1)


def _lines_in(path: Any, matrix: Matrix) -> Iterator[Rule]:  # noqa: ANN401 - a pointer
    """The lines that a path draws: itself if it is thin, else its straight parts if it is stroked or a box."""
    import pypdfium2.raw as pdfium

    bounds = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(path, *bounds):
        return
    left, bottom, right, top = (bound.value for bound in bounds)
    whole = _box([_through(matrix, left, bottom), _through(matrix, right, top)])
    if min(whole.right - whole.left, whole.top - whole.bottom) <= _MAX_THICKNESS:
        if _is_rule(whole):
            yield whole
        return
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    count = pdfium.FPDFPath_CountSegments(path)
    if count > _MAX_SEGMENTS or not pdfium.FPDFPath_GetDrawMode(path, fill, stroke):
        return
    if stroke.value or count <= _MAX_BOX_SEGMENTS:
        yield from filter(_is_rule, _sides(path, count, _product(_matrix(path), matrix)))


def _sides(path: Any, count: int, matrix: Matrix) -> Iterator[Rule]:  # noqa: ANN401 - a pointer
    """The straight parts of a path."""
    import pypdfium2.raw as pdfium

    start = last = (0.0, 0.0)
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = _through(matrix, x.value, y.value)
        if kind == pdfium.FPDF_SEGMENT_LINETO:
            yield _box([last, point])
        elif kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        last = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield _box([last, start])
            last = start


def _is_rule(box: Rule) -> bool:
    sides = sorted((box.right - box.left, box.top - box.bottom))
    return sides[0] <= _MAX_THICKNESS and sides[1] >= _MIN_LENGTH


def _box(points: list[tuple[float, float]]) -> Rule:
    (x, y), (other_x, other_y) = points
    return Rule(min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y))


def _matrix(handle: Any) -> Matrix:  # noqa: ANN401 - a pointer
    import pypdfium2.raw as pdfium

    found = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(handle, found):
        return _WHOLE
    return found.a, found.b, found.c, found.d, found.e, found.f


def _product(first: Matrix, second: Matrix) -> Matrix:
    """The matrix that does the first, then the second."""
    a, b, c, d, e, f = first
    x, y = _through(second, e, f)
    A, B, C, D, *_ = second  # noqa: N806 - the letters of the standard
    return a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, x, y


def _through(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
