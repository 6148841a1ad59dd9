"""PDF files whose text is another than what they print: read in another way, or refused with the reason."""

import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from programs.errors import IngestError, NoText, UnreadableText
from programs.ingest import pdf
from programs.ingest.document import Document
from programs.ingest.formats import read
from programs.ingest.pdf import ocr
from programs.ingest.readability import judge_document
from tests.programs.ingest.test_readability import ENGLISH, LANGUAGES, private, shifted
from tests.raw_pdf import write_pdf

LINES = ENGLISH.splitlines()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "paper.pdf"


def test_a_font_with_a_right_map_is_read(file):
    write_pdf(file, LINES, str)
    assert "the strains of budding yeast lived through a long and cold winter" in read(file).text


@pytest.mark.parametrize(
    ("unicode_of", "reason"),
    [
        (shifted, "language is not recognised"),
        (private, "private or control"),
        (lambda _: "\ufffd", "replacements"),
        (lambda _: "\x00", None),
        (None, None),  # without a map
    ],
)
def test_a_font_without_a_right_map_is_refused_with_the_reason_and_the_next_action(file, unicode_of, reason):
    write_pdf(file, LINES, unicode_of)
    with pytest.raises(UnreadableText if reason else IngestError, match=reason) as refused:
        read(file)
    assert "ocrmypdf" in refused.value.action
    assert "JATS" in refused.value.action or not reason


@pytest.mark.parametrize(
    ("font", "unicode_of", "printed", "text"),
    [
        ("CMSY10", None, "ab", "·×"),  # the writer counts the codes of its letters from 1
        ("TeX_CM_Maths_Symbols", None, "ab", "·×"),
        ("Symbol", lambda letter: chr(0xF000 + ord(letter)), "m£5", "μ≤5"),
        ("SymbolMT", lambda letter: {"s": "σ"}.get(letter, letter), "s", "σ"),
        ("CMSY10", str, "a0", "a0"),
    ],
)
def test_signs_of_symbol_fonts_are_known_by_the_name_of_the_font(file, font, unicode_of, printed, text):
    write_pdf(file, [printed], unicode_of, font=font)
    assert pdf.read(file).text == text


@pytest.mark.parametrize(
    ("cover", "reason"),
    [
        ((), "the 3 pages are pictures, with no more text on them than a stamp"),
        (("University of the North repository", "Citation for published version", *LINES[:9]), "behind its cover"),
    ],
)
def test_a_scan_with_a_stamp_or_a_cover_is_refused_with_the_reason(file, cover, reason, monkeypatch):
    monkeypatch.setattr(ocr, "recognised", lambda path, numbers: {})
    canvas = Canvas(str(file), pagesize=A4)
    if cover:
        for number, line in enumerate(cover):
            canvas.drawString(50, 780 - 14 * number, line)
        canvas.showPage()
    canvas.setPageSize((150, 200))
    for _ in range(3):
        canvas.drawImage(ImageReader(Image.new("L", (60, 80), 200)), 5, 5, 140, 190)
        canvas.setFont("Helvetica", 4)
        canvas.drawString(10, 10, "Downloaded from https://journal.example by a reader on 12 May 2025")
        canvas.showPage()
    canvas.save()
    with pytest.raises(NoText, match=reason) as refused:
        read(file)
    assert "ocrmypdf" in refused.value.action


def test_chinese_is_read(file):
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    canvas = Canvas(str(file), pagesize=A4)
    canvas.setFont("STSong-Light", 10)
    for number, line in enumerate(LANGUAGES["zh"].splitlines()):
        canvas.drawString(50, 700 - 15 * number, line)
    canvas.save()
    document = read(file)
    assert "每周更换一次" in document.text
    assert judge_document(document).verdict == "readable"


@pytest.mark.parametrize("is_turned", [True, False])
def test_arabic_is_read_where_its_glyphs_are_drawn_from_the_left(file, is_turned):
    lines = LANGUAGES["ar"].splitlines()
    write_pdf(file, [line[::-1] for line in lines] if is_turned else lines, str)
    document = read(file)
    assert (lines[0] in document.text) == is_turned
    assert judge_document(document).verdict == ("readable" if is_turned else "doubtful")


def test_a_poor_reading_is_made_good_by_the_order_of_the_file(file, monkeypatch):
    """The layout is read wrongly: by taking its words for letters."""
    write_pdf(file, LINES, str)

    def torn(path):
        document = pdf.read_in_file_order(path)
        return Document(document.id, " ".join("".join(document.text.split())))

    monkeypatch.setattr(pdf, "read", torn)
    document = read(file)
    assert "the strains of budding yeast" in document.text
    assert judge_document(document).verdict == "readable"


def test_words_broken_at_line_ends_are_made_whole_in_the_order_of_the_file(file):
    write_pdf(file, ["We measured the lifespan of the whole popu-", "lation of yeast in the cold of the winter."], str)
    assert "the whole population of yeast" in pdf.read_in_file_order(file).text
