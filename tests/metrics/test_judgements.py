"""The ledger of judgements."""

import json

from metrics.judgements import Judgement, Ledger, judgement_key
from metrics.passages import Citable
from metrics.support.claim_check import default_check
from tests.word_judge import WordJudge

PASSAGES = (Citable(1, "Femur density fell by 12.4% in flight mice.", "PMC1::0"), Citable(2, "Muscle shrank."))


def test_the_default_judge_quotes_the_passage_it_rests_on():
    judgement = Ledger().consult("Femur density fell by 12.4% in flight mice.", PASSAGES)
    assert judgement.supported
    assert judgement.passage == "PMC1::0"
    assert judgement.quote == PASSAGES[0].text[judgement.start : judgement.end]
    assert judgement.judge == default_check().name
    assert not Ledger().consult("Femur density rose by 12.4% in flight mice.", PASSAGES).supported


def test_a_claim_is_judged_once():
    judge = WordJudge()
    ledger = Ledger(judge)
    first = ledger.consult("Muscle shrank.", PASSAGES)
    assert ledger.consult("Muscle shrank.", PASSAGES) is first
    ledger.consult("Muscle shrank.", PASSAGES[1:])
    assert judge.asked == ["Muscle shrank.", "Muscle shrank."]
    assert len(ledger.judgements) == 2


def test_a_ledger_goes_on_from_a_file_and_asks_another_judge_anew():
    before = Ledger(WordJudge())
    before.consult("Muscle shrank.", PASSAGES)
    lines = [json.dumps(judgement.as_dict()) for judgement in before.judgements]
    kept = [Judgement.from_dict(json.loads(line)) for line in lines]
    same, other = WordJudge(), WordJudge(name="words/2")
    assert Ledger(same, kept).consult("Muscle shrank.", PASSAGES) == before.judgements[0]
    assert Ledger(other, kept).consult("Muscle shrank.", PASSAGES).judge == "words/2"
    assert (same.asked, other.asked) == ([], ["Muscle shrank."])


def test_the_key_depends_on_whatever_the_verdict_depends_on():
    base = judgement_key("a", PASSAGES, "q", "words/1")
    assert base == judgement_key("a", [Citable(7, text.text, "other id") for text in PASSAGES], "q", "words/1")
    others = [
        judgement_key("b", PASSAGES, "q", "words/1"),
        judgement_key("a", PASSAGES[::-1], "q", "words/1"),
        judgement_key("a", PASSAGES, "", "words/1"),
        judgement_key("a", PASSAGES, "q", "words/2"),
    ]
    assert len({base, *others}) == 5


def test_shortcomings_read_on_from_the_passage():
    def judged(reason):
        return Judgement("", "unverifiable", "", "", 0, 0, reason, "", "").shortcoming

    assert judged("the passage does not say 15 %") == "which does not say 15 %"
    assert judged("the relation stays open") == "which does not support it: the relation stays open"
    assert judged("") == "which does not support it"
