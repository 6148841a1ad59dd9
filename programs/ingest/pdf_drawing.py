"""Takes what is drawn off one page of a PDF: its straight lines, and what is seen of its text."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from programs.ingest.page_layout import Rule

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

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

# Letters stand out of what clips them by a little.
_CLIP_MARGIN = 2.0
_EVERYWHERE = 1e9
_WHITE = 255


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn on a page, in points.

    Attributes:
        rules: The straight level and upright lines, with the sides of boxes.
        clips: What is seen of a text object (left, bottom, right, top), by the object's address; all of any other.
    """

    rules: tuple[Rule, ...]
    clips: dict[int, Box]


def drawing(page: PdfPage) -> Drawing:
    """What is drawn on a page."""
    import pypdfium2.raw as pdfium

    handles = [pdfium.FPDFPage_GetObject(page, index) for index in range(pdfium.FPDFPage_CountObjects(page))]
    rules: list[Rule] = []
    for paths, (path, matrix) in enumerate(_paths(iter(handles), _WHOLE, 0)):
        if paths > _MAX_PATHS:
            break
        rules += _lines_in(path, matrix)
    return Drawing(tuple(rules), dict(_clips(handles)))


def _clips(handles: list[Any]) -> Iterator[tuple[int, Box]]:
    """What is seen of the page's own text objects that something clips; nothing of white ones on white ground."""
    import pypdfium2.raw as pdfium

    texts = [each for each in handles if pdfium.FPDFPageObj_GetType(each) == pdfium.FPDF_PAGEOBJ_TEXT]
    white = [each for each in texts if _is_white(each)]
    ground = [_bounds(each) for each in handles if white and _is_painted(each)]
    for handle in white:
        left, bottom, right, top = _bounds(handle)
        x, y = (left + right) / 2, (bottom + top) / 2
        if not any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in ground):
            yield ctypes.cast(handle, ctypes.c_void_p).value or 0, (0.0, 0.0, -1.0, -1.0)
            texts.remove(handle)
    for handle in texts:
        clip = pdfium.FPDFPageObj_GetClipPath(handle)
        boxes = [_clip_box(clip, number) for number in range(pdfium.FPDFClipPath_CountPaths(clip))] if clip else []
        if boxes:
            lefts, bottoms, rights, tops = zip(*boxes, strict=True)
            address = ctypes.cast(handle, ctypes.c_void_p).value or 0
            yield (
                address,
                (
                    max(lefts) - _CLIP_MARGIN,
                    max(bottoms) - _CLIP_MARGIN,
                    min(rights) + _CLIP_MARGIN,
                    min(tops) + _CLIP_MARGIN,
                ),
            )


def _is_white(handle: Any) -> bool:  # noqa: ANN401 - a pointer
    import pypdfium2.raw as pdfium

    colour = [ctypes.c_uint() for _ in range(4)]
    return bool(pdfium.FPDFPageObj_GetFillColor(handle, *colour)) and min(each.value for each in colour[:3]) == _WHITE


def _is_painted(handle: Any) -> bool:  # noqa: ANN401 - a pointer
    """Whether an object may be a ground for white text: anything but text and white paths."""
    import pypdfium2.raw as pdfium

    kind = pdfium.FPDFPageObj_GetType(handle)
    return kind != pdfium.FPDF_PAGEOBJ_TEXT and not (kind == pdfium.FPDF_PAGEOBJ_PATH and _is_white(handle))


def _bounds(handle: Any) -> Box:  # noqa: ANN401 - a pointer
    import pypdfium2.raw as pdfium

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    pdfium.FPDFPageObj_GetBounds(handle, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


def _clip_box(clip: Any, number: int) -> Box:  # noqa: ANN401 - a pointer
    import pypdfium2.raw as pdfium

    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[tuple[float, float]] = []
    for index in range(pdfium.FPDFClipPath_CountPathSegments(clip, number)):
        pdfium.FPDFPathSegment_GetPoint(pdfium.FPDFClipPath_GetPathSegment(clip, number, index), x, y)
        points.append((x.value, y.value))
    if not points:
        return -_EVERYWHERE, -_EVERYWHERE, _EVERYWHERE, _EVERYWHERE
    return min(x for x, _ in points), min(y for _, y in points), max(x for x, _ in points), max(y for _, y in points)


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
    """The lines that a path draws: itself if it is thin, else its straight parts if it is stroked or made of boxes."""
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
    sides = list(_sides(path, count, _product(_matrix(path), matrix)))
    if stroke.value or all(_is_straight(side) for side in sides):
        yield from filter(_is_rule, sides)


def _sides(path: Any, count: int, matrix: Matrix) -> Iterator[Rule]:  # noqa: ANN401 - a pointer
    """The parts of a path from point to point; a curve is as the straight line between its points."""
    import pypdfium2.raw as pdfium

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
