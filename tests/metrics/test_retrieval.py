"""How well passages and papers are retrieved, chosen and scored."""

from math import log2

import pytest

from metrics.retrieval import (
    context_average_precision,
    context_precision,
    evidence_ndcg,
    evidence_recall,
    evidence_scoring,
    evidence_utility,
    mrr,
    ndcg_at_k,
    paper_recall_at_k,
    recall_at_k,
    selection_ndcg,
)

ALL = (recall_at_k, ndcg_at_k, mrr, context_precision, context_average_precision)
EXAMPLE = {"passage_ids": ["a", "b", "c"]}


def retrieved(*ids):
    return {"passages": [{"id": each, "text": ""} for each in ids]}


def test_by_hand():
    prediction = retrieved("x", "a", "y", "b", "z")
    assert recall_at_k(EXAMPLE, prediction, k=3).value == pytest.approx(1 / 3)
    assert recall_at_k(EXAMPLE, prediction).value == pytest.approx(2 / 3)
    gain = 1 / log2(3) + 1 / log2(5)
    assert ndcg_at_k(EXAMPLE, prediction).value == pytest.approx(gain / (1 + 1 / log2(3) + 1 / log2(4)))
    assert ndcg_at_k(EXAMPLE, prediction, k=2).value == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))
    assert mrr(EXAMPLE, prediction).value == 0.5
    assert context_precision(EXAMPLE, prediction).value == pytest.approx(2 / 5)
    assert context_average_precision(EXAMPLE, prediction).value == pytest.approx((1 / 2 + 2 / 4) / 3)


def test_a_perfect_ranking_is_worth_1():
    for metric in ALL:
        assert metric(EXAMPLE, retrieved("b", "c", "a")).value == pytest.approx(1)


def test_duplicates_count_once():
    for metric in ALL:
        assert (
            metric(EXAMPLE, retrieved("a", "a", "x", "x", "b")).value == metric(EXAMPLE, retrieved("a", "x", "b")).value
        )


def test_passages_count_as_their_documents_when_only_documents_are_known():
    prediction = retrieved("PMC1::sec0::chunk1", "PMC1::sec0::chunk2", "PMC3::fig1")
    assert recall_at_k({"document_ids": ["PMC1", "PMC2"]}, prediction).value == 0.5
    assert context_precision({"document_ids": ["PMC1", "PMC2"]}, prediction).value == 0.5


def test_feedback_names_what_is_missing():
    assert recall_at_k(EXAMPLE, retrieved("a")).feedback == "not retrieved: b, c"
    assert context_precision(EXAMPLE, retrieved("a", "x")).feedback == "not relevant: x"


@pytest.mark.parametrize("metric", ALL)
def test_nothing_retrieved_nothing_relevant_nothing_readable(metric):
    assert metric(EXAMPLE, {"passages": []}).value == 0
    assert metric({}, retrieved("a")).status == "not_applicable"
    assert metric({**EXAMPLE, "answerable": False}, retrieved("a")).status == "not_applicable"


def test_k_is_positive():
    with pytest.raises(ValueError, match="got 0"):
        recall_at_k(EXAMPLE, retrieved("a"), k=0)


def test_evidence_recall_finds_quotes_in_passages_of_the_right_document():
    example = {
        "evidence": [
            {"document_id": "PMC1", "quote": "Density fell. Muscle\nshrank."},
            {"document_id": "PMC2", "quote": "Blood thinned."},
            "Roots skewed.",
        ]
    }
    prediction = {
        "passages": [
            {"id": "PMC1::0", "text": "We saw that density fell."},
            {"id": "PMC1::1", "text": "Muscle shrank. Blood thinned."},
            {"id": "PMC7::0", "text": "Roots  skewed."},
        ]
    }
    score = evidence_recall(example, prediction)
    assert score.value == 0.75
    assert score.feedback == 'not retrieved: "Blood thinned."'
    assert evidence_recall({"evidence": []}, prediction).status == "not_applicable"


ALL_PAPER = (paper_recall_at_k, selection_ndcg)
ONE, TWO = {"document_ids": ["A"]}, {"document_ids": ["A", "B"]}


def chose(*ids, relevance=8):
    return {"papers": [{"document_id": each, "relevance": relevance} for each in ids]}


@pytest.mark.parametrize(
    ("example", "papers", "recall", "ndcg"),
    [
        (ONE, "AX", 1, 1),
        (ONE, "XA", 1, 1 / log2(3)),
        (ONE, "XYA", 0, 0),
        (TWO, "AX", 1 / 2, 1 / (1 + 1 / log2(3))),
        (TWO, "BA", 1, 1),
        (TWO, "AAB", 1, 1),
        ({"document_ids": ["A", "B", "C"]}, "CB", 1, 1),
    ],
)
def test_paper_selection_by_hand(example, papers, recall, ndcg):
    prediction = chose(*papers)
    assert [metric(example, prediction).value for metric in ALL_PAPER] == pytest.approx([recall, ndcg])


def test_papers_that_stand_in_are_searched_but_not_chosen():
    prediction = chose("A", relevance=None)
    assert [metric(ONE, prediction).value for metric in ALL_PAPER] == [1, 0]
    assert selection_ndcg(ONE, prediction).feedback == "not chosen: A; nothing was chosen"


@pytest.mark.parametrize(("example", "prediction"), [(ONE, chose()), (TWO, chose("X", "Y")), (TWO, chose(*"XYAB"))])
def test_choosing_nothing_or_more_than_enough_is_worth_nothing(example, prediction):
    assert [metric(example, prediction).value for metric in ALL_PAPER] == [0, 0]


def test_questions_without_an_answer_are_judged_too():
    assert selection_ndcg({**ONE, "answerable": False}, chose("X")).value == 0


def test_a_program_that_ranks_passages_has_their_papers():
    passages = [{"id": f"{each}::sec0::chunk{place}", "text": ""} for place, each in enumerate("XXA")]
    assert [metric(ONE, {"passages": passages}).value for metric in ALL_PAPER] == pytest.approx([1, 1 / log2(3)])


def test_feedback_names_the_papers_that_are_missing():
    assert selection_ndcg(TWO, chose("X", "A")).feedback == "not chosen: B; chosen instead: X, A"


ALL_EVIDENCE = (evidence_scoring, evidence_ndcg, evidence_utility)
QUOTE = {"document_id": "P1", "quote": "Density fell by 12 %."}
EXAMPLE_EVIDENCE = {"evidence": [QUOTE], "answerable": True}
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
    assert [metric(EXAMPLE_EVIDENCE, scored(1.0, 0.0, 0.0)).value for metric in ALL_EVIDENCE] == [1, 1, 1]


def test_evidence_scoring_by_hand():
    prediction = scored(0.6, 0.2, 0.8)
    error = (0.4**2 + (0.2**2 + 0.8**2) / 2) / 2
    assert evidence_scoring(EXAMPLE_EVIDENCE, prediction).value == pytest.approx(max(0, 1 - 4 * error))
    assert evidence_ndcg(EXAMPLE_EVIDENCE, prediction).value == pytest.approx(1 / log2(3))
    utility = (evidence_scoring(EXAMPLE_EVIDENCE, prediction).value + 1 / log2(3)) / 2
    assert evidence_utility(EXAMPLE_EVIDENCE, prediction).value == pytest.approx(utility)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_one_score_for_all_tells_nothing_however_few_are_relevant(score):
    assert evidence_scoring(EXAMPLE_EVIDENCE, scored(*[score] * 9)).value == 0


def test_without_an_answer_every_passage_is_irrelevant():
    assert evidence_scoring(UNANSWERABLE, scored(0.0, 0.0)).value == 1
    assert evidence_scoring(UNANSWERABLE, scored(0.5, 0.5)).value == 0
    assert evidence_utility(UNANSWERABLE, scored(0.2, 0.2)).value == pytest.approx(1 - 4 * 0.04)
    assert evidence_ndcg(UNANSWERABLE, scored(0.0)).status == "not_applicable"


def test_a_search_that_brings_nothing_relevant_is_worth_nothing():
    for prediction in (scored(0.0, 0.0, gold=None), {"passages": [], "evidence": []}, {}):
        assert [each(EXAMPLE_EVIDENCE, prediction).value for each in (evidence_scoring, evidence_utility)] == [0, 0]


def test_the_same_words_in_another_paper_are_not_the_quote():
    prediction = scored(1.0)
    assert evidence_ndcg({"evidence": [{**QUOTE, "document_id": "P2"}]}, prediction).value is None


def test_feedback_names_passages_on_the_wrong_side():
    said = evidence_scoring(EXAMPLE_EVIDENCE, scored(0.1, 0.7)).feedback
    assert said == "P1::sec0 holds a gold quote and was scored 0.10; P1::sec1 holds no gold quote and was scored 0.70"


@pytest.mark.parametrize(
    ("metric", "prediction"),
    [(each, scored(1.0)) for each in ALL_EVIDENCE] + [(each, chose("A")) for each in ALL_PAPER],
)
def test_without_gold_nothing_can_be_said(metric, prediction):
    assert metric({"answerable": True}, prediction).status == "not_applicable"
