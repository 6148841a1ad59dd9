"""Small words that turn a copy, and those that do not."""

import pytest

from metrics.support.lexicon import words
from metrics.support.additions import small_words

SENTENCE = tuple(words("five mice lost 12 % while the others may have gained a millimetre by 3 %"))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("because", "while"),
        ("would", ""),
        ("fifty", "five"),
        ("one", "five"),
        ("half", ""),
        ("twice", ""),
        ("centimetre", "millimetre"),
        ("more", ""),
        ("lead", "iron"),
        ("too", ""),
    ],
)
def test_what_turns_a_copy_is_named(ours, theirs):
    assert list(small_words(ours.split(), theirs.split(), SENTENCE)) != []


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("might", "may"),
        ("while", ""),
        ("half", "50 %"),
        ("more", "higher"),
        ("more", "increased"),
        ("millimeter", "millimetre"),
        ("the", "these"),
        ("two", ""),
        ("5", "five"),
    ],
)
def test_what_says_the_same_is_not(ours, theirs):
    assert list(small_words(ours.split(), theirs.split(), SENTENCE)) == []
