"""A figure is cut from its page at its caption, wherever that is; without a picture there the page is drawn."""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from programs.ingest.document import Place
from programs.results.drawing import figure_box, figure_image
from programs.results.highlighting import Box

WIDTH, HEIGHT = A4
PICTURE = Box(60, 400, 260, 560)
ABOVE, BELOW = Box(60, 570, 260, 580), Box(60, 380, 260, 390)
PROSE = Box(50, 392, 290, 398)


def page_with(path: Path, *, is_drawn: bool = True, ground: bool = False) -> Path:
    """A page with a drawing, words on its axes, and text in a second column."""
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Helvetica", 8)
    if ground:
        canvas.setFillColorRGB(0.9, 1, 0.9)
        canvas.rect(0, 0, WIDTH, HEIGHT, stroke=0, fill=1)
        canvas.setFillColorRGB(0, 0, 0)
    if is_drawn:
        canvas.rect(PICTURE.left, PICTURE.bottom, 200, 100)
        canvas.line(PICTURE.left, 500, PICTURE.right, PICTURE.top)
        canvas.drawString(34, 450, "Days")
    canvas.drawString(310, 450, "Text of another column, which is no part of the figure at all")
    canvas.showPage()
    canvas.save()
    return path


@pytest.mark.parametrize("caption", [ABOVE, BELOW])
@pytest.mark.parametrize("ground", [False, True])
def test_the_drawing_is_found_above_and_below_its_caption(tmp_path: Path, caption: Box, ground: bool) -> None:
    with pypdfium2.PdfDocument(page_with(tmp_path / "a.pdf", ground=ground)) as pdf:
        found = figure_box(pdf[0], caption, [Box(310, 448, 560, 458)])
    assert found is not None
    assert found.left <= 34, "the words of its axis are part of it"
    assert found.right < 310
    assert found.bottom == pytest.approx(PICTURE.bottom, abs=8)
    assert found.top == pytest.approx(PICTURE.top, abs=8)


def test_a_drawing_behind_a_line_of_text_belongs_to_no_caption(tmp_path: Path) -> None:
    with pypdfium2.PdfDocument(page_with(tmp_path / "a.pdf")) as pdf:
        assert figure_box(pdf[0], BELOW, [PROSE]) is None
        assert figure_box(pdf[0], Box(60, 100, 260, 110), []) is None, "and one that is far away to none either"
        assert figure_box(pdf[0], Box(310, 380, 560, 390), []) is None, "nor one of the other column"


@pytest.mark.parametrize(("is_drawn", "is_whole"), [(True, False), (False, True)])
def test_without_a_picture_the_page_is_drawn(tmp_path: Path, is_drawn: bool, is_whole: bool) -> None:
    place = Place(0, 10, 1, *BELOW)
    drawn = figure_image(page_with(tmp_path / "a.pdf", is_drawn=is_drawn), [place], [], 400)
    picture = Image.open(io.BytesIO(drawn))
    assert picture.width == pytest.approx(400, abs=2)
    assert (picture.height / picture.width == pytest.approx(HEIGHT / WIDTH, abs=0.02)) is is_whole
