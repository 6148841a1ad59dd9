"""Paragraphs that break off at a caption, a table or a figure, and go on behind it."""

import pytest

from programs.ingest.pdf import read
from programs.ingest.pdf.blocks import blocks
from programs.ingest.pdf.reading_order import PrintedLine, TextRun
from tests.printed_papers import write_flowing

LEFT, WIDTH = 50.0, 240.0
FULL = ("Winters were counted for all strains of the", "north, and the longest of them was found in")
CAPTION = "Figure 1. Winters by strain and by year."


def lines(texts, top, size=10.0, right=LEFT + WIDTH):
    placed = ((text, top - 12 * number) for number, text in enumerate(texts))
    return [PrintedLine((TextRun(text, LEFT, y - size, right, y, size),), LEFT, LEFT + WIDTH) for text, y in placed]


def texts(*groups):
    return [block.text({}) for block in blocks([[line for group in groups for line in group]])]


@pytest.mark.parametrize(
    "rest", ["Candida krusei, which grew for sixty days and was not seen again later on.", "(17%) of the plates."]
)
def test_a_paragraph_with_a_full_last_line_goes_on_behind_a_caption_and_words_of_the_figure(rest):
    rest = f"{rest} All other strains of the collection were lost."
    found = texts(lines(FULL, 700), lines([CAPTION], 640, 8.0), lines(["a b"], 600, 7.0), lines([rest], 560))
    assert found[0] == f"{' '.join(FULL)} {rest}"


def test_with_a_small_letter_it_goes_on_past_a_footnote():
    note = lines(["* The first two authors counted the winters together."], 640, 7.0)
    found = texts(lines(FULL, 700), note, lines(["strains of yeast, which grew for sixty days."], 560))
    assert found[0] == f"{' '.join(FULL)} strains of yeast, which grew for sixty days."


@pytest.mark.parametrize(
    ("first", "caption", "right"),
    [
        ((FULL[0], "north, and the longest was found in May."), CAPTION, LEFT + WIDTH),  # it ends
        (FULL, "Figure 1. Winters by strain, of which the longest", LEFT + WIDTH),  # the caption goes on
        (FULL, "Figure 1", LEFT + WIDTH),  # what follows is the caption
        (FULL, CAPTION, LEFT + 0.8 * WIDTH),  # its last line is short, as that of a list's entry
    ],
)
def test_another_paragraph_is_not_joined(first, caption, right):
    rest = "Candida krusei is shown for the sixty days on which it grew in the cold of the winter."
    found = texts(lines(first, 700, right=right), lines([caption], 640, 8.0), lines([rest], 560))
    assert found[0] == " ".join(first)


def test_entries_of_a_list_of_references_stay_apart():
    entry = "Smith J, Doe B. The cold and the lifespan of yeast in all the winters of the north. J Cold 2019"
    found = texts(lines(["References"], 740, 14.0), lines(FULL, 700), lines([entry], 600))
    assert found[-1] == entry


@pytest.mark.parametrize("end", ["was 0.75", "as Smith et al.,"])
def test_a_decimal_number_or_a_comma_ends_no_sentence(end):
    rest = "(0.61 to 0.93) in all years of the winters that were counted in the north."
    assert len(texts(lines([FULL[0], f"of them the share of the longest {end}"], 700), lines([rest], 660))) == 1


@pytest.mark.parametrize("end", ["in mice.", "in mice.12", "in mice.[3,4]", "in 2019."])
def test_a_citation_mark_may_follow_the_end(end):
    rest = "Winters in the south were shorter in all years of the winters that were counted."
    assert len(texts(lines([FULL[0], f"of them the share of the longest {end}"], 700), lines([rest], 660))) == 2


SENTENCE = "In this trial we measured how twenty strains of budding yeast lived through a long and cold winter. "
TEXT = SENTENCE * 6
TITLE = ("Cold winters and the lifespan of budding yeast", "Helvetica-Bold", 18)
ENTRIES = [
    f"Smith{letter.lower()}son J, Doe {letter}. The cold and the lifespan of yeast in the winters of the north. "
    f"J Cold 20{number}; {number}: 1-9."
    for number, letter in enumerate("ABCDEFGH", start=10)
]


def printed(path, lines, columns=1):
    return read(write_flowing(path, lines, columns))


def outline(document):
    named = [section for section in document.sections if section.heading]
    return [(section.heading, section.kind, section.level) for section in named]


MAIN, SUB = ("Helvetica-Bold", 12), ("Helvetica-Bold", 10)
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
    lines = [
        *[TITLE, (case("Introduction"), *main), TEXT],
        *[(case("Materials and methods"), *main), ("Growth of the strains", *sub), TEXT],
        *[("Counting of colonies", *sub), TEXT],
        *[(case("Results"), *main), ("Lifespan in the cold", *sub), TEXT],
        *[(case("Discussion"), *main), TEXT],
        *[(case("Acknowledgements"), *main), SENTENCE],
    ]
    found = [(heading.lower(), kind, level) for heading, kind, level in outline(printed(tmp_path / "a.pdf", lines, 2))]
    assert found == [
        ("introduction", "introduction", 1),
        ("materials and methods", "methods", 1),
        ("growth of the strains", "methods", 2),
        ("counting of colonies", "methods", 2),
        ("results", "results", 1),
        ("lifespan in the cold", "results", 2),
        ("discussion", "discussion", 1),
        ("acknowledgements", "other", 1),
    ]


@pytest.mark.parametrize("form", ["{}. {}", "{} {}", "{} | {}"])
def test_numbers_nest_where_sections_are_numbered(tmp_path, form):
    names = [("1", "Background"), ("2", "Methods"), ("2.1", "Growth of strains"), ("3", "Results"), ("4", "Conclusion")]
    lines = [line for number, name in names for line in ((form.format(number, name), *SUB), TEXT)]
    assert outline(printed(tmp_path / "a.pdf", [TITLE, *lines])) == [
        ("Background", "introduction", 1),
        ("Methods", "methods", 1),
        ("Growth of strains", "methods", 2),
        ("Results", "results", 1),
        ("Conclusion", "conclusion", 1),
    ]


@pytest.mark.parametrize("size", [10, 8.5], ids=["as large as the text", "smaller than it"])
def test_sections_and_subsections_of_one_print(tmp_path, size):
    sub = ("Helvetica-Bold", size)
    lines = [TITLE, ("Introduction", *sub), TEXT, ("Methods", *sub), ("Growth of strains", *sub), TEXT]
    lines += [("Counting", *sub), TEXT, ("Results", *sub), TEXT, ("Discussion", *sub), TEXT]
    kinds = [(heading, kind) for heading, kind, _ in outline(printed(tmp_path / "a.pdf", lines))]
    assert kinds[1:4] == [("Methods", "methods"), ("Growth of strains", "methods"), ("Counting", "methods")]


def test_a_structured_abstract_keeps_its_headings(tmp_path):
    parts = [
        line for name in ("Background", "Methods", "Results", "Conclusion") for line in ((name, *SUB), SENTENCE * 2)
    ]
    names = ("Introduction", "Methods", "Results", "Discussion")
    lines = [TITLE, ("Abstract", *MAIN), *parts, *[line for name in names for line in ((name, *MAIN), TEXT)]]
    found = outline(printed(tmp_path / "a.pdf", lines))
    assert [kind for _, kind, _ in found] == ["abstract"] * 5 + ["introduction", "methods", "results", "discussion"]


@pytest.mark.parametrize("lead", ["<b>Growth of strains.</b>", "<b>Growth of strains</b>", "<i>Growth of strains:</i>"])
def test_run_in_headings_are_parted_from_their_paragraph(tmp_path, lead):
    lines = [TITLE, ("Introduction", *MAIN), TEXT, ("Methods", *MAIN), f"{lead} {TEXT}", ("Results", *MAIN), TEXT]
    document = printed(tmp_path / "a.pdf", lines)
    assert ("Growth of strains", "methods", 2) in outline(document)
    assert TEXT.strip() in document.text.split("\n\n")


@pytest.mark.parametrize("lead", ["<i>Saccharomyces cerevisiae</i>", "<b>p</b>", "<i>In vitro</i>"])
def test_words_set_apart_in_a_sentence_are_no_headings(tmp_path, lead):
    lines = [TITLE, ("Introduction", *MAIN), TEXT, f"{lead} was counted. {TEXT}", ("Results", *MAIN), TEXT]
    assert [heading for heading, *_ in outline(printed(tmp_path / "a.pdf", lines))] == ["Introduction", "Results"]


def test_run_in_names_head_the_sections_of_a_short_paper(tmp_path):
    names = ("Introduction", "Methods", "Results", "Discussion")
    document = printed(tmp_path / "a.pdf", [TITLE, *(f"<b>{name}.</b> {TEXT}" for name in names)])
    assert outline(document) == [(name, name.lower(), 1) for name in names]


def test_an_abstract_may_run_in(tmp_path):
    lines = [TITLE, f"<b>Abstract:</b> {TEXT}", ("1. Introduction", *SUB), TEXT, ("2. Results", *SUB), TEXT]
    assert outline(printed(tmp_path / "a.pdf", lines))[:2] == [
        ("Abstract", "abstract", 1),
        ("Introduction", "introduction", 1),
    ]


@pytest.mark.parametrize("heading", ["A B S T R A C T", "Abstr act", "ABSTRACT"])
def test_letters_of_a_heading_may_stand_apart(tmp_path, heading):
    document = printed(tmp_path / "a.pdf", [TITLE, (heading, *SUB), TEXT, ("Introduction", *SUB), TEXT])
    assert [section.kind for section in document.sections if section.heading] == ["abstract", "introduction"]


@pytest.mark.parametrize(
    "name",
    [
        "Lifespan of twenty strains of budding yeast in the winters of cold",
        "Study design and<br/>allocation",
        "Growth of strains and<br/>Statistical analysis",
    ],
)
def test_a_heading_of_two_lines_is_one(tmp_path, name):
    lines = [TITLE, ("Results", *MAIN), TEXT, (name, *MAIN), TEXT]
    assert outline(printed(tmp_path / "a.pdf", lines, columns=2))[1][0] == name.replace("<br/>", " ")


REFERENCES = {
    "numbered": [f"{number}. {entry}" for number, entry in enumerate(ENTRIES, start=1)],
    "in brackets": [f"[{number}] {entry}" for number, entry in enumerate(ENTRIES, start=1)],
    "by author": ENTRIES,
    "author and year": [
        f"Smith, J. A., & Doe, B. (20{year}). The cold of yeast. Cold, {year}, 1–9." for year in range(10, 18)
    ],
    "authors in bold": [
        f"<b>Smith J, Doe A. 20{year}.</b> The cold of yeast. <i>Cold</i> {year}:1–9." for year in range(10, 18)
    ],
}


@pytest.mark.parametrize("heading", ["LITERATURE CITED", None])
@pytest.mark.parametrize("style", REFERENCES)
def test_reference_lists_in_every_style(tmp_path, style, heading):
    entries = [(entry, "Times-Roman", 8) for entry in REFERENCES[style]]
    named = [(heading, *MAIN)] if heading else []
    behind = [("Appendix", *MAIN), SENTENCE * 3]
    lines = [TITLE, ("Introduction", *MAIN), TEXT, ("Results", *MAIN), TEXT * 3, *named, *entries, *behind]
    document = printed(tmp_path / "a.pdf", lines, 2)
    listed = [document.text[each.start : each.end] for each in document.sections if each.kind == "references"]
    others = [document.text[each.start : each.end] for each in document.sections if each.kind != "references"]
    assert len(listed) == 1
    assert len(listed[0].split("\n\n")) == len(entries)
    assert not any("Smith" in text for text in others)
    assert document.sections[-1].kind == "appendix"


def test_a_column_named_reference_opens_no_list(tmp_path):
    lines = [TITLE, ("Results", *MAIN), TEXT, ("Reference", *SUB), TEXT, ("Discussion", *MAIN), TEXT]
    assert "references" not in [section.kind for section in printed(tmp_path / "a.pdf", lines).sections]


NOTICES = [
    "This is an open access article under the terms of the Creative Commons Attribution License.",
    "*Corresponding author: Ada Lovelace, Department of Cold, ada@example.org",
    "ACM Reference Format: Ada Lovelace. 2021. Cold yeast. In Proceedings of COLD '21. ACM, New York, 9 pages.",
    "Permission to make digital or hard copies of all or part of this work for personal use is granted without fee.",
    "Index Terms—cold, yeast, winter",
]


@pytest.mark.parametrize("notice", NOTICES)
def test_notices_are_kept_and_are_no_evidence(tmp_path, notice):
    half = SENTENCE[: len(SENTENCE) // 2].rsplit(" ", 1)[0]
    lines = [TITLE, ("Introduction", *MAIN), TEXT + half, (notice, "Times-Roman", 8), SENTENCE[len(half) + 1 :] + TEXT]
    document = printed(tmp_path / "a.pdf", [*lines, ("Results", *MAIN), TEXT])
    where = document.text.index(notice[:20])
    assert next(each.kind for each in document.sections if each.start <= where < each.end) == "notice"
    assert TEXT + SENTENCE + TEXT.strip() in document.text.split("\n\n")


def test_text_that_goes_on_behind_a_list_is_text(tmp_path):
    entries = [(entry, "Times-Roman", 7) for entry in REFERENCES["numbered"]]
    lines = [TITLE, ("Discussion", *MAIN), TEXT, ("References", *MAIN), *entries, TEXT]
    document = printed(tmp_path / "a.pdf", lines)
    assert [section.kind for section in document.sections][-2:] == ["references", "discussion"]


def test_a_paper_without_headings_is_text(tmp_path):
    document = printed(tmp_path / "a.pdf", [TITLE, ("Received: 9 December 2009", "Times-Roman", 8), TEXT, TEXT])
    assert [(section.heading, section.kind) for section in document.sections] == [("", "notice"), ("", "other")]


@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("No plan for the winter (Additional file 1:", "Appendix 1, Section 4.5.5)"),
        ("What the strains did was told in the", "Methods"),
        ("The numbers of winters, of strains,", "Results"),
    ],
)
def test_a_line_of_an_open_sentence_is_no_heading(tmp_path, above, line):
    text = "We followed the strains of yeast through all of the winters and counted them. "
    document = read(
        write_flowing(tmp_path / "a.pdf", [("Discussion", "Times-Bold", 12), text * 4, above, line, text * 5])
    )
    assert [section.heading for section in document.sections] == ["Discussion"]
    assert f"{above} {line}" in document.text
