"""Scanned pages: read by OCR where the extra is installed, and said to be; else the message names the extra."""

from __future__ import annotations

import io
import time

import pytest

from programs.errors import NoText
from programs.ingest import pdf
from programs.ingest.pdf import ocr
from programs.ingest.readability import SCANNED_PAGES, doubts
from programs.references import item_of

LINES = [
    "Bone loss in flight mice",
    "Results",
    "Trabecular bone volume fell by 18.2 % in flight mice (p = 0.004).",
    "Food intake did not differ between the groups.",
    "The cages had lamps on both sides of the rack.",
]


def scan(path, lines=LINES, rotation=0, lies=0):
    """A PDF of one page that is a picture of text, which viewers turn, or which lies turned to the left."""
    import pypdfium2
    from reportlab.lib.pagesizes import A5, landscape
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    size = landscape(A5)
    printed = io.BytesIO()
    canvas = Canvas(printed, pagesize=size)
    for number, line in enumerate(lines):
        canvas.setFont("Helvetica", 20 if number == 0 else 12)
        canvas.drawString(50, size[1] - 60 - 40 * number, line)
    canvas.save()
    picture = pypdfium2.PdfDocument(printed.getvalue())[0].render(scale=1.5).to_pil()
    picture = picture.rotate(rotation + lies, expand=True)
    size = size[::-1] if (rotation + lies) % 180 else size
    canvas = Canvas(str(path), pagesize=size)
    canvas.drawImage(ImageReader(picture), 0, 0, *size)
    if rotation:
        canvas.setPageRotation(rotation)
    canvas.save()
    return path


@pytest.mark.slow
@pytest.mark.needs("ocr")
@pytest.mark.parametrize("rotation", [0, 90])
def test_a_scan_is_read_with_places_and_says_so(tmp_path, rotation):
    paper = pdf.read(scan(tmp_path / "scan.pdf", rotation=rotation))
    assert "bone volume fell by 18.2 % in flight mice (p = 0.004)" in paper.text.replace("18.2%", "18.2 %")
    (said,) = paper.corrections
    assert said.startswith("read by OCR (pages 1)")
    assert any("read by OCR on pages 1" in each for each in doubts(paper))
    assert SCANNED_PAGES not in paper.metadata
    assert "note" not in item_of(paper, "scan")
    at = paper.text.index("Trabecular")
    (place,) = paper.places_of(at, at + 10)
    assert place.page == 1
    across, height = (place.right - place.left, place.top - place.bottom)[:: -1 if rotation else 1]
    assert across > 300
    assert 8 < height < 25
    assert (place.left if rotation else 419.5 - place.top) == pytest.approx(128, abs=8)


@pytest.mark.slow
@pytest.mark.needs("ocr")
@pytest.mark.parametrize("lies", [180, 270])
def test_a_scan_on_its_side_or_head_is_read_upright(tmp_path, lies):
    paper = pdf.read(scan(tmp_path / "scan.pdf", lies=lies))
    assert paper.text.index("Trabecular") < paper.text.index("Food intake") < paper.text.index("both sides of the rack")
    (place,) = paper.places_of(*(paper.text.index("Trabecular") + by for by in (0, 10)))
    across = place.right - place.left if lies == 180 else place.top - place.bottom
    assert across > 300
    edge = place.bottom if lies == 180 else 419.5 - place.right  # of the page, from its printed top
    assert edge == pytest.approx(128, abs=8)


@pytest.mark.needs("ocr")
def test_pages_that_are_not_reached_in_time_stay_unread(tmp_path):
    began = time.monotonic()
    assert ocr.recognised(scan(tmp_path / "scan.pdf"), [0], seconds=0.1) == {}
    assert time.monotonic() - began < 120  # without the limit a page is read for as long as it takes


def test_without_the_extra_the_message_names_it(tmp_path, monkeypatch):
    monkeypatch.setattr(ocr, "lacking", lambda extra: ("rapidocr",))
    monkeypatch.setattr(pdf, "lacking", lambda extra: ("rapidocr",))
    with pytest.raises(NoText, match=r"corroborate-papers\[ocr\]"):
        pdf.read(scan(tmp_path / "scan.pdf"))
