import json
import tracemalloc
from dataclasses import asdict

import numpy as np
import pytest

from optimize.dataset import Example
from optimize.generate import Record
from optimize.scoring import LOWER_IS_BETTER, NAMES, aggregates, confidence
from optimize.statistics import compare, holm, t_quantile


@pytest.mark.parametrize(
    ("probability", "freedom", "expected"),
    [(0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 6, 2.447), (0.975, 29, 2.045), (0.8, 6, 0.906), (0.8, 1, 1.376)],
)
def test_t_quantiles_are_those_of_the_tables(probability, freedom, expected):
    assert t_quantile(probability, freedom) == pytest.approx(expected, abs=5e-4)


def simulated(rng, effect, n_papers=8):
    """Differences whose papers are not alike: questions on one paper share a part of them."""
    clusters, differences = [], []
    for paper in range(n_papers):
        shared, questions = rng.normal(effect, 0.15), int(rng.integers(4, 10))
        differences += list(shared + rng.normal(0, 0.3, questions))
        clusters += [f"P{paper}"] * questions
    return differences, clusters


@pytest.mark.parametrize("n_papers", [8, 20])
def test_where_there_is_no_difference_one_in_twenty_is_found(n_papers):
    rng = np.random.default_rng(0)
    results = [compare(*simulated(rng, 0.0, n_papers), seed=trial) for trial in range(150)]
    # 5 % of 150 is 7.5; more than 15 come by chance once in 200 times.
    assert sum(result.p <= 0.05 for result in results) <= 15
    assert sum(result.is_significant for result in results) <= 15
    assert sum(result.excludes_zero for result in results) <= 20


def test_a_planted_difference_is_found_and_covered_and_the_detectable_one_in_four_of_five_cases():
    rng = np.random.default_rng(1)
    results = [compare(*simulated(rng, 0.4), seed=trial) for trial in range(40)]
    assert sum(result.is_significant and result.difference > 0 for result in results) >= 36
    assert sum(result.low <= 0.4 <= result.high for result in results) >= 34
    rng = np.random.default_rng(2)
    usual = float(np.mean([compare(*simulated(rng, 0.0), seed=trial).detectable for trial in range(30)]))
    found = [compare(*simulated(rng, usual), seed=trial).excludes_zero for trial in range(60)]
    assert 0.65 <= np.mean(found) <= 0.97


def test_signs_of_papers_are_tried_out():
    # Three papers, all better: only 2 of 8 sign patterns give as much.
    result = compare([0.1, 0.2, 0.3, 0.1], ["a", "b", "c", "c"])
    assert result.p == pytest.approx(2 / 8)
    assert (result.n, result.n_clusters, result.difference) == (4, 3, pytest.approx(0.175))
    assert not result.is_significant
    nothing = compare([0.0] * 6, list("aabbcc"))
    assert (nothing.low, nothing.high, nothing.p) == (0.0, 0.0, 1.0)


def test_the_same_seed_gives_the_same_interval_and_one_paper_none():
    differences, clusters = simulated(np.random.default_rng(3), 0.1)
    assert compare(differences, clusters, seed=5) == compare(differences, clusters, seed=5)
    alone = compare([0.5, 0.6], ["a", "a"])
    assert (alone.difference, alone.low, alone.p, alone.detectable) == (0.55, None, None, None)
    assert not alone.is_significant


@pytest.mark.parametrize(("differences", "clusters"), [([], []), ([0.1], ["a", "b"])])
def test_lengths_have_to_fit(differences, clusters):
    with pytest.raises(ValueError, match="both need one a question"):
        compare(differences, clusters)


def test_holm_by_hand():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})
    assert (holm({"a": 0.7, "b": 0.8}), holm({})) == ({"a": 1.0, "b": 1.0}, {})


def test_thousands_of_papers_take_little_memory():
    differences = list(np.random.default_rng(4).normal(0.03, 0.3, 1_500))
    tracemalloc.start()
    result = compare(differences, [str(place) for place in range(1_500)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6
    assert result.low < 0.03 < result.high
    assert result.p < 0.05


def record(name, answer="", label="", scores=(), **metrics):
    prediction = {
        "answer": answer,
        "answerable": bool(answer),
        "label": label,
        "passages": [{"id": "P1::0", "text": "Density fell.", "section": "results"}],
        "citations": [{"score": score} for score in scores],
        "metrics": metrics,
    }
    return Record("plain", "dev", name, "answered", "", prediction)


GOLD = {
    "sure": {"label": "yes"},
    "unsure": {"label": "no"},
    "declined": {"label": "yes"},
    "open": {"answer": "", "answerable": False},
    "broken": {"label": "no"},
}
EXAMPLES = {name: Example(name, f"{name}?", ("P1",), **{"answer": "a", **gold}) for name, gold in GOLD.items()}
RECORDS = [
    record("sure", "Density fell [1].", "yes", (0.9, 0.7), latency_ms=10, lm_calls=2, tokens={"total": 100}, money=0.1),
    record("unsure", "Density rose [1].", "yes", (0.2,), latency_ms=30, lm_calls=4, tokens={"total": 300}),
    record("declined", latency_ms=20, lm_calls=0, tokens={"total": 0}),
    record("open", latency_ms=99, lm_calls=1, tokens={"total": 0}, cached_calls=1),
    Record("plain", "dev", "broken", "failed", "LMTimeout: late", {}),
]
VALUES = {"sure": 0.8, "unsure": 0.0, "declined": 0.2, "open": 1.0, "broken": 0.0}


def test_what_is_said_of_all_answers_by_hand():
    found = aggregates(EXAMPLES, RECORDS, VALUES)
    # yes: one of two found, one wrongly given; no: none found.
    assert found.macro_f1 == pytest.approx((2 * 1 / 4 + 0) / 2)
    assert found.answerability_balanced_accuracy == pytest.approx((2 / 4 + 1) / 2)
    assert found.over_abstention == pytest.approx(1 / 4)
    # Errors 0.2 and 1 at confidences 0.8 and 0.2; what was not answered has no part in it.
    assert found.risk_coverage.risks == pytest.approx((0.2, 0.6))
    assert found.risk_coverage.aurc == pytest.approx(0.4)
    # Failures are left out of the cost, and kept answers out of times and tokens.
    assert (found.cost.n_questions, found.cost.n_cached) == (4, 1)
    assert (found.cost.latency_p50_ms, found.cost.latency_p95_ms) == (20, 30)
    assert (found.cost.tokens, found.cost.money) == (pytest.approx(400 / 3), pytest.approx(0.1))
    assert found.sections == {"results": 2}
    assert tuple(found.numbers()) == NAMES
    assert set(NAMES) > LOWER_IS_BETTER
    assert json.loads(json.dumps(asdict(found)))["cost"]["lm_calls"] == pytest.approx(7 / 4)
    assert set(aggregates({}, [], {}).numbers().values()) == {None}


def test_confidence_is_the_mean_of_the_certificates_times_what_is_said_of_the_question():
    proved = {"citations": [{"score": 0.9, "quote": "Bone fell."}, {"score": 0.5, "quote": "Mice slept."}]}
    assert confidence(proved) == pytest.approx(0.7)
    assert confidence({**proved, "question": "Did bone density fall in mice?"}) == pytest.approx(0.7 * 2 / 4)
    assert confidence({**proved, "question": "Did bone fall?", "answer": "It did fall."}) == pytest.approx(0.7)
    assert confidence({"citations": []}) == confidence({}) == 0
