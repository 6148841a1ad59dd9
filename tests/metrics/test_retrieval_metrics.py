"""Ranking metrics, computed by hand."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.retrieval import (
    context_average_precision,
    context_precision,
    evidence_recall,
    mrr,
    ndcg_at_k,
    recall_at_k,
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
    assert metric(EXAMPLE, None).status == "failed"


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


_IDS = st.lists(st.sampled_from("abcdefgh"), max_size=10)


@given(_IDS, st.sets(st.sampled_from("abcdefgh"), min_size=1), st.integers(1, 10))
def test_ranges_and_growth(ids, relevant, k):
    example = {"passage_ids": sorted(relevant)}
    for metric in ALL:
        assert 0 <= metric(example, retrieved(*ids)).value <= 1
    assert recall_at_k(example, retrieved(*ids), k=k).value <= recall_at_k(example, retrieved(*ids), k=k + 1).value


@given(st.permutations("abcdef"), st.randoms())
def test_recall_and_precision_do_not_see_the_order(ids, random):
    shuffled = random.sample(ids, len(ids))
    for metric in (recall_at_k, context_precision):
        assert metric(EXAMPLE, retrieved(*ids)).value == metric(EXAMPLE, retrieved(*shuffled)).value
