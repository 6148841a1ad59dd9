"""The judge that asks a checker, with a checker that counts shared words in a model's place; and bad input to it."""

import subprocess
import sys
from dataclasses import dataclass, field

import pytest

from metrics.support.claim_check import GuardedCheck, unread
from metrics.support.guards import MOST_QUOTED, MOST_WORDS, vetoes
from metrics.support.premise import premise_parts, premise_text
from metrics.support.statement_parts import statement_parts
from metrics.support.verdict import PremiseJudgement

PASSAGES = [
    "Forty adults took part. The trial ran for two years.",
    "Relapses were halved by natalizumab in adults (p = 0.01). The drug was well borne.",
]
HALVED = "Relapses were halved by natalizumab in adults (p = 0.01)."


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


@pytest.mark.parametrize("before", [1, 300])
def test_the_best_sentence_is_the_quote_with_its_place_among_any_number_of_passages(judge, before):
    found = judge.alone("Relapses were halved by natalizumab [1].", PASSAGES[:1] * before + PASSAGES[1:])
    assert (found.verdict, found.passage, found.quote) == ("supported", before, HALVED)
    assert found.quote == PASSAGES[1][found.start : found.end]
    assert "[1]" not in judge.checker.asked[0][0]
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
    assert (found.verdict, found.quote, judge.checker.asked) == ("unverifiable", "", [])
    assert reason in found.reason


def test_english_with_names_and_numbers_is_read():
    assert unread("TNF-α, IL-6 and CRP levels fell significantly after infliximab treatment (HbA1c 7.1 %).") == ""


@pytest.mark.parametrize(
    ("claim", "verdict", "is_asked"),
    [
        (HALVED, "supported", False),
        (HALVED.replace("0.01", "0.03"), "unverifiable", False),
        ("In adults natalizumab halved relapses.", "supported", True),
        ("In adults natalizumab halved 41 relapses.", "unverifiable", True),
    ],
)
def test_copies_are_the_guards_business_and_a_veto_is_final(judge, claim, verdict, is_asked):
    assert judge.name.startswith("words@sha256:0+guards/")
    assert judge.check(claim, PASSAGES).verdict in (verdict, "contradicted" if verdict == "unverifiable" else verdict)
    assert bool(judge.checker.asked) is is_asked


def test_a_claim_is_checked_by_the_shipped_judge_where_nothing_else_was_imported():
    code = (
        "import sys; from metrics.support import check; print('programs' in sys.modules)\n"
        "print(check('Relapses fell by half.', ['Relapses fell by half.']).verdict)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["False", "supported"]


# Guards look at what can be looked at: not at claims without end, nor at other words where much is quoted.

FILLER = "The trial was registered. " * MOST_QUOTED
FELL, ROSE = "Bone density fell in mice after flight.", "After flight the bone density of mice increased."
TIME = "The median time to recovery was 6.1 s with the tube and 39.4 s with the mask (hazard ratio 0.33)."
UNREAD = "The tube was 180 \ufffdm wide, the change was \ufffd0.4 g, and 12 hens were weighed."


@pytest.mark.parametrize(
    ("claim", "quotes", "rule", "speaks"),
    [
        ("and so on " * 3_334, [FELL], "length", True),
        (ROSE, [FELL], "course", True),
        (ROSE, [FELL, FILLER], "course", False),
        ("With the mask, recovery took 39.4 minutes.", [TIME, FILLER], "measure", True),
        # numbers beside a sign that was not read
        (UNREAD, [UNREAD], "unread", True),
        ("The tube was 180 m wide.", [UNREAD], "unread", True),
        ("The change was -0.4 g in 12 hens.", [UNREAD], "unread", True),
        ("12 hens were weighed.", [UNREAD], "unread", False),
        ("The hens were weighed.", [UNREAD], "unread", False),
        ("The tube was 180 µm wide.", [UNREAD, "The tube was 180 µm wide."], "unread", False),
    ],
)
def test_when_a_rule_speaks(claim, quotes, rule, speaks):
    found = vetoes(claim, quotes)
    assert (rule in {veto.rule for veto in found}) is speaks
    assert rule != "length" or [veto.rule for veto in found] == ["length"], f"more than {MOST_WORDS} words"


# Premises: the sentences that a claim is read against.

ENROLLED = " ".join(f"Sentence number {number} speaks of enrolment at clinic {number}." for number in range(30))
TABLE = "| Outcome | Drug | Placebo |\n" + "".join(f"| Item {n} | {n} | {n + 1} |\n" for n in range(20))
LONG = "Relapses fell " + "and fell again " * 60 + "."


@pytest.mark.parametrize(
    ("claim", "passages", "words", "expected"),
    [
        (
            "Natalizumab reduced relapses and was safe.",
            [f"{ENROLLED} Relapses fell with natalizumab. {ENROLLED} Natalizumab was safe in relapses."],
            11,
            "Relapses fell with natalizumab. Natalizumab was safe in relapses.",
        ),
        ("Relapses fell.", [LONG], 10, LONG),
        (
            "Vomiting was seen in 12 with the drug.",
            [TABLE + "| Vomiting | 12 | 3 |\n"],
            12,
            "| Outcome | Drug | Placebo |\n| Vomiting | 12 | 3 |",
        ),
        ("Natalizumab reduced relapses.", [ENROLLED, HALVED], 10, HALVED),
        ("Relapses fell.", ["", "  "], 80, ""),
        ("Ödem!", ["The first sentence. The second sentence."], 80, "The first sentence. The second sentence."),
    ],
)
def test_a_premise_has_what_says_most_in_its_order_and_a_row_its_head(claim, passages, words, expected):
    assert premise_text(premise_parts(claim, passages, words), passages) == expected


# The statements of a sentence.


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("Pain fell by 5 points, and no one died.", ("Pain fell by 5 points.", "No one died.")),
        ("Pain fell by 5 points; no one died of it.", ("Pain fell by 5 points.", "No one died of it.")),
        ("Zinc lowered fever but raised nausea in adults.", ("Zinc lowered fever.", "Zinc raised nausea in adults.")),
        (
            "Growth was slower in heat, whereas roots grew as before, and leaves were shed.",
            ("Growth was slower in heat.", "Roots grew as before.", "Leaves were shed."),
        ),
        ("; ".join(["zinc lowered fever in adults"] * 500), ("Zinc lowered fever in adults.",) * 500),
        ("Heart and lung function were normal.", None),
        ("Growth was measured between weeks 2 and 4 and 6 was left out.", None),
        ("The drug and the placebo tasted alike.", None),
        ("Pain fell with both exercise and medication.", None),
        ("Reduced doses and rest were advised.", None),
        ("Von 20 Tieren starben zwei, und keines nahm ab.", None),
        ("", None),
    ],
)
def test_each_part_states_something_and_what_has_no_verb_is_none(sentence, parts):
    assert statement_parts(sentence) == (parts or (sentence,))
