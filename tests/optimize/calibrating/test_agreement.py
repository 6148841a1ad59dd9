"""A judge against people, by hand and on simulated judges whose errors are known."""

import json

import numpy as np
import pytest

from optimize.calibrating.agreement import JudgedClaim, agreement, corrected

pytestmark = pytest.mark.slow

SHORT = {"s": "supported", "c": "contradicted", "u": "unverifiable", "-": None}


def judged(*pairs):
    """Pairs of letters, people's first, each with how often; every claim on a document of its own."""
    found = []
    for pair, times in pairs:
        human, judge = SHORT[pair[0]], SHORT[pair[1]]
        found += [JudgedClaim(human, judge, f"{pair}{number}") for number in range(times)]
    return found


def test_accuracy_kappa_and_rates_by_hand():
    found = agreement(judged(("ss", 20), ("su", 5), ("us", 10), ("uu", 15)))
    assert found.n == found.n_documents == 50
    assert found.accuracy.value == pytest.approx(0.7)
    # By chance: 25/50 · 30/50 + 25/50 · 20/50 = 0.5 (the textbook example of kappa 0.4).
    assert found.kappa.value == pytest.approx(0.4)
    assert found.sensitivity.value == pytest.approx(0.8)
    assert found.specificity.value == pytest.approx(0.6)
    assert (found.human_rate.value, found.judge_rate.value) == pytest.approx((0.5, 0.6))
    assert found.majority == pytest.approx(0.5)
    assert found.confusion["unverifiable"] == {"supported": 10, "contradicted": 0, "unverifiable": 15, "none": 0}
    assert found.accuracy.low < 0.7 < found.accuracy.high
    assert json.loads(json.dumps(found.as_dict()))["kappa"]["value"] == pytest.approx(0.4)


def test_a_claim_without_a_verdict_agrees_with_nobody():
    found = agreement(judged(("ss", 3), ("s-", 1), ("u-", 1), ("uu", 1)))
    assert found.accuracy.value == pytest.approx(4 / 6)
    assert found.sensitivity.value == pytest.approx(3 / 4)
    assert found.specificity.value == 1
    assert found.confusion["supported"]["none"] == 1


def test_a_judge_that_always_says_the_same_has_no_kappa_to_speak_of():
    assert agreement(judged(("ss", 30), ("us", 20))).kappa.value == pytest.approx(0)
    assert agreement(judged(("ss", 30))).kappa.value is None


def test_claims_on_one_document_are_drawn_together():
    pairs = [JudgedClaim("supported", "supported" if number % 2 else "unverifiable", "x") for number in range(200)]
    alone = [JudgedClaim(each.human, each.judge, str(number)) for number, each in enumerate(pairs)]
    grouped = [JudgedClaim(each.human, each.judge, str(number % 20)) for number, each in enumerate(pairs)]
    wide, narrow = agreement(grouped).accuracy, agreement(alone).accuracy
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
    assert agreement(pairs).accuracy.low is None


def simulated(rng, rate, n, sensitivity=0.8, specificity=0.7):
    """Whether claims are true, and what a judge of these errors says."""
    true = rng.random(n) < rate
    said = np.where(true, rng.random(n) < sensitivity, rng.random(n) >= specificity)
    return true, said


def labelled(rng, rate, n):
    true, said = simulated(rng, rate, n)
    names = {True: "supported", False: "unverifiable"}
    return [
        JudgedClaim(names[bool(t)], names[bool(s)], str(k)) for k, (t, s) in enumerate(zip(true, said, strict=True))
    ]


def test_the_truth_is_recovered_and_covered_though_the_rates_differ():
    rng = np.random.default_rng(0)
    found = []
    for trial in range(40):
        _, said = simulated(rng, 0.9, 300)
        found.append(corrected(labelled(rng, 0.5, 400), said.astype(float), [str(k) for k in range(300)], trial))
    # As judged: 0.9 · 0.8 + 0.1 · 0.3 = 0.75.
    assert np.mean([each.as_judged.value for each in found]) == pytest.approx(0.75, abs=0.02)
    assert np.mean([each.rogan_gladen.value for each in found]) == pytest.approx(0.9, abs=0.03)
    assert sum(each.rogan_gladen.low <= 0.9 <= each.rogan_gladen.high for each in found) >= 35


def test_the_difference_is_right_for_claims_of_the_same_kind():
    rng = np.random.default_rng(1)
    found = []
    for trial in range(40):
        _, said = simulated(rng, 0.6, 300)
        found.append(corrected(labelled(rng, 0.6, 400), said.astype(float), [str(k) for k in range(300)], trial))
    assert np.mean([each.difference.value for each in found]) == pytest.approx(0.6, abs=0.02)
    assert sum(each.difference.low <= 0.6 <= each.difference.high for each in found) >= 35


def test_what_a_judge_with_these_errors_could_not_say_has_no_correction():
    pairs = judged(("ss", 50), ("su", 50), ("uu", 100))
    assert corrected(pairs, [1.0] * 50, [str(k) for k in range(50)]).rogan_gladen.value is None
    assert corrected(pairs, [0.25] * 50, [str(k) for k in range(50)]).rogan_gladen.value == pytest.approx(0.5)


def test_a_judge_that_guesses_cannot_be_corrected():
    pairs = judged(("ss", 50), ("su", 50), ("us", 50), ("uu", 50))
    assert corrected(pairs, [0.5, 0.5], ["a", "b"]).rogan_gladen.value is None


def test_the_same_seed_gives_the_same_intervals():
    pairs = judged(("ss", 20), ("su", 5), ("us", 10), ("uu", 15))
    assert agreement(pairs, seed=3) == agreement(pairs, seed=3)
