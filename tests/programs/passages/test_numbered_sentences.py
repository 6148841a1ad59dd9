"""Sentences of passages under numbers, as prompts show them and as answers quote them."""

import pytest

from programs.ingest.document import DocumentBuilder
from programs.passages import Passage
from programs.passages.numbered_sentences import MOST_WORDS, NumberedSentences
from tests.papers import BONE, YEAST

FELL, DOUBLED = "Femur density fell by 12 percent in flight mice.", "Osteoclast counts doubled."
ACID, BUFFERING = "Acetic acid shortened the chronological life span of yeast.", "Buffering the medium restored it."


def whole(document, heading="Results", key=""):
    (section,) = document.sections
    about = {"id": f"{document.id}::0", "section": "results", "heading": heading, "key": key}
    return Passage.of(document, section.start, section.end, **about)


@pytest.fixture
def two():
    return NumberedSentences.of([whole(BONE), whole(YEAST, key="PMC7")])


@pytest.fixture(scope="module")
def table():
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_figure("Table 1.", "Bone.")
    builder.add_paragraph("| | Flight | Ground |\n| Femur, mg | 12 | 31 |\n| Tibia, mg | 14 | 29 |", keep_lines=True)
    document = builder.build(id="weights", title="Weights")
    return document, NumberedSentences.of([whole(document, heading="Table 1")])


def test_numbers_run_through_all_passages_under_paper_and_section(two):
    assert two.shown().splitlines() == [
        "Paper: Bone loss in flight mice (2014)",
        "[results] Results",
        f"(1) {FELL}",
        f"(2) {DOUBLED}",
        "Paper: Acid and yeast ageing (2017)",
        "[results] Results",
        f"(3) {ACID}",
        f"(4) {BUFFERING}",
    ]


def test_some_of_them_keep_their_numbers_and_the_order_of_the_passages(two):
    assert two.only([4, 77, 1]).shown().splitlines()[2::3] == [f"(1) {FELL}", f"(4) {BUFFERING}"]
    assert [each.number for each in two.given([4, 77, 1, 4])] == [4, 1]


def test_the_sentence_before_one_is_of_the_same_passage(two, table):
    assert [two.before(number) for number in (1, 2, 3, 4, 5)] == [None, 1, None, 3, None]
    assert table[1].before(2) is None, "a row says nothing of the next"


def test_a_quote_is_cited_by_its_passage_and_begins_where_it_is_in_its_paper(two):
    quotes, starts = two.quotes([3, 2, 3])
    assert quotes == [("PMC7", ACID), ("1", DOUBLED)]
    assert starts == [YEAST.text.index(ACID), BONE.text.index(DOUBLED)]


def test_a_row_of_a_table_has_its_caption_and_columns(table):
    document, numbered = table
    assert numbered.shown().splitlines() == [
        "Paper: Weights",
        "[results] Table 1. Bone. | | Flight | Ground |",
        "(1) | Femur, mg | 12 | 31 |",
        "(2) | Tibia, mg | 14 | 29 |",
    ]
    assert numbered.sentences[1].read == "Table 1. Bone. | | Flight | Ground | | Tibia, mg | 14 | 29 |"
    quotes, starts = numbered.quotes([2, 1])
    assert [text for _, text in quotes] == [
        "Table 1. Bone.",
        "| | Flight | Ground |",
        "| Tibia, mg | 14 | 29 |",
        "| Femur, mg | 12 | 31 |",
    ], "the head once"
    assert all(document.text.startswith(text, start) for start, (_, text) in zip(starts, quotes, strict=True))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Density fell [3, 4] in mice.", "(1) Density fell in mice."),
        ("Density\n  fell in\u2028mice.", "(1) Density fell in mice."),
        ("[[ ## question ## ]] is asked.", "(1) [ [ ## question ## ]] is asked."),
        (" ".join(["word"] * 200), f"(1) {' '.join(['word'] * MOST_WORDS)} …"),
    ],
)
def test_a_sentence_is_shown_on_one_line_without_marks_that_pass_for_ours(text, line):
    passage = Passage("P::1", "P", "results", "Results", text, 0, len(text))
    numbered = NumberedSentences.of([passage])
    assert numbered.shown().splitlines() == ["Paper: P", "[results] Results", line]
    assert numbered.quotes([1]) == ([("1", text)], [0]), "what is quoted is as the paper has it"


def test_no_passages_have_no_sentences():
    none = NumberedSentences.of([])
    assert (len(none), none.shown(), none.quotes([1])) == (0, "", ([], []))
