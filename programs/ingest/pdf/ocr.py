"""Reads the pages of a PDF that are pictures, by RapidOCR, whose wheel holds its models (PaddleOCR, Apache-2.0).

It runs in a separate process with a budget of seconds; pages that it does not reach stay unread, and are named. It
reads English and other languages in Latin script, Chinese and Japanese, no handwriting; signs such as ± and
superscripts may be lost. Nothing is downloaded.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from threading import Timer
from typing import Any, Final, TypeAlias

import numpy
from pypdfium2 import PdfDocument

from programs.extras import lacking
from programs.ingest.pdf.pages import MIN_OF_PAGE, PrintedPage, turned
from programs.ingest.pdf.reading_order import TextRun
from programs.ingest.reader_processes import command_of, limit_memory

SECONDS: Final = 300.0
"""Limit for all scanned pages of one paper; a full page takes 2 to 15 seconds, depending on the machine."""

_SCALE = 150 / 72
_MOST_PIXELS = 12_000_000
_LEAST_SCORE = 0.6
# Print on its head is read with less than this on average, upright print with more.
_SURE_SCORE = 0.85
# A line's box is higher than its print, and lower where no letter goes below the line: what differs by less is one
# size.
_PRINT_OF_BOX = 0.75
_BASELINE = 0.22
_ONE_SIZE = 0.25

Recognised: TypeAlias = tuple[str, float, float, float, float]
"""A line, and its box in points from the lower left corner of the page as it is viewed."""


def with_scans_read(path: Path, pages: Sequence[PrintedPage]) -> tuple[tuple[PrintedPage, ...], tuple[int, ...]]:
    """Pages with the text of those that are pictures, where OCR is installed, and the numbers of those, from 0."""
    scans = sorted({page.number for page in pages if page.is_scan})
    if not scans or lacking("ocr"):
        return tuple(pages), ()
    read = recognised(path, scans)  # those with more on them than a library's stamp are kept
    found = {each: read[each] for each in read if sum(len(run.text) for run in read[each].runs) >= MIN_OF_PAGE}
    first = {page.number: place for place, page in reversed(list(enumerate(pages)))}
    kept = [
        found.get(page.number, page)
        for place, page in enumerate(pages)
        if page.number not in found or first[page.number] == place
    ]
    return tuple(kept), tuple(found)


def recognised(path: Path, numbers: Sequence[int], seconds: float = SECONDS) -> dict[int, PrintedPage]:
    """What is on pages, by their number from 0; those that were not reached in time are missing."""
    with subprocess.Popen(  # noqa: S603 - this interpreter, and a module of ours
        command_of(__name__, str(path), json.dumps(list(numbers))),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="ascii",
    ) as running:
        late = Timer(seconds, running.kill)
        late.start()
        try:
            said = list(running.stdout or ())
        finally:
            late.cancel()
    # A line cut off by the end of its process is dropped.
    return {page.number: page for page in (_page(json.loads(line)) for line in said if line.endswith("\n"))}


def _page(said: Mapping[str, Any]) -> PrintedPage:
    lines, whole, turns, number = said["lines"], said["box"], said["turns"], said["page"]
    left, bottom, _, _ = turned(tuple(whole), turns)
    runs = [TextRun(text, left + x, bottom + y, left + far, bottom + top, top - y) for text, x, y, far, top in lines]
    return PrintedPage(tuple(_sized(runs)), number=number, turns=turns, origin=(whole[0], whole[1]))


def _sized(runs: Sequence[TextRun]) -> Iterator[TextRun]:
    """Runs with the size of their print: most lines have the same, however high their boxes are."""
    usual = median(run.size for run in runs) if runs else 0.0
    for run in runs:
        is_usual = abs(run.size - usual) <= _ONE_SIZE * usual
        size = (usual if is_usual else run.size) * _PRINT_OF_BOX
        yield replace(run, size=round(size, 1), baseline=run.bottom + _BASELINE * run.size)


def main() -> None:
    """Read the pages that the arguments name, and write each on its own line as soon as it is read."""
    limit_memory()
    path, numbers = Path(sys.argv[2]), json.loads(sys.argv[3])
    for page in _read(path, numbers):
        sys.stdout.write(json.dumps(page) + "\n")
        sys.stdout.flush()


def _read(path: Path, numbers: Iterable[int]) -> Iterator[dict[str, Any]]:
    engine = _engine()
    with PdfDocument(path) as document:
        for number in numbers:
            page = document[number]
            across, down = page.get_size()
            scale = min(_SCALE, (_MOST_PIXELS / (across * down)) ** 0.5)
            picture = page.render(scale=scale, may_draw_forms=False).to_numpy()[:, :, :3]
            turn, found = _upright(engine, picture)
            lines = list(_lines(found, scale, across if turn % 2 else down)) if found.txts else []
            turns = (page.get_rotation() // 90 + turn) % 4
            yield {"page": number, "box": list(page.get_cropbox()), "turns": turns, "lines": lines}


def _upright(engine: Any, picture: Any) -> tuple[int, Any]:  # noqa: ANN401
    """Quarter turns to the right after which a page that lies on its side or head is upright, and what is read then."""
    found = engine(picture, use_cls=False)
    if not found.txts:
        return 0, found
    tall = sum(numpy.ptp(box[:, 1]) > numpy.ptp(box[:, 0]) for box in found.boxes)
    on_side = 2 * tall > len(found.boxes)
    if not on_side and sum(found.scores) >= _SURE_SCORE * len(found.scores):
        return 0, found
    read = [(0, found)] * (not on_side)
    read += [(turn, engine(numpy.rot90(picture, -turn), use_cls=False)) for turn in ((1, 3) if on_side else (2,))]
    return max(read, key=lambda each: sum(map(len, each[1].txts or ())) and sum(each[1].scores) / len(each[1].scores))


def _engine() -> Any:  # noqa: ANN401 - as the library's are
    """The reader, with the models from its package; by default it would download others."""
    import rapidocr

    models = Path(rapidocr.__file__).parent / "models"
    (detector,), (reader,) = models.glob("*_det_*.onnx"), models.glob("*_rec_*.onnx")
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "Det.model_path": str(detector),
            "Rec.model_path": str(reader),
        }
    )


def _lines(found: Any, scale: float, down: float) -> Iterator[Recognised]:  # noqa: ANN401
    for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True):
        if score >= _LEAST_SCORE and text.strip():
            across, upright = [float(x) for x, _ in box], [float(y) for _, y in box]
            left, right = min(across) / scale, max(across) / scale
            yield text.strip(), left, down - max(upright) / scale, right, down - min(upright) / scale
