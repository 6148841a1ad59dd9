"""The objective and its parts, and what is copied and what is quoted."""

from math import sqrt

import pytest

from metrics.grounded_utility import Utility, answer_length, copy_ratio, form, grounded_utility
from metrics.judgements import Ledger
from tests.word_judge import WordJudge

PASSAGES = ["density fell in mice", "muscle shrank in rats"]
EXAMPLE = {"question": "What fell?", "nuggets": ["density fell", "muscle shrank"]}
UNANSWERABLE = {"question": "What fell?", "answerable": False}


def utility(answer, example=EXAMPLE, **fields):
    prediction = {"answer": answer, "passages": PASSAGES, **fields}
    return grounded_utility(example, prediction, ledger=Ledger(WordJudge()))


def test_a_perfect_answer_is_worth_1():
    score = utility("Density fell in mice [1]. Muscle shrank in rats [2].")
    assert score.value == 1
    assert score.evidence[0] == Utility(1, 1, 1, 1)
    assert all(judgement.supported for judgement in score.evidence[1:])


def test_the_formula():
    # Two of three claims hold (G); one of two facts is there (R); of three sentences one is proved (recall 1/3), of two
    # citations one (precision 1/2), so C is 0.4.
    score = utility("Density fell [1]. Mice fell. Blood thinned [2].")
    assert score.evidence[0] == Utility(pytest.approx(2 / 3), 0.5, pytest.approx(0.4), 1)
    assert score.value == pytest.approx(2 / 3 * sqrt(0.5 * 0.4))
    assert score.feedback == (
        "groundedness 0.67, completeness 0.50, citations 0.40, form 1.00; "
        "sentence 3 is not supported: the passage does not say blood; "
        "sentence 2 has no citation; sentence 3 cites [2], which does not say blood; "
        "missing: muscle shrank"
    )


def test_claims_of_an_answer_without_worth_are_not_judged():
    ledger = Ledger(WordJudge())
    prediction = {"answer": "Density fell in mice [1]. " * 2_600, "passages": PASSAGES}
    score = grounded_utility({"question": "What fell?", "answer": "density"}, prediction, ledger=ledger)
    assert score.value == 0
    assert score.feedback.startswith("its claims were not judged: the answer has 10400 words")
    assert score.evidence == ()


@pytest.mark.parametrize(
    ("example", "prediction", "value", "status"),
    [
        (EXAMPLE, {"answer": "", "answerable": False}, 0.2, "abstained"),
        (EXAMPLE, {"answer": "The passages do not say."}, 0.2, "abstained"),
        (UNANSWERABLE, {"answer": "", "answerable": False}, 1.0, "abstained"),
        (UNANSWERABLE, {"answer": "The passages do not say.", "answerable": False}, 1.0, "abstained"),
        (UNANSWERABLE, {"answer": "Density fell [1]."}, 0.0, "scored"),
        (UNANSWERABLE, {"answer": "Density fell [1].", "answerable": False}, 0.0, "scored"),
        (UNANSWERABLE, {"answer": ""}, 0.0, "scored"),
        (EXAMPLE, {"answer": "Density fell [1].", "answerable": False}, 0.0, "scored"),
        (EXAMPLE, {"answer": ""}, 0.0, "scored"),
        (EXAMPLE, {"answer": "What fell?"}, 0.0, "scored"),
        (EXAMPLE, {"answer": 7}, 0.0, "failed"),
        (EXAMPLE, None, 0.0, "failed"),
    ],
)
def test_answers_that_are_none(example, prediction, value, status):
    score = grounded_utility(example, prediction)
    assert (score.value, score.status) == (value, status)
    assert score.feedback


def test_an_abstainer_is_told_what_it_missed():
    assert utility("", answerable=False).feedback.endswith("has an answer: density fell; muscle shrank")


def test_an_inventor_is_worth_less_than_an_abstainer():
    invented = utility("Blood thinned in mice [1]. Density not fell in rats [2]. Muscle grew [1].")
    assert invented.value == 0 < utility("", answerable=False).value


def test_completeness_follows_the_kind_of_example():
    answer = "Density fell in mice [1]."
    assert utility(answer, {"label": "yes"}, label="yes").value == 1
    assert utility(answer, {"label": "yes"}, label="no").value == 0
    assert utility(answer, {"answers": ["density fell"]}).value == pytest.approx(sqrt(2 * 2 / (4 + 2)))
    assert utility(answer, {}).status == "not_applicable"


def test_copies_cost_more_the_more_is_copied():
    passage = "one two three four five six seven eight nine ten eleven twelve"
    prediction = {"answer": f"{passage} and six more words stand here now [1].", "passages": [passage]}
    assert form({}, prediction).value == pytest.approx((7 / 19) / 0.8)
    assert "copied without quotation marks" in form({}, prediction).feedback
    assert form({}, {**prediction, "answer": f'"{passage}" [1].'}).value == 1


def test_length_costs_beyond_the_limit():
    prediction = {"answer": "word " * 200, "passages": PASSAGES}
    assert form({}, prediction).value == 0.5
    assert form({}, prediction).feedback == "the answer has 200 words, more than 100"
    assert answer_length({"answer": "骨密度 fell [1].", "passages": PASSAGES}) == 2.5


TWELVE = "one two three four five six seven eight nine ten eleven twelve"
PASSAGE = f"We saw that {TWELVE} thirteen fourteen, in mice."


def ratio(answer, *passages):
    return copy_ratio({}, {"answer": answer, "passages": list(passages or (PASSAGE,))})


def test_runs_of_twelve_words_are_copies():
    score = ratio(f"It is known: {TWELVE} [1].")
    assert score.value == pytest.approx(12 / 15)
    assert score.feedback == f'copied without quotation marks: "{TWELVE} …"'


def test_eleven_words_are_not():
    assert ratio(" ".join(TWELVE.split()[:11]) + " of them.").value == 0


def test_case_punctuation_and_citations_do_not_hide_a_copy():
    assert ratio(f"{TWELVE.upper().replace(' SIX', ', SIX [1] –')}.").value == 1
    assert ratio(f"{TWELVE}.", PASSAGE.replace("five six", "five [12,13] six")).value == 1


@pytest.mark.parametrize("marks", ['""', "“”", "„“", "«»", "「」"])
def test_quotation_marks_make_a_quotation(marks):
    assert ratio(f"The paper says {marks[0]}{TWELVE}{marks[1]} [1].").value == 0


def test_a_copy_beside_a_quotation_is_still_a_copy():
    assert ratio(f'"Density fell" and {TWELVE} [1].').value == pytest.approx(12 / 15)


def test_a_run_over_two_passages_is_no_copy():
    first, second = TWELVE[: len(TWELVE) // 2], TWELVE[len(TWELVE) // 2 :]
    assert ratio(TWELVE, first, second).value == 0


def test_nothing_to_copy():
    assert ratio("").status == "not_applicable"
    assert ratio("[1]").status == "not_applicable"
    assert copy_ratio({}, {"answer": "Density fell."}).value == 0
    assert copy_ratio({}, None).value == 1
