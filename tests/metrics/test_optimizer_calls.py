"""The package's metrics in the hands of DSPy's own optimizers, without an adapter."""

import inspect

import dspy
import pytest
from dspy.teleprompt.simba_utils import wrap_program

from metrics.catalogue import METRICS
from metrics.grounded_utility import grounded_utility
from metrics.judgements import Ledger
from tests.scripted_lm import Script

FELL = "Femur density fell by 12 percent in flight mice."
GOOD = {"answer": "Femur density fell by 12 percent in flight mice [1].", "passages": [FELL]}
BAD = {"answer": "Femur density rose by 90 percent in flight mice [1].", "passages": [FELL]}
GOLD = dspy.Example(question="What happened to bone?", nuggets=[FELL]).with_inputs("question")


class Answering(dspy.Module):
    """The least that has passages and an answer."""

    def __init__(self):
        super().__init__()
        self.answer = dspy.Predict("question -> answer")

    def forward(self, question):
        return dspy.Prediction(answer=self.answer(question=question).answer, passages=[FELL])


@pytest.mark.parametrize(("said", "demos"), [(GOOD["answer"], 1), (BAD["answer"], 0)])
def test_bootstrapping_makes_a_demo_of_a_good_run_and_none_of_a_bad_one(said, demos):
    optimizer = dspy.BootstrapFewShot(metric=grounded_utility, max_bootstrapped_demos=1, max_labeled_demos=0)
    with dspy.context(lm=Script(answer={"answer": said}).lm()):
        compiled = optimizer.compile(Answering(), trainset=[GOLD])
    assert len(compiled.answer.demos) == demos


def test_an_undefined_score_makes_no_demo_and_stops_nothing():
    score = METRICS["accuracy"].score({}, GOOD, [])
    assert score.value is None
    assert not score
    assert not score >= 0.1


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if not metric.embedded])
def test_every_metric_takes_the_five_arguments_of_gepa(name):
    inspect.signature(METRICS[name].score).bind(None, None, None, None, None)


def test_gepa_reads_score_and_feedback():
    score = grounded_utility(GOLD, BAD, [], "answer", [])
    assert "sentence 1" in score["feedback"]
    assert score["score"] == float(grounded_utility(GOLD, BAD))


def test_simba_sees_the_value_and_not_0():
    with dspy.context(lm=Script(answer={"answer": GOOD["answer"]}).lm()):
        found = wrap_program(Answering(), grounded_utility)(GOLD)
    assert found["score"] == grounded_utility(GOLD, GOOD).value > 0.6


def test_what_is_no_trace_is_to_be_given_by_name():
    with pytest.raises(TypeError, match="third argument of grounded_utility is DSPy's trace"):
        grounded_utility(GOLD, GOOD, Ledger())
