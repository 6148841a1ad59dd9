"""Declining rightly, wrongly, and by confidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.answers import answerability, answerability_balanced_accuracy, over_abstention, risk_coverage

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


def test_feedback_names_both_sides():
    assert answerability(NO, ANSWERED).feedback == "the question is unanswerable, the prediction is answered"


def test_balanced_accuracy_weighs_both_kinds_alike():
    examples = [YES, YES, YES, YES, NO]
    predictions = [ANSWERED, ANSWERED, ANSWERED, DECLINED, ANSWERED]
    assert answerability_balanced_accuracy(examples, predictions).value == pytest.approx((3 / 4 + 0) / 2)
    assert answerability_balanced_accuracy([YES, NO], [DECLINED, DECLINED]).value == 0.5
    assert answerability_balanced_accuracy([YES, NO], [None, DECLINED]).value == 0.5


def test_balanced_accuracy_needs_both_kinds():
    assert answerability_balanced_accuracy([YES], [ANSWERED]).status == "not_applicable"
    assert answerability_balanced_accuracy([], []).status == "not_applicable"


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


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.floats(0, 1)), min_size=1, max_size=8), st.randoms())
def test_risk_coverage_is_in_range_whatever_the_order(answers, random):
    before = risk_coverage(*zip(*answers, strict=True)).aurc
    assert 0 <= before <= 1
    random.shuffle(answers)
    assert risk_coverage(*zip(*answers, strict=True)).aurc == pytest.approx(before)
