"""What stands in quotation marks in an answer is the paper's own words."""

import pytest

from programs.ingest.document import DocumentBuilder
from programs.passages import Passage
from programs.passages.numbered_sentences import NumberedSentences
from programs.written_sentences import Piece, pieces_of
from signatures.evidence import WrittenSentence

SAID = "However, growth slowed (Figure 1) in mice [3, 4] and rats. Bone fell [5]."


def numbered(text):
    """The sentences of a paper of one paragraph."""
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph(text)
    document = builder.build(id="mice", title="Mice")
    (section,) = document.sections
    about = {"id": "mice::0", "section": "results", "heading": "Results"}
    return NumberedSentences.of([Passage.of(document, section.start, section.end, **about)])


@pytest.fixture
def evidence():
    return numbered(SAID)


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("“Growth slowed in mice and rats”.", "“growth slowed […] in mice […] and rats”."),
        ("“Growth rose in mice”.", "“Growth rose in mice”."),  # not the paper's words, for the checker
    ],
)
def test_a_quotation_has_a_sign_for_what_it_leaves_out(evidence, said, printed):
    written = [WrittenSentence(text=said, evidence=[1])]
    assert [each.text for each in pieces_of(written, evidence)] == [printed]


def test_a_sentence_that_is_quoted_whole_keeps_its_callout(evidence):
    first, second = (Piece.quoting(each).text for each in evidence.sentences)
    assert first == "“However, growth slowed (Figure 1) in mice […] and rats”."
    assert second == "“Bone fell”."


def test_of_a_caption_what_follows_its_label_is_quoted():
    (caption,) = numbered("Figure 2. Paths on a tilted plate.").sentences
    assert Piece.quoting(caption).text == "“Paths on a tilted plate”."


def test_a_copy_is_a_quotation_of_what_it_was_copied_from():
    shown = numbered(
        "Bone fell. Bone volume of the femur fell by 18 % in all mice, though growth did not change at all."
    )
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
