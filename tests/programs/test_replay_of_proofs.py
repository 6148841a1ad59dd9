"""Replaying answers that a model proved: what holds, what is told, and what two thousand edits come to."""

import json
import random
import re

import dspy
import pytest

from programs.errors import UsageError
from programs.passages import Passage
from programs.replay import only_models_say, replay
from programs.results.rendering import as_json
from programs.results.result import result
from programs.verification import Verification
from tests.papers import paper
from tests.scripted_lm import PROVED, Script

pytestmark = pytest.mark.slow

PAPER = paper(
    "bone",
    "Femur density fell by 12.4 percent in flight mice compared with ground controls.",
    "Osteoclast counts rose from 14 to 29 in the flight group.",
    "Muscle mass did not differ between the groups after 30 days.",
    "Treadmill running prevented the loss of density in 8 of 10 rats.",
    title="Bone loss in flight mice",
)
START = len("Results\n\n")
PASSAGES = [
    Passage.of(PAPER, START, 147, id=f"bone::{START}-147", section="results", heading="Results"),
    Passage.of(PAPER, 148, len(PAPER.text), id=f"bone::148-{len(PAPER.text)}", section="results", heading="Results"),
]
COPIED = (
    "Femur density fell by 12.4 percent in flight mice compared with ground controls [1]. "
    "Osteoclast counts rose from 14 to 29 in the flight group [1]. "
    "Muscle mass did not differ between the groups after 30 days [2]. "
    "Treadmill running prevented the loss of density in 8 of 10 rats [2]."
)
SPANISH = "La densidad del fémur cayó un 12.4 por ciento en los ratones de vuelo [1]."


def saved(answer, replies=PROVED):
    script = Script(proofs=replies)
    with dspy.context(lm=script.lm(), adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
        verified = Verification()(PASSAGES, "What happened?", answer, max_iterations=0)
    return json.loads(json.dumps(as_json(result("What happened?", verified))))


def faults(answer):
    return [str(fault) for fault in replay(answer, lambda _: PAPER)]


@pytest.fixture(scope="module")
def proved():
    return saved(COPIED)


def test_an_answer_that_a_model_proved_replays_without_a_model(proved):
    assert [each["verdict"] for each in proved["citations"]] == ["supported"] * 4
    assert faults(proved) == []
    assert only_models_say(proved) == []


def test_what_only_a_model_said_is_told():
    answer = saved(f"{COPIED} {SPANISH}")
    assert faults(answer) == []
    assert only_models_say(answer) == [SPANISH]


def test_an_answer_whose_quotes_were_invented_replays_as_what_the_checker_found():
    false = "Muscle mass did not differ between the groups after 30 days [2]."
    invented = {"proofs": [{"number": 1, "quotes": [{"passage": "2", "quote": "Nothing changed at all."}]}]}
    answer = saved(false, invented)
    assert [each["by"] for each in answer["citations"][0]["judges"]] == ["model", "guard", "checker"]
    assert faults(answer) == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda quote: {**quote, "quote": quote["quote"][:40], "end": quote["start"] + 40}, "its quote"),
        (lambda quote: {**quote, "quote": quote["quote"].replace("12.4", "21.4")}, "its "),
        (lambda quote: {**quote, "start": quote["start"] + 1}, "its quotes is"),
        (lambda quote: {**quote, "passage": PASSAGES[1].id}, "its "),
        (lambda quote: {**quote, "document_id": "roots"}, "its quotes is"),
        (lambda _: {}, "its "),
        (lambda _: None, "its "),
    ],
)
def test_a_quote_that_is_clipped_moved_or_altered_is_named(proved, change, named):
    changed = json.loads(json.dumps(proved))
    changed["citations"][0]["quotes"] = [change(changed["citations"][0]["quotes"][0])]
    assert any(named in fault for fault in faults(changed))


@pytest.mark.parametrize("name", ["judges", "quotes"])
@pytest.mark.parametrize(
    "value", [None, 7, "model", {"by": "model"}, [None], [[]], [{"by": []}], [{"quote": {}}], True]
)
def test_proofs_of_another_type_are_faults_and_no_crash(proved, name, value):
    changed = json.loads(json.dumps(proved))
    changed["citations"][0][name] = value
    assert faults(changed) != []


def test_a_model_cannot_be_made_to_have_proved_what_it_refused():
    answer = saved(
        f"{COPIED} {SPANISH}",
        lambda call: {
            "proofs": [
                {**each, "quotes": [], "verdict": "not proved", "reason": "no"} if each["number"] == 5 else each
                for each in PROVED(call)["proofs"]
            ]
        },
    )
    assert faults(answer) == []
    answer["citations"][-1]["verdict"] = "supported"
    assert faults(answer) != []


def test_an_old_file_is_read_and_not_taken_for_a_new_one(proved):
    old = json.loads(json.dumps(proved))
    del old["form"]
    (fault,) = faults(old)
    assert fault.startswith("form: it was saved before certificates held proofs, and its verdicts cannot be replayed")
    old["citations"][1]["quote"] = "Acid cures cancer."
    assert any("its quote does not stand at its place" in fault for fault in faults(old))


@pytest.mark.parametrize("form", [0, 3, "2", None, True, 2.0])
def test_a_file_of_an_unknown_form_is_refused(proved, form):
    with pytest.raises(UsageError, match="this version reads forms 1 to 2"):
        faults({**proved, "form": form})


# Two thousand edits

OTHERS = {"fell": "rose", "rose": "fell", "prevented": "caused", "not": "clearly", "flight": "ground", "Femur": "Tibia"}


def edited(sentence, chance):
    """A sentence that says something else: another number, direction, negation or name, or one word less."""
    words = sentence.split(" ")
    place = chance.randrange(len(words) - 1)
    word = words[place]
    if word.replace(".", "").isdigit():
        words[place] = str(float(word) + chance.randint(1, 90))
    elif word in OTHERS:
        words[place] = OTHERS[word]
    else:
        words.insert(place, "never")
    return " ".join(words)


def test_of_a_thousand_edits_of_an_answer_none_passes(proved):
    chance = random.Random(0)
    sentences = re.findall(r"[^\]]+\[\d\]\.", COPIED)
    for _ in range(1_000):
        sentence = chance.choice(sentences).strip()
        changed = {**proved, "answer": proved["answer"].replace(sentence, edited(sentence, chance))}
        assert faults(changed) != [], changed["answer"]


def test_of_a_thousand_edits_that_change_the_certificates_too_none_passes(proved):
    chance = random.Random(1)
    text = json.dumps(proved)
    sentences = [each["sentence"] for each in proved["citations"]]
    for _ in range(1_000):
        sentence = chance.choice(sentences)
        changed = json.loads(text.replace(sentence, edited(sentence, chance)))
        assert faults(changed) != [], changed["answer"]
