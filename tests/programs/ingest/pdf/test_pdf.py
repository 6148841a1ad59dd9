"""PDF files of all kinds, made by reportlab as the tests go."""

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

from programs.errors import EncryptedFile, IngestError, NoText, UnsafeFile, UnsupportedFormat
from programs.ingest.pdf import pages as pdf_pages
from programs.ingest.pdf import read
from programs.ingest.pdf.characters import is_bold
from tests.printed_papers import write_flowing, write_lines

BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=10, leading=12, alignment=4, firstLineIndent=10)
HEADING = ParagraphStyle("heading", fontName="Times-Bold", fontSize=12, leading=15, spaceBefore=8, spaceAfter=3)
RUN_IN = ParagraphStyle("run in", fontName="Times-Bold", fontSize=10, leading=12, spaceBefore=6)
TITLE = ParagraphStyle("title", fontName="Times-Bold", fontSize=16, leading=19, spaceAfter=6)
CAPTION = ParagraphStyle("caption", fontName="Times-Roman", fontSize=8, leading=9.5, spaceBefore=6, spaceAfter=6)
REFERENCE = ParagraphStyle(
    "reference", fontName="Times-Roman", fontSize=9, leading=11, leftIndent=12, firstLineIndent=-12
)

SENTENCES = [
    f"In the {place} trial we measured how {number} strains of budding yeast lived through a long and cold winter."
    for number, place in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "last"), start=20
    )
]
LONG = " ".join(SENTENCES)

PAPER = [
    ("Cold winters and the lifespan of budding yeast: a randomised trial", TITLE),
    ("Ada Lovelace and Alan Turing. BMC Cold 2019, 3:45. https://doi.org/10.1186/1741-7015-3-6", CAPTION),
    ("Abstract", HEADING),
    (LONG, BODY),
    ("1 Introduction", HEADING),
    (f"Opening. {LONG}", BODY),
    (f"Second paragraph. {LONG}", BODY),
    ("<b>Figure 1.</b> Growth of the strains in the cold, as a mean of three winters in two laboratories.", CAPTION),
    (f"Third paragraph, which refers to Figure 1. {LONG} {LONG}", BODY),
    ("2 Materials and methods", HEADING),
    ("2.1 Strains", RUN_IN),
    (f"Strains. {LONG} {LONG}", BODY),
    ("Table 2. Strains and their days of life.", CAPTION),
    ("3 Results", HEADING),
    (f"Results. {LONG} {LONG}", BODY),
    ("References", HEADING),
    (
        "1. Smith J, Doe J. The cold and the lifespan of yeast in the long winters of the north. J Cold 2001;1:1-9.",
        REFERENCE,
    ),
    ("2. Doe J. The heat and the lifespan of yeast in the short summers of the south. J Heat 2002;2:2-8.", REFERENCE),
]


def write_paper(path, columns, **information):
    """A paper with running heads and page numbers."""

    def running(canvas, document):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(50, A4[1] - 40, "Lovelace and Turing: Cold winters")
        canvas.drawCentredString(A4[0] / 2, 30, f"Page {document.page} of 4")

    return write_flowing(path, [Paragraph(*each) for each in PAPER], columns, running, **information)


@pytest.fixture(scope="module", params=[1, 2, 3])
def document(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("pdf") / "paper.pdf"
    return read(write_paper(path, request.param, title="Microsoft Word - final.docx", author="Maria Curie"))


def test_columns_are_read_in_order_and_paragraphs_whole(document):
    paragraphs = document.text.split("\n\n")
    assert [text for text, style in PAPER if style in (BODY, REFERENCE) and text not in paragraphs] == []


def test_headings_are_told_by_their_print(document):
    named = [section for section in document.sections if section.heading]
    assert [(section.heading, section.kind, section.level) for section in named] == [
        ("Abstract", "abstract", 1),
        ("Introduction", "introduction", 1),
        ("Materials and methods", "methods", 1),
        ("Strains", "methods", 2),
        ("Results", "results", 1),
        ("References", "references", 1),
    ]
    listed = document.text[named[-1].start : named[-1].end]
    assert listed.split("\n\n") == [text for text, style in PAPER if style is REFERENCE]


def test_title_and_identifiers_come_from_the_first_page(document):
    assert document.title == PAPER[0][0]
    assert document.title not in document.text
    assert (document.id, document.source, document.year) == ("paper", "paper.pdf", 2019)
    assert document.doi == "10.1186/1741-7015-3-6"
    assert "Curie, Maria" not in document.authors, "what the file states of itself is not taken"


def test_captions_become_figures(document):
    assert [(figure.id, figure.label, figure.caption) for figure in document.figures] == [
        ("fig1", "Figure 1", "Growth of the strains in the cold, as a mean of three winters in two laboratories."),
        ("table2", "Table 2", "Strains and their days of life."),
    ]
    for figure in document.figures:
        assert document.text[figure.start : figure.end] == f"{figure.label}. {figure.caption}"


def test_running_heads_and_page_numbers_are_left_out(document):
    assert "Lovelace and Turing: Cold" not in document.text
    assert " of 4" not in document.text


def test_a_foot_that_counts_the_pages_is_left_out_though_each_is_another(tmp_path):
    feet = ("Cold Biology. 2025;39:e1. journal.org/cold 1 of 2", "2 of 2 LOVELACE ET AL.")
    pages = [[*SENTENCES[:4], (50, 30, feet[0])], [*SENTENCES[4:], (50, 30, feet[1])]]
    text = read(write_lines(tmp_path / "feet.pdf", *pages)).text
    assert " of 2" not in text
    assert "LOVELACE" not in text
    assert text.count("long and cold winter") == len(SENTENCES)


def test_a_caption_at_the_foot_of_a_column_does_not_take_the_text_of_the_next(tmp_path):
    left, right = ([f"{side} line {n} of a column that is wide" for n in range(22)] for side in ("left", "right"))
    placed = [(300, 780 - 12 * number, line) for number, line in enumerate(right)]
    caption = (50, 500, "Figure 1. Strains of yeast in the cold (Oslo)")
    document = read(write_lines(tmp_path / "caption.pdf", [*left, *placed, caption]))
    assert document.figures[0].caption == "Strains of yeast in the cold (Oslo)"
    assert " ".join([*left, *right]) in document.text


def test_text_along_the_margin_is_left_out(tmp_path):
    canvas = Canvas(str(tmp_path / "stamp.pdf"), pagesize=A4)
    canvas.drawString(50, 780, "The text of the page.")
    canvas.rotate(90)
    canvas.drawString(300, -30, "arXiv:1234.5678")
    canvas.save()
    assert read(tmp_path / "stamp.pdf").text == "The text of the page."


def test_a_password_is_asked_for_and_an_empty_one_opens(tmp_path):
    for password, text in (("", "Open text."), ("secret", "Secret.")):
        encryption = StandardEncryption(password, ownerPassword="owner")
        write_lines(tmp_path / f"a{password}.pdf", [text], encrypt=encryption)
    assert read(tmp_path / "a.pdf").text == "Open text."
    with pytest.raises(EncryptedFile, match=r"asecret\.pdf: it needs a password; save a copy without one"):
        read(tmp_path / "asecret.pdf")


@pytest.mark.parametrize(
    ("data", "error", "said"),
    [
        (None, IngestError, "cut off: its .* bytes do not end with %%EOF; download it again"),
        (b"%PDF-1.4\n" + b"\x80garbage " * 200 + b"\n%%EOF\n", IngestError, "damaged: "),
        (b"<html>Not found</html>", UnsupportedFormat, "it begins with b'<html>Not found<'"),
    ],
)
def test_a_file_that_is_cut_off_damaged_or_no_pdf_is_refused(tmp_path, capfd, data, error, said):
    path = write_lines(tmp_path / "a.pdf", SENTENCES)
    path.write_bytes(path.read_bytes()[:-100] if data is None else data)
    with pytest.raises(error, match=said):
        read(path)
    assert capfd.readouterr() == ("", "")


def test_pages_that_are_all_alike_keep_their_text(tmp_path):
    lines = ("Roots of cress grew without", "direction in orbit, and the", "femurs of mice lost a tenth.")
    pages = [[*lines, (300, 20, str(page))] for page in (1, 2, 3)]
    text = " ".join(read(write_lines(tmp_path / "alike.pdf", *pages, leading=14)).text.split())
    assert text.count(" ".join(lines)) == 3
    assert not any(map(str.isdecimal, text))


def test_a_scan_has_no_text(tmp_path):
    path = write_lines(tmp_path / "scan.pdf", [], [(300, 20, "2")])
    with pytest.raises(NoText, match=r"no text on its 2 pages, which look scanned; run OCR"):
        read(path)


@pytest.mark.parametrize(
    ("limit", "value", "reason"),
    [
        ("MAX_PAGES", 1, "2 pages are more than the limit of 1 for one paper; split it into one file per paper"),
        ("MAX_CHARACTERS", 30, "its pages hold more than the limit of 30 characters for one paper"),
    ],
)
def test_more_than_a_reader_should_follow_is_refused(tmp_path, monkeypatch, capfd, limit, value, reason):
    write_lines(tmp_path / "long.pdf", ["Roots grew without"], ["direction in orbit."])
    assert read(tmp_path / "long.pdf").text == "Roots grew without direction in orbit."
    monkeypatch.setattr(pdf_pages, limit, value)
    with pytest.raises(UnsafeFile, match=reason):
        read(tmp_path / "long.pdf")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "weight", "bold"),
    [
        ("MinionPro-Regular", 712, False),  # as Frontiers prints its text
        ("ABCDEF+Times-Roman", 700, False),
        ("AdvOT1234", 712, True),
        ("AdvOT1234", 400, False),
        ("MinionPro-Bold", 400, True),
        ("Lato-Regular-Bold", 400, True),
    ],
)
def test_a_font_is_bold_by_its_name_else_by_its_weight(name, weight, bold):
    assert is_bold(name, weight) is bold
