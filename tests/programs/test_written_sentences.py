"""What stands in quotation marks in an answer is the paper's own words."""

import pytest

from programs.ingest.document import DocumentBuilder
from programs.passages import Passage
from programs.passages.numbered_sentences import NumberedSentences
from programs.written_sentences import Piece, pieces_of
from signatures.evidence import WrittenSentence

SAID = "However, growth slowed (Figure 1) in mice [3, 4] and rats. Bone fell [5]."


@pytest.fixture
def evidence():
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph(SAID)
    document = builder.build(id="mice", title="Mice")
    (section,) = document.sections
    about = {"id": "mice::0", "section": "results", "heading": "Results"}
    return NumberedSentences.of([Passage.of(document, section.start, section.end, **about)])


def test_a_quotation_has_a_sign_for_what_it_leaves_out(evidence):
    written = [WrittenSentence(text="“Growth slowed in mice and rats”.", evidence=[1])]
    assert [each.text for each in pieces_of(written, evidence)] == ["“growth slowed […] in mice […] and rats”."]


def test_words_that_are_not_the_papers_stay_for_the_checker(evidence):
    written = [WrittenSentence(text="“Growth rose in mice”.", evidence=[1])]
    assert [each.text for each in pieces_of(written, evidence)] == ["“Growth rose in mice”."]


def test_a_sentence_that_is_quoted_whole_keeps_its_callout(evidence):
    first, second = (Piece.quoting(each).text for each in evidence.sentences)
    assert first == "“However, growth slowed (Figure 1) in mice […] and rats”."
    assert second == "“Bone fell”."


def test_of_a_caption_what_follows_its_label_is_quoted():
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph("Figure 2. Paths on a tilted plate.")
    document = builder.build(id="snails", title="Snails")
    (section,) = document.sections
    about = {"id": "snails::0", "section": "results", "heading": "Results"}
    (caption,) = NumberedSentences.of([Passage.of(document, section.start, section.end, **about)]).sentences
    assert Piece.quoting(caption).text == "“Paths on a tilted plate”."


def test_a_copy_is_a_quotation_of_what_it_was_copied_from():
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph(
        "Bone fell. Bone volume of the femur fell by 18 % in all mice, though growth did not change at all."
    )
    document = builder.build(id="mice", title="Mice")
    (section,) = document.sections
    about = {"id": "mice::0", "section": "results", "heading": "Results"}
    shown = NumberedSentences.of([Passage.of(document, section.start, section.end, **about)])
    copied = WrittenSentence(text="Bone volume of the femur fell by 18 % in all mice.", evidence=[1])
    short = WrittenSentence(text="Bone fell.", evidence=[1])
    other = WrittenSentence(text="Bone volume of the femur rose by 18 % in all mice.", evidence=[2])
    assert [(each.text, each.numbers) for each in pieces_of([copied, short, other], shown)] == [
        ("“Bone volume of the femur fell by 18 % in all mice, though growth did not change at all”.", (2,)),
        ("Bone fell.", (1,)),
        ("Bone volume of the femur rose by 18 % in all mice.", (2,)),
    ]


def test_a_sentence_of_the_paper_is_given_once_however_it_was_copied(evidence):
    copies = ["“Bone fell”", "“Bone fell.”", "“bone fell”."]
    written = [WrittenSentence(text=each, evidence=[2]) for each in copies]
    assert [each.text for each in pieces_of(written, evidence)] == ["“Bone fell”"]
