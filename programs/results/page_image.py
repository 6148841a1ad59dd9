"""A page of a PDF as a picture, with the lines of quotes marked; drawn by a process of its own.

Drawing a stranger's page can take any time and memory, and PDFium is one for a whole process: what draws is bounded,
and takes nothing with it when it dies.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from programs.errors import IngestError
from programs.ingest.document import Place

SECONDS = 20.0
"""A page of a paper takes less than one."""
_MOST_PIXELS = 6_000_000
_SMALLEST_SCALE, _LARGEST_SCALE = 0.05, 8.0


def page_image(path: Path, page: int, marked: Sequence[tuple[Place, int, int]], width: int) -> bytes:
    """A page as PNG.

    Args:
        path: The PDF.
        page: Its number, from 1.
        marked: Lines of it, each with the span of the text that is marked.
        width: In pixels; less where the page is so long that the picture would become too large.

    Raises:
        IngestError: It cannot be drawn, or not in time.
    """
    asked = {"path": str(path), "page": page, "marked": [[list(line), *span] for line, *span in marked], "width": width}
    code = (
        "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from programs.results.page_image import main; main()"
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


_OPEN = "open it in a viewer"


def main() -> None:
    """Draw what stands on the standard input, onto the standard output."""
    from programs.ingest.reading import limit_memory

    limit_memory()
    asked = json.load(sys.stdin)
    marked = [(Place(*line), start, end) for line, start, end in asked["marked"]]
    sys.stdout.buffer.write(_drawn(Path(asked["path"]), asked["page"], marked, asked["width"]))


def _drawn(path: Path, number: int, marked: Sequence[tuple[Place, int, int]], width: int) -> bytes:
    import pypdfium2

    from programs.results.highlighting import annotate, part_of_line

    with pypdfium2.PdfDocument(path) as pdf:
        page = pdf[number - 1]
        boxes = [part_of_line(page, line, start, end) for line, start, end in marked]
        if boxes:
            annotate(page, boxes, "")
        picture = page.render(scale=_scale(page, width), may_draw_forms=False).to_pil()
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


def _scale(page: Any, width: int) -> float:  # noqa: ANN401 - pypdfium2 has no types
    across, down = page.get_size()
    scale = min(width / across, (_MOST_PIXELS / (across * down)) ** 0.5)
    return float(min(max(scale, _SMALLEST_SCALE), _LARGEST_SCALE))
