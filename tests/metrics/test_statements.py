"""Which sentences of an answer have to be proved, and what kind of answer that makes it."""

import pytest

from metrics.statements import claims_of, needs_citation, outcome, statements


@pytest.mark.parametrize(
    "text",
    [
        "Femur density fell by 12.4%.",
        "The mice did not show a loss.",
        "No evidence of bone loss was seen.",
        "No evidence was found for any effect of diet on recovery.",
        "The evidence does not support an effect of diet.",
        "The passages do not name the cause, but density fell by half.",
        "骨密度は12.4%低下した。",
        "**Femur density fell in every mouse.**",
        "## Femur density fell in every mouse.",
        "## " + "Femur density fell in every mouse " * 3,
        "**Femur density fell by 12.4 %**",
        "Femur density fell by 12.4 % in three ways:",
        "Did you know that femur density fell by 12.4 %?",
        "Yes.",
    ],
)
def test_claims_need_a_citation(text):
    assert needs_citation(text)


@pytest.mark.parametrize(
    "text",
    [
        "Does bone recover?",
        "骨は回復するか？",
        "## Findings",
        "**Summary**",
        "Flight changed bone in three ways:",
        "The passages do not say how muscle changed.",
        "None of the provided passages mention sleep.",
        "I could not find an answer in the passages.",
        "Could not retrieve supporting evidence.",
        "No information was found on this.",
        "There is not enough information to answer.",
        "There is no information about tomatoes in the given context.",
        "---",
        "",
    ],
)
def test_the_rest_of_an_answer_does_not(text):
    assert not needs_citation(text)


def test_statements_are_numbered_bare_and_know_what_they_cite():
    answer = "## Bone\nIt changed:\n- Density fell [1, 2].\n- Number fell. [3]\nDid it recover?"
    found = statements(answer)
    assert [(each.number, each.text, each.cites, each.needs_citation) for each in found] == [
        (1, "## Bone", (), False),
        (2, "It changed:", (), False),
        (3, "Density fell.", ("1", "2"), True),
        (4, "Number fell.", ("3",), True),
        (5, "Did it recover?", (), False),
    ]
    assert [answer[each.start : each.end] for each in found][2] == "- Density fell [1, 2]."


@pytest.mark.parametrize("marks", ['""', "“”", "„“", "「」"])
def test_quotations_that_a_citation_joins_are_told_apart(marks):
    first, second = (f"{marks[0]}{text}{marks[1]}" for text in ("Density fell.", "Muscle shrank."))
    found = statements(f"{first} [1][2] {second} [3]")
    assert [(each.text, each.cites) for each in found] == [(first, ("1", "2")), (second, ("3",))]


def test_abbreviations_before_a_citation_end_no_statement():
    found = statements('Smith et al. [3] "No loss" was said. It differs, e.g. [1], here.')
    assert [each.cites for each in found] == [("3",), ("1",)]


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        ({"answer": "Density fell [1]."}, "answered"),
        ({"answer": "Density fell [1].", "answerable": True}, "answered"),
        ({"answer": "Did density fall?"}, "answered"),
        ({"answer": "", "answerable": False}, "abstained"),
        ({"answer": "The passages do not say.", "answerable": False}, "abstained"),
        ({"answer": "The passages do not say."}, "abstained"),
        ({"answer": None, "answerable": False}, "abstained"),
        ({"answer": "Density fell [1].", "answerable": False}, "abstained_with_claims"),
        ({"answer": "The passages do not say. Density fell.", "answerable": False}, "abstained_with_claims"),
        ({"answer": "The passages do not say. Density fell."}, "answered"),
        ({"answer": " \n"}, "empty"),
        ({"answer": "", "answerable": True}, "empty"),
        ({}, "empty"),
        ({"answer": ["Density fell."]}, "failed"),
        ({"answer": "Density fell.", "error": "OutputTruncated"}, "failed"),
        (None, "failed"),
    ],
)
def test_outcomes(prediction, expected):
    assert outcome(prediction) == expected


def test_claims_are_the_statements_to_prove():
    assert [claim.number for claim in claims_of({"answer": "Why? Density fell [1]. Number fell."})] == [2, 3]
