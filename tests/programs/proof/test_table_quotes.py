"""Quotes of two tables that are put together, and heads of tables without a row."""

from dataclasses import replace

import pytest

from programs.ingest.document import Document, Figure, Section
from programs.passages import Passage
from programs.proof import GivenPassages
from programs.proof.sentence_proof import ModelProof, placed, prove
from programs.proof.table_quotes import ONLY_COLUMNS, OTHER_HEAD, wrong_tables

RELAPSES, DEATHS = "Table 1. Relapses in a year.", "Table 2. Deaths in a year."
OF_RELAPSES = ("| Group | Placebo | Zinc |", "| Women | 12 | 30 |", "| Men | 14 | 28 |", "| Children | 11 | 27 |")
OF_DEATHS = ("| Group | Zinc | Placebo |", "| Women | 5 | 9 |", "| Men | 6 | 8 |")
TEXT = "\n\n".join(
    ["Results", "Zinc was given daily.", "\n".join((RELAPSES, *OF_RELAPSES)), "\n".join((DEATHS, *OF_DEATHS))]
)


def _figure(name: str, caption: str) -> Figure:
    start = TEXT.index(caption)
    label, _, said = caption.partition(". ")
    return Figure(name, "table", label, said, start, start + len(caption))


PAPER = Document(
    "d",
    TEXT,
    sections=(Section("Results", "results", 9, len(TEXT)),),
    figures=(_figure("t1", RELAPSES), _figure("t2", DEATHS)),
)


def _passage(name: str, first: str, last: str, heading: str) -> Passage:
    start, end = TEXT.index(first), TEXT.index(last) + len(last)
    return Passage.of(PAPER, start, end, id=f"d::{name}", section="results", heading=heading)


PROSE = _passage("9-30", "Zinc was", "daily.", "Results")
LATER = _passage("t1::part1", OF_RELAPSES[2], OF_RELAPSES[3], f"Table 1 (continued). {RELAPSES[9:]} {OF_RELAPSES[0]}")
WHOLE = _passage("t2", DEATHS, OF_DEATHS[-1], "Table 2")
GIVEN = GivenPassages([LATER, WHOLE, PROSE])
HEAD, ROW, CAPTION = ("1", OF_RELAPSES[0]), ("1", OF_RELAPSES[2]), ("1", "Table 1 (continued). Relapses in a year.")
OTHER, OTHER_ROW, OTHER_CAPTION = ("2", OF_DEATHS[0]), ("2", OF_DEATHS[2]), ("2", DEATHS)
TEXT_QUOTE = ("3", "Zinc was given daily.")


def _wrong(*quotes: tuple[str, str]) -> str:
    found, problems = placed(quotes, GIVEN)
    assert problems == []
    return wrong_tables(found, GIVEN.passages)


@pytest.mark.parametrize(
    "quotes",
    [(ROW, OTHER), (ROW, OTHER_CAPTION), (ROW, HEAD, OTHER_CAPTION), (OTHER_ROW, HEAD), (OTHER_ROW, CAPTION, HEAD),
     (ROW, HEAD, OTHER_ROW), (ROW, OTHER, TEXT_QUOTE)],
)  # fmt: skip
def test_a_row_under_the_head_of_another_table_proves_nothing(quotes):
    assert _wrong(*quotes) == OTHER_HEAD


@pytest.mark.parametrize("quotes", [(HEAD,), (OTHER,), (HEAD, OTHER)])
def test_columns_alone_prove_nothing(quotes):
    assert _wrong(*quotes) == ONLY_COLUMNS


@pytest.mark.parametrize(
    "quotes",
    [(ROW, HEAD), (ROW, HEAD, CAPTION), (OTHER_ROW, OTHER, OTHER_CAPTION), (ROW, HEAD, OTHER_ROW, OTHER), (ROW,),
     (ROW, OTHER_ROW), (CAPTION,), (OTHER_CAPTION, TEXT_QUOTE), (TEXT_QUOTE,), (ROW, HEAD, TEXT_QUOTE), ()],
)  # fmt: skip
def test_heads_with_rows_of_their_own_tables_may(quotes):
    assert _wrong(*quotes) == ""


def test_a_sentence_proved_by_two_tables_put_together_is_not_proved():
    claim = "In men there were 6 relapses with placebo and 8 with zinc in a year"
    proof = ModelProof(claim, "proved", (OTHER_ROW, HEAD, CAPTION), model="reader")
    found = prove(claim, GIVEN, [LATER], proof)
    assert (found.verdict != "supported", found.reason) == (True, OTHER_HEAD)


@pytest.mark.parametrize(("behind", "verdict"), [("| Men | 14 | 28 |", ""), ("| Group | Zinc | Placebo |", OTHER_HEAD)])
def test_rows_with_values_behind_a_blank_line_go_on_a_table(behind, verdict):
    text = "\n".join((*OF_RELAPSES[:2], "", behind, "| Boys | 3 | 4 |"))
    table = Passage("d::table1", "d", "results", "Table 1", text, 0, len(text))
    found, problems = placed([("1", OF_RELAPSES[0]), ("1", "| Boys | 3 | 4 |")], GivenPassages([table]))
    assert problems == []
    assert wrong_tables(found, [table]) == verdict


WEEKS = (
    "| Week 1 | Zinc | Placebo |",
    "| Severe | 25% | 5% |",
    "| Week 52 | Zinc | Placebo |",
    "| Severe | 12% | 4% |",
)
BY_WEEK = "\n".join(("Table 3. Harm by week.", "", *WEEKS))


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [((0, 1), ""), ((2, 3), ""), ((0, 1, 2, 3), ""), ((0, 3), OTHER_HEAD), ((2, 1), OTHER_HEAD), ((2,), ONLY_COLUMNS)],
)
def test_a_row_is_under_the_header_that_came_last(lines, wrong):
    passage = Passage("d::t3", "d", "results", "Table 3", BY_WEEK, 0, len(BY_WEEK))
    given = GivenPassages([passage])
    found, problems = placed([("1", WEEKS[line]) for line in lines], given)
    assert problems == []
    assert wrong_tables(found, [passage]) == wrong


@pytest.mark.parametrize(("lines", "wrong"), [((2, 4), ""), ((0, 4), OTHER_HEAD)])
def test_a_row_on_the_next_page_is_under_the_header_that_came_last(lines, wrong):
    rows = (*WEEKS, "| Mild | 40% | 30% |")
    text = "\n".join(("Table 3. Harm by week.", "", *WEEKS, "", rows[4]))
    passage = Passage("d::table3", "d", "results", "Table 3", text, 0, len(text))
    found, problems = placed([("1", rows[line]) for line in lines], GivenPassages([passage]))
    assert problems == []
    assert wrong_tables(found, [passage]) == wrong


def test_a_header_that_two_tables_of_a_paper_have_is_that_of_the_table_whose_row_is_quoted():
    heads = (
        "| Marker | Before | After |",
        "| Pulse | 61 | 60 |",
        "| Marker | Before | After |",
        "| Weight | 81 | 80 |",
    )
    texts = ["\n".join(heads[:2]), "\n".join(heads[2:])]
    made = [Passage(f"d::t{n}", "d", "results", "", text, 90 * n, 90 * n + len(text)) for n, text in enumerate(texts)]
    made = [replace(each, key="PMC1") for each in made]
    found, problems = placed([("PMC1", heads[2]), ("PMC1", heads[3])], GivenPassages(made))
    assert problems == []
    assert {each.passage for each in found} == {"d::t1"}
    assert wrong_tables(found, made) == ""
