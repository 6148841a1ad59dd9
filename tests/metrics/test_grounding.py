"""Groundedness, citations and gold facts, by judges that are written out."""

import pytest

from metrics.grounding import (
    citation_coverage,
    citation_f1,
    citation_precision,
    citation_recall,
    citation_validity,
    claim_groundedness,
    contradiction_rate,
    nugget_recall,
)
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
    assert [each.verdict for each in result.evidence] == ["supported", "supported", "contradicted", "unverifiable"]


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


PASSAGES_CITATION = ["density fell", "muscle shrank", "density and muscle changed", "blood thinned"]
ALCE = (citation_recall, citation_precision, citation_f1)


def alce(answer, passages=PASSAGES_CITATION):
    prediction = {"answer": answer, "passages": passages}
    return tuple(metric({}, prediction, ledger=Ledger(WordJudge())).value for metric in ALCE)


@pytest.mark.parametrize(
    ("answer", "recall", "precision", "said"),
    [
        ("Density fell [1]. Muscle shrank [2].", 1, 1, ""),
        ("Density fell [1]. Muscle shrank [1].", 1 / 2, 1 / 2, "sentence 2 cites [1], which does not say muscle"),
        # nothing is inherited from the sentence before
        ("Density fell [1]. Density fell. Muscle shrank [2].", 2 / 3, 1, "sentence 2 has no citation"),
        # two that prove only together, and one that is not needed
        ("Density fell and muscle shrank [1][2][3].", 1, 1, ""),
        ("Density fell [1][4].", 1, 1 / 2, "sentence 1 cites [4], which it does not need"),
        # a citation of nothing spoils its sentence
        (
            "Density fell [1][9]. Muscle shrank [2].",
            1 / 2,
            1 / 3,
            "sentence 1 cites [9], which is not among the passages",
        ),
    ],
)
def test_citations_are_judged_as_alce_does(answer, recall, precision, said):
    f1 = 2 * recall * precision / (recall + precision)
    assert alce(answer) == (pytest.approx(recall), pytest.approx(precision), pytest.approx(f1))
    prediction = {"answer": answer, "passages": PASSAGES_CITATION}
    assert citation_f1({}, prediction, ledger=Ledger(WordJudge())).feedback == said


def test_each_of_two_citations_that_prove_alone_is_precise():
    assert alce("Density fell [1][2].", ["density fell", "density fell"]) == (1, 1, 1)


def test_a_document_is_cited_with_all_its_passages():
    passages = [{"text": "density fell", "id": "PMC1::0"}, {"text": "muscle shrank", "id": "PMC1::1"}]
    assert alce("Density fell, muscle shrank [PMC1].", passages) == (1, 1, 1)


@pytest.mark.parametrize("answer", ["Density fell.", "", "Did density fall [1]?"])
def test_no_citations_and_no_output_are_worth_nothing(answer):
    assert alce(answer) == (0, 0, 0)


def test_abstentions_have_no_citations_to_judge():
    for metric in (*ALCE, citation_coverage, citation_validity):
        assert metric({}, {"answer": "", "answerable": False, "passages": PASSAGES_CITATION}).status == "abstained"
        assert metric({}, None).status == "failed"


def test_the_deterministic_check_names_what_a_passage_does_not_say():
    passages = ["Femur density fell by 12.4%.", "Muscle mass shrank by 9% in rats."]
    answer = "Femur density fell by 12.4% [1]. Why? Muscle mass shrank by 15% in rats [2]."
    score = citation_recall({}, {"answer": answer, "passages": passages})
    assert score.value == 0.5
    assert score.feedback.startswith("sentence 3 cites [2], which ")
    assert "15" in score.feedback


def test_coverage_counts_the_sentences_that_need_a_citation():
    answer = "## Bone\nIt changed:\n- Density fell [1].\n- Muscle shrank, et al.\n- Blood thinned (Fig. 2) [4]. Did it?"
    score = citation_coverage({}, {"answer": answer, "passages": PASSAGES_CITATION})
    assert score.value == pytest.approx(2 / 3)
    assert score.feedback == "sentence 4 has no citation"
    assert citation_coverage({}, {"answer": "Did it [1]?"}).status == "not_applicable"


def test_validity_counts_the_citations_that_resolve():
    score = citation_validity(
        {}, {"answer": "Density fell [1][7]. Muscle shrank [2]. Is it so [9]?", "passages": PASSAGES_CITATION}
    )
    assert score.value == 0.5
    assert score.feedback == (
        "sentence 1 cites [7], which is not among the passages; sentence 3 cites [9], which is not among the passages"
    )
    assert citation_validity({}, {"answer": "Density fell."}).status == "not_applicable"


EXAMPLE = {"question": "What fell?", "nuggets": ["density fell", "muscle shrank"]}


def test_counts_the_facts_that_the_claims_entail():
    prediction = {"answer": "Density fell in mice [1]. Muscle grew [2]."}
    score = nugget_recall(EXAMPLE, prediction, ledger=Ledger(WordJudge()))
    assert score.value == 0.5
    assert score.feedback == "missing: muscle shrank"


def test_questions_headings_and_citations_state_no_facts():
    prediction = {"answer": "# Muscle shrank\nMuscle shrank? Density fell."}
    assert nugget_recall(EXAMPLE, prediction, ledger=Ledger(WordJudge())).value == 0.5


def test_no_answer_holds_no_facts():
    assert nugget_recall(EXAMPLE, {"answer": ""}).value == 0
    abstained = nugget_recall(EXAMPLE, {"answer": "", "answerable": False})
    assert (abstained.value, abstained.status) == (0, "abstained")
    assert nugget_recall(EXAMPLE, None).status == "failed"


def test_undefined_without_gold_facts():
    assert nugget_recall({"nuggets": []}, {"answer": "Density fell."}).status == "not_applicable"
    assert nugget_recall({**EXAMPLE, "answerable": False}, {"answer": "Density fell."}).status == "not_applicable"
