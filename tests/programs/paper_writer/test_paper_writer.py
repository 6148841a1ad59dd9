"""Verified sentences back in their places."""

import pytest

from programs.paper_writer.evidence import passage_of
from programs.paper_writer.paper_writer import as_answer, cited_sentences, revised
from programs.proof import CitedAnswer
from tests.programs.paper_writer.writing import evidence

PASSAGES = [passage_of(evidence())]
KEY = "(okafor2014bone)"
FIGURE = "![Bone](bone.png)\n*Figure 1: Bone.*"
TEXT = f"We fed mice.\n\nBone fell {KEY}. We saw it. Cells grew {KEY}.\n\n{FIGURE}\n\nHair fell {KEY}."
SECTION = CitedAnswer(TEXT, PASSAGES)


def revise(verified):
    return revised(SECTION, cited_sentences(SECTION), verified).text


def test_only_cited_sentences_are_verified():
    spans = cited_sentences(SECTION)
    assert as_answer(TEXT, spans) == f"Bone fell {KEY}.\nCells grew {KEY}.\nHair fell {KEY}."


@pytest.mark.parametrize(
    ("verified", "wanted"),
    [
        (f"Bone fell {KEY}. Cells grew {KEY}. Hair fell {KEY}.", TEXT),
        (f"Bone fell {KEY}.\nCells shrank {KEY}.\nHair fell {KEY}.", TEXT.replace("grew", "shrank")),
        (f"Bone fell {KEY}. Hair fell {KEY}.", TEXT.replace(f" Cells grew {KEY}.", "")),
        (f"Cells grew {KEY}. Hair fell {KEY}.", TEXT.replace(f"Bone fell {KEY}. ", "")),
        (f"Bone fell {KEY}. Cells grew {KEY}.", TEXT.replace(f"\n\nHair fell {KEY}.", "")),
        (
            f"Bone fell {KEY}. Cells grew {KEY}. Not all did {KEY}. Hair fell {KEY}.",
            TEXT.replace(f"Cells grew {KEY}.", f"Cells grew {KEY}. Not all did {KEY}."),
        ),
        ("", f"We fed mice.\n\nWe saw it.\n\n{FIGURE}"),
    ],
    ids=["same", "mended", "gone", "first gone", "last gone", "added", "all gone"],
)
def test_the_rest_of_the_text_stays(verified, wanted):
    assert revise(verified) == wanted


def test_a_paragraph_whose_only_sentence_is_gone_leaves_no_gap():
    section = CitedAnswer(f"Before.\n\nBone fell {KEY}.\n\nAfter.", PASSAGES)
    assert revised(section, cited_sentences(section), "").text == "Before.\n\nAfter."


def test_what_is_taken_out_is_named():
    spans = cited_sentences(SECTION)
    assert revised(SECTION, spans, f"Bone fell {KEY}. Hair fell {KEY}.").removed == (f"Cells grew {KEY}.",)
    assert revised(SECTION, spans, as_answer(TEXT, spans)).removed == ()


def test_sentences_of_the_authors_are_left_out():
    own = f"Other.\ncells  grew {KEY}. More."
    assert as_answer(TEXT, cited_sentences(SECTION, own)) == f"Bone fell {KEY}.\nHair fell {KEY}."
