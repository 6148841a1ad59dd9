"""Gold facts in an answer."""

from metrics.grounding import nugget_recall
from metrics.judgements import Ledger
from tests.word_judge import WordJudge

EXAMPLE = {"question": "What fell?", "nuggets": ["density fell", "muscle shrank"]}


def test_counts_the_facts_that_the_claims_entail():
    prediction = {"answer": "Density fell in mice [1]. Muscle grew [2]."}
    score = nugget_recall(EXAMPLE, prediction, ledger=Ledger(WordJudge()))
    assert score.value == 0.5
    assert score.feedback == "missing: muscle shrank"


def test_questions_headings_and_citations_state_no_facts():
    prediction = {"answer": "# Muscle shrank\nMuscle shrank? Density fell."}
    assert nugget_recall(EXAMPLE, prediction, ledger=Ledger(WordJudge())).value == 0.5


def test_the_deterministic_check_tells_numbers_apart():
    example = {"nuggets": ["Femur density fell by 12.4%"]}
    assert nugget_recall(example, {"answer": "Femur density fell by 12.4% in mice [1]."}).value == 1
    assert nugget_recall(example, {"answer": "Femur density fell by 14.2% in mice [1]."}).value == 0


def test_no_answer_holds_no_facts():
    assert nugget_recall(EXAMPLE, {"answer": ""}).value == 0
    abstained = nugget_recall(EXAMPLE, {"answer": "", "answerable": False})
    assert (abstained.value, abstained.status) == (0, "abstained")
    assert nugget_recall(EXAMPLE, None).status == "failed"


def test_undefined_without_gold_facts():
    assert nugget_recall({"nuggets": []}, {"answer": "Density fell."}).status == "not_applicable"
    assert nugget_recall({**EXAMPLE, "answerable": False}, {"answer": "Density fell."}).status == "not_applicable"
