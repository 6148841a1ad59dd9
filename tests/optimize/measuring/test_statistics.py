import tracemalloc

import numpy as np
import pytest

from optimize.measuring.statistics import compare, holm, t_quantile


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


def test_a_planted_difference_is_found_and_covered():
    rng = np.random.default_rng(1)
    results = [compare(*simulated(rng, 0.4), seed=trial) for trial in range(40)]
    assert sum(result.is_significant and result.difference > 0 for result in results) >= 36
    assert sum(result.low <= 0.4 <= result.high for result in results) >= 34


def test_the_detectable_difference_is_detected_in_four_of_five_cases():
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


def test_the_same_seed_gives_the_same_interval():
    differences, clusters = simulated(np.random.default_rng(3), 0.1)
    assert compare(differences, clusters, seed=5) == compare(differences, clusters, seed=5)


def test_one_paper_says_nothing_of_others():
    result = compare([0.5, 0.6], ["a", "a"])
    assert (result.difference, result.low, result.p, result.detectable) == (0.55, None, None, None)
    assert not result.is_significant


def test_no_difference_at_all_is_not_significant():
    result = compare([0.0] * 6, list("aabbcc"))
    assert (result.low, result.high, result.p) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(("differences", "clusters"), [([], []), ([0.1], ["a", "b"])])
def test_lengths_have_to_fit(differences, clusters):
    with pytest.raises(ValueError, match="both need one a question"):
        compare(differences, clusters)


def test_holm_by_hand():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})
    assert holm({"a": 0.7, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


def test_thousands_of_papers_take_little_memory():
    rng = np.random.default_rng(4)
    differences = list(rng.normal(0.02, 0.3, 3_000))
    tracemalloc.start()
    result = compare(differences, [str(place) for place in range(3_000)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6
    assert result.low < 0.02 < result.high
    assert result.p < 0.05
