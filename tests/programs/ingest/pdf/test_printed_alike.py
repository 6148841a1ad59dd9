"""One page printed in many ways is read as one text, whatever program has printed it."""

import re

import pytest

from programs.ingest.pdf import read
from tests.raw_pdf import HELVETICA, escaped, width, write_content

PARAGRAPHS = (
    (
        "In the first trial we measured how twenty strains",
        "of budding yeast lived through a long winter, and",
        "found that 12.4% of the cells survived the frost.",
    ),
    (
        "The second trial was made in a warmer place, with",
        "strains that were kept in flasks and fed by hand,",
        "and hardly any of them had died when we left it.",
    ),
)
TEXT = "\n\n".join(" ".join(paragraph) for paragraph in PARAGRAPHS)
SIZE, LEFT, TOP, LEADING = 10.0, 72.0, 720.0, 12.0


def rows():
    """Each line with its place; a larger gap between paragraphs."""
    top = TOP
    for paragraph in PARAGRAPHS:
        for line in paragraph:
            yield line, LEFT, top
            top -= LEADING
        top -= LEADING


def page(draw):
    return "\n".join(f"BT {draw(line, x, y)} ET" for line, x, y in rows()).encode("cp1252")


def plain(line, x, y):
    return f"/F1 {SIZE} Tf {x} {y} Td ({escaped(line)}) Tj"


def scaled_matrix(line, x, y):
    return f"/F1 1 Tf {SIZE} 0 0 {SIZE} {x} {y} Tm ({escaped(line)}) Tj"


def kerned_letter_by_letter(line, x, y):
    letters = " ".join(f"({escaped(letter)}) {(-1) ** place * 12}" for place, letter in enumerate(line))
    return f"/F1 1 Tf {SIZE} 0 0 {SIZE} {x} {y} Tm [{letters}] TJ"


def spaces_by_kerning(line, x, y):
    words = " -278 ".join(f"({escaped(word)})" for word in line.split())
    return f"/F1 {SIZE} Tf {x} {y} Td [{words}] TJ"


def placed(pieces, line, x, y):
    """Pieces of a line, each from where it begins in the line."""
    starts = [x + width(line[: piece.start()], SIZE) for piece in pieces]
    return " ".join(
        f"/F1 1 Tf {SIZE} 0 0 {SIZE} {start:.3f} {y} Tm ({escaped(piece[0])}) Tj"
        for start, piece in zip(starts, pieces, strict=True)
    )


def each_word_placed(line, x, y):
    return placed(list(re.finditer(r"\S+", line)), line, x, y)


def each_letter_placed(line, x, y):
    return placed(list(re.finditer(r"\S", line)), line, x, y)


STYLES = (plain, scaled_matrix, kerned_letter_by_letter, spaces_by_kerning, each_word_placed, each_letter_placed)


@pytest.mark.parametrize("draw", STYLES, ids=lambda draw: draw.__name__)
def test_ways_to_write_a_line(tmp_path, draw):
    assert read(write_content(tmp_path / "a.pdf", page(draw))).text == TEXT


MARKS = b"\nBT /F1 8 Tf 10 825 Td (paper_final_v3.indd   12) Tj ET"


@pytest.mark.parametrize(
    ("content", "entries"),
    [
        *((page(plain), f"/MediaBox [0 0 595 842] /Rotate {turns}") for turns in (90, 180, 270)),
        *(
            (f"{matrix} cm\n".encode() + page(scaled_matrix), "/MediaBox [0 0 842 842]")
            for matrix in ("0 1 -1 0 842 0", "-1 0 0 -1 595 842", "0 -1 1 0 0 595")
        ),
        (page(plain) + MARKS, "/MediaBox [0 0 595 842] /CropBox [30 30 565 812]"),
    ],
    ids=["turned 90", "turned 180", "turned 270", "across", "upside down", "across back", "cropped"],
)
def test_pages_that_viewers_turn_or_crop_and_text_across_them(tmp_path, content, entries):
    assert read(write_content(tmp_path / "a.pdf", content, page=entries)).text == TEXT


def test_a_page_in_a_scaled_form(tmp_path):
    form = ("/Type /XObject /Subtype /Form /BBox [0 0 5950 8420] /Resources << /Font << /F1 4 0 R >> >>", b"")
    drawn = "\n".join(f"BT /F1 100 Tf {10 * x} {10 * y} Td ({escaped(line)}) Tj ET" for line, x, y in rows())
    path = write_content(
        tmp_path / "a.pdf",
        b"q 0.1 0 0 0.1 0 0 cm /Fm Do Q",
        streams=[(form[0], drawn.encode("cp1252"))],
        resources="/XObject << /Fm 5 0 R >>",
    )
    assert read(path).text == TEXT


FONT = HELVETICA.replace("/WinAnsiEncoding", "<< /Type /Encoding /Differences [1 /fi 2 /fl 173 /hyphen] >>")
RAISED = "/F1 7 Tf 4 Ts ({}) Tj /F1 10 Tf 0 Ts"
LINES = {
    "We first saw the influence of frost on the population, and the population died.": [
        "(We \\001rst saw the in\\002uence of frost on the popu\\255) Tj",
        "(lation, and the population died.) Tj",
    ],
    "Effects of Medicinal plants and Thlaspi, written forEach and ofA": [
        "(Effects ofMedicinal plants andThlaspi, written forEach and ofA) Tj"
    ],
    "10^6 cells grew here": [f"(10) Tj {RAISED.format(6)} ( cells grew here) Tj"],
    "mice [12,13] were here": [f"(mice) Tj {RAISED.format('12,13')} ( were here) Tj"],
    "4.2 m2 of frost": [f"(4.2 m) Tj {RAISED.format(2)} ( of frost) Tj"],
    "CO2 and frost": [f"(CO) Tj {RAISED.replace('4 Ts', '-2 Ts').format(2)} ( and frost) Tj"],
}


@pytest.mark.parametrize("text", LINES)
def test_ligatures_hyphens_lost_spaces_and_raised_marks_are_written_out(tmp_path, text):
    drawn = "\n".join(f"BT /F1 10 Tf 72 {720 - 12 * n} Td {line} ET" for n, line in enumerate(LINES[text]))
    assert read(write_content(tmp_path / "a.pdf", drawn.encode(), fonts=[FONT])).text == text
