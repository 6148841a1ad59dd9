"""Chunks of the policies: spans, coverage, sizes, overlaps and ids."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from programs.errors import UsageError
from programs.ingest.chunking import PASSAGES, SENTENCES, TOKENS, WORDS, Chunking, chunk
from programs.ingest.document import Chunk, Document, DocumentBuilder
from programs.ingest.line_shapes import SectionKind

REPEATABLE = settings(derandomize=True, database=None, deadline=None, max_examples=150)

SMALL = [Chunking("passages", 6), Chunking("sentences", 6), Chunking("words", 7, 2), Chunking("tokens", 16, 4)]
POLICIES = pytest.mark.parametrize("chunking", [PASSAGES, SENTENCES, WORDS, TOKENS, *SMALL], ids=str)


def numbered(count: int, first: int = 0) -> str:
    """Words without punctuation: ``w0 w1 w2``."""
    return " ".join(f"w{number}" for number in range(first, first + count))


def sentence(count: int) -> str:
    return f"The {numbered(count - 1)}."


def plain(text: str) -> Document:
    return Document("PMC1", text)


def paper(*sections: tuple[str, SectionKind, list[str]]) -> Document:
    builder = DocumentBuilder()
    for heading, kind, paragraphs in sections:
        builder.add_section(heading, kind=kind)
        for paragraph in paragraphs:
            if paragraph.startswith("Figure"):
                builder.add_figure(*paragraph.split(". ", 1))
            else:
                builder.add_paragraph(paragraph)
    return builder.build(id="PMC1", title="A title")


def texts(document: Document, chunking: Chunking) -> list[str]:
    return [each.text for each in chunk(document, chunking)]


PAPER = paper(
    ("", "abstract", ["Mice were kept. They lived."]),
    ("Methods", "methods", ["We used mice.", "Figure 2. A mouse. It is grey.", "All were fed."]),
    ("Empty", "other", []),
    ("References", "references", ["Smith J. A paper. 2009.", "Figure 3. Late figure."]),
    ("Appendix", "appendix", ["More mice."]),
)


# --- what is chunked, and how it is named


@POLICIES
def test_ids_number_the_sections_that_hold_text(chunking: Chunking) -> None:
    found = {each.id: each for each in chunk(PAPER, chunking)}
    names = ("sec0::chunk0", "sec1::chunk0", "sec1::chunk1", "sec2::chunk0", "fig2", "fig3")
    assert list(found) == [f"PMC1::{each}" for each in names]
    kinds = [each.section for each in found.values()]
    assert kinds == ["abstract", "methods", "methods", "appendix", "methods", "other"]
    assert [each.heading for each in found.values()] == ["", "Methods", "Methods", "Appendix", "Figure 2", "Figure 3"]


@POLICIES
def test_references_and_headings_are_not_chunked_and_figures_stand_alone(chunking: Chunking) -> None:
    found = {each.id.removeprefix("PMC1::"): each for each in chunk(PAPER, chunking)}
    assert not {"Smith", "References", "Methods", "Empty"} & set(" ".join(each.text for each in found.values()).split())
    assert (found["sec1::chunk0"].text, found["sec1::chunk1"].text) == ("We used mice.", "All were fed.")
    assert (found["fig2"].kind, found["fig2"].text) == ("figure", "Figure 2. A mouse. It is grey.")


@POLICIES
def test_text_outside_of_sections_is_chunked(chunking: Chunking) -> None:
    section = next(each for each in PAPER.sections if each.kind == "methods")
    found = chunk(Document("PMC1", PAPER.text, sections=(section,)), chunking)
    outside = " ".join(each.text for each in found if each.section == "other")
    assert "They lived." in outside
    assert "More mice." in outside


@POLICIES
def test_an_empty_document_has_no_chunks(chunking: Chunking) -> None:
    assert chunk(plain(""), chunking) == chunk(plain(" \n\n "), chunking) == []


# --- where texts are cut


def windows(count: int, *starts: int, size: int) -> list[str]:
    return [numbered(min(size, count - first), first) for first in starts]


CUT: dict[str, tuple[Chunking, str | Document, list[str]]] = {
    "sentences of a paragraph are packed": (
        SENTENCES,
        f"{sentence(40)} {sentence(40)} {sentence(40)}\n\n{sentence(10)}",
        [f"{sentence(40)} {sentence(40)}", sentence(40), sentence(10)],
    ),
    "a sentence longer than the size stands alone and whole": (
        SENTENCES,
        f"{sentence(10)} {sentence(400)} {sentence(10)}",
        [sentence(10), sentence(400), sentence(10)],
    ),
    "what is no sentence any more": (SENTENCES, numbered(450), windows(450, *range(0, 450, 100), size=100)),
    "one word": (WORDS, numbered(1), windows(1, 0, size=220)),
    "an overlap": (WORDS, numbered(40), windows(40, 0, size=220)),
    "one window": (WORDS, numbered(220), windows(220, 0, size=220)),
    "one word more": (WORDS, numbered(221), windows(221, 0, 180, size=220)),
    "two windows": (WORDS, numbered(400), windows(400, 0, 180, size=220)),
    "three windows": (WORDS, numbered(401), windows(401, 0, 180, 360, size=220)),
    "tokens without sentences": (TOKENS, numbered(975), windows(975, 0, 300, 600, size=375)),
    "a short tail is merged backwards": (TOKENS, numbered(400), [numbered(400)]),
    "paragraphs of a section stand together": (
        Chunking("passages", 10),
        paper(("", "results", [sentence(5), sentence(4), sentence(8)]), ("Next", "methods", ["Short."])),
        [f"{sentence(5)}\n\n{sentence(4)}", sentence(8), "Short."],
    ),
    "a short rest joins the passage before it": (
        Chunking("passages", 11),
        paper(("Results", "results", [sentence(10), "It fell."])),
        [f"{sentence(10)}\n\nIt fell."],
    ),
}


@pytest.mark.parametrize("what", CUT)
def test_texts_are_cut(what: str) -> None:
    chunking, held, expected = CUT[what]
    assert texts(plain(held) if isinstance(held, str) else held, chunking) == expected


def test_text_without_spaces_is_cut_too() -> None:
    for text in ("細胞は二十四時間培養した。" * 100, "ACGT" * 20_000):
        found = texts(plain(text), WORDS)
        assert len(found) > 1
        assert max(map(len, found)) <= 200 * 220


def test_token_windows_end_with_sentences_and_share_a_hundred_tokens() -> None:
    text = " ".join(f"The {numbered(49, first)}." for first in range(0, 2000, 49))
    found = chunk(plain(text), TOKENS)
    for before, after in pairwise(found):
        assert before.text.endswith(".")
        assert len(text[after.start : before.end].split()) == 75
    assert all(225 <= len(each.text.split()) <= 375 for each in found[:-1])


CODE = "```python\n" + "\n".join(f"    x{number} = {number}" for number in range(60)) + "\n```"
EQUATIONS = [
    CODE,
    "$$\n" + " + ".join(f"a_{number}" for number in range(60)) + "\n$$",
    r"\begin{align}" + " ".join(f"b_{number}" for number in range(100)) + r"\end{align}",
    r"\[ " + " ".join(f"c_{number}" for number in range(100)) + r" \]",
    "($" + " ".join(f"d_{number}" for number in range(50)) + "$)",
    "\n".join(f"    y{number} = {number}" for number in range(60)),
]


@pytest.mark.parametrize("unit", EQUATIONS, ids=lambda unit: unit[:8].strip())
@pytest.mark.parametrize("before", [0, 100, 250, 300, 360])
def test_code_and_equations_are_never_cut(unit: str, before: int) -> None:
    text = f"{numbered(before)}\n\n{unit}\n\n{numbered(700)}"
    start, end = text.index(unit), text.index(unit) + len(unit.rstrip())
    start += len(unit) - len(unit.lstrip())
    found = chunk(plain(text), TOKENS)
    assert any(each.start <= start and end <= each.end for each in found)
    for each in found:
        assert not start < each.start < end
        assert not start < each.end < end


# --- whatever the document

word = st.sampled_from(["Mice", "died.", "The", "et al.", "[3].", "p < 0.05.", "文。", "w", "$a", "b$", "x" * 300])
paragraph = st.lists(word, min_size=1, max_size=40).map(" ".join)
part = st.one_of(paragraph, st.integers(1, 9).map(lambda number: f"Figure {number}. Mice. All died."))
kinds = st.sampled_from(["abstract", "methods", "references", "other"])
papers = st.lists(st.tuples(st.sampled_from(["", "Methods", "2. Mice"]), kinds, st.lists(part, max_size=4)), max_size=4)


@given(papers.map(lambda sections: paper(*sections)), st.sampled_from([*SMALL, SENTENCES, WORDS, TOKENS]))
@REPEATABLE
def test_invariants(document: Document, chunking: Chunking) -> None:
    chunks = chunk(document, chunking)
    assert chunks == chunk(document, chunking)
    assert len({each.id for each in chunks}) == len(chunks)

    chunked: set[int] = set()
    for each in chunks:
        assert each.text == document.text[each.start : each.end] == each.text.strip() != ""
        chunked.update(range(each.start, each.end))
        assert any(section.start <= each.start and each.end <= section.end for section in document.sections)
    figures = {offset for figure in document.figures for offset in range(figure.start, figure.end)}
    for each in chunks:
        assert each.kind != "text" or figures.isdisjoint(range(each.start, each.end))
    for section in document.sections:
        inside = {at for at in range(section.start, section.end) if not document.text[at].isspace()}
        assert inside & chunked == (inside & figures if section.kind == "references" else inside)


# --- the policy passages


def with_table(*rows: str, before: str = "", after: Sequence[str] = ()) -> Document:
    """A section of results with a table, then a discussion if there is something after the table."""
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph(before)
    builder.add_figure("Table 2.", "Relapses in a year.")
    builder.add_paragraph("\n".join(rows), keep_lines=True)
    for paragraph in after:
        builder.add_paragraph(paragraph)
    return builder.build(id="PMC1", title="A title")


def tabled(rows: int, *notes: str) -> Document:
    lines = ["| | Drug | Placebo |", *(f"| Centre {number} | {number} | {number + 9} |" for number in range(rows))]
    return with_table(*lines, before="Relapses were counted (Table 2).", after=[*notes, "Nobody was harmed."])


def table_of(document: Document, size: int) -> list[Chunk]:
    """The parts of its table in passages of so many words."""
    return [each for each in chunk(document, Chunking("passages", size)) if each.kind == "table"]


def test_a_table_is_one_passage_with_caption_rows_and_notes() -> None:
    document = tabled(3, "*Per protocol; CI, confidence interval.")
    *prose, table = chunk(document, PASSAGES)
    assert (table.id, table.kind, table.section, table.heading) == ("PMC1::table2", "table", "results", "Table 2")
    assert table.text.startswith("Table 2. Relapses in a year.\n\n| | Drug | Placebo |\n| Centre 0 |")
    assert table.text.endswith("| Centre 2 | 2 | 11 |\n\n*Per protocol; CI, confidence interval.")
    assert [each.text for each in prose] == ["Relapses were counted (Table 2).", "Nobody was harmed."]
    assert chunk(tabled(3), PASSAGES)[-1].text.endswith("| Centre 2 | 2 | 11 |"), "what follows is not a note"
    assert table.text == document.text[table.start : table.end]


@pytest.mark.parametrize(
    "notes",
    [
        ["(a) Difference tested by ANOVA.", "(b) Per protocol."],
        ["HbA1c Glycosylated haemoglobin, BMI Body mass index, SBP Systolic blood pressure."],
        ["a Adjusted for age.", "b n = 9", "CQ. Chloroquine; AQ. Amodiaquine."],
        ["FISH, fluorescence in situ hybridization."],
        ["Each value is expressed as mean ± SD."],
        ["Continuous data are displayed as mean ± SD."],
        ["Modified from: Hyams JS, Pediatrics 1988."],
        ["Multivariate models were adjusted for age and sex.", "*P < 0.05"],
        ["Significance in bold. *Significant against placebo."],
    ],
)
def test_notes_of_a_table_are_joined_to_it(notes: list[str]) -> None:
    *prose, table = chunk(tabled(3, *notes), PASSAGES)
    assert table.text.endswith("\n\n".join(["| Centre 2 | 2 | 11 |", *notes]))
    assert [each.text for each in prose] == ["Relapses were counted (Table 2).", "Nobody was harmed."]


@pytest.mark.parametrize(
    "following",
    [
        "In order to be randomised, subjects had to use two puffs.",
        "A significant improvement was observed.",
        "To compensate for it, experts were asked.",
        "However, nobody was harmed.",
        "We relied on earlier data.",
    ],
)
def test_prose_behind_a_table_is_none_of_its_notes(following: str) -> None:
    assert chunk(tabled(3, following), PASSAGES)[-1].text.endswith("| Centre 2 | 2 | 11 |")


def test_a_long_table_is_cut_between_rows_and_its_parts_say_what_they_are() -> None:
    parts = table_of(tabled(40), 60)
    assert [each.id for each in parts[:2]] == ["PMC1::table2", "PMC1::table2::part1"]
    assert parts[0].heading == "Table 2"
    assert {each.heading for each in parts[1:]} == {
        "Table 2 (continued). Relapses in a year. | | Drug | Placebo |",
    }
    assert all(line.startswith("| ") and line.endswith(" |") for each in parts[1:] for line in each.text.splitlines())
    assert "\n".join(each.text for each in parts).count("Centre") == 40


def test_notes_alone_are_no_part_of_a_table_but_go_to_its_last_rows() -> None:
    note = "*Per protocol; " + " ".join(f"C{number}, centre {number};" for number in range(12)) + " CI, interval."
    *_, before, last = table_of(tabled(40, note), 60)
    assert last.text.endswith(f" |\n\n{note}")
    assert last.text.startswith("| Centre ")
    assert last.start > before.end


ROWS = [f"| Centre {number} | {number} (5%) | {number + 9} |" for number in range(8)]


def test_a_part_of_a_table_repeats_all_rows_of_the_header_and_the_row_that_it_stands_under() -> None:
    document = with_table("| | Year 1 |", "| | Drug | Placebo |", "| Women |", *ROWS, "| Men |", *ROWS)
    _, *parts = table_of(document, 20)
    header = "Table 2 (continued). Relapses in a year. | | Year 1 | | | Drug | Placebo |"
    men = document.text.index("| Men |")
    assert len(parts) > 3
    assert [each.heading for each in parts] == [
        header if "en |" in each.text else f"{header} | {'Men' if each.start > men else 'Women'} |" for each in parts
    ]


@pytest.mark.parametrize(
    ("second", "repeated"),
    [
        ("| Outcome | CQ | AQ |", True),
        ("| Outcome | 12 (3%) | 9 |", False),
        ("| Outcome | .04 | 75·1 (2·0) |", False),
        ("| Outcome | | |", False),
    ],
)
def test_a_row_that_labels_the_first_column_is_of_the_header(second: str, repeated: bool) -> None:
    _, *parts = table_of(with_table("| | Treatment |", second, *ROWS), 20)
    assert all((second in each.heading) is repeated for each in parts)


def test_a_header_that_comes_again_under_another_label_is_repeated_instead() -> None:
    document = with_table("| Week 1 | Drug | Placebo |", *ROWS, "| Week 52 | Drug | Placebo |", *ROWS)
    parts = table_of(document, 20)
    again = document.text.index("| Week 52 |")
    assert len(parts) > 3
    assert all(("| Week 52 |" in each.heading) is (each.start > again) for each in parts)
    assert not any("| Week 1 |" in each.heading for each in parts if each.start > again)


def test_no_part_of_a_table_ends_with_the_name_of_a_group() -> None:
    lines = [line for number, row in enumerate(ROWS) for line in (f"| Region {number} |", row)]
    parts = table_of(with_table("| | Year 1 |", *lines), 12)
    assert len(parts) > 3
    assert not any(each.text.rstrip().endswith(tuple(lines[::2])) for each in parts)


def test_no_passage_begins_within_a_row_of_a_table_without_a_caption() -> None:
    rows = [f"| Melaleuca sp. {number}% | Gel | Small trial. Blinded | {number} |" for number in range(1, 9)]
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph("\n".join(rows), keep_lines=True)
    found = texts(builder.build(id="PMC1", title="A title"), Chunking("passages", 20))
    assert len(found) > 3
    assert "\n".join(found).splitlines() == rows


def parts_of(*lines: str) -> list[tuple[str, str]]:
    """The table's parts of one row each: what the heading has behind the header, and the row."""
    _, *parts = (each for each in table_of(with_table(*lines), 4) if each.text != lines[0])
    return [(each.heading.partition(lines[0])[2].strip(), each.text) for each in parts]


CARS = ["| No | | | 499/459640.73 | 1.00 |", "| Yes | | | 25/36854.29 | 0.95 (0.62–1.44) |"]
CUT_IN_TWO = "| Had a holiday | | last year |"
TESTED, FUELS = "| Heating | | | < 0.001 |", ["| coal | 11 (0.1) | 16 (0.1) |", "| gas | 12 (0.1) | 17 (0.1) |"]
OTHER, NOTE = "| Has a car | 2 (1) | 3 (1) | 0.02 |", "* Per protocol, in all arms."


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ["| | | | Incidence | HR (95% CI) |", "| Has a car |", *CARS, CUT_IN_TWO, *CARS],
            [
                *(("", f"| Has a car |\n{CARS[0]}"), ("| Has a car |", CARS[1])),
                *(("", CUT_IN_TWO), (CUT_IN_TWO, CARS[0]), (CUT_IN_TWO, CARS[1])),
            ],
        ),
        (  # with a probability of its own: up to the next one
            ["| | Poor | Rich | P |", TESTED, *FUELS, OTHER, *FUELS[:1]],
            [("", TESTED), *((TESTED, each) for each in FUELS), ("", OTHER), ("", FUELS[0])],
        ),
        (  # no note is in a group
            ["| | Drug | Placebo |", "| Men |", "| Centre 1 | 1 (5%) | 9 |", "", NOTE],
            [("", "| Men |\n| Centre 1 | 1 (5%) | 9 |"), ("", NOTE)],
        ),
    ],
)
def test_a_part_names_the_group_that_its_rows_are_in(lines: list[str], expected: list[tuple[str, str]]) -> None:
    assert parts_of(*lines) == expected


def test_a_table_without_a_head_has_none_repeated() -> None:
    rows = (f"| Drug {n} | Trial of forty adults, blinded, against placebo, in one town | {n} |" for n in range(6))
    _, *parts = table_of(with_table(*rows), 20)
    assert {each.heading for each in parts} == {"Table 2 (continued). Relapses in a year."}


def test_thanks_and_abbreviations_are_left_out_and_who_paid_is_kept() -> None:
    document = paper(
        ("Results", "results", ["It fell."]),
        ("Abbreviations", "other", ["CI: confidence interval."]),
        ("Acknowledgements", "other", ["We thank Ada."]),
        ("Acknowledgments", "other", ["Funding: a grant of the council."]),
        ("Competing interests", "other", ["None."]),
    )
    assert texts(document, PASSAGES) == ["It fell.", "Funding: a grant of the council.", "None."]
    assert len(texts(document, WORDS)) == 5


# --- the policy as a value


def test_the_defaults_are_the_systems_own_and_are_read_as_they_are_written() -> None:
    defaults = {
        "passages:200:0": PASSAGES,
        "sentences:100:0": SENTENCES,
        "words:220:40": WORDS,
        "tokens:500:100": TOKENS,
    }
    assert {str(each): Chunking.parse(text) for text, each in defaults.items()} == defaults


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("words", "policy:size:overlap"),
        ("words:220", "policy:size:overlap"),
        ("words:many:40", "policy:size:overlap"),
        ("pages:1:0", "passages, sentences, words, tokens"),
        ("passages:200:10", "do not overlap"),
        ("words:0:0", "at least 1"),
        ("words:100:60", "half of 100, got 60"),
        ("sentences:100:10", "do not overlap"),
    ],
)
def test_a_chunking_that_makes_no_sense_says_why(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Chunking.parse(text)
