"""Were the right papers chosen? Computed by hand."""

from math import log2

import pytest

from metrics.retrieval import paper_recall_at_k, selection_accuracy, selection_ndcg

ALL = (paper_recall_at_k, selection_ndcg, selection_accuracy)
ONE, TWO = {"document_ids": ["A"]}, {"document_ids": ["A", "B"]}


def chose(*ids, relevance=8):
    return {"papers": [{"document_id": each, "relevance": relevance} for each in ids]}


@pytest.mark.parametrize(
    ("example", "papers", "recall", "ndcg", "accuracy"),
    [
        (ONE, "AX", 1, 1, 1),
        (ONE, "XA", 1, 1 / log2(3), 0),
        (ONE, "XYA", 0, 0, 0),
        (TWO, "AX", 1 / 2, 1 / (1 + 1 / log2(3)), 1),
        (TWO, "BA", 1, 1, 1),
        (TWO, "AAB", 1, 1, 1),
        ({"document_ids": ["A", "B", "C"]}, "CB", 1, 1, 1),
    ],
)
def test_by_hand(example, papers, recall, ndcg, accuracy):
    prediction = chose(*papers)
    assert [metric(example, prediction).value for metric in ALL] == pytest.approx([recall, ndcg, accuracy])


def test_papers_that_stand_in_are_searched_but_not_chosen():
    prediction = chose("A", relevance=None)
    assert [metric(ONE, prediction).value for metric in ALL] == [1, 0, 0]
    assert selection_ndcg(ONE, prediction).feedback == "not chosen: A; nothing was chosen"


def test_choosing_nothing_is_worth_nothing():
    assert [metric(ONE, {"papers": []}).value for metric in ALL] == [0, 0, 0]


def test_choosing_more_papers_gains_nothing():
    few, many = chose("X", "Y"), chose("X", "Y", "A", "B")
    assert [metric(TWO, few).value for metric in ALL] == [metric(TWO, many).value for metric in ALL] == [0, 0, 0]


def test_questions_without_an_answer_are_judged_too():
    assert selection_ndcg({**ONE, "answerable": False}, chose("X")).value == 0


def test_a_program_that_ranks_passages_has_their_papers():
    passages = [{"id": f"{each}::sec0::chunk{place}", "text": ""} for place, each in enumerate("XXA")]
    assert [metric(ONE, {"passages": passages}).value for metric in ALL] == pytest.approx([1, 1 / log2(3), 0])


def test_feedback_names_what_is_missing():
    assert selection_ndcg(TWO, chose("X", "A")).feedback == "not chosen: B; chosen instead: X, A"
    assert selection_accuracy(ONE, chose("X", "A")).feedback == "not chosen first: A; chosen first instead: X"


@pytest.mark.parametrize("metric", ALL)
def test_failures_and_questions_on_no_paper(metric):
    assert metric(ONE, None).status == metric(ONE, {"error": "LMError"}).status == "failed"
    assert metric({}, chose("A")).status == "not_applicable"
    with pytest.raises(ValueError, match="got 0"):
        paper_recall_at_k(ONE, chose("A"), k=0)
