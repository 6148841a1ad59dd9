"""Supported and contradicted claims, counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.grounding import claim_groundedness, contradiction_rate
from metrics.judgements import Ledger
from tests.word_judge import WordJudge

PASSAGES = ["density fell in mice", "muscle shrank in rats"]


def words_ledger():
    return Ledger(WordJudge())


def score(metric, answer, **fields):
    return metric({}, {"answer": answer, "passages": PASSAGES, **fields}, ledger=words_ledger())


def test_groundedness_is_the_share_of_supported_claims():
    result = score(claim_groundedness, "Density fell [1]. Muscle shrank. Density not fell. Blood thinned.")
    assert result.value == 0.5
    assert result.feedback == (
        "sentence 3 is contradicted: the claim negates the passage; "
        "sentence 4 is not supported: the passage does not say blood"
    )
    assert [judgement.verdict for judgement in result.evidence] == [
        "supported",
        "supported",
        "contradicted",
        "unverifiable",
    ]


def test_contradictions_are_counted_apart():
    result = score(contradiction_rate, "Density fell. Density not fell. Blood thinned. Muscle shrank.")
    assert result.value == 0.25
    assert result.feedback == "sentence 2 is contradicted: the claim negates the passage"


def test_questions_and_headings_are_no_claims():
    assert score(claim_groundedness, "# Blood\nDoes blood thin? Density fell.").value == 1.0


@pytest.mark.parametrize("metric", [claim_groundedness, contradiction_rate])
@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"answer": ""}, "not_applicable"),
        ({"answer": "Did density fall?"}, "not_applicable"),
        ({"answer": "", "answerable": False}, "abstained"),
        ({"answer": "Density fell.", "error": "cut off"}, "failed"),
    ],
)
def test_without_claims_nothing_is_grounded(metric, fields, status):
    result = metric({}, {"passages": PASSAGES, **fields}, ledger=words_ledger())
    assert result.status == status
    worst = {claim_groundedness: 0.0, contradiction_rate: 1.0}[metric]
    assert result.value == (worst if status == "failed" else None)


def test_without_passages_no_claim_is_supported():
    assert claim_groundedness({}, {"answer": "Density fell."}, ledger=words_ledger()).value == 0


def test_the_deterministic_check_sees_a_wrong_number():
    prediction = {"answer": "Femur density fell by 21.4% [1].", "passages": ["Femur density fell by 12.4%."]}
    result = claim_groundedness({}, prediction)
    assert result.value == 0
    assert "21.4" in result.feedback


_SENTENCES = st.lists(
    st.sampled_from(["Density fell.", "Muscle shrank.", "Density not fell.", "Blood thinned."]), min_size=1, max_size=6
)


@given(_SENTENCES, st.randoms())
def test_ranges_and_order(texts, random):
    grounded, contradicted = score(claim_groundedness, " ".join(texts)), score(contradiction_rate, " ".join(texts))
    assert float(grounded) + float(contradicted) <= 1 + 1e-9
    random.shuffle(texts)
    assert score(claim_groundedness, " ".join(texts)).value == grounded.value
