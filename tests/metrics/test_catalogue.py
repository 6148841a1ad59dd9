"""Every metric by name, on every kind of prediction."""

from types import SimpleNamespace

import dspy
import pytest

from metrics.catalogue import METRICS
from metrics.score import Score
from tests.hashing_embedder import HashingEmbedder

EXAMPLE = {
    "question": "What happened to femur density?",
    "answer": "It fell by 12.4%.",
    "nuggets": ["Femur density fell by 12.4%"],
    "evidence": [{"document_id": "PMC1", "quote": "Femur density fell by 12.4% in flight mice."}],
    "document_ids": ["PMC1"],
    "label": "decreased",
    "answerable": True,
}
PREDICTION = {
    "question": "What happened to femur density?",
    "answer": "Femur density fell by 12.4% [1].",
    "label": "decreased",
    "answerable": True,
    "passages": [
        {"id": "PMC1::sec0::chunk0", "text": "Femur density fell by 12.4% in flight mice.", "section": "results"}
    ],
    "papers": [{"document_id": "PMC1", "relevance": 9}],
    "evidence": [{"passage": "PMC1::sec0::chunk0", "llm_score": 1.0, "combined_score": 0.9}],
}


def score(name, example, prediction):
    more = {"embed": HashingEmbedder().embed} if METRICS[name].embedded else {}
    return METRICS[name].score(example, prediction, **more)


@pytest.mark.parametrize("name", METRICS)
def test_objects_dicts_and_dspy_values_score_alike(name):
    metric = METRICS[name]
    scores = {
        kind: score(name, example, prediction)
        for kind, example, prediction in (
            ("dicts", EXAMPLE, PREDICTION),
            ("objects", SimpleNamespace(**EXAMPLE), SimpleNamespace(**PREDICTION)),
            ("dspy", dspy.Example(**EXAMPLE), dspy.Prediction(**PREDICTION)),
        )
    }
    assert scores["objects"] == scores["dicts"] == scores["dspy"]
    if name not in ("exact_match", "token_f1", "answer_relevancy"):
        assert scores["dicts"].value == (1 if metric.higher_is_better else 0)


@pytest.mark.parametrize("name", METRICS)
def test_a_failure_is_never_rewarded(name):
    metric = METRICS[name]
    found = score(name, EXAMPLE, {**PREDICTION, "error": "OutputTruncated"})
    assert found == Score.failed(found.feedback, worst=0.0 if metric.higher_is_better else 1.0)


@pytest.mark.parametrize("name", METRICS)
def test_an_empty_example_and_an_empty_prediction_do_not_break(name):
    assert isinstance(score(name, {}, {}), Score)
    assert isinstance(score(name, EXAMPLE, {"answer": ""}), Score)


def test_names_are_those_of_the_functions():
    assert all(metric.score.__name__ == name == metric.name for name, metric in METRICS.items())
