import pytest

from programs.ingest.pdf.margins import without_margins
from programs.ingest.pdf.reading_order import Rule, TextRun, reading_order


def run(text, left, top, width=200.0, size=10.0):
    return TextRun(text, left, top - size, left + width, top, size)


def column(name, left, top, lines, width=200.0):
    return [run(f"{name}{number} and more of its text", left, top - 12 * number, width) for number in range(lines)]


def order(runs, rules=()):
    return [line.text.removesuffix(" and more of its text") for line in reading_order([runs], [rules])[0]]


def numbered(names, lines):
    return [f"{name}{n}" for name in names for n in range(lines)]


LEFT, RIGHT = column("l", 50, 700, 5), column("r", 270, 700, 5)
CELLS = [
    run(f"{row}{name}", left, 700 - 12 * row, 30)
    for row in range(6)
    for name, left in zip("abc", (50, 150, 400), strict=True)
]
PAGES = {
    "one column, downwards whatever the order of the file": (column("a", 50, 700, 6)[::-1], numbered("a", 6)),
    "two columns, one after the other": (
        [each for pair in zip(LEFT, RIGHT, strict=True) for each in pair],
        numbered("lr", 5),
    ),
    "three columns": (
        [each for left, name in ((350, "c"), (50, "a"), (200, "b")) for each in column(name, left, 700, 5, width=135)],
        numbered("abc", 5),
    ),
    "what crosses the gutter parts the page into bands": (
        [
            *(*column("l", 50, 700, 4), *column("r", 270, 700, 4), run("caption", 50, 640, 420)),
            *(*column("m", 50, 620, 4), *column("s", 270, 620, 4), run("title", 50, 720, 420)),
        ],
        ["title", *numbered("lr", 4), "caption", *numbered("ms", 4)],
    ),
    "tables, row by row": (CELLS, [f"{row}a {row}b {row}c" for row in range(6)]),
    "superscripts stay on their line": (
        [
            *(run("cells", 50, 700, 40), TextRun("2+", 91, 695, 98, 702, 6.0)),
            *(run("grew", 100, 700, 40), run("next", 50, 688)),
        ],
        ["cells 2+ grew", "next"],
    ),
    "an empty page": ([], []),
}


@pytest.mark.parametrize(("page", "expected"), PAGES.values(), ids=PAGES)
def test_pages_are_read_in_order(page, expected):
    assert order(page) == expected


def test_lines_know_their_runs_and_their_column():
    (line,) = reading_order([[run("one", 50, 700, 30), run("two", 90, 700, 30)]])[0]
    assert [each.text for each in line.runs] == ["one", "two"]
    lines = reading_order([[*LEFT, *RIGHT]])[0]
    assert {(line.column_left, line.column_right) for line in lines} == {(50, 250), (270, 470)}


def test_print_that_is_set_anew_behind_a_sign_stays_on_its_line():
    parts = (("treated with EGMAX", 50, 197), ("and STODI at one per cent", 250, 250))
    page = [run(text, left, 700 - 12 * number, width) for number in range(6) for text, left, width in parts]
    whole = run("the whole line is printed in one piece here", 50, 712, 450)
    assert order([whole, *page])[1:] == ["treated with EGMAX and STODI at one per cent"] * 6


def test_a_short_last_page_has_the_columns_of_the_others():
    full = [*column("l", 50, 700, 9), *column("r", 270, 700, 9)]
    last = [*column("m", 50, 700, 9), *column("s", 270, 700, 2)]
    assert [line.text[:2] for line in reading_order([full, last])[1]] == [*(f"m{n}" for n in range(9)), "s0", "s1"]
    assert [line.text[:2] for line in reading_order([last])[0]] == [f"m{n}" for n in range(9)]


def test_two_short_columns_at_the_foot_of_a_page_are_parted_as_on_the_other_pages():
    address = [run(f"a{number}", 50, 700 - 12 * number, 60) for number in range(6)]
    abstract = [run(f"w{number}", 50, 620 - 12 * number, 420) for number in range(3)]
    foot = [*column("l", 50, 570, 4), *column("r", 270, 570, 4)]
    other = [*column("m", 50, 700, 9), *column("s", 270, 700, 9)]
    lines = [line.text.split()[0] for line in reading_order([[*address, *abstract, *foot], other])[0]]
    assert lines[6:] == [*(f"w{n}" for n in range(3)), *(f"{side}{n}" for side in "lr" for n in range(4))]


def test_a_figure_is_parted_from_the_column_beside_it():
    wide = run("caption of a figure over both columns", 50, 700, 420)
    ticks = [run(str(number), 60, 660 - 20 * number, 10) for number in range(4)]
    other = [*column("m", 50, 700, 9), *column("s", 270, 700, 9)]
    lines = [line.text.split()[0] for line in reading_order([[wide, *ticks, *column("r", 270, 660, 7)], other])[0]]
    assert lines == ["caption", "0", "1", "2", "3", *(f"r{n}" for n in range(7))]


def test_numbers_of_pages_are_left_out_above_other_feet():
    feet = ("Published online", "www.journal.example")
    pages = [
        [
            *column(name, 50, 700, 30),
            run("120", 50, 400, 30),
            run(str(427 + number), 290, 60, 20),
            *(run(f"{foot} {number}", 400, 50 - 10 * line) for line, foot in enumerate(feet)),
        ]
        for number, name in enumerate(("alpha", "beta", "gamma", "delta", "epsilon"))
    ]
    texts = [{each.text for each in page} for page in without_margins(pages)]
    assert not any(str(427 + number) in text for number, text in enumerate(texts))
    assert all("120" in text for text in texts)


def test_wide_spaces_in_lines_of_a_justified_column_are_no_gutter():
    page, expected = [], []
    for number in range(24):  # in each fourth line words are far apart
        words = ["left words that fill", "the right of it"] if number % 4 == 2 else ["a whole line of the column"]
        places = ((50, 120), (190, 110)) if len(words) > 1 else ((50, 250),)
        page += [run(text, left, 700 - 12 * number, width) for text, (left, width) in zip(words, places, strict=True)]
        expected.append(" ".join(words))
    assert [line.text for line in reading_order([page])[0]] == expected


@pytest.mark.parametrize("rule", [Rule(180, 549, 330, 550), Rule(50, 550, 470, 550)])
def test_a_rule_over_both_columns_parts_the_page(rule):
    text = [*column("l", 50, 700, 9), *column("r", 270, 700, 6)]
    listed = [*column("m", 50, 530, 8, 150), *column("s", 270, 530, 3, 150)]
    parted = [*numbered("l", 9), *numbered("r", 6), *numbered("m", 8), *numbered("s", 3)]
    assert order([*text, *listed], [rule]) == parted
    assert order([*text, *listed])[9:17] == parted[15:23]


@pytest.mark.parametrize("rule", [Rule(50, 604.5, 470, 605), Rule(50, 549, 250, 550), Rule(259, 500, 260, 720)])
def test_a_rule_within_lines_or_one_column_parts_nothing(rule):
    text = [*column("l", 50, 700, 24), *column("r", 270, 700, 24)]
    assert order(text, [rule]) == [*(f"l{n}" for n in range(24)), *(f"r{n}" for n in range(24))]


@pytest.mark.parametrize(("figure", "text"), [(60, 270), (310, 60)])
def test_labels_of_a_figure_are_kept_out_of_the_text_beside_it(figure, text):
    wide = [run(f"w{number} and more of its text", 60, 760 - 12 * number, 420) for number in range(3)]
    ticks = [run(f"{number}.5", figure + side, 699 - 25 * number, 9, 7) for number in range(5) for side in (0, 150)]
    read = order([*wide, *ticks, *column("t", text, 700, 12)])
    assert [each for each in read if each.startswith("t")] == [f"t{number}" for number in range(12)]
    assert read[:3] == ["w0", "w1", "w2"]
    assert len(read) == 3 + 5 + 12


def test_numbers_in_the_print_of_the_text_are_a_table():
    names = column("n", 60, 700, 8)
    cells = [run(f"{number}.5", 300, 700 - 12 * number, 20) for number in range(8)]
    assert order([*names, *cells])[0] == "n0 and more of its text 0.5"
