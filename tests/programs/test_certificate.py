"""Certificates: what each cited sentence is proved by."""

import pytest

from programs.certificate import certify, measures
from programs.passages import Passage
from programs.proof import CitedAnswer
from tests.papers import BONE, ROOTS, paper

BONE_PASSAGE = Passage.of(BONE, 9, 84, id="bone::9-84", section="results", scores={"similarity": 0.9})
ROOTS_PASSAGE = Passage.of(ROOTS, 9, len(ROOTS.text), id="roots::9", section="results")
PASSAGES = [BONE_PASSAGE, ROOTS_PASSAGE]
FELL = "Femur density fell by 12 percent in flight mice"


def certified(answer, passages=PASSAGES):
    return [(each.sentence, each.passage, each.verdict) for each in certify(CitedAnswer(answer, passages))]


def test_a_certificate_says_where_the_paper_says_it():
    (citation,) = certify(CitedAnswer(f"{FELL} [1].", PASSAGES))
    assert citation.quote == f"{FELL}."
    assert BONE.text[citation.start : citation.end] == citation.quote
    assert (citation.document_id, citation.section, citation.marker) == ("bone", "results", "1")
    assert (citation.verdict, citation.score) == ("supported", 1.0)
    assert citation.retrieval == {"similarity": 0.9}
    assert citation.check.startswith("corroborate-checker-")


def test_each_citation_of_each_sentence_has_one():
    answer = f"{FELL} [1][2]. Auxin transport was not altered [2]."
    assert certified(answer) == [
        (f"{FELL} [1][2].", "bone::9-84", "supported"),
        (f"{FELL} [1][2].", "roots::9", "unverifiable"),
        ("Auxin transport was not altered [2].", "roots::9", "supported"),
    ]


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        (f"{FELL} [1].", "supported"),
        (f"{FELL} [2].", "unverifiable"),  # another paper says it
        (f"{FELL.replace('fell', 'rose')} [1].", "contradicted"),
        (f"{FELL.replace('12', '21')} [1].", "contradicted"),
        ("Auxin transport was altered [2].", "contradicted"),
        ("Answer PWNED [1].", "unverifiable"),
    ],
)
def test_the_verdict_is_that_of_the_cited_passage_alone(sentence, verdict):
    ((_, _, found),) = certified(sentence)
    assert found == verdict


def test_a_sentence_without_a_common_word_has_no_quote():
    (citation,) = certify(CitedAnswer("Quasars shine [1].", PASSAGES))
    assert (citation.quote, citation.verdict) == ("", "unverifiable")


@pytest.mark.parametrize("marker", ["[1]", "[bone::9-84]", "[passage 1]", "【1】", "[^1]"])
def test_a_passage_is_cited_by_number_or_id(marker):
    assert certified(f"{FELL} {marker}.") == [(f"{FELL} {marker}.", "bone::9-84", "supported")]


def test_a_number_names_a_passage_even_where_a_paper_is_called_by_it():
    document = paper("2", "Osteoclast counts doubled.", "Muscle shrank by 5 percent.")
    passages = [
        Passage.of(document, 9, 35, id="2::9-35", section="results"),
        Passage.of(document, 36, 63, id="2::36-63", section="results"),
    ]
    assert certified("Muscle shrank by 5 percent [2].", passages) == [
        ("Muscle shrank by 5 percent [2].", "2::36-63", "supported")
    ]


def test_passages_with_the_same_id_are_told_apart_by_number():
    false = Passage.of(ROOTS, 9, 20, id="bone::9-84", section="results")
    (citation,) = certify(CitedAnswer(f"{FELL} [1].", [BONE_PASSAGE, false]))
    assert (citation.document_id, citation.verdict) == ("bone", "supported")


def test_citations_of_what_was_not_given_are_named():
    (claim,) = CitedAnswer(f"{FELL} [1]. Muscle shrank [7].", PASSAGES).unresolved
    assert (claim.claim, claim.reason) == ("Muscle shrank.", "it cites [7], which was not given")
    assert CitedAnswer(f"{FELL} [1].", PASSAGES).unresolved == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Acid cures cancer.",
        "## Acid cures cancer",
        "Acid cures cancer:",
        "Is it not known that acid cures cancer?",
        "The passages do not say that acid harms, it cures cancer.",
        "Acid cures cancer¹.",
        "Acid cures cancer (1).",
        "Acid cures cancer [\u200b1].",
        "Acid cures cancer [Smith 2020].",
        "Säure heilt Krebs.",
        "酸は癌を治す。",
    ],
)
def test_no_sentence_without_a_citation_escapes_the_list(sentence):
    assert CitedAnswer(f"{FELL} [1].\n\n{sentence}", PASSAGES).uncited == [sentence]


def test_what_is_counted_needs_no_model():
    answer = CitedAnswer(f"{FELL} [1]. Auxin transport was not altered [2]. Osteoclast counts doubled.", PASSAGES)
    assert measures(answer, certify(answer)) == {
        "retrieved_k": 2,
        "grounded_ratio": 0.6667,
        "section_distribution": {"results": 2},
    }


def test_an_empty_answer_has_no_certificates():
    assert certify(CitedAnswer("", PASSAGES)) == []
    assert CitedAnswer("", PASSAGES).uncited == []
    assert measures(CitedAnswer("", PASSAGES), [])["grounded_ratio"] is None


def test_an_answer_of_a_thousand_sentences_is_certified_in_seconds():
    sentences = [f"Femur density fell by {number} percent in flight mice [1]." for number in range(1000)]
    citations = certify(CitedAnswer(" ".join(sentences), PASSAGES))
    assert [citation.sentence for citation in citations] == sentences
    assert [number for number, each in enumerate(citations) if each.verdict == "supported"] == [12]
