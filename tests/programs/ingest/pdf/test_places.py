"""Every line of a PDF is kept with its page and box, also where the page is turned or cropped."""

import pytest
from pypdfium2 import PdfDocument
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from programs.ingest.pdf import read

PAGES = (
    ("We grew a large popu-", "lation of yeast in the", "cold of two winters."),
    ("Summers were warm, and", "none of the strains", "died before harvest."),
)


def write(path, pages=1, crop=None):
    canvas = Canvas(str(path), pagesize=A4, cropBox=crop)
    for lines in PAGES[:pages]:
        for number, line in enumerate(lines):
            canvas.setFont("Times-Roman", 10)
            canvas.drawString(100, 700 - 12 * number, line)
        canvas.showPage()
    canvas.save()
    return path


def test_each_line_has_its_part_of_the_text_and_its_box(tmp_path):
    document = read(write(tmp_path / "a.pdf"))
    assert [document.text[place.start : place.end] for place in document.places] == [
        "We grew a large popu",
        "lation of yeast in the",
        "cold of two winters.",
    ]
    for number, place in enumerate(document.places):
        assert place.page == 1
        assert (place.left, place.bottom) == pytest.approx((100, 700 - 12 * number), abs=3)
        assert place.right > place.left + 70
        assert 6 < place.top - place.bottom < 12


def test_boxes_are_counted_from_the_crop_box(tmp_path):
    place = read(write(tmp_path / "a.pdf", crop=(90, 80, 500, 800))).places[0]
    assert (place.left, place.bottom) == pytest.approx((10, 620), abs=3)


def test_a_turned_page_has_the_boxes_of_the_page_as_it_stands_in_the_file(tmp_path):
    plain = read(write(tmp_path / "a.pdf"))
    with PdfDocument(tmp_path / "a.pdf") as pdf:
        pdf[0].set_rotation(90)
        pdf.save(tmp_path / "turned.pdf")
    turned = read(tmp_path / "turned.pdf")
    assert (turned.text, turned.places) == (plain.text, plain.places)


def test_a_span_has_the_places_of_its_lines(tmp_path):
    document = read(write(tmp_path / "a.pdf", pages=2))
    start = document.text.index("population")
    assert document.places_of(start, start + len("population")) == document.places[:2]
    assert document.places_of(0, len(document.text)) == document.places
    assert {place.page for place in document.places} == {1, 2}


def test_each_row_of_a_table_has_its_own_box(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=A4)
    canvas.setFont("Times-Roman", 10)
    rows = [("Strain", "Days of life", "Days in cold"), ("wild type", "12.4 ± 1.1", "8.2"), ("sir2", "< 9.1", "7.9")]
    canvas.drawString(60, 748, "Table 1. Days of life.")
    canvas.line(55, 740, 400, 740)
    for number, row in enumerate(rows):
        for left, cell in zip((60, 180, 300), row, strict=True):
            canvas.drawString(left, 724 - 16 * number, cell)
    canvas.line(55, 686, 400, 686)
    canvas.save()
    document = read(tmp_path / "a.pdf")
    written = [f"| {' | '.join(row)} |" for row in rows]
    assert document.text.endswith("\n".join(written))
    for number, row in enumerate(written):
        start = document.text.index(row)
        (place,) = document.places_of(start, start + len(row))
        assert document.text[place.start : place.end] == row
        assert place.bottom == pytest.approx(724 - 16 * number, abs=3)
