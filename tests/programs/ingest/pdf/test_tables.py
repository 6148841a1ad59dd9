"""Tables as print sets them: ruled or not, with wrapped and centred cells, in a column or over the page."""

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from programs.ingest.pdf import read

PROSE = "In the first trial we measured how twenty strains of budding yeast lived through a long cold winter."
HEAD = ["Strain", "Days of life", "Days in the cold"]
ROWS = [["wild type", "12.4 ± 1.1", "8.2"], ["sir2 mutant", "9.1 ± 0.8", "7.9"], ["fob1 mutant", "15.0 ± 2.2", "11"]]
LEFTS = (60, 180, 300)
WRITTEN = "\n".join(f"| {' | '.join(row)} |" for row in [HEAD, *ROWS])


class Page:
    """A page that is written from top to bottom in 10 point type."""

    def __init__(self, path):
        self.path, self.y = path, 780.0
        self.canvas = Canvas(str(path), pagesize=A4)

    def line(self, *cells, lefts=LEFTS, leading=12.0, spaces=0.0):
        """Cells from these places on; spaces between words are so much wider than the font's, which are 2.5."""
        self.canvas.setFont("Times-Roman", 10)
        for left, cell in zip(lefts, cells, strict=False):
            self.canvas.drawString(left, self.y, cell, wordSpace=spaces)
        self.y -= leading

    def prose(self, lines=8):
        for _ in range(lines):
            self.line(PROSE, lefts=(50,))

    def rule(self, left=55, right=400):
        self.canvas.line(left, self.y + 9, right, self.y + 9)
        self.y -= 4

    def head(self, ruled=True):
        """The caption, a line, the header, and another line if it is ruled off."""
        self.line("Table 1. Days of life.")
        self.rule()
        self.line(*HEAD)
        if ruled:
            self.rule()

    def rows(self, rows):
        for row in rows:
            self.line(*row)

    def paragraphs(self):
        self.canvas.save()
        return read(self.path).text.split("\n\n")


@pytest.fixture
def page(tmp_path):
    return Page(tmp_path / "paper.pdf")


def test_a_table_between_lines_is_written_row_by_row_after_its_caption(page):
    page.prose()
    page.head()
    page.rows(ROWS)
    page.rule()
    page.prose()
    paragraphs = page.paragraphs()
    assert paragraphs[1:3] == ["Table 1. Days of life.", WRITTEN]
    assert len(paragraphs) == 4


def test_a_table_without_lines_is_found_under_its_caption(page):
    page.prose()
    page.line("Table 1. Days of life.", leading=16)
    page.rows([HEAD, *ROWS])
    page.y -= 12
    page.prose()
    assert page.paragraphs()[1:3] == ["Table 1. Days of life.", WRITTEN]


def test_lines_between_rows_keep_wrapped_cells_together(page):
    page.head(ruled=False)
    for row in ROWS:
        page.rule()
        page.line(*row)
        page.line("of the second", "", "in Oslo")
        page.line("laboratory")
    page.rule()
    assert page.paragraphs()[1] == "\n".join(
        [
            f"| {' | '.join(HEAD)} |",
            *(f"| {strain} of the second laboratory | {days} | {cold} in Oslo |" for strain, days, cold in ROWS),
        ]
    )


def test_rows_further_apart_than_lines_keep_wrapped_cells_together(page):
    page.line("Table 1. Days of life.")
    page.rule()
    page.line(*HEAD, leading=18)
    for row in ROWS:
        page.line(*row)
        page.line("of the second", "", "in Oslo")
        page.line("laboratory", leading=18)
    page.rule()
    assert page.paragraphs()[1].splitlines()[1:] == [
        f"| {strain} of the second laboratory | {days} | {cold} in Oslo |" for strain, days, cold in ROWS
    ]


def test_a_cell_in_the_middle_of_two_rows_stands_in_the_first(page):
    page.head()
    for strain, days, cold in ROWS:
        page.line("", days, cold, leading=6)
        page.line(strain, leading=6)
        page.line("", days.replace(".", "5."), cold + "0")
    page.rule()
    assert page.paragraphs()[1].splitlines()[1:3] == [
        "| wild type | 12.4 ± 1.1 | 8.2 |",
        "| | 125.4 ± 15.1 | 8.20 |",
    ]


def test_columns_of_text_between_lines_and_white_grounds_of_lines_are_no_table(page):
    page.rule(50, 550)
    for number in range(20):
        left = f"left line {number} of a column that is full of text"
        page.line(left, f"right line {number} of a column of text too", lefts=(50, 300))
    page.rule(50, 550)
    page.canvas.showPage()
    page.y = 780.0
    for number in range(12):
        page.canvas.setFillGray(1)
        page.canvas.rect(55, page.y - 3, 345, 12, fill=1, stroke=0)
        page.canvas.setFillGray(0)
        page.line(f"{number + 1}.", "Smith J, Miller K.", "Cold yeast. Winter 2019.")
    assert not any(paragraph.startswith("|") for paragraph in page.paragraphs())


def test_notes_under_a_table_do_not_run_into_the_text(page):
    page.head()
    page.rows(ROWS)
    page.rule()
    page.canvas.setFont("Times-Roman", 7)
    page.canvas.drawString(60, page.y + 4, "Means of three winters, with their standard deviations")
    page.y -= 14
    page.prose()
    paragraphs = page.paragraphs()
    assert paragraphs[2] == "Means of three winters, with their standard deviations"
    assert paragraphs[3].startswith("In the first trial")


def test_cells_in_the_middle_of_their_rows_make_one_row(page):
    page.head()
    for name in ("Wild type", "Sir2 mutant", "Fob1 mutant", "Third mutant"):
        page.line("", "Grown on agar", "Injected by")
        page.line(name, "Glucose with", "Smith and")
        page.line("", "and raffinose", "others", leading=17)
    page.rule()
    page.prose()
    rows = page.paragraphs()[1].splitlines()
    assert rows[1] == "| Wild type | Grown on agar Glucose with and raffinose | Injected by Smith and others |"
    assert len(rows) == 5


def test_long_cells_in_the_middle_of_ruled_rows_make_one_row(page):
    page.head(ruled=False)
    for name in ("Wild type", "Sir2 mutant", "Fob1 mutant", "Third mutant", "Fourth mutant"):
        page.rule()
        page.line("", "", "by one", leading=7)
        page.line("", "on agar", leading=5)
        page.line("", "", "Smith", leading=5)
        page.line(name, leading=2)
        page.line("", "with much", leading=5)
        page.line("", "", "and", leading=7)
        page.line("", "glucose", leading=5)
        page.line("", "", "others")
    page.rule()
    page.prose()
    rows = page.paragraphs()[1].splitlines()
    assert rows[1] == "| Wild type | on agar with much glucose | by one Smith and others |"
    assert len(rows) == 6


def test_a_cell_between_the_two_rows_that_it_belongs_to_stands_in_the_first(page):
    page.head()
    for name in ("wild type", "sir2 mutant"):
        page.line("", "12.4", "8.2", leading=9)
        page.line(name, leading=9)
        page.line("", "9.1", "7.9", leading=18)
    page.rule()
    assert page.paragraphs()[1].splitlines()[1:3] == ["| wild type | 12.4 | 8.2 |", "| | 9.1 | 7.9 |"]


def test_notes_between_lines_and_what_stands_below_them_are_no_rows(page):
    page.head()
    page.rows(ROWS)
    page.rule()
    page.line("Means of three winters.")
    page.line("All of them were cold.")
    page.rule()
    page.line("Yeast and winter", "March 2018", "13 of 21")
    assert page.paragraphs()[1] == WRITTEN


def test_the_sides_of_cells_part_columns_though_each_is_short(page):
    page.line("Table 1. Days of life.")
    page.rule()
    for row in [HEAD, *ROWS]:
        page.canvas.line(155, page.y + 13, 155, page.y - 3)
        page.line("sir2 mutant of the lab", *row[1:], lefts=(60, 157, 300))
        page.rule()
    rows = page.paragraphs()[1].splitlines()
    assert rows[1] == "| sir2 mutant of the lab | 12.4 ± 1.1 | 8.2 |"


def test_a_table_goes_on_under_a_caption_that_says_so(page):
    page.prose()
    page.canvas.showPage()
    page.y = 780.0
    page.line("Continued Table 1", lefts=(50,), leading=16)
    page.rows([*ROWS, *ROWS])
    page.y -= 12
    page.prose()
    assert page.paragraphs()[1] == "\n".join(2 * WRITTEN.splitlines()[1:])


def test_a_table_ruled_at_its_rows_ends_with_its_last_line(page):
    page.line("Table 1. Days of life.")
    page.rule()
    for row in [HEAD, *ROWS, *ROWS]:
        page.line(*row)
        page.rule()
    page.y -= 14
    page.line("Discussion", "years.")
    for _ in range(8):
        page.line("An effective and", "A consequent rise in", "the need for other drugs")
    assert page.paragraphs()[1] == "\n".join([WRITTEN, *WRITTEN.splitlines()[1:]])


def test_a_table_far_under_its_caption_is_read_to_the_end_of_its_last_row(page):
    page.prose()
    page.line("Table 1 (continued)", leading=56)
    page.rows(ROWS)
    page.y -= 12
    page.prose()
    rows = next(each for each in page.paragraphs() if each.startswith("|"))
    assert rows == "\n".join(WRITTEN.splitlines()[1:])


def test_rows_between_two_lines_are_rows_when_numbers_stand_under_each_other(page):
    page.head()
    for group in (ROWS, ROWS, ROWS):
        page.rows(group)
        page.rule()
    assert page.paragraphs()[1] == "\n".join([WRITTEN, *WRITTEN.splitlines()[1:], *WRITTEN.splitlines()[1:]])


def test_headings_over_several_columns_join_no_columns(page):
    lefts = (60, 160, 220, 280, 340)
    page.line("Table 1. Days of life.")
    page.rule()
    page.line("", "Warm winters", "", "Cold winters", lefts=(60, 170, 220, 290))
    page.canvas.line(160, page.y + 9, 250, page.y + 9)
    page.line("Strain", "Days", "Eggs", "Days", "Eggs", lefts=lefts)
    page.rule()
    page.line("wild type", "12.4", "81", "8.2", "40", lefts=lefts)
    page.line("sir2", "9.1", "77", "7.9", "38", lefts=lefts)
    page.rule()
    rows = page.paragraphs()[1].splitlines()
    assert rows[1:] == [
        "| Strain | Days | Eggs | Days | Eggs |",
        "| wild type | 12.4 | 81 | 8.2 | 40 |",
        "| sir2 | 9.1 | 77 | 7.9 | 38 |",
    ]


def test_wide_spaces_between_words_are_no_columns(page):
    page.line("Table 1. Days of life.")
    page.rule()
    for row in [HEAD, *ROWS, *ROWS]:
        page.line(*row, spaces=3.5)
    page.rule()
    assert page.paragraphs()[1] == "\n".join([WRITTEN, *WRITTEN.splitlines()[1:]])


def test_narrow_columns_of_numbers_are_no_words(page):
    lefts = (60, 100, 134, 168)
    page.line("Table 1. Days of life.")
    page.rule()
    page.line("Strain", "Days", "Eggs", "Cells", lefts=lefts)
    for place in range(6):
        page.line("sir2", f"12.{place}41", f"18.{place}77", f"20.{place}38", lefts=lefts)
    page.rule()
    assert page.paragraphs()[1].splitlines()[1] == "| sir2 | 12.041 | 18.077 | 20.038 |"


def test_a_space_of_a_heading_over_the_gap_between_its_columns_does_not_part_it(page):
    lefts = (60, 160, 203, 280, 323)
    page.line("Table 1. Days of life.")
    page.rule()
    page.line("", "All winters (n = 2)", "Summers (n = 3)", lefts=(60, 157, 283))
    page.canvas.line(160, page.y + 9, 240, page.y + 9)
    page.line("Strain", "81.04", "Eggs", "77.01", "Eggs", lefts=lefts)
    for _ in range(5):
        page.line("wild type", "12.4 ± 1", "81", "8.2 ± 1", "40", lefts=lefts)
    page.rule()
    rows = page.paragraphs()[1].splitlines()
    assert rows[0] == "| | All winters (n = 2) | | Summers (n = 3) |"
    assert rows[2] == "| wild type | 12.4 ± 1 | 81 | 8.2 ± 1 | 40 |"


def test_a_name_with_a_small_letter_before_a_capital_begins_a_row(page):
    page.head()
    page.rows([*ROWS, ["pH"], *ROWS, ["mRNA of all"], *ROWS])
    page.rule()
    rows = page.paragraphs()[1].splitlines()
    assert (rows[4], rows[8]) == ("| pH |", "| mRNA of all |")


def test_a_line_without_a_label_that_reads_on_from_nothing_is_a_row(page):
    lefts = (60, 140, 200, 260, 320)
    page.line("Table 1. Days of life.")
    page.rule()
    page.line("Strain", "Winter", "Days", "Eggs", "Cells", lefts=lefts)
    for _ in range(3):
        page.line("sir2", "first", "12.4", "81", "40", lefts=lefts)
        page.line("", "Both", "Winters", lefts=lefts)
    page.rule()
    rows = page.paragraphs()[1].splitlines()
    assert rows[1:3] == ["| sir2 | first | 12.4 | 81 | 40 |", "| | Both | Winters |"]


def test_a_label_in_the_middle_of_its_rows_stands_in_the_first(page):
    page.head()
    for strain in ("sir2", "fob1"):
        for place, (days, cold) in enumerate((("12.4", "8.2"), ("9.1", "7.9"), ("15.0", "11.3"))):
            page.line(strain if place == 1 else "", days, cold)
        page.rule()
    rows = page.paragraphs()[1].splitlines()
    assert rows[1:4] == ["| sir2 | 12.4 | 8.2 |", "| | 9.1 | 7.9 |", "| | 15.0 | 11.3 |"]
    assert rows[4] == "| fob1 | 12.4 | 8.2 |"


def test_text_between_two_tables_of_one_width_parts_them(page):
    for _ in range(2):
        page.rule()
        page.line(*HEAD)
        page.rule()
        page.rows(ROWS)
        page.rule()
        page.y -= 18
        page.line("In the second trial all strains of yeast lived through a warm winter")
        page.line("and were counted again in spring.", leading=30)
    assert [each for each in page.paragraphs() if each.startswith("|")] == [WRITTEN, WRITTEN]
