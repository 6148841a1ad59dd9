"""Scores, their means and costs, and metrics in the hands of DSPy's own optimizers."""

import inspect

import dspy
import pytest
from dspy.teleprompt.simba_utils import wrap_program

from metrics.catalogue import METRICS
from metrics.grounded_utility import grounded_utility
from metrics.judgements import Ledger
from metrics.score import STATUSES, Cost, Mean, Score, cost, mean
from optimize.scoring import evidence_section_distribution
from tests.scripted_lm import Script


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_values_lie_between_0_and_1(value):
    with pytest.raises(ValueError, match="lies in"):
        Score(value)


@pytest.mark.parametrize(("value", "status"), [(None, "scored"), (0.5, "not_applicable"), (0.5, "failed")])
def test_value_and_status_agree(value, status):
    with pytest.raises(ValueError, match=status):
        Score(value, status=status)


def test_a_score_is_a_number_with_an_explicit_threshold():
    assert Score(0.8).passes(0.8)
    assert not Score(0.79).passes(0.8)
    assert not Score.not_applicable("no label").passes(0.0)
    with pytest.raises(TypeError, match="metric_threshold"):
        bool(Score(0.8))


def test_scores_add_and_compare_as_numbers():
    assert sum([Score(0.5), Score(0.25)]) == 0.75
    assert Score(0.5) >= 0.5
    assert Score(0.5) > Score(0.4)
    assert 0.3 < Score(0.5) <= 0.5
    with pytest.raises(ValueError, match=r"not a number.*mean"):
        float(Score.not_applicable("no label"))


def test_mean_counts_failures_as_0_and_leaves_out_the_undefined():
    scores = [Score(1.0), Score(0.5), Score.failed("cut off"), Score.not_applicable("no label"), Score.abstained("no")]
    result = mean(scores)
    assert result.value == 0.5
    assert (result.n_scored, result.n_total) == (2, 5)
    assert result.by_status == {"scored": 2, "abstained": 1, "not_applicable": 1, "failed": 1}
    assert str(result) == "0.500 (n = 2/5)"


def test_an_abstention_with_a_value_and_a_worst_value_count():
    assert mean([Score(1.0), Score.abstained("declined", 0.2)]).value == pytest.approx(0.6)
    assert mean([Score(0.0), Score.failed("cut off", worst=1.0)]).value == 0.5


def test_the_mean_of_nothing_is_undefined():
    assert mean([]) == Mean(None, 0, 0, dict.fromkeys(STATUSES, 0))
    assert str(mean([Score.not_applicable("no label")])) == "undefined (n = 0/1)"


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


def test_sections_of_cited_passages():
    prediction = {
        "answer": "Density fell [1][2]. Muscle shrank [1]. Blood thinned [3][9].",
        "passages": [
            {"text": "a", "section": "results"},
            {"text": "b", "section": "discussion"},
            {"text": "c"},
            {"text": "never cited", "section": "methods"},
        ],
    }
    assert evidence_section_distribution(prediction) == {"results": 2, "discussion": 1, "unknown": 1}
    assert next(iter(evidence_section_distribution(prediction))) == "results"
    assert evidence_section_distribution({"answer": "Density fell."}) == {}


def test_cost_of_several_questions():
    predictions = [
        {"metrics": {"latency_ms": 100, "lm_calls": 2, "tokens": 300}},
        {"metrics": {"latency_ms": 300, "lm_calls": 4, "tokens": 500}},
        {"metrics": {"latency_ms": 1, "lm_calls": 3, "tokens": 400, "cached_calls": 3}},
        {},
    ]
    assert cost(predictions) == Cost(
        n_questions=4, n_cached=1, latency_p50_ms=100, latency_p95_ms=300, lm_calls=3, tokens=400
    )
    assert cost([]) == Cost(0, 0, None, None, None, None), "unknown, not 0"


def test_latencies_are_values_that_were_measured():
    found = cost([{"metrics": {"latency_ms": value}} for value in range(20, 0, -1)])
    assert (found.latency_p50_ms, found.latency_p95_ms) == (10, 19)
