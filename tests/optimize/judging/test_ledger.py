"""A run's judgements: written down at once, asked once, and a judge that is none is told."""

import threading
import time

import pytest

from metrics.passages import Passage
from metrics.support.judged import default_check
from optimize.dataset.example import Example
from optimize.judging.judges import LMJudge, NLIJudge, is_own_judge, judge_of
from optimize.judging.ledger import FIRST, KeptLedger, Unjudged
from optimize.measuring.objective import Objective
from optimize.measuring.scoring import score
from optimize.running.generate import Record
from programs.budget import MOST_IN_A_ROW
from programs.errors import CorroborateError, LMUnavailable, MalformedOutput, UsageError
from programs.files import Journal
from programs.lm.ollama_errors import NoServer, ServerFailed
from tests.scripted_lm import Script
from tests.word_judge import WordJudge

PASSAGES = [Passage(1, "mice flew")]


class Moody(WordJudge):
    """Has no verdict on claims about lettuce."""

    error: Exception = MalformedOutput("it wrote a poem")

    def check(self, claim, passages, question=""):
        found = super().check(claim, passages, question)
        if "lettuce" in claim:
            raise self.error
        return found


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "judgements.jsonl")


def test_a_judgement_is_on_disk_before_the_next_is_asked(journal):
    ledger = KeptLedger(journal, WordJudge())
    ledger.consult("mice", PASSAGES)
    assert [line["claim"] for line in journal.read()] == ["mice"]
    judge = WordJudge()
    assert KeptLedger(journal, judge).consult("mice", PASSAGES).supported
    assert judge.asked == []


def test_the_checker_writes_when_told_to(journal):
    ledger = KeptLedger(journal)
    ledger.consult("mice flew", PASSAGES)
    ledger.consult_fact("mice flew", PASSAGES[0])
    assert list(journal.read()) == []
    ledger.write()
    ledger.write()
    assert [line["judge"] for line in journal.read()] == [default_check().name, f"fact-check/3+{default_check().name}"]


def test_two_threads_with_one_claim_ask_once(journal):
    class Slow(WordJudge):
        def check(self, claim, passages, question=""):
            time.sleep(0.02)
            return super().check(claim, passages, question)

    judge = Slow()
    ledger = KeptLedger(journal, judge)
    threads = [threading.Thread(target=ledger.consult, args=("mice", PASSAGES)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert judge.asked == ["mice"]


def test_a_claim_without_a_verdict_is_not_asked_again_in_this_session(journal):
    judge = Moody()
    ledger = KeptLedger(journal, judge)
    for _ in range(2):
        with pytest.raises(Unjudged, match="it wrote a poem"):
            ledger.consult("lettuce", PASSAGES)
    assert judge.asked == ["lettuce"]
    with pytest.raises(Unjudged):
        KeptLedger(journal, judge).consult("lettuce", PASSAGES)
    assert judge.asked == ["lettuce"] * 2


def test_what_every_claim_would_meet_ends_the_judging(journal):
    judge = Moody()
    judge.error = NoServer("no server")
    with pytest.raises(LMUnavailable):
        KeptLedger(journal, judge).consult("lettuce", PASSAGES)


def test_a_server_that_fails_on_one_claim_does_not_end_the_judging_but_one_that_is_gone_does(journal):
    judge = Moody()
    judge.error = ServerFailed("out of memory")
    ledger = KeptLedger(journal, judge)
    for number in range(MOST_IN_A_ROW - 1):
        with pytest.raises(Unjudged, match="out of memory"):
            ledger.consult(f"lettuce {number}", PASSAGES)
    ledger.consult("mice", PASSAGES)
    for number in range(MOST_IN_A_ROW, 2 * MOST_IN_A_ROW):
        failure = LMUnavailable if number == 2 * MOST_IN_A_ROW - 1 else Unjudged
        with pytest.raises(failure):
            ledger.consult(f"lettuce {number}", PASSAGES)


def test_a_judge_that_is_asked_again_about_the_few_that_it_failed_on_is_still_one(journal):
    first = KeptLedger(journal, Moody())
    for number in range(FIRST + 1):
        first.consult(f"mice {number}", PASSAGES)
    again = KeptLedger(journal, Moody())
    for number in range(FIRST):
        with pytest.raises(Unjudged):
            again.consult(f"lettuce {number}", PASSAGES)
    again.check_judge()


def test_a_judge_that_answers_nonsense_is_told_early(journal):
    judge = Moody()
    ledger = KeptLedger(journal, judge)
    for number in range(FIRST - 1):
        with pytest.raises(Unjudged):
            ledger.consult(f"lettuce {number}", PASSAGES)
    with pytest.raises(CorroborateError, match=rf"no verdict on {FIRST} of {FIRST} claims.*it wrote a poem"):
        ledger.consult("lettuce", PASSAGES)


def record(name, *claims):
    answer = " ".join(f"{claim} [1]." for claim in claims)
    prediction = {"question": "Why?", "answer": answer, "passages": ["The mice flew to space in 2015."]}
    return Record("plain", "dev", name, "answered", "", prediction)


RECORDS = [record("good", "The mice flew to space"), record("bad", "The lettuce flew to space")]
EXAMPLES = {each.id: Example(each.id, "Why?", ("P1",), answer="a", nuggets=("mice flew",)) for each in RECORDS}


@pytest.mark.parametrize("threads", [1, 3])
def test_what_rests_on_a_missing_verdict_fails_and_the_rest_is_scored(journal, threads):
    ledger = KeptLedger(journal, Moody())
    metrics = ("claim_groundedness", "contradiction_rate", "citation_coverage")
    found = score(RECORDS, EXAMPLES, metrics, ledger, threads=threads)
    assert [(each.id, each.metric, each.score.value, each.score.status) for each in found] == [
        ("good", "claim_groundedness", 1.0, "scored"),
        ("good", "contradiction_rate", 0.0, "scored"),
        ("good", "citation_coverage", 1.0, "scored"),
        ("bad", "claim_groundedness", 0.0, "failed"),
        ("bad", "contradiction_rate", 1.0, "failed"),
        ("bad", "citation_coverage", 1.0, "scored"),
    ]
    assert ledger.failures == 1
    ledger.check_judge()
    with pytest.raises(Unjudged):
        ledger.consult("lettuce too", PASSAGES)
    with pytest.raises(CorroborateError, match="no verdict on 2 of 3 claims"):
        ledger.check_judge()


def test_an_objective_takes_a_missing_verdict_for_a_failure(journal):
    found = Objective("claim_groundedness", KeptLedger(journal, Moody()))(EXAMPLES["bad"], RECORDS[1].prediction)
    assert found.status == "failed"


def test_a_diagnostic_is_no_objective():
    with pytest.raises(UsageError, match="answer_relevancy is a diagnostic"):
        Objective("answer_relevancy")


@pytest.mark.needs("models")
def test_a_judge_by_the_name_of_a_cross_encoder():
    assert isinstance(judge_of(nli="some/model"), NLIJudge)


def test_judges_by_name():
    assert isinstance(judge_of("extractive"), LMJudge)
    assert judge_of().name == default_check().name
    assert judge_of(nli="checker").name.startswith("corroborate-checker-1@sha256:")
    with pytest.raises(UsageError, match="there is one judge"):
        judge_of("extractive", "some/model")


def test_a_model_that_judges_itself_is_known():
    lm = Script().lm()
    assert is_own_judge(LMJudge(lm), lm.model)
    assert not is_own_judge(LMJudge(lm), "another")
    assert not is_own_judge(judge_of(), default_check().name)
