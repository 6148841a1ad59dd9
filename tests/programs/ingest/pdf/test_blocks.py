"""Paragraphs, headings, notices and lists of references, told apart by their print and their words."""

import pytest

from programs.ingest.pdf import read
from programs.ingest.pdf.blocks import blocks
from programs.ingest.pdf.reading_order import PrintedLine, TextRun
from tests.printed_papers import write_flowing

LEFT, WIDTH = 50.0, 240.0


def lines(top, *texts, size=10.0, width=WIDTH):
    placed = ((text, top - 12 * number) for number, text in enumerate(texts))
    runs = (TextRun(text, LEFT, y - size, LEFT + width, y, size) for text, y in placed)
    return [PrintedLine((run,), LEFT, LEFT + WIDTH) for run in runs]


FULL = ("Winters were counted for all strains of the", "north, and the longest of them was found in")
CAPTION = "Figure 1. Winters by strain and by year."
REST = "Candida krusei, which grew for sixty days and was not seen again later on."
SHORTER = "Winters in the south were shorter in all years of the winters that were counted."


@pytest.mark.parametrize(
    ("first", "between", "rest", "is_one"),
    [
        (FULL, [CAPTION, "a b"], REST, True),
        (FULL, [CAPTION], "(17%) of the plates. All other strains of the collection were lost.", True),
        (FULL, ["* The first two authors counted the winters together."], "strains, which grew for sixty days.", True),
        ((FULL[0], "share of the longest was 0.75"), [], SHORTER, True),
        ((FULL[0], "share of the longest as Smith et al.,"), [], SHORTER, True),
        ((FULL[0], "north, and the longest was found in May."), [CAPTION], REST, False),
        (FULL, ["Figure 1. Winters by strain, of which the longest"], REST, False),  # the caption goes on
        (FULL, ["Figure 1"], REST, False),  # what follows is the caption
        *(
            ((FULL[0], f"share of the longest {end}"), [], SHORTER, False)
            for end in ("in mice.12", "in mice.[3,4]", "in 2019.")
        ),
    ],
)
def test_a_paragraph_goes_on_behind_what_interrupts_it(first, between, rest, is_one):
    aside = [line for number, text in enumerate(between) for line in lines(640 - 40 * number, text, size=8.0)]
    texts = [block.text for block in blocks([[*lines(700, *first), *aside, *lines(560, rest)]], {})]
    assert texts[0] == " ".join([*first, *([rest] if is_one else [])])


def test_entries_of_lists_are_apart():
    entries = [
        lines(700, *FULL, width=190),
        lines(600, "Smith J, Doe B. The cold of yeast in all the winters. J Cold 2019"),
    ]
    assert len(blocks([[*lines(740, "References", size=14.0), *entries[0], *entries[1]]], {})) == 3
    assert len(blocks([[*entries[0], *lines(560, REST)]], {})) == 2  # a short last line ends an entry of any list


SENTENCE = "In this trial we measured how twenty strains of budding yeast lived through a long and cold winter. "
TEXT = SENTENCE * 6
TITLE = ("Cold winters and the lifespan of budding yeast", "Helvetica-Bold", 18)
MAIN, SUB = ("Helvetica-Bold", 12), ("Helvetica-Bold", 10)


def printed(path, outline, columns=1, main=MAIN, sub=SUB, small=8.0):
    """A paper with " / " between its parts: "# Methods" and "## Strains" are headings, "." is running text.

    What begins with ":" is in small print.
    """

    def part(text):
        if text.startswith("#"):
            return (text.lstrip("# "), *(sub if text.startswith("##") else main))
        return TEXT if text == "." else (text[1:], "Times-Roman", small) if text.startswith(":") else text

    return read(write_flowing(path, [TITLE, *map(part, outline.split(" / "))], columns))


def outline_of(document):
    return " / ".join(f"{'#' * each.level} {each.heading}: {each.kind}" for each in document.sections if each.heading)


PRINTS = {
    "larger and bold": (MAIN, SUB, str),
    "capitals over small bold": (("Times-Bold", 10), ("Times-Bold", 10), str.upper),
    "larger only": (("Helvetica", 14), ("Helvetica", 11.5), str),
    "bold over italic": (("Times-Bold", 11), ("Times-Italic", 10), str),
    "smaller than the text": (("Helvetica-Bold", 9), ("Times-BoldItalic", 10), str),
}


@pytest.mark.parametrize("prints", PRINTS)
def test_sections_are_nested_by_their_print(tmp_path, prints):
    main, sub, case = PRINTS[prints]
    names = map(case, ("# Introduction", "# Materials and methods", "# Results", "# Discussion", "# Thanks"))
    paper = "{} / . / {} / ## Growth / . / ## Counting / . / {} / ## Lifespan / . / {} / . / {} / ."
    assert outline_of(printed(tmp_path / "a.pdf", paper.format(*names), 2, main, sub)).lower() == (
        "# introduction: introduction / # materials and methods: methods / ## growth: methods / ## counting: methods / "
        "# results: results / ## lifespan: results / # discussion: discussion / # thanks: other"
    )


MAIN_FOUR = "# Introduction: introduction / # Methods: methods / # Results: results / # Discussion: discussion"
OUTLINES = [
    *(
        (
            f"## 1{form}Background / . / ## 2{form}Methods / . / ## 2.1{form}Strains / . / ## 3{form}Results / .",
            "# Background: introduction / # Methods: methods / ## Strains: methods / # Results: results",
        )
        for form in (". ", " ", " | ")
    ),
    (
        "# Abstract / ## Background / . / ## Methods / . / ## Conclusion / . / "
        "# Introduction / . / # Methods / . / # Results / . / # Discussion / .",
        "# Abstract: abstract / ## Background: abstract / ## Methods: abstract / ## Conclusion: abstract / "
        + MAIN_FOUR,
    ),
    *(
        (
            f"# Introduction / . / # Methods / {lead} {TEXT} / # Results / .",
            "# Introduction: introduction / # Methods: methods / ## Growth of strains: methods / # Results: results",
        )
        for lead in ("<b>Growth of strains.</b>", "<b>Growth of strains</b>", "<i>Growth of strains:</i>")
    ),
    *(
        (
            f"# Introduction / . / {lead} was counted. {TEXT} / # Results / .",
            "# Introduction: introduction / # Results: results",
        )
        for lead in ("<i>Saccharomyces cerevisiae</i>", "<b>p</b>", "<i>In vitro</i>")
    ),
    (" / ".join(f"<b>{name}.</b> {TEXT}" for name in ("Introduction", "Methods", "Results", "Discussion")), MAIN_FOUR),
    (
        f"<b>Abstract:</b> {TEXT} / ## 1. Introduction / . / ## 2. Results / .",
        "# Abstract: abstract / # Introduction: introduction / # Results: results",
    ),
    *(
        (f"## {name} / . / ## Introduction / .", f"# {name}: abstract / # Introduction: introduction")
        for name in ("A B S T R A C T", "Abstr act")
    ),
    ("# Results / . / ## Reference / . / # Discussion / .", "# Results: results / # Discussion: discussion"),
    (":Received: 9 December 2009 / . / .", ""),
]


@pytest.mark.parametrize(("paper", "outline"), OUTLINES)
def test_headings_are_told_from_text_and_nested(tmp_path, paper, outline):
    document = printed(tmp_path / "a.pdf", paper)
    assert outline_of(document) == outline
    assert TEXT.strip() in document.text.split("\n\n")


@pytest.mark.parametrize("name", ["Study design and<br/>allocation", "Growth of strains and<br/>Statistical analysis"])
def test_a_heading_of_two_lines_is_one(tmp_path, name):
    document = printed(tmp_path / "a.pdf", f"# Results / . / # {name} / .", columns=2)
    assert document.sections[-1].heading == name.replace("<br/>", " ")


@pytest.mark.parametrize("size", [10, 8.5], ids=["as large as the text", "smaller than it"])
def test_sections_and_subsections_of_one_print(tmp_path, size):
    paper = "# Introduction / . / # Methods / # Growth / . / # Counting / . / # Results / . / # Discussion / ."
    found = outline_of(printed(tmp_path / "a.pdf", paper, main=("Helvetica-Bold", size))).replace("## ", "# ")
    assert "# Methods: methods / # Growth: methods / # Counting: methods / # Results" in found


@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("No plan for the winter (Additional file 1:", "Appendix 1, Section 4.5.5)"),
        ("What the strains did was told in the", "Methods"),
        ("The numbers of winters, of strains,", "Results"),
    ],
)
def test_a_line_of_an_open_sentence_is_no_heading(tmp_path, above, line):
    document = printed(tmp_path / "a.pdf", f"# Discussion / . / {above} / {line} / .")
    assert [section.heading for section in document.sections] == ["Discussion"]
    assert f"{above} {line}" in document.text


ENTRY = (
    "Smith{0}son J, Doe {0}. The cold and the lifespan of yeast in the winters of the north. J Cold 20{1}; {1}: 1-9."
)
REFERENCES = {
    "numbered": "{2}. " + ENTRY,
    "in brackets": "[{2}] " + ENTRY,
    "by author": ENTRY,
    "author and year": "Smith, J. A., & Doe, B. (20{1}). The cold of yeast. Cold, {1}, 1–9.",
    "authors in bold": "<b>Smith J, Doe A. 20{1}.</b> The cold of yeast. <i>Cold</i> {1}:1–9.",
}


def listed(style):
    return " / ".join(":" + REFERENCES[style].format(letter, 10 + n, 1 + n) for n, letter in enumerate("abcdefgh"))


@pytest.mark.parametrize("heading", ["# LITERATURE CITED / ", ""])
@pytest.mark.parametrize("style", REFERENCES)
def test_reference_lists_in_every_style(tmp_path, style, heading):
    paper = f"# Introduction / . / # Results / . / . / . / {heading}{listed(style)} / # Appendix / {SENTENCE}"
    document = printed(tmp_path / "a.pdf", paper, 2)
    texts = [(each.kind, document.text[each.start : each.end]) for each in document.sections]
    (references,) = (text for kind, text in texts if kind == "references")
    assert len(references.split("\n\n")) == 8
    assert not any("Smith" in text for kind, text in texts if kind != "references")
    assert texts[-1][0] == "appendix"


def test_text_that_goes_on_behind_a_list_is_text(tmp_path):
    document = printed(tmp_path / "a.pdf", f"# Discussion / . / # References / {listed('numbered')} / .", small=7)
    assert [section.kind for section in document.sections][-2:] == ["references", "discussion"]


NOTICES = [
    "This is an open access article under the terms of the Creative Commons Attribution License.",
    "*Corresponding author: Ada Lovelace, Department of Cold, ada@example.org",
    "ACM Reference Format: Ada Lovelace. 2021. Cold yeast. In Proceedings of COLD '21. ACM, New York, 9 pages.",
]


@pytest.mark.parametrize("notice", NOTICES)
def test_notices_are_kept_and_are_no_evidence(tmp_path, notice):
    half = SENTENCE[: len(SENTENCE) // 2].rsplit(" ", 1)[0]
    paper = f"# Introduction / {TEXT}{half} / :{notice} / {SENTENCE[len(half) + 1 :]}{TEXT} / # Results / ."
    document = printed(tmp_path / "a.pdf", paper)
    where = document.text.index(notice[:20])
    assert next(each.kind for each in document.sections if each.start <= where < each.end) == "notice"
    assert TEXT + SENTENCE + TEXT.strip() in document.text.split("\n\n")
