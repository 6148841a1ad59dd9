"""Words, labels and relevancy of answers, and declining rightly, wrongly, and by confidence."""

import pytest

from metrics.answers import (
    accuracy,
    answer_relevancy,
    answerability,
    answerability_balanced_accuracy,
    exact_match,
    macro_f1,
    over_abstention,
    predicted_label,
    risk_coverage,
    token_f1,
    tokens,
)
from tests.hashing_embedder import HashingEmbedder


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


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        ({"label": "No Difference"}, "no difference"),
        ({"answer": "No difference was seen [1]."}, "no difference"),
        ({"answer": "No, it fell [1]."}, "no"),
        ({"answer": "Yes [1]."}, "yes"),
        ({"answer": "Nobody knows."}, "nobody knows"),
        ({"answer": ""}, ""),
        ({"label": "yes", "answer": "No."}, "yes"),
        ({"label": "A"}, "a"),
    ],
)
def test_labels_are_read_from_the_field_or_the_beginning_of_the_answer(prediction, expected):
    assert predicted_label({"choices": ["yes", "no", "no difference"]}, prediction) == expected


@pytest.mark.parametrize(
    ("example", "prediction", "value", "status"),
    [
        ({"label": "SUPPORTS"}, {"label": "supports"}, 1, "scored"),
        ({"label": "SUPPORTS"}, {"label": "contradicts"}, 0, "scored"),
        ({"label": "SUPPORTS"}, {"answer": "", "answerable": False}, 0, "abstained"),
        ({"label": "SUPPORTS"}, None, 0, "failed"),
        ({}, {"label": "supports"}, None, "not_applicable"),
        (
            {"label": "neither", "answerable": False},
            {"label": "neither", "answer": "", "answerable": False},
            1,
            "scored",
        ),
    ],
)
def test_accuracy(example, prediction, value, status):
    score = accuracy(example, prediction)
    assert (score.value, score.status) == (value, status)
    assert score.feedback == 'expected "supports", got "contradicts"' or prediction != {"label": "contradicts"}


def test_macro_f1_by_hand():
    golds = ["yes", "yes", "no", "maybe"]
    given_labels = ["yes", "no", "no", "other"]
    score = macro_f1([{"label": gold} for gold in golds], [{"label": label} for label in given_labels])
    assert score.value == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert score.feedback == "maybe 0.000, no 0.667, yes 0.667"


def test_macro_f1_counts_failures_and_skips_what_has_no_label():
    assert macro_f1([{"label": "yes"}, {"label": "yes"}], [{"label": "yes"}, None]).value == pytest.approx(2 / 3)
    assert macro_f1([{}, {"label": "yes"}], [{"label": "no"}, {"label": "yes"}]).value == 1
    assert macro_f1([], []).status == "not_applicable"


QUESTION = "What happened to the femur density of mice?"


def relevancy(answer, **more):
    prediction = {"question": QUESTION, "answer": answer, "passages": ["Femur density of mice fell."], **more}
    return answer_relevancy({"question": QUESTION}, prediction, HashingEmbedder(512).embed)


def test_an_answer_to_the_point_is_nearer_than_one_beside_it():
    assert relevancy("The femur density of mice fell [1].").value > relevancy("Lettuce grew taller [1].").value + 0.3


def test_citations_are_no_part_of_the_answer():
    assert relevancy("Femur density of mice fell [1].") == relevancy("Femur density of mice fell.")


def test_a_negative_similarity_is_none():
    assert answer_relevancy({"question": "a"}, {"answer": "b"}, lambda _: [[1.0, 0.0], [-1.0, 0.0]]).value == 0


@pytest.mark.parametrize(
    ("prediction", "status"),
    [
        ({"answer": ""}, "not_applicable"),
        ({"answer": "", "answerable": False}, "abstained"),
        ({"answer": "The passages do not say."}, "abstained"),
        ({"error": "LMTimeout: late"}, "failed"),
    ],
)
def test_without_an_answer_nothing_is_compared(prediction, status):
    def never(_):
        raise AssertionError("asked for vectors")

    assert answer_relevancy({"question": QUESTION}, prediction, never).status == status


YES, NO = {"answerable": True}, {"answerable": False}
ANSWERED = {"answer": "Density fell.", "answerable": True}
DECLINED = {"answer": "", "answerable": False}
TORN = {"answer": "Density fell.", "answerable": False}
EMPTY = {"answer": ""}


@pytest.mark.parametrize(
    ("example", "prediction", "value", "status"),
    [
        (YES, ANSWERED, 1, "scored"),
        (NO, DECLINED, 1, "abstained"),
        (YES, DECLINED, 0, "abstained"),
        (NO, ANSWERED, 0, "scored"),
        (NO, TORN, 0, "scored"),
        (YES, TORN, 0, "scored"),
        (YES, EMPTY, 0, "scored"),
        (NO, EMPTY, 0, "scored"),
        (YES, None, 0, "failed"),
    ],
)
def test_answerability(example, prediction, value, status):
    score = answerability(example, prediction)
    assert (score.value, score.status) == (value, status)


def test_balanced_accuracy_weighs_both_kinds_alike():
    examples = [YES, YES, YES, YES, NO]
    predictions = [ANSWERED, ANSWERED, ANSWERED, DECLINED, ANSWERED]
    assert answerability_balanced_accuracy(examples, predictions).value == pytest.approx((3 / 4 + 0) / 2)
    assert answerability_balanced_accuracy([YES, NO], [DECLINED, DECLINED]).value == 0.5
    assert answerability_balanced_accuracy([YES, NO], [None, DECLINED]).value == 0.5
    assert answerability_balanced_accuracy([YES], [ANSWERED]).status == "not_applicable"


def test_over_abstention_looks_at_answerable_questions_only():
    assert over_abstention([YES, YES, YES, YES, NO], [ANSWERED, DECLINED, TORN, EMPTY, DECLINED]).value == 0.5
    assert over_abstention([NO], [DECLINED]).status == "not_applicable"


def test_risk_coverage_by_hand():
    curve = risk_coverage([0.9, 0.1, 0.5], [1.0, 0.0, 0.5])
    assert curve.risks == pytest.approx((0, 0.25, 0.5))
    assert curve.aurc == pytest.approx(0.25)


def test_a_right_order_is_better_than_a_wrong_one():
    values = [1.0, 1.0, 0.0, 0.0]
    right, wrong, none = (risk_coverage(order, values).aurc for order in ([4, 3, 2, 1], [1, 2, 3, 4], [1, 1, 1, 1]))
    assert right < none < wrong
    assert none == 0.5


def test_risk_coverage_of_nothing_and_of_nonsense():
    assert risk_coverage([], []) is None
    with pytest.raises(ValueError, match="2 confidences for 1"):
        risk_coverage([0.1, 0.2], [1.0])
    with pytest.raises(ValueError, match="NaN"):
        risk_coverage([float("nan")], [1.0])
