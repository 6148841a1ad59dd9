"""Pictures of a PDF's pages and figures, and marked copies, made by a separate process with bounded time and memory.

Drawing an untrusted page can take any amount of both, or crash PDFium. A figure is cut from its page:

    its caption → images and drawings above it, else below it, while no line of text is between → their box, with the
    words in it and beside its axes

Where no picture is found at a caption, the page is drawn with the caption marked.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from programs.errors import IngestError
from programs.ingest.document import Place
from programs.results.highlighting import Box, annotate, mark, part_of_line

SECONDS = 20.0
"""To draw a page; one of a paper takes less than one second."""
_MOST_PIXELS = 6_000_000
_SMALLEST_SCALE, _LARGEST_SCALE = 0.05, 8.0
_OPEN = "open it in a viewer"

_FARTHEST = 40.0
"""Points between a caption and its picture, or between two parts of a picture."""
_AXIS = 60.0
"""Points beside a drawing in which the words of its axes are."""
_LEAST = 40.0
"""Points that a picture is wide and high at least."""
_WHOLE = 0.8
"""Share of the page from which on something drawn is the page's ground, and left out of pictures."""
_RIM = 4.0
_PROSE_WORDS = 8
"""A line of as many words between caption and picture is text of the paper."""


def page_image(path: Path, page: int, marked: Sequence[tuple[Place, int, int]], width: int) -> bytes:
    """A page of a PDF, from 1, as PNG, with the spans of its lines marked.

    ``width`` is in pixels; it is less where the page is so long that the picture would become too large.

    Raises:
        IngestError: It cannot be drawn, or not in time.
    """
    asked = {"page": page, "marked": [[list(line), *span] for line, *span in marked], "width": width}
    return _apart(path, "page", asked, f"page {page} could not be drawn")


def figure_image(path: Path, caption: Sequence[Place], lines: Sequence[tuple[Place, int]], width: int) -> bytes:
    """The picture above or below a caption, cut from its page as PNG; the page where none is found.

    Args:
        path: The PDF.
        caption: The lines of the caption on one page.
        lines: Other lines of that page, each with its number of words.
        width: Of the picture, in pixels.

    Raises:
        IngestError: It cannot be drawn, or not in time.
    """
    asked = {
        "page": caption[0].page,
        "caption": list(map(list, caption)),
        "lines": [[*line, number] for line, number in lines],
        "width": width,
    }
    return _apart(path, "figure", asked, f"a figure on page {caption[0].page} could not be drawn")


def marked_copy(path: Path, marks: Mapping[tuple[int, int], tuple[str, Sequence[Place]]]) -> bytes:
    """A copy of a PDF in which spans of its text are marked, each with a note and the lines that it is on.

    Raises:
        IngestError: It cannot be made, or not in time.
    """
    asked = {"marks": [[*span, note, list(map(list, places))] for span, (note, places) in marks.items()]}
    return _apart(path, "copy", asked, "it could not be marked")


def _apart(path: Path, what: str, asked: Mapping[str, Any], failed: str) -> bytes:
    code = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from programs.results.drawing import main; main()"
    try:
        made = subprocess.run(  # noqa: S603 - this interpreter, and a module of ours
            [sys.executable, "-c", code, json.dumps(sys.path)],
            input=json.dumps({**asked, "path": str(path), "what": what}).encode(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise IngestError(path, f"{failed} in {SECONDS:.0f} seconds", _OPEN) from error
    if made.returncode or not made.stdout:
        said = made.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise IngestError(path, f"{failed} ({said or f'exit code {made.returncode}'})", _OPEN)
    return made.stdout


def main() -> None:
    """Make what is asked for on the standard input, onto the standard output."""
    from programs.ingest.reader_processes import limit_memory

    limit_memory()
    import pypdfium2

    asked = json.load(sys.stdin)
    makers = {"page": _page, "figure": _figure, "copy": _copy}
    with pypdfium2.PdfDocument(asked["path"]) as pdf:
        sys.stdout.buffer.write(makers[asked["what"]](pdf, asked))


def _page(pdf: Any, asked: Mapping[str, Any]) -> bytes:  # noqa: ANN401 - pypdfium2 has no types
    page = pdf[asked["page"] - 1]
    boxes = [part_of_line(page, Place(*line), start, end) for line, start, end in asked["marked"]]
    if boxes:
        annotate(page, boxes, "")
    return _png(page, asked["width"])


def _figure(pdf: Any, asked: Mapping[str, Any]) -> bytes:  # noqa: ANN401 - pypdfium2 has no types
    page, caption = pdf[asked["page"] - 1], [Place(*each) for each in asked["caption"]]
    prose = [_box(Place(*line)) for *line, number in asked["lines"] if number >= _PROSE_WORDS]
    found = None if page.get_rotation() else figure_box(page, _around(map(_box, caption)), prose)
    if found is None:
        annotate(page, list(map(_box, caption)), "")
    return _png(page, asked["width"], found)


def _copy(pdf: Any, asked: Mapping[str, Any]) -> bytes:  # noqa: ANN401 - pypdfium2 has no types
    for start, end, note, places in asked["marks"]:
        mark(pdf, [Place(*each) for each in places], (start, end), note)
    written = io.BytesIO()
    pdf.save(written)
    return written.getvalue()


def _png(page: Any, width: int, part: Box | None = None) -> bytes:  # noqa: ANN401 - pypdfium2 has no types
    """A page, or a part of one, as a picture."""
    across, down = page.get_size()
    crop = (0.0, 0.0, 0.0, 0.0)
    if part is not None:
        crop = (part.left, part.bottom, across - part.right, down - part.top)
        across, down = part.right - part.left, part.top - part.bottom
    scale = min(width / across, (_MOST_PIXELS / (across * down)) ** 0.5)
    scale = min(max(scale, _SMALLEST_SCALE), _LARGEST_SCALE)
    written = io.BytesIO()
    page.render(scale=scale, crop=crop, may_draw_forms=False).to_pil().save(written, "PNG")
    return written.getvalue()


def figure_box(page: Any, caption: Box, prose: Sequence[Box]) -> Box | None:  # noqa: ANN401 - pypdfium2 has no types
    """Where the picture of a caption is, in points from the lower left corner of the crop box; None where none is."""
    drawn = _drawn_objects(page)
    for turned in (False, True):  # above the caption, else below it
        at, parts, lines = (_turned(each, turned) for each in ([caption], drawn, prose))
        grown = _grown(at[0], [each for each in parts if each.bottom >= at[0].top - _RIM], lines)
        if grown is not None:
            (found,) = _turned([grown], turned)
            return _with_words(page, found, caption, prose)
    return None


def _grown(caption: Box, parts: Sequence[Box], prose: Sequence[Box]) -> Box | None:
    """The parts above a caption that reach up from it without a gap or a line of text between."""
    taken: list[Box] = []
    whole = caption
    for part in sorted(parts, key=lambda each: each.bottom):
        is_over = part.left < whole.right and whole.left < part.right
        between = (line for line in prose if line.bottom >= whole.top - _RIM and line.top <= part.bottom + _RIM)
        is_apart = any(line.left < whole.right and whole.left < line.right for line in between)
        if is_over and part.bottom - whole.top <= _FARTHEST and not is_apart:
            taken.append(part)
            whole = _around([whole, part])
    if not taken:
        return None
    found = _around(taken)
    is_picture = found.right - found.left >= _LEAST and found.top - found.bottom >= _LEAST
    return found if is_picture else None


def _with_words(page: Any, found: Box, caption: Box, prose: Sequence[Box]) -> Box:  # noqa: ANN401 - as above
    """A box widened by the words at its edges, which are those of axes, and a rim, within the page."""
    x, y = page.get_cropbox()[:2]
    across, down = page.get_size()
    text, whole = page.get_textpage(), found
    try:
        for number in range(text.count_rects()):
            left, bottom, right, top = text.get_rect(number)
            word = Box(left - x, bottom - y, right - x, top - y)
            is_beside = found.left - _AXIS <= word.left and word.right <= found.right + _AXIS
            is_level = found.bottom - _RIM * 4 <= word.bottom and word.top <= found.top + _RIM * 4
            if is_beside and is_level and not any(_overlap(word, each) for each in (caption, *prose)):
                whole = _around([whole, word])
    finally:
        text.close()
    return Box(
        max(whole.left - _RIM, 0),
        max(whole.bottom - _RIM, 0),
        min(whole.right + _RIM, across),
        min(whole.top + _RIM, down),
    )


def _drawn_objects(page: Any) -> list[Box]:  # noqa: ANN401 - pypdfium2 has no types
    """The boxes of images and drawings on a page, without what is the ground of it."""
    from pypdfium2 import raw

    kinds = [raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING, raw.FPDF_PAGEOBJ_FORM]
    x, y = page.get_cropbox()[:2]
    across, down = page.get_size()
    found = []
    for each in page.get_objects(kinds, max_depth=1):
        left, bottom, right, top = each.get_bounds()
        box = Box(max(left - x, 0), max(bottom - y, 0), min(right - x, across), min(top - y, down))
        area = (box.right - box.left) * (box.top - box.bottom)
        if box.left <= box.right and box.bottom <= box.top and area < _WHOLE * across * down:
            found.append(box)
    return found


def _box(place: Place) -> Box:
    return Box(place.left, place.bottom, place.right, place.top)


def _around(boxes: Any) -> Box:  # noqa: ANN401 - any iterable of boxes
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return Box(min(lefts), min(bottoms), max(rights), max(tops))


def _turned(boxes: Sequence[Box], upside_down: bool) -> list[Box]:
    return [Box(each.left, -each.top, each.right, -each.bottom) if upside_down else each for each in boxes]


def _overlap(one: Box, other: Box) -> bool:
    is_level = one.bottom < other.top and other.bottom < one.top
    return is_level and one.left < other.right and other.left < one.right
