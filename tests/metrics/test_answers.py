"""Words, labels and relevancy of answers, and figures of many: labels, declining, and by confidence."""

import pytest

from metrics.answers import (
    answer_relevancy,
    answerability_balanced_accuracy,
    macro_f1,
    over_abstention,
    predicted_label,
    risk_coverage,
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


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        ({"label": "No Difference"}, "no difference"),
        ({"answer": "No difference was seen [1]."}, "no difference"),
        ({"answer": "No, it fell [1]."}, "no"),
        ({"answer": "Nobody knows."}, "nobody knows"),
        ({"answer": ""}, ""),
        ({"label": "yes", "answer": "No."}, "yes"),
    ],
)
def test_labels_are_read_from_the_field_or_the_beginning_of_the_answer(prediction, expected):
    assert predicted_label({"choices": ["yes", "no", "no difference"]}, prediction) == expected


@pytest.mark.parametrize(
    ("golds", "given", "value", "said"),
    [
        (["yes", "yes", "no", "maybe"], ["yes", "no", "no", "other"], 4 / 9, "maybe 0.000, no 0.667, yes 0.667"),
        (["yes", "yes"], ["yes", None], 2 / 3, "yes 0.667"),
        (["", "yes"], ["no", "yes"], 1, "yes 1.000"),
        ([], [], None, "no example has a label"),
    ],
)
def test_macro_f1_counts_failures_and_leaves_out_what_has_no_label(golds, given, value, said):
    predictions = [None if each is None else {"label": each} for each in given]
    score = macro_f1([{"label": each} for each in golds], predictions)
    assert (score.value, score.feedback) == (pytest.approx(value), said)


QUESTION = "What happened to the femur density of mice?"


def relevancy(answer, **more):
    prediction = {"question": QUESTION, "answer": answer, "passages": ["Femur density of mice fell."], **more}
    return answer_relevancy({"question": QUESTION}, prediction, HashingEmbedder(512).embed)


def test_an_answer_to_the_point_is_nearer_than_one_beside_it_whatever_it_cites():
    found = relevancy("The femur density of mice fell [1].")
    assert found.value > relevancy("Lettuce grew taller [1].").value + 0.3
    assert found == relevancy("The femur density of mice fell.")
    assert answer_relevancy({"question": "a"}, {"answer": "b"}, lambda _: [[1.0, 0.0], [-1.0, 0.0]]).value == 0


@pytest.mark.parametrize(
    ("prediction", "status"),
    [
        ({"answer": ""}, "not_applicable"),
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


@pytest.mark.parametrize(
    ("metric", "examples", "predictions", "value"),
    [
        # answered and declined rightly, both kinds weighing alike
        (answerability_balanced_accuracy, [YES] * 4 + [NO], [*[ANSWERED] * 3, DECLINED, ANSWERED], (3 / 4 + 0) / 2),
        (answerability_balanced_accuracy, [YES, NO], [DECLINED, DECLINED], 0.5),
        (answerability_balanced_accuracy, [YES, NO], [None, DECLINED], 0.5),
        (answerability_balanced_accuracy, [YES], [ANSWERED], None),
        # declined although there is an answer
        (over_abstention, [YES] * 4 + [NO], [ANSWERED, DECLINED, TORN, {"answer": ""}, DECLINED], 0.5),
        (over_abstention, [NO], [DECLINED], None),
    ],
)
def test_declining_over_many_questions(metric, examples, predictions, value):
    assert metric(examples, predictions).value == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("confidences", "values", "risks"),
    [
        ([0.9, 0.1, 0.5], [1.0, 0.0, 0.5], (0, 0.25, 0.5)),
        ([4, 3, 2, 1], [1.0, 1.0, 0.0, 0.0], (0, 0, 1 / 3, 1 / 2)),
        ([1, 2, 3, 4], [1.0, 1.0, 0.0, 0.0], (1, 1, 2 / 3, 1 / 2)),
        ([1, 1, 1, 1], [1.0, 1.0, 0.0, 0.0], (1 / 2, 1 / 2, 1 / 2, 1 / 2)),
    ],
)
def test_risk_coverage_by_hand(confidences, values, risks):
    curve = risk_coverage(confidences, values)
    assert (curve.risks, curve.aurc) == (pytest.approx(risks), pytest.approx(sum(risks) / len(risks)))


def test_risk_coverage_of_nothing_and_of_nonsense():
    assert risk_coverage([], []) is None
    with pytest.raises(ValueError, match="2 confidences for 1"):
        risk_coverage([0.1, 0.2], [1.0])
    with pytest.raises(ValueError, match="NaN"):
        risk_coverage([float("nan")], [1.0])
