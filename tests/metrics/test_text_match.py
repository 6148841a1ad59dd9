"""SQuAD's exact match and token F1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.answers import exact_match, token_f1, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Femur, of a mouse!", ["femur", "of", "mouse"]),
        ("12.4% (n = 10)", ["12.4", "n", "10"]),
        ("1,099 cells; IL-6.", ["1099", "cells", "il6"]),
        ("骨密度は12.4%低下。", ["骨", "密", "度", "は", "12.4", "低", "下"]),
        ("뼈 밀도", ["뼈", "밀도"]),
        ("The a an.", []),
    ],
)
def test_normal_form(text, expected):
    assert tokens(text) == expected


def test_exact_match_takes_the_best_reference_and_ignores_citations():
    example = {"answers": ["9 days", "nine days"]}
    assert exact_match(example, {"answer": "Nine days [1].", "passages": ["x"]}).value == 1
    score = exact_match(example, {"answer": "14 days"})
    assert score.value == 0
    assert score.feedback == 'expected "9 days", got "14 days"'
    assert exact_match({"answer": "12.4"}, {"answer": "1.24"}).value == 0


def test_token_f1_by_hand():
    example = {"answers": ["femur density fell", "it grew"]}
    assert token_f1(example, {"answer": "The density fell in mice [1]."}).value == pytest.approx(2 * 2 / (4 + 3))
    assert token_f1({"answer": "fell fell"}, {"answer": "fell"}).value == pytest.approx(2 / 3)
    assert token_f1({"answer": "骨密度"}, {"answer": "骨の密度"}).value == pytest.approx(6 / 7)


@pytest.mark.parametrize("metric", [exact_match, token_f1])
def test_answers_that_are_none(metric):
    example = {"answer": "9 days"}
    assert metric(example, {"answer": ""}).value == 0
    abstained = metric(example, {"answer": "", "answerable": False})
    assert (abstained.value, abstained.status) == (0, "abstained")
    assert metric(example, None).status == "failed"
    assert metric({"answer": "", "answerable": False}, {"answer": "9 days"}).status == "not_applicable"
    assert metric({}, {"answer": "9 days"}).status == "not_applicable"


_TEXT = st.text(alphabet="abc 12.,[]骨", max_size=20)


@given(_TEXT.filter(str.strip), _TEXT.filter(str.strip))
def test_token_f1_is_symmetric_in_range_and_1_for_an_exact_match(answer, reference):
    there, back = (
        token_f1({"answer": gold}, {"answer": given}) for gold, given in ((reference, answer), (answer, reference))
    )
    if "[" not in answer + reference:
        assert there.value == back.value
    assert 0 <= float(there) <= 1
    if exact_match({"answer": reference}, {"answer": answer}).value == 1:
        assert there.value == 1
