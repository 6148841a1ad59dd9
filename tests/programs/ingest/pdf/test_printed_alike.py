"""One page printed in many ways is read as one text, whatever program has printed it."""

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


def rows(left=LEFT, top=TOP):
    """Each line with its place; a larger gap between paragraphs."""
    for paragraph in PARAGRAPHS:
        for line in paragraph:
            yield line, left, top
            top -= LEADING
        top -= LEADING


def page(draw):
    return "\n".join(f"BT {draw(line, x, y)} ET" for line, x, y in rows()).encode("cp1252")


def plain(line, x, y):
    return f"/F1 {SIZE} Tf {x} {y} Td ({escaped(line)}) Tj"


def scaled_matrix(line, x, y):
    return f"/F1 1 Tf {SIZE} 0 0 {SIZE} {x} {y} Tm ({escaped(line)}) Tj"


def half_scaled(line, x, y):
    return f"/F1 100 Tf {SIZE / 100} 0 0 {SIZE / 100} {x} {y} Tm ({escaped(line)}) Tj"


def kerned_letter_by_letter(line, x, y):
    letters = " ".join(f"({escaped(letter)}) {(-1) ** place * 12}" for place, letter in enumerate(line))
    return f"/F1 1 Tf {SIZE} 0 0 {SIZE} {x} {y} Tm [{letters}] TJ"


def spaces_by_kerning(line, x, y):
    words = " -278 ".join(f"({escaped(word)})" for word in line.split())
    return f"/F1 {SIZE} Tf {x} {y} Td [{words}] TJ"


def each_word_placed(line, x, y):
    words, drawn = line.split(), []
    for place, word in enumerate(words):
        start = x + width("".join(f"{before} " for before in words[:place]), SIZE)
        drawn.append(f"/F1 {SIZE} Tf 1 0 0 1 {start:.3f} {y} Tm ({escaped(word)}) Tj")
    return " ".join(drawn)


def each_letter_placed(line, x, y):
    return " ".join(
        f"/F1 1 Tf {SIZE} 0 0 {SIZE} {x + width(line[:place], SIZE):.3f} {y} Tm ({escaped(letter)}) Tj"
        for place, letter in enumerate(line)
        if letter != " "
    )


def wide_letters(line, x, y):
    return f"/F1 {SIZE} Tf 0.6 Tc 0.5 Tw {x} {y} Td ({escaped(line)}) Tj"


def narrow_letters(line, x, y):
    return f"/F1 {SIZE} Tf 80 Tz {x} {y} Td ({escaped(line)}) Tj"


def in_hexadecimal(line, x, y):
    return f"/F1 {SIZE} Tf {x} {y} Td <{line.encode('cp1252').hex()}> Tj"


STYLES = (
    plain,
    scaled_matrix,
    half_scaled,
    kerned_letter_by_letter,
    spaces_by_kerning,
    each_word_placed,
    each_letter_placed,
    wide_letters,
    narrow_letters,
    in_hexadecimal,
)


@pytest.mark.parametrize("draw", STYLES, ids=lambda draw: draw.__name__)
def test_ways_to_write_a_line(tmp_path, draw):
    assert read(write_content(tmp_path / "a.pdf", page(draw))).text == TEXT


@pytest.mark.parametrize("turns", [90, 180, 270])
def test_a_page_that_viewers_turn(tmp_path, turns):
    path = write_content(tmp_path / "a.pdf", page(plain), page=f"/MediaBox [0 0 595 842] /Rotate {turns}")
    assert read(path).text == TEXT


@pytest.mark.parametrize("matrix", ["0 1 -1 0 842 0", "-1 0 0 -1 595 842", "0 -1 1 0 0 595"])
def test_text_that_stands_across_the_page(tmp_path, matrix):
    path = write_content(
        tmp_path / "a.pdf", f"{matrix} cm\n".encode() + page(scaled_matrix), page="/MediaBox [0 0 842 842]"
    )
    assert read(path).text == TEXT


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


def test_a_crop_box_hides_printers_marks(tmp_path):
    marks = b"\nBT /F1 8 Tf 10 825 Td (paper_final_v3.indd   12) Tj ET"
    path = write_content(
        tmp_path / "a.pdf", page(plain) + marks, page="/MediaBox [0 0 595 842] /CropBox [30 30 565 812]"
    )
    assert read(path).text == TEXT


def test_clipped_and_white_text_is_not_read(tmp_path):
    hidden = (
        b"\nq 0 0 200 50 re W n BT /F1 10 Tf 72 400 Td (Text that the clip path hides.) Tj ET Q"
        b"\nq 1 1 1 rg BT /F1 10 Tf 72 380 Td (White text on white paper.) Tj ET Q"
    )
    assert read(write_content(tmp_path / "a.pdf", page(plain) + hidden)).text == TEXT


def test_what_a_form_does_not_show_is_not_read(tmp_path):
    # A figure is often a whole page of another file, of which the form's box shows a part.
    path = write_content(
        tmp_path / "a.pdf",
        page(plain) + b"\nq 0.9 0 0 0.9 20 10 cm /Fm Do Q",
        streams=[
            (
                "/Type /XObject /Subtype /Form /BBox [0 0 595 40] /Resources << /Font << /F1 4 0 R >> >>",
                b"BT /F1 10 Tf 72 400 Td (Words that stand above the box of the form.) Tj ET",
            )
        ],
        resources="/XObject << /Fm 5 0 R >>",
    )
    assert read(path).text == TEXT


def test_white_text_on_a_dark_ground_is_read(tmp_path):
    ground = b"0.2 0.2 0.2 rg 50 600 400 150 re f 1 1 1 rg\n"
    assert read(write_content(tmp_path / "a.pdf", ground + page(plain))).text == TEXT


def test_letters_that_are_drawn_by_procedures(tmp_path):
    codes = sorted(set("".join(line for line, *_ in rows())))
    box = b"500 0 0 0 400 700 d1 0 0 400 700 re f"
    procedures = " ".join(f"/c{ord(code)} 5 0 R" for code in codes)
    widths = " ".join("500" for _ in range(256))
    differences = " ".join(f"{ord(code)} /c{ord(code)}" for code in codes)
    mapping = "\n".join(f"<{ord(code):02x}> <{ord(code):04x}>" for code in codes)
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def "
        f"1 begincodespacerange <00> <ff> endcodespacerange {len(codes)} beginbfchar\n{mapping}\nendbfchar "
        "endcmap end end"
    )
    font = (
        f"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 0 "
        f"/LastChar 255 /Widths [{widths}] /CharProcs << {procedures} >> /ToUnicode 6 0 R "
        f"/Encoding << /Type /Encoding /Differences [{differences}] >> >>"
    )
    path = write_content(tmp_path / "a.pdf", page(plain), fonts=[font], streams=[("", box), ("", cmap.encode())])
    assert read(path).text == TEXT


def test_ligatures_and_soft_hyphens(tmp_path):
    font = HELVETICA.replace("/WinAnsiEncoding", "<< /Type /Encoding /Differences [1 /fi 2 /fl 173 /hyphen] >>")
    lines = ("We \\001rst saw the in\\002uence of frost on the popu\\255", "lation, and the population died.")
    drawn = "\n".join(f"BT /F1 10 Tf 72 {720 - 12 * n} Td ({line}) Tj ET" for n, line in enumerate(lines))
    path = write_content(tmp_path / "a.pdf", drawn.encode(), fonts=[font])
    assert read(path).text == "We first saw the influence of frost on the population, and the population died."


def test_a_space_that_kerning_left_out(tmp_path):
    drawn = b"BT /F1 10 Tf 72 700 Td (Effects ofMedicinal plants andThlaspi, written forEach and ofA) Tj ET"
    path = write_content(tmp_path / "a.pdf", drawn)
    assert read(path).text == "Effects of Medicinal plants and Thlaspi, written forEach and ofA"


def test_two_columns_with_numbers_of_a_figure_between(tmp_path):
    drawn = [f"BT {scaled_matrix(line, x + shift, y)} ET" for shift in (0, 280) for line, x, y in rows()]
    path = write_content(tmp_path / "a.pdf", "\n".join(drawn).encode("cp1252"))
    assert read(path).text == f"{TEXT}\n\n{TEXT}"


@pytest.mark.parametrize(
    ("printed", "written"),
    [
        ("10 ( cells) 6 4 7", "10^6 cells"),
        ("mice ( were) 12,13 4 7", "mice [12,13] were"),
        ("4.2 m ( of) 2 4 7", "4.2 m2 of"),
        ("CO ( and) 2 -2 7", "CO2 and"),
    ],
)
def test_raised_and_lowered_marks(tmp_path, printed, written):
    before, rest = printed.split(" (")
    after, mark, rise, size = rest.replace(")", "").rsplit(" ", 3)
    raised = f"/F1 {size} Tf {rise} Ts ({mark}) Tj /F1 10 Tf 0 Ts"
    drawn = f"BT /F1 10 Tf 72 700 Td ({before}) Tj {raised} ({after} grew here) Tj ET"
    assert read(write_content(tmp_path / "a.pdf", drawn.encode())).text == f"{written} grew here"
