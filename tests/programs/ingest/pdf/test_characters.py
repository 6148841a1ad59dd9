"""Signs whose codes or maps do not say what they print, and text that no reader sees."""

from pathlib import Path

import pytest

from programs.ingest.document import Document
from programs.ingest.formats import read
from programs.ingest.pdf.fonts import GlyphNames, corrections_of
from programs.ingest.readability import doubts
from tests.benchmarks import CASES, needs_cases
from tests.raw_pdf import HELVETICA, character_map, escaped, width, write_content

PROSE = (
    "Hens were kept in pens of ten and fed the same grain each day until the end.",
    "The wounds were measured by one reader who did not know the dose of the hens.",
    "Feed was weighed each morning and what was left was weighed again at night.",
)
BOX = ("", b"500 0 50 0 450 500 d1 50 0 400 500 re f")


def latin(name: str) -> str:
    """A font that says of its codes what Windows does."""
    return HELVETICA.replace("/Helvetica", f"/ABCDEF+{name}")


def type3(names: str, first: int = 1, count: int = 4, entries: str = "") -> str:
    """A font of boxes; its procedures are object 6, behind two fonts."""
    drawn = " ".join(f"{each} 6 0 R" for each in sorted(set(names.split())))
    return (
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] "
        f"/FirstChar {first} /LastChar {first + count - 1} /Widths [{'500 ' * count}] /Resources << >> {entries} "
        f"/Encoding << /Type /Encoding /Differences [{first} {names}] >> /CharProcs << {drawn} >> >>"
    )


def printed(path: Path, *parts: str | tuple[str], font: str, more: str = "", **options) -> Document:
    """A paper with one line of parts, those in tuples in the font, above lines of prose."""
    shown, x = [], 50.0
    for part in parts:
        text, name = (part, "F1") if isinstance(part, str) else (part[0], "F2")
        shown.append(f"BT /{name} 10 Tf 1 0 0 1 {x:.2f} 740 Tm ({escaped(text)}) Tj ET")
        x += width(text, 10) if name == "F1" else 6 * len(text)
    shown += [f"BT /F1 10 Tf 1 0 0 1 50 {726 - 14 * at} Tm ({line}) Tj ET" for at, line in enumerate(PROSE * 2)]
    content = "\n".join([*shown, more]).encode("latin-1")
    options = {"streams": [BOX] if "Type3" in font else [], **options}
    return read(write_content(path / "paper.pdf", content, fonts=(HELVETICA, font), **options))


SIGNS_AT_1 = "/a /b /c /d /e"
LIGATURES_AT_11 = " ".join(f"/a{code}" for code in range(11, 32))
PI = "/BaseFont /ABCDEF+MathematicalPi-One"
CODES = ("Read: ", ("\x01\x02\x03\x04",), " here.")


@pytest.mark.parametrize(
    ("font", "parts", "whole"),
    [  # what the name of a glyph says, where the name of the font vouches for it
        (type3("/H9262 /H20849 /H20850 /H11002", entries=PI), CODES, "Read: μ()− here."),
        (type3("/H9251 /H11021 /H11006 /H11034", entries=PI.replace("Math", "EuropeanMath")), CODES, "α<±° here."),
        (type3("/C0 /C6 /C20 /C2", entries="/BaseFont /ABCDEF+AdvP4C4E74"), CODES, "−±≤× here."),
        (type3("/H11001 /H11002 /g3 /g4"), CODES, "Read: ���� here."),
        (type3("/f_f /fi /g3 /uni2265"), CODES, "Read: fffi�≥ here."),
        # signs that no character is given for
        (latin("AdvP4C4E74"), ("It was ", ("\x02",), "0.4 to 6.8."), "It was �0.4 to 6.8."),
        (latin("AdvP4C4E74"), ("at 9 ", ("\x03",), "g here."), "at 9 �g"),
        # ligatures of bitmap fonts
        (
            type3(LIGATURES_AT_11, 11, 21),
            ("The e", ("\x0b",), "ect was con", ("\x0c",), "ned."),
            "The effect was confined.",
        ),
        (type3(LIGATURES_AT_11, 11, 21), ("The ", ("\x1c",), "rst o", ("\x1e",), "ce."), "The first office."),
        (type3(LIGATURES_AT_11, 11, 21), ("An a", ("\x0f",), "uent sti", ("\x0b",), " hen."), "An affluent stiff hen."),
    ],
)
def test_codes_without_a_map_are_what_names_and_words_around_them_say(tmp_path, font, parts, whole):
    assert whole in printed(tmp_path, *parts, font=font).text


def test_the_encoding_of_a_type_1_font_names_its_glyphs_too(tmp_path):
    program = b"%!PS-AdobeFont-1.0: MathematicalPi-One\n/Encoding 256 array\ndup 1 /H11002 put\ndup 2 /H9262 put\n"
    font = (
        "<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+MathematicalPi-One /FirstChar 1 /LastChar 2 "
        "/Widths [600 600] /FontDescriptor << /Type /FontDescriptor /FontName /ABCDEF+MathematicalPi-One /Flags 4 "
        "/FontBBox [0 0 600 700] /ItalicAngle 0 /Ascent 700 /Descent 0 /StemV 80 /FontFile 6 0 R >> >>"
    )
    path = write_content(tmp_path / "paper.pdf", b"", fonts=(HELVETICA, font), streams=[("", program)])
    assert GlyphNames(path).on_page(0)("ABCDEF+MathematicalPi-One") == {"\x01": "−", "\x02": "μ"}


def test_signs_that_nothing_explains_are_counted(tmp_path):
    parts = ("It was 180 ", ("\x02",), "m wide, with 9 ", ("\x05",), "g.")
    found = printed(tmp_path, *parts, font=type3(SIGNS_AT_1, 1, 5))
    assert "It was 180 �m wide, with 9 �g." in found.text
    assert doubts(found) == ("2 signs could not be read (� in the text); see the paper for them",)


@pytest.mark.parametrize(
    ("font", "said", "meant"),
    [
        ("AdvPS7DA6", "6", "±"),
        ("AdvP4C4E74", "¼", "="),
        ("AdvP4C4E74", "À", "−"),
        ("AdvPS44A44B", "e", "–"),
        ("MSAM10", "6", "⩽"),
        ("MSAM7", "&", "≳"),
        ("AdvTT454a7a89", "b", "<"),
        ("TeXCMMathsSymbols", "þ", "+"),
        ("Times-Roman", "6", "6"),
        ("AdvTimes", "¼", "¼"),
        ("AdvPi11", "8", "8"),
    ],
)
def test_fonts_known_for_wrong_maps_are_corrected(tmp_path, font, said, meant):
    assert f"It was 12 {meant} 3 days." in printed(tmp_path, "It was 12 ", (said,), " 3 days.", font=latin(font)).text


def test_the_table_of_fonts_is_whole():
    assert corrections_of("MSBM10")["\x02"] == "≰"
    assert corrections_of("XYZABC+MathematicalPi-One-Italic")["m"] == "μ"
    assert not corrections_of("MathematicalPi-Three")


def test_a_raised_number_behind_an_amino_acid_is_no_citation(tmp_path):
    drawn, x = [], 50.0
    for text, size, y in (
        ("It is held by Cys", 10, 596),
        ("112", 6.5, 600),
        (" as was shown", 10, 596),
        ("12", 6.5, 600),
    ):
        drawn.append(f"BT /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET")
        x += width(text, size)
    text = printed(tmp_path, "First.", font=HELVETICA, more="\n".join(drawn)).text
    assert "held by Cys^112 as was shown [12]" in text


FORM = "/Type /XObject /Subtype /Form /BBox [0 0 300 300] /Resources << /Font << /F1 4 0 R >> >>"
IMAGE = "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
HERE = "1 0 0 1 50 500 Tm (Tin kills swans.) Tj ET"
IN_FORM = "q 1 0 0 1 50 400 cm /X Do Q"


@pytest.mark.parametrize(
    ("more", "stream", "is_seen"),
    [
        (f"BT /F1 10 Tf 3 Tr {HERE}", "", False),
        (f"BT /F1 10 Tf 1 1 1 rg {HERE}", "", False),
        (f"BT /F1 10 Tf 0.99 g {HERE}", "", False),
        (f"BT /F1 0.01 Tf {HERE}", "", False),
        (f"0 0.3 0.5 rg 40 490 300 30 re f BT /F1 10 Tf 1 g {HERE}", "", True),
        (IN_FORM, "BT /F1 10 Tf 1 1 1 rg 9 9 Td (Tin kills swans.) Tj ET", False),
        (IN_FORM, "BT /F1 10 Tf 3 Tr 9 9 Td (Tin kills swans.) Tj ET", False),
        (IN_FORM, "0 g 0 0 99 30 re f BT /F1 10 Tf 1 g 9 9 Td (Tin kills swans.) Tj ET", True),
        (IN_FORM, "BT /F1 10 Tf 9 -200 Td (Tin kills swans.) Tj ET", False),
        (IN_FORM, "q 0 0 50 50 re W n BT /F1 10 Tf 90 90 Td (Tin kills swans.) Tj ET Q", False),
        (IN_FORM, "q 0 0 99 30 re W n BT /F1 10 Tf 9 9 Td (Tin kills swans.) Tj ET Q", True),
        (IN_FORM.replace("50", "580"), "q 0 0 300 300 re W n BT /F1 10 Tf 40 9 Td (Tin kills swans.) Tj ET Q", False),
    ],
)
def test_what_a_reader_sees_is_text(tmp_path, more, stream, is_seen):
    options = {"streams": [(FORM, stream.encode())], "resources": "/XObject << /X 6 0 R >>"}
    found = printed(tmp_path, "First.", font=HELVETICA, more=more, **options).text
    assert ("First." in found, "Tin kills swans." in found) == (True, is_seen)


def test_invisible_text_over_a_scan_is_what_the_scan_shows(tmp_path):
    options = {"streams": [(IMAGE, b"\x99")], "resources": "/XObject << /X 6 0 R >>"}
    more = f"q 300 0 0 40 40 480 cm /X Do Q BT /F1 10 Tf 3 Tr {HERE}"
    assert "Tin kills swans." in printed(tmp_path, "First.", font=HELVETICA, more=more, **options).text


@pytest.mark.parametrize(
    ("watermark", "is_text"),
    [
        ("0.8 g BT /F1 40 Tf 0.707 0.707 -0.707 0.707 80 640 Tm (FOR REVIEW) Tj ET", False),
        ("0.8 g BT /F1 9 Tf 0.87 0.5 -0.5 0.87 80 660 Tm (FOR REVIEW) Tj ET", False),
        ("0.8 g BT /F1 60 Tf 1 0 0 1 60 670 Tm (REVIEW 12) Tj ET", False),
        ("0.8 g BT /F1 60 Tf 1 0 0 1 60 400 Tm (REVIEW) Tj ET", True),  # large print that is by itself is a heading
    ],
)
def test_a_watermark_is_no_part_of_the_text(tmp_path, watermark, is_text):
    found = printed(tmp_path, "First.", font=HELVETICA, more=watermark).text
    assert (" ".join(PROSE) in found, "REVIEW" in found) == (True, is_text)


@pytest.mark.parametrize(
    ("whole", "letters"),
    [("كلام", ["م", "لا", "ك"]), ("طلأب", ["ب", "لأ", "ط"]), ("الماء", ["ء", "ا", "م", "ل", "ا"])],
)
def test_a_ligature_of_lam_and_alef_keeps_their_order(tmp_path, whole, letters):
    used = dict(zip("ABCDE", letters, strict=False))
    names = " ".join(f"/g{ord(code)}" for code in used)
    font, texts = type3(names, 65, len(used), "/ToUnicode 7 0 R"), {f"{ord(code):02x}": used[code] for code in used}
    text = printed(tmp_path, "First. ", ("".join(used),), font=font, streams=[BOX, character_map(texts)]).text
    assert whole in text


def on_letters(*parts: str | tuple[str, str], late: bool) -> str:
    """A line of parts, an accent of each pair in the middle of its letter: before it as in TeX, or behind all."""
    shown, accents, x = [], [], 50.0
    for part in parts:
        letter = part if isinstance(part, str) else part[1]
        if not isinstance(part, str):
            middle = x + (width(letter, 10) - width(part[0], 10)) / 2
            where = accents if late else shown
            where.append(f"BT /F1 10 Tf 1 0 0 1 {middle:.2f} 600 Tm ({part[0]}) Tj ET")
        shown.append(f"BT /F1 10 Tf 1 0 0 1 {x:.2f} 600 Tm ({letter}) Tj ET")
        x += width(letter, 10)
    return "\n".join([*shown, *accents])


@pytest.mark.parametrize("late", [False, True], ids=["before its letter", "behind the line"])
@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (("By Garc", ("´", "i"), "a, M", ("¨", "u"), "ller"), "By García, Müller"),
        (("It was s", ("´", "e"), "par", ("´", "e"), " here"), "It was séparé here"),
        ((("´", "E"), "tienne and ", ("´", "A"), "lvaro met"), "Étienne and Álvaro met"),
        (("The mark ` stands alone",), "The mark ` stands alone"),
    ],
)
def test_an_accent_that_is_printed_over_a_letter_is_the_letters(tmp_path, parts, whole, late):
    assert whole in printed(tmp_path, "First.", font=HELVETICA, more=on_letters(*parts, late=late)).text


@needs_cases
@pytest.mark.parametrize(
    ("case", "held"),
    [
        ("signs_at_control_codes", ["180 �m wide �inner width�, the dose was 9.45 �g"]),
        ("adv_fonts", ["12.4 ± 3.1", "p = 0.04", "2–76 weeks", "80–120 g"]),
        ("ams_symbols", ["z ≳ 0.07", "w ≲ 0.5", "d ⩾ 3", "t ⩽ 9"]),
        ("residue_numbers", ["His^365, His^369 and Glu^393", "Tyr^501 [3]"]),
        ("cyrillic_as_latin", ["Цинк ускоряет заживление ран у кур", "40 кур"]),
        ("arabic_lam_alef", ["خلال", "الخلاصة", "الإنتاجية"]),
        ("off_page_in_form", ["in 40 hens. Hens were kept in pens of ten"]),
    ],
)
def test_cases_are_read_as_printed(case, held):
    text = read(CASES / f"{case}.pdf").text
    assert [each for each in held if each not in text] == []
