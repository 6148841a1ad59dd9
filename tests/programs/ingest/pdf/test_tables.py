"""Tables as print sets them: ruled or not, with wrapped and centred cells, in a column or over the page."""

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from programs.ingest.pdf import read

PROSE = "In the first trial we measured how twenty strains of budding yeast lived through a long cold winter."
TEXT = f"{PROSE}\n" * 8
CAPTION = "Table 1. Days of life.\n---\n"
HEAD = "Strain | Days of life | Days in the cold\n"
ROWS = "wild type | 12.4 ± 1.1 | 8.2\nsir2 mutant | 9.1 ± 0.8 | 7.9\nfob1 mutant | 15.0 ± 2.2 | 11\n"
OPENING = f"{CAPTION}{HEAD}---\n"
PAIRS = (60, 160, 220, 280, 340)


def paragraphs(path, page, lefts=(60, 180, 300), spaces=0.0):
    """What is read of a page that is printed from top to bottom in 10 point type.

    Args:
        path: Where to write.
        page: Its lines, of cells with "|" between them. "~17" at the end is how far below it the next line is, else 12.
            "---" is a line drawn, "_ 160 250" one under the cell there; "! 155" is a side of the next line's cells, at
            this place; "small:" opens a line of 7 points, "@157" a cell that begins elsewhere.
        lefts: Where cells begin; prose begins at the margin.
        spaces: By how much spaces between words are wider than the font's, which are 2.5.
    """
    canvas, y = Canvas(str(path), pagesize=A4), 780.0
    for line in page.splitlines():
        text, _, leading = line.partition("~")
        if text == "---":
            canvas.line(55, y + 9, 400, y + 9)
            y -= 4
        elif text.startswith("_"):
            left, right = map(float, text[1:].split())
            canvas.line(left, y + 9, right, y + 9)
        elif text.startswith("!"):
            canvas.line(float(text[1:]), y + 13, float(text[1:]), y - 3)
        else:
            canvas.setFont("Times-Roman", 7 if text.startswith("small:") else 10)
            places = (50,) if text == PROSE else lefts
            for left, cell in zip(places, text.removeprefix("small:").split("|"), strict=False):
                at, _, moved = cell.strip().partition(" ") if "@" in cell else ("", "", cell.strip())
                canvas.drawString(float(at[1:] or left), y, moved, wordSpace=spaces)
            y -= float(leading or 12)
    canvas.save()
    return read(path).text.split("\n\n")


def tables(*where, **how):
    return [text for text in paragraphs(*where, **how) if text.startswith("|")]


def written(rows):
    return "\n".join(" ".join(f"| {row} |".split()) for row in rows.splitlines())


def each(lines, *names):
    return "".join(lines.replace("NAME", name) for name in names or ("Wild type", "Sir2 mutant", "Fob1 mutant", "Pho4"))


WRAPPED = "NAME | 12.4 ± 1.1 | 8.2\nof the second | | in Oslo\nlaboratory"
LONG = each("NAME of the second laboratory | 12.4 ± 1.1 | 8.2 in Oslo\n")
CENTRED = """---\n| | by one~7\n| on agar~5\n| | Smith~5\nNAME~2\n| with much~5\n| | and~7\n| glucose~5\n| | others\n"""
FIVE = ("Wild type", "Sir2 mutant", "Fob1 mutant", "Third mutant", "Fourth mutant")
TABLES = {
    "without lines": (f"{TEXT}Table 1. Days of life.~16\n{HEAD}{ROWS}~12\n{TEXT}", HEAD + ROWS),
    "far under its caption": (f"{TEXT}Table 1 (continued)~56\n{ROWS}~12\n{TEXT}", ROWS),
    "under a caption that continues it": (f"{TEXT}Continued Table 1~16\n{ROWS}{ROWS}~12\n{TEXT}", ROWS + ROWS),
    "lines between wrapped cells": (CAPTION + HEAD + each(f"---\n{WRAPPED}\n") + "---", HEAD + LONG),
    "gaps between wrapped cells": (f"{CAPTION}{HEAD.strip()}~18\n" + each(f"{WRAPPED}~18\n") + "---", HEAD + LONG),
    "a name in the middle of two rows": (
        OPENING + each("| 12.4 | 8.2~6\nNAME~6\n| 125.4 | 8.20\n") + "---",
        HEAD + each("NAME | 12.4 | 8.2\n| 125.4 | 8.20\n"),
    ),
    "a name in the middle of two rows, and gaps": (
        OPENING + each("| 12.4 | 8.2~9\nNAME~9\n| 9.1 | 7.9~18\n") + "---",
        HEAD + each("NAME | 12.4 | 8.2\n| 9.1 | 7.9\n"),
    ),
    "a name in the middle of three rows": (
        OPENING + each("| 12.4 | 8.2\nNAME | 9.1 | 7.9\n| 15.0 | 11.3\n---\n", "sir2", "fob1"),
        HEAD + each("NAME | 12.4 | 8.2\n| 9.1 | 7.9\n| 15.0 | 11.3\n", "sir2", "fob1"),
    ),
    "cells in the middle of their rows": (
        OPENING
        + each("| Grown on agar | Injected by\nNAME | Glucose with | Smith and\n| raffinose | others~17\n")
        + "---",
        HEAD + each("NAME | Grown on agar Glucose with raffinose | Injected by Smith and others\n"),
    ),
    "long cells in the middle of ruled rows": (
        CAPTION + HEAD + each(CENTRED, *FIVE) + f"---\n{TEXT}",
        HEAD + each("NAME | on agar with much glucose | by one Smith and others\n", *FIVE),
    ),
    "notes between lines, and what is below them": (
        f"{OPENING}{ROWS}---\nMeans of three winters.\nAll were cold.\n---\nYeast and winter | March 2018 | 13 of 21",
        HEAD + ROWS,
    ),
    "a line under each row, and text in columns": (
        CAPTION
        + each("NAME\n---\n", *f"{HEAD}{ROWS}{ROWS}".splitlines())
        + "~14\nDiscussion | years.\n"
        + "An effective and | A consequent rise in | the need for other drugs\n" * 8,
        HEAD + ROWS + ROWS,
    ),
    "a line under groups of rows": (OPENING + f"{ROWS}---\n" * 3, HEAD + ROWS * 3),
    "names with a small letter before a capital": (
        f"{OPENING}{ROWS}pH\n{ROWS}mRNA of all\n{ROWS}---",
        f"{HEAD}{ROWS}pH\n{ROWS}mRNA of all\n{ROWS}",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_written_row_by_row(tmp_path, name):
    page, rows = TABLES[name]
    assert tables(tmp_path / "a.pdf", page) == [written(rows)]


def test_a_table_follows_its_caption_and_its_notes_do_not_run_into_the_text(tmp_path):
    page = f"{TEXT}{OPENING}{ROWS}---\nsmall: Means of three winters, with their deviations~14\n{TEXT}"
    text = TEXT.replace("\n", " ").strip()
    note = "Means of three winters, with their deviations"
    assert paragraphs(tmp_path / "a.pdf", page) == [text, "Table 1. Days of life.", written(HEAD + ROWS), note, text]


def test_text_between_two_tables_of_one_width_parts_them(tmp_path):
    between = (
        "In the second trial all strains of yeast lived through a warm winter\nand were counted again in spring.~30\n"
    )
    page = f"---\n{HEAD}---\n{ROWS}---\n~18\n{between}" * 2
    assert tables(tmp_path / "a.pdf", page) == [written(HEAD + ROWS)] * 2


COLUMNS = {
    "sides of cells that are short": (
        CAPTION + each("! 155\nNAME of the lab | 12.4 | 8.2\n---\n"),
        {"lefts": (60, 157, 300)},
        each("NAME of the lab | 12.4 | 8.2\n"),
    ),
    "heads over several columns": (
        f"{CAPTION}| @170 Warm winters | | @290 Cold winters\n_ 160 250\nStrain | Days | Eggs | Days | Eggs\n---\n"
        + each("NAME | 12.4 | 81 | 8.2 | 40\n")
        + "---",
        {"lefts": PAIRS},
        "| Warm winters | | Cold winters\nStrain | Days | Eggs | Days | Eggs\n" + each("NAME | 12.4 | 81 | 8.2 | 40\n"),
    ),
    "a head with a space over the gap between its columns": (
        f"{CAPTION}| @157 All winters (n = 2) | | @283 Summers (n = 3)\n_ 160 240\n"
        + "Strain | 81.04 | Eggs | 77.01 | Eggs\n"
        + "wild type | 12.4 ± 1 | 81 | 8.2 ± 1 | 40\n" * 5
        + "---",
        {"lefts": (60, 160, 203, 280, 323)},
        "| All winters (n = 2) | | Summers (n = 3)\nStrain | 81.04 | Eggs | 77.01 | Eggs\n"
        + "wild type | 12.4 ± 1 | 81 | 8.2 ± 1 | 40\n" * 5,
    ),
    "wide spaces between words": (f"{CAPTION}{HEAD}{ROWS}{ROWS}---", {"spaces": 3.5}, HEAD + ROWS + ROWS),
    "narrow columns of numbers": (
        f"{CAPTION}Strain | Days | Eggs | Cells\n" + "sir2 | 12.141 | 18.177 | 20.138\n" * 6 + "---",
        {"lefts": (60, 100, 134, 168)},
        "Strain | Days | Eggs | Cells\n" + "sir2 | 12.141 | 18.177 | 20.138\n" * 6,
    ),
    "a line without a name that reads on from nothing": (
        f"{CAPTION}Strain | Winter | Days | Eggs | Cells\n"
        + "sir2 | first | 12.4 | 81 | 40\n| Both | Winters\n" * 3
        + "---",
        {"lefts": (60, 140, 200, 260, 320)},
        "Strain | Winter | Days | Eggs | Cells\n" + "sir2 | first | 12.4 | 81 | 40\n| Both | Winters\n" * 3,
    ),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_where_most_rows_have_gaps(tmp_path, name):
    page, how, rows = COLUMNS[name]
    assert tables(tmp_path / "a.pdf", page, **how) == [written(rows)]


def test_columns_of_text_between_lines_are_no_table(tmp_path):
    lines = (f"left line {n} of a column that is full of text | right line {n} of a column too\n" for n in range(20))
    assert tables(tmp_path / "a.pdf", f"---\n{''.join(lines)}---", lefts=(50, 300)) == []


def test_white_grounds_of_lines_are_no_table(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=A4)
    for number in range(12):
        y = 780 - 12 * number
        canvas.setFillGray(1)
        canvas.rect(55, y - 3, 345, 12, fill=1, stroke=0)
        canvas.setFillGray(0)
        for left, cell in zip(
            (60, 180, 300), (f"{number + 1}.", "Smith J, Miller K.", "Cold yeast. 2019."), strict=True
        ):
            canvas.drawString(left, y, cell)
    canvas.save()
    assert "|" not in read(tmp_path / "a.pdf").text
