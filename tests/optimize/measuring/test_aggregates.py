"""What is said of all answers together, by hand."""

import json

import pytest

from optimize.dataset.example import Example
from optimize.measuring.aggregates import LOWER_IS_BETTER, NAMES, aggregates, confidence
from optimize.running.generate import Record


def example(name, **gold):
    return Example(name, f"{name}?", ("P1",), **{"answer": "a", **gold})


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


EXAMPLES = {
    each.id: each
    for each in (
        example("sure", label="yes"),
        example("unsure", label="no"),
        example("declined", label="yes"),
        example("open", answer="", answerable=False),
        example("broken", label="no"),
    )
}
RECORDS = [
    record("sure", "Density fell [1].", "yes", (0.9, 0.7), latency_ms=10, lm_calls=2, tokens={"total": 100}, money=0.1),
    record("unsure", "Density rose [1].", "yes", (0.2,), latency_ms=30, lm_calls=4, tokens={"total": 300}),
    record("declined", latency_ms=20, lm_calls=0, tokens={"total": 0}),
    record("open", latency_ms=99, lm_calls=1, tokens={"total": 0}, cached_calls=1),
    Record("plain", "dev", "broken", "failed", "LMTimeout: late", {}),
]
VALUES = {"sure": 0.8, "unsure": 0.0, "declined": 0.2, "open": 1.0, "broken": 0.0}


@pytest.fixture
def found():
    return aggregates(EXAMPLES, RECORDS, VALUES)


def test_labels_and_abstentions(found):
    # yes: one of two found, one wrongly given; no: none found.
    assert found.macro_f1 == pytest.approx((2 * 1 / 4 + 0) / 2)
    assert found.answerability_balanced_accuracy == pytest.approx((2 / 4 + 1) / 2)
    assert found.over_abstention == pytest.approx(1 / 4)


def test_the_surest_answers_come_first(found):
    # Errors 0.2 and 1 at confidences 0.8 and 0.2; what was not answered has no part in it.
    assert found.risk_coverage.risks == pytest.approx((0.2, 0.6))
    assert found.risk_coverage.aurc == pytest.approx(0.4)


def test_confidence_is_the_mean_of_the_certificates_times_what_is_said_of_the_question():
    proved = {"citations": [{"score": 0.9, "quote": "Bone fell."}, {"score": 0.5, "quote": "Mice slept."}]}
    assert confidence(proved) == pytest.approx(0.7)
    assert confidence({**proved, "question": "Did bone density fall in mice?"}) == pytest.approx(0.7 * 2 / 4)
    assert confidence({**proved, "question": "Did bone fall?", "answer": "It did fall."}) == pytest.approx(0.7)
    assert confidence({"citations": []}) == confidence({}) == 0


def test_cost_leaves_out_failures_and_times_of_kept_answers(found):
    assert (found.cost.n_questions, found.cost.n_cached) == (4, 1)
    assert (found.cost.latency_p50_ms, found.cost.latency_p95_ms) == (20, 30)
    assert found.cost.tokens == pytest.approx(400 / 3)
    assert found.cost.money == pytest.approx(0.1)


def test_sections_add_up(found):
    assert found.sections == {"results": 2}


def test_numbers_have_names_and_directions(found):
    assert tuple(found.numbers()) == NAMES
    assert set(NAMES) > LOWER_IS_BETTER
    assert json.loads(json.dumps(found.as_dict()))["cost"]["lm_calls"] == pytest.approx(7 / 4)


def test_without_answers_nothing_is_defined():
    assert set(aggregates({}, [], {}).numbers().values()) == {None}
