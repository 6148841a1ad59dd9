"""Forged answers, by hand and generated: none may say something else than its paper and be called proved."""

import random

import pytest

from programs.replay import only_models_say, replay
from tests.forgery.forgeries import (
    KINDS,
    RESULTS,
    Forgery,
    appended_symbols,
    believed,
    by_hand,
    forged_sentence,
    in_results,
)
from tests.forgery.originals import Original, originals
from tests.forgery.rewritten import rewritten

pytestmark = pytest.mark.slow

GENERATED = 60
"""Forgeries of each way of making an answer; `python -m tests.fuzz` makes any number."""


def true_answers(*, quoted: bool, by_model: bool) -> list[Original]:
    return [each for each in originals(8, quoted, by_model) if faults(each, each.saved()) == []]


def faults(original: Original, saved: dict) -> list[str]:
    return [str(fault) for fault in replay(saved, lambda _: original.paper)]


def passes(original: Original, forged: Forgery) -> bool:
    """Whether a file is called verified, and what was altered is neither called unproved nor a model's word alone."""
    if not believed(forged) or faults(original, forged.saved):
        return False
    return not any(sentence in forged.text for sentence in only_models_say(forged.saved))


WAYS = pytest.mark.parametrize(
    ("quoted", "by_model"),
    [(False, False), (True, False), (False, True), (True, True)],
    ids=["copied", "quoted", "copied, by a model", "quoted, by a model"],
)


@WAYS
def test_true_answers_replay(quoted, by_model):
    for original in true_answers(quoted=quoted, by_model=by_model):
        assert {each["verdict"] for each in original.saved()["citations"]} == {"supported"}


@WAYS
def test_no_forgery_by_hand_passes(quoted, by_model):
    original = true_answers(quoted=quoted, by_model=by_model)[0]
    forged = list(by_hand(original))
    assert len({each.kind for each in forged}) >= 60
    assert [each.text for each in forged if passes(original, each)] == []


@WAYS
def test_no_exchange_in_results_by_hand_passes(quoted, by_model):
    original = true_answers(quoted=quoted, by_model=by_model)[1]
    forged = list(in_results(original))
    assert len({each.kind for each in forged}) == len(RESULTS)
    assert [each.text for each in forged if passes(original, each)] == []


@WAYS
def test_no_sentence_rewritten_by_hand_passes(quoted, by_model):
    forged = list(rewritten(quoted=quoted, by_model=by_model))
    assert len(forged) >= 200
    assert {each.kind for original, each in forged if passes(original, each)} == set()


@WAYS
def test_no_generated_forgery_passes(quoted, by_model):
    chance = random.Random(f"{quoted} {by_model}")
    answers = true_answers(quoted=quoted, by_model=by_model)
    made = []
    for number in range(GENERATED):
        original = chance.choice(answers)
        kind = chance.choice(list(KINDS))
        forged = forged_sentence(original, kind, chance) if number % 10 else appended_symbols(original, chance)
        made += [(original, forged)] if forged else []
    assert len(made) >= GENERATED / 2
    assert [forged.text for original, forged in made if passes(original, forged)] == []
