"""Where evidence comes from, and what answers cost."""

import pytest

from metrics.score import Cost, cost, percentile
from optimize.measuring.scoring import evidence_section_distribution


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


def test_cost_of_nothing_is_unknown_and_not_0():
    assert cost([]) == Cost(0, 0, None, None, None, None)


def test_percentiles_are_values_that_were_measured():
    values = [float(value) for value in range(20, 0, -1)]
    assert percentile(values, 0.5) == 10
    assert percentile(values, 0.95) == 19
    assert percentile(values, 1.0) == 20
    assert percentile([7.0], 0.05) == 7
    with pytest.raises(ValueError, match=r"got 0\.0"):
        percentile(values, 0.0)
