"""The result that every program returns."""

import json

from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.results.rendering import as_json
from programs.results.result import result
from programs.verification import Repair, Verified
from signatures.values import UnsupportedClaim
from tests.papers import BONE

FIELDS = [
    "form", "question", "answer", "answerable", "citations", "passages", "unsupported_claims", "repairs", "figures",
    "topic", "uncited", "metrics",
]  # fmt: skip
PASSAGE = Passage.of(BONE, 9, 84, id="bone::9-84", section="results", scores={"similarity": 0.9})
CLAIM = UnsupportedClaim(claim="Muscle shrank.", reason="no passage says it")
ANSWER = "Femur density fell by 12 percent in flight mice [1]. Osteoclast counts doubled."
VERIFIED = Verified(CitedAnswer(ANSWER, [PASSAGE]), (CLAIM,), (Repair(1, (CLAIM,), "before", ANSWER, (CLAIM,)),))


def test_it_has_the_same_fields_in_all_programs_and_those_of_one():
    made = result("What happened?", VERIFIED, points=["Femur density fell."])
    assert list(made.keys()) == [*FIELDS, "points"]


def test_what_was_found_is_counted():
    made = result("What happened?", VERIFIED, dedup_count=3)
    assert made.answerable is True
    assert [citation.verdict for citation in made.citations] == ["supported"]
    assert made.uncited == ["Osteoclast counts doubled."]
    assert made.metrics == {
        "retrieved_k": 1, "grounded_ratio": 0.5, "section_distribution": {"results": 1}, "dedup_count": 3,
    }  # fmt: skip


def test_an_abstention_has_no_answer_and_no_ratio():
    made = result("What happened?", Verified(CitedAnswer("", [PASSAGE])))
    assert (made.answer, made.answerable, made.citations, made.uncited) == ("", False, [], [])
    assert made.metrics["grounded_ratio"] is None


def test_a_field_of_one_program_replaces_the_empty_one():
    assert result("q", Verified(CitedAnswer("", [])), topic="bone").topic == "bone"


def test_it_survives_json():
    written = as_json(result("What happened?", VERIFIED))
    assert json.loads(json.dumps(written)) == written
    assert written["passages"][0] == PASSAGE.as_dict()
    assert written["unsupported_claims"] == [{"claim": "Muscle shrank.", "reason": "no passage says it"}]
    assert written["repairs"][0]["remaining"] == written["unsupported_claims"]
    assert (
        BONE.text[written["citations"][0]["start"] : written["citations"][0]["end"]] == written["citations"][0]["quote"]
    )
