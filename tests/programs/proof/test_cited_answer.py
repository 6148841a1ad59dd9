"""An answer is read once, into the value that verification, certificates, withholding and results take."""

import pytest

from programs import proof
from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import ModelProof
from programs.results.result import relevant, result
from programs.verified import Verified, unverified
from tests.papers import BONE, ROOTS

PASSAGES = [
    Passage.of(BONE, 9, 84, id="bone::9-84", section="results", key="PMC1"),
    Passage.of(ROOTS, 9, len(ROOTS.text), id="roots::9", section="results"),
]
FELL = "Femur density fell by 12 percent in flight mice"


@pytest.fixture
def read_texts(monkeypatch):
    """The texts that were cut into sentences, in order."""
    texts = []
    cut = proof.statements

    def counted(text, passages=()):
        texts.append(text)
        return cut(text, passages)

    monkeypatch.setattr(proof, "statements", counted)
    return texts


def test_from_proofs_to_result_a_text_is_cut_into_sentences_once(read_texts):
    answer = f"{FELL} [PMC1]. Auxin transport was not altered [2]."
    quoted = {
        f"{FELL}.": ("PMC1", f"{FELL}."),
        "Auxin transport was not altered.": ("2", "Auxin transport was not altered"),
    }
    proofs = [ModelProof(said, "given", (quote,), model="reader") for said, quote in quoted.items()]
    verified = Verified(CitedAnswer(answer, PASSAGES), proofs=tuple(proofs))
    verified, _ = relevant(verified, "What fell?", 0.1)
    assert len(result("What fell?", verified).citations) == 2
    assert read_texts == [answer]


def test_a_sentence_tells_the_passages_that_it_cites():
    answer = CitedAnswer(f"{FELL} [PMC1][2][9]. It recovered.", PASSAGES)
    cited, bare = answer.statements
    assert answer.cited_by(cited) == [("PMC1", [PASSAGES[0]]), ("2", [PASSAGES[1]])]
    assert (answer.cited_by(bare), answer.uncited) == ([], ["It recovered."])
    assert [each.reason for each in answer.unresolved] == ["it cites [9], which was not given"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{FELL} [9].", f"{FELL}."),
        (f"{FELL} [2, 9].", f"{FELL} [2]."),
        (f"{FELL} [2, PMC1].", f"{FELL} [2, PMC1]."),
    ],
)
def test_citations_of_what_was_not_given_are_taken_out(text, left):
    assert CitedAnswer(text, PASSAGES).without_invented().text == left


def test_another_text_has_the_same_passages():
    answer = CitedAnswer(f"{FELL} [2].", PASSAGES)
    assert answer.rewritten("It fell [2].").given is answer.given
    assert answer.rewritten(answer.text) is answer


def test_an_answer_that_nobody_verified_loses_citations_of_what_was_not_given():
    found = unverified("Femur density fell [PMC1]. Muscle shrank [7].", PASSAGES)
    assert found.answer == "Femur density fell [PMC1]. Muscle shrank."
    assert [each.reason for each in found.unsupported_claims] == ["it cites [7], which was not given"]
