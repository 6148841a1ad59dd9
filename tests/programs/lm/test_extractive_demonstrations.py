from typing import Literal

import dspy
import pytest

from programs.lm.extractive.demonstrations import DEFAULT_THRESHOLD, Habits, boundary
from signatures.main_points import AnswerFromPassages, ExtractPoints

pytestmark = pytest.mark.usefixtures("extractive")

PAPER = """Methods

Yeast was grown at pH 4 in medium for 20 days. The lifespan of yeast was scored by colony counts.

Results

Low pH shortened the lifespan of yeast by 30 percent. Buffered medium restored yeast lifespan.
Acetic acid in the medium shortened the lifespan of yeast too. Sorbitol had no part in yeast ageing."""
PASSAGES = """[1] (results) Low pH shortened the lifespan of yeast by 30 percent.
[2] (results) Buffered medium restored yeast lifespan at low pH.
[3] (methods) Yeast at low pH was grown in medium for 20 days."""
QUESTION = "Does low pH shorten yeast lifespan?"


def ask(signature, demos, **inputs):
    predict = dspy.Predict(signature)
    predict.demos = [dspy.Example(demo) for demo in demos]
    return predict(**inputs)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_demos_set_the_number_of_points(count):
    demos = [
        {"paper": PAPER, "question": "What shortened lifespan?", "points": ["A point."] * n} for n in (count, count)
    ]
    assert len(ask(ExtractPoints, demos, paper=PAPER, question=QUESTION).points) == count


def test_demos_set_the_length_of_answers():
    question = "How does low pH change yeast lifespan in medium?"
    one = {"passages": PASSAGES, "question": question, "answerable": True, "answer": "Low pH shortened it [1]."}
    two = {**one, "answer": "Low pH shortened it [1]. Buffer restored it [2]."}
    short = ask(AnswerFromPassages, [one], passages=PASSAGES, question=question).answer
    long = ask(AnswerFromPassages, [two], passages=PASSAGES, question=question).answer
    assert short.count("].") == 1
    assert long.count("].") == 2


def test_demos_set_where_it_abstains():
    vague = "Does yeast help people get, keep and find work?"
    assert not ask(AnswerFromPassages, [], passages=PASSAGES, question=vague).answerable
    bold = {"passages": PASSAGES, "question": vague, "answerable": True, "answer": "Low pH shortened lifespan [1]."}
    assert ask(AnswerFromPassages, [bold], passages=PASSAGES, question=vague).answerable
    far, close = "Does low pH harm yeast?", QUESTION
    assert ask(AnswerFromPassages, [], passages=PASSAGES, question=far).answerable
    cautious = {"passages": PASSAGES, "question": far, "answerable": False, "answer": ""}
    assert not ask(AnswerFromPassages, [cautious], passages=PASSAGES, question=far).answerable
    assert ask(AnswerFromPassages, [cautious], passages=PASSAGES, question=close).answerable


def test_demos_calibrate_scores():
    signature = dspy.Signature("passages, question -> score: float")
    demos = [
        {"passages": PASSAGES, "question": "Who painted Guernica?", "score": 0.3},
        {"passages": PASSAGES, "question": QUESTION, "score": 0.6},
    ]
    low, middle, high = (
        ask(signature, demos, passages=PASSAGES, question=question).score
        for question in ("Who painted Guernica?", "Does low pH harm bacteria?", QUESTION)
    )
    assert low == pytest.approx(0.3)
    assert high == pytest.approx(0.6)
    assert low < middle < high
    assert ask(signature, [], passages=PASSAGES, question=QUESTION).score > 0.9


def test_demos_set_where_to_look():
    question = "How was yeast lifespan studied in medium?"
    points = ["Yeast was grown at pH 4 in medium for 20 days.", "The lifespan of yeast was scored by colony counts."]
    demos = [{"paper": PAPER, "question": "How was yeast grown?", "points": points}] * 12
    default = ask(ExtractPoints, [], paper=PAPER, question=question).points
    learnt = ask(ExtractPoints, demos, paper=PAPER, question=question).points
    assert default[0] not in points
    assert learnt[0] in points


def test_demos_teach_short_answers():
    signature = dspy.Signature("passages, question -> answer")
    demos = [{"passages": PASSAGES, "question": "How long was yeast grown?", "answer": "20 days"}]
    got = ask(signature, demos, passages=PASSAGES, question="By how much did low pH shorten yeast lifespan?")
    assert got.answer == "30 percent"


def test_unknown_labels_follow_the_demos():
    signature = dspy.Signature("passages, question -> kind: str").with_updated_fields(
        "kind", type_=Literal["alpha", "beta"]
    )
    demo = {"passages": PASSAGES, "question": QUESTION}
    for label in ("alpha", "beta"):
        assert ask(signature, [{**demo, "kind": label}], **demo).kind == label


def test_incomplete_demos_teach_what_they_hold():
    demos = [{"question": "What shortened lifespan?", "points": ["A point."]}, {"paper": PAPER, "points": []}]
    assert len(ask(ExtractPoints, demos, paper=PAPER, question=QUESTION).points) == 1


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        ([], [], DEFAULT_THRESHOLD),
        ([0.9], [0.1], DEFAULT_THRESHOLD),
        ([0.3], [0.1], 0.2),
        ([0.9], [0.7], 0.8),
        ([0.2, 0.9, 0.95], [0.1, 0.5], 0.7),
    ],
)
def test_the_boundary_makes_the_fewest_errors_near_the_default(above, below, expected):
    assert boundary(above, below, DEFAULT_THRESHOLD) == pytest.approx(expected)


def test_calibration_is_level_beyond_the_demos():
    habits = Habits(calibration=((0.2, 0.1), (0.4, 0.5)))
    assert [habits.calibrated(at) for at in (0.0, 0.2, 0.3, 0.4, 1.0)] == pytest.approx([0.1, 0.1, 0.3, 0.5, 0.5])
    assert Habits().calibrated(0.5) is None
