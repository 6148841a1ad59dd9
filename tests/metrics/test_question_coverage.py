"""How much of a question an answer and its quotations hold."""

import pytest

from metrics.question_coverage import question_coverage

QUESTION = "Does spaceflight reduce the bone density of mice?"


@pytest.mark.parametrize(
    ("texts", "covered"),
    [
        (["Spaceflight reduces bone density in a mouse."], 4 / 5),  # "mouse" is no inflection of "mice"
        (["Bone density of mice", "fell after spaceflight, reduced by 12 percent"], 1.0),
        (["Lettuce roots hold bacteria."], 0.0),
        (["Bones."], 1 / 5),
        ([], 0.0),
    ],
)
def test_content_words_are_counted_once_by_their_stems(texts, covered):
    assert question_coverage(QUESTION, texts) == pytest.approx(covered)


def test_words_of_grammar_count_nowhere():
    assert question_coverage(QUESTION, ["Does the of?"]) == 0.0
    assert question_coverage("What is it?", ["Lettuce."]) == 1.0, "nothing can be missing"
