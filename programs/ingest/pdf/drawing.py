"""Takes what is drawn off one page of a PDF: its straight lines, and what is seen of its text."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from programs.ingest.pdf.layout import Rule

Box = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float]

# A line is thinner than this and longer than that, in points. A page with more paths than this has drawings on it, and
# a path of more parts is one.
_MAX_THICKNESS = 3.0
_MIN_LENGTH = 8.0
_SLANT = 0.5
_MAX_PATHS = 5_000
_MAX_SEGMENTS = 2_000
_MAX_FORM_DEPTH = 4
_WHOLE: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

_MOST_OF_PAGE = 0.7

# Letters protrude slightly from what clips them.
_CLIP_MARGIN = 2.0
_ALL: Final[Box] = (-1e9, -1e9, 1e9, 1e9)
_WHITE = 255


@dataclass(frozen=True, slots=True)
class PageDrawing:
    """What is drawn on a page, in points.

    Attributes:
        rules: The straight level and upright lines, with the sides of boxes.
        clips: What is seen of a text object (left, bottom, right, top), by the object's address; all of any other.
    """

    rules: tuple[Rule, ...]
    clips: dict[int, Box]


def drawing(page: PdfPage) -> PageDrawing:
    """What is drawn on a page."""
    handles = [pdfium.FPDFPage_GetObject(page, index) for index in range(pdfium.FPDFPage_CountObjects(page))]
    rules: list[Rule] = []
    for paths, (path, matrix) in enumerate(_paths(iter(handles), _WHOLE, 0)):
        if paths > _MAX_PATHS:
            break
        rules += _lines_in(path, matrix)
    return PageDrawing(tuple(rules), dict(_clips(handles)))


def is_picture(page: PdfPage) -> bool:
    """Whether images cover most of a page, as the strips of a scan do."""
    images = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=_MAX_FORM_DEPTH)
    return sum(_area(image.get_bounds()) for image in images) >= _MOST_OF_PAGE * _area(page.get_cropbox())


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _clips(handles: list[Any]) -> Iterator[tuple[int, Box]]:
    """What is seen of text that something clips, also inside forms; nothing for white text on a white background."""
    texts = [each for each in handles if pdfium.FPDFPageObj_GetType(each) == pdfium.FPDF_PAGEOBJ_TEXT]
    white = [each for each in texts if _is_white(each)]
    ground = [_bounds(each) for each in handles if white and _is_painted(each)]
    yield from _clipped(handles, _WHOLE, _ALL, 0)
    for handle in white:
        left, bottom, right, top = _bounds(handle)
        x, y = (left + right) / 2, (bottom + top) / 2
        if not any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in ground):
            yield _address(handle), (0.0, 0.0, -1.0, -1.0)


def _clipped(handles: Iterable[Any], matrix: Matrix, seen: Box, depth: int) -> Iterator[tuple[int, Box]]:
    """What is seen of text objects.

    Args:
        handles: Objects of the page, or of one form.
        matrix: From their space to the page's.
        seen: What is seen of what they stand in, in the page's space.
        depth: How many forms they stand in.
    """
    for handle in handles:
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            left, bottom, right, top = box = _seen(handle, matrix, seen)
            if box != _ALL:
                margin = _CLIP_MARGIN
                yield _address(handle), (left - margin, bottom - margin, right + margin, top + margin)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_FORM_DEPTH:
            inside = _product(_matrix(handle), matrix)
            yield from _clipped(_objects(handle), inside, _seen(handle, matrix, seen), depth + 1)


def _seen(handle: Any, matrix: Matrix, seen: Box) -> Box:  # noqa: ANN401 - a pointer
    """What an object's own clip leaves of what is seen where it stands, in the page's space."""
    clip = pdfium.FPDFPageObj_GetClipPath(handle)
    for number in range(pdfium.FPDFClipPath_CountPaths(clip) if clip else 0):
        box = _clip_box(clip, number, matrix)
        seen = (max(seen[0], box[0]), max(seen[1], box[1]), min(seen[2], box[2]), min(seen[3], box[3]))
    return seen


def _objects(form: Any) -> Iterator[Any]:  # noqa: ANN401 - a pointer
    return (pdfium.FPDFFormObj_GetObject(form, index) for index in range(pdfium.FPDFFormObj_CountObjects(form)))


def _address(handle: Any) -> int:  # noqa: ANN401 - a pointer
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _is_white(handle: Any) -> bool:  # noqa: ANN401 - a pointer
    colour = [ctypes.c_uint() for _ in range(4)]
    return bool(pdfium.FPDFPageObj_GetFillColor(handle, *colour)) and min(each.value for each in colour[:3]) == _WHITE


def _is_painted(handle: Any) -> bool:  # noqa: ANN401 - a pointer
    """Whether an object may be a background for white text: anything but text and white paths."""
    kind = pdfium.FPDFPageObj_GetType(handle)
    return kind != pdfium.FPDF_PAGEOBJ_TEXT and not (kind == pdfium.FPDF_PAGEOBJ_PATH and _is_white(handle))


def _bounds(handle: Any) -> Box:  # noqa: ANN401 - a pointer
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    pdfium.FPDFPageObj_GetBounds(handle, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


def _clip_box(clip: Any, number: int, matrix: Matrix) -> Box:  # noqa: ANN401 - a pointer
    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[tuple[float, float]] = []
    for index in range(pdfium.FPDFClipPath_CountPathSegments(clip, number)):
        pdfium.FPDFPathSegment_GetPoint(pdfium.FPDFClipPath_GetPathSegment(clip, number, index), x, y)
        points.append(_through(matrix, x.value, y.value))
    if not points:
        return _ALL
    return min(x for x, _ in points), min(y for _, y in points), max(x for x, _ in points), max(y for _, y in points)


def _paths(handles: Iterator[Any], matrix: Matrix, depth: int) -> Iterator[tuple[Any, Matrix]]:
    """All paths, also those inside forms, with the matrix from their space to the page's."""
    for handle in handles:
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            yield handle, matrix
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_FORM_DEPTH:
            yield from _paths(_objects(handle), _product(_matrix(handle), matrix), depth + 1)


def _lines_in(path: Any, matrix: Matrix) -> Iterator[Rule]:  # noqa: ANN401 - a pointer
    """The lines that a path draws: itself if it is thin, else its straight parts if it is stroked or made of boxes."""
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
    sides = list(_sides(path, count, _product(_matrix(path), matrix)))
    if not stroke.value and _is_white(path):  # a background of cells; some programs draw one for each line of text
        sides = [side for side in sides if not side.is_level]
    if stroke.value or all(_is_straight(side) for side in sides):
        yield from filter(_is_rule, sides)


def _sides(path: Any, count: int, matrix: Matrix) -> Iterator[Rule]:  # noqa: ANN401 - a pointer
    """The parts of a path from point to point; a curve is as the straight line between its points."""
    start = last = (0.0, 0.0)
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = _through(matrix, x.value, y.value)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        else:
            yield _box([last, point])
        last = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield _box([last, start])
            last = start


def _is_straight(box: Rule) -> bool:
    return min(box.right - box.left, box.top - box.bottom) <= _SLANT


def _is_rule(box: Rule) -> bool:
    sides = sorted((box.right - box.left, box.top - box.bottom))
    return sides[0] <= _MAX_THICKNESS and sides[1] >= _MIN_LENGTH


def _box(points: list[tuple[float, float]]) -> Rule:
    (x, y), (other_x, other_y) = points
    return Rule(min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y))


def _matrix(handle: Any) -> Matrix:  # noqa: ANN401 - a pointer
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
