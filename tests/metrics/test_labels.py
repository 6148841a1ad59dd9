"""Accuracy and macro F1 of labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.answers import accuracy, macro_f1, predicted_label


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


def test_accuracy():
    example = {"label": "SUPPORTS"}
    assert accuracy(example, {"label": "supports"}).value == 1
    wrong = accuracy(example, {"label": "contradicts"})
    assert (wrong.value, wrong.feedback) == (0, 'expected "supports", got "contradicts"')
    abstained = accuracy(example, {"answer": "", "answerable": False})
    assert (abstained.value, abstained.status) == (0, "abstained")
    assert accuracy(example, None).status == "failed"
    assert accuracy({}, {"label": "supports"}).status == "not_applicable"


def test_an_abstention_can_be_the_right_label():
    example = {"label": "neither", "answerable": False}
    assert accuracy(example, {"label": "neither", "answer": "", "answerable": False}).value == 1


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


def test_macro_f1_needs_a_prediction_for_every_example():
    with pytest.raises(ValueError, match="shorter"):
        macro_f1([{"label": "yes"}], [])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=10), st.randoms())
def test_macro_f1_is_in_range_whatever_the_order(pairs, random):
    def score():
        return macro_f1([{"label": gold} for gold, _ in pairs], [{"label": label} for _, label in pairs]).value

    before = score()
    assert 0 <= before <= 1
    random.shuffle(pairs)
    assert score() == pytest.approx(before)
