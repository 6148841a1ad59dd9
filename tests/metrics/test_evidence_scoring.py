"""Does a model score the passages high that hold gold quotes? Computed by hand."""

from math import log2

import pytest

from metrics.retrieval import evidence_accuracy, evidence_ndcg, evidence_scoring, evidence_utility

ALL = (evidence_scoring, evidence_accuracy, evidence_ndcg, evidence_utility)
QUOTE = {"document_id": "P1", "quote": "Density fell by 12 %."}
EXAMPLE = {"evidence": [QUOTE], "answerable": True}
UNANSWERABLE = {"evidence": [], "answerable": False}
GOLD, OTHER = "We flew mice. Density fell\nby 12 %. Nothing else did.", "We flew mice."


def scored(*scores, gold=0):
    """Passages of P1 with these scores, the one at ``gold`` with the quote."""
    texts = [GOLD if place == gold else OTHER for place in range(len(scores))]
    return {
        "passages": [{"id": f"P1::sec{place}", "text": text} for place, text in enumerate(texts)],
        "evidence": [
            {"passage": f"P1::sec{place}", "llm_score": score, "combined_score": score}
            for place, score in enumerate(scores)
        ],
    }


def test_right_scores_are_worth_1():
    assert [metric(EXAMPLE, scored(1.0, 0.0, 0.0)).value for metric in ALL] == [1, 1, 1, 1]


def test_by_hand():
    prediction = scored(0.6, 0.2, 0.8)
    error = (0.4**2 + (0.2**2 + 0.8**2) / 2) / 2
    assert evidence_scoring(EXAMPLE, prediction).value == pytest.approx(max(0, 1 - 4 * error))
    assert evidence_accuracy(EXAMPLE, prediction).value == pytest.approx((1 + 1 / 2) / 2)
    assert evidence_ndcg(EXAMPLE, prediction).value == pytest.approx(1 / log2(3))
    utility = (evidence_scoring(EXAMPLE, prediction).value + 1 / log2(3)) / 2
    assert evidence_utility(EXAMPLE, prediction).value == pytest.approx(utility)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_one_score_for_all_tells_nothing_however_few_are_relevant(score):
    assert evidence_scoring(EXAMPLE, scored(*[score] * 9)).value == 0
    assert evidence_accuracy(EXAMPLE, scored(*[score] * 9)).value == 0.5


def test_without_an_answer_every_passage_is_irrelevant():
    assert evidence_scoring(UNANSWERABLE, scored(0.0, 0.0)).value == 1
    assert evidence_scoring(UNANSWERABLE, scored(0.5, 0.5)).value == 0
    assert evidence_utility(UNANSWERABLE, scored(0.2, 0.2)).value == pytest.approx(1 - 4 * 0.04)
    assert evidence_ndcg(UNANSWERABLE, scored(0.0)).status == "not_applicable"


def test_a_search_that_brings_nothing_relevant_is_worth_nothing():
    for prediction in (scored(0.0, 0.0, gold=None), {"passages": [], "evidence": []}, {}):
        assert evidence_scoring(EXAMPLE, prediction).value == evidence_utility(EXAMPLE, prediction).value == 0


def test_the_same_words_in_another_paper_are_not_the_quote():
    prediction = scored(1.0)
    assert evidence_ndcg({"evidence": [{**QUOTE, "document_id": "P2"}]}, prediction).value is None


def test_feedback_names_passages_on_the_wrong_side():
    said = evidence_scoring(EXAMPLE, scored(0.1, 0.7)).feedback
    assert said == "P1::sec0 holds a gold quote and was scored 0.10; P1::sec1 holds no gold quote and was scored 0.70"


@pytest.mark.parametrize("metric", ALL)
def test_failures_and_examples_without_quotes(metric):
    assert metric(EXAMPLE, None).status == metric(EXAMPLE, {"error": "LMError"}).status == "failed"
    assert metric({"answerable": True}, scored(1.0)).status == "not_applicable"
