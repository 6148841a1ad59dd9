"""The judge that asks a checker, with a checker that counts shared words in a model's place; and bad input to it."""

import subprocess
import sys
from dataclasses import dataclass, field

import pytest

from metrics.support.claim_check import GuardedCheck, unread
from metrics.support.verdict import PremiseJudgement

PASSAGES = [
    "Forty adults took part. The trial ran for two years.",
    "Relapses were halved by natalizumab in adults (p = 0.01). The drug was well borne.",
]


@dataclass
class WordCounting:
    name: str = "words@sha256:0"
    asked: list = field(default_factory=list)

    def judge(self, pairs):
        self.asked += pairs
        return [self._one(*pair) for pair in pairs]

    def verdict(self, judgement):
        return "supported" if judgement.supported >= 0.5 else "unverifiable"

    def _one(self, claim, premise):
        own, there = (set(text.lower().strip(".").split()) for text in (claim, premise))
        share = len(own & there) / len(own)
        return PremiseJudgement(share, 0.0, 1 - share)


@pytest.fixture
def judge():
    return GuardedCheck(WordCounting())


def test_the_best_sentence_is_the_quote_with_its_place(judge):
    found = judge.alone("Relapses were halved by natalizumab [1].", PASSAGES)
    assert found.verdict == "supported"
    assert found.passage == 1
    assert found.quote == PASSAGES[1][found.start : found.end]
    assert found.quote == "Relapses were halved by natalizumab in adults (p = 0.01)."
    assert "[1]" not in judge.checker.asked[0][0]


def test_three_hundred_passages_are_one_premise(judge):
    found = judge.alone("Relapses were halved by natalizumab.", PASSAGES[:1] * 300 + PASSAGES[1:])
    assert found.passage == 300
    assert all(len(premise.split()) <= 120 for _, premise in judge.checker.asked)


def test_a_short_answer_is_read_with_its_question(judge):
    judge.alone("Yes.", PASSAGES, "Did natalizumab halve relapses?")
    assert judge.checker.asked[0][0] == "Did natalizumab halve relapses? Yes."


@pytest.mark.parametrize(
    ("claim", "passages", "reason"),
    [
        ("", PASSAGES, "holds no word"),
        ("Relapses fell.", [], "no passage"),
        ("Relapses fell.", ["", " "], "no passage"),
        ("relapse " * 10_000, PASSAGES, "10000 words"),
        ("Las recaídas disminuyeron mucho con natalizumab frente al placebo.", PASSAGES, "not in English"),
        ("再発は半減した。", PASSAGES, "not in English"),
    ],
)
def test_what_cannot_be_read_is_unverifiable_and_says_why(judge, claim, passages, reason):
    found = judge.check(claim, passages)
    assert found.verdict == "unverifiable"
    assert found.quote == ""
    assert reason in found.reason
    assert judge.checker.asked == []


def test_english_with_names_and_numbers_is_read():
    assert unread("TNF-α, IL-6 and CRP levels fell significantly after infliximab treatment (HbA1c 7.1 %).") == ""


def test_a_copy_with_a_change_is_refused_by_the_guards_whatever_the_model_says(judge):
    copied = "Relapses were halved by natalizumab in adults (p = 0.01)."
    assert judge.check(copied, PASSAGES).verdict == "supported"
    assert judge.checker.asked == []
    assert judge.check(copied.replace("0.01", "0.03"), PASSAGES).verdict != "supported"


def test_a_paraphrase_is_the_models_business_and_a_veto_is_final(judge):
    assert judge.check("In adults natalizumab halved relapses.", PASSAGES).verdict == "supported"
    found = judge.check("In adults natalizumab halved 41 relapses.", PASSAGES)
    assert found.verdict == "unverifiable"
    assert "41" in found.reason
    assert judge.name.startswith("words@sha256:0+guards/")


PASSAGE = "Relapses were halved by natalizumab in adults (p = 0.01). The drug was well borne."


def test_a_claim_is_checked_by_the_shipped_judge_where_nothing_else_was_imported():
    code = (
        "import sys; from metrics.support import check; print('programs' in sys.modules)\n"
        "print(check('Relapses fell by half.', ['Relapses fell by half.']).verdict)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["False", "supported"]
