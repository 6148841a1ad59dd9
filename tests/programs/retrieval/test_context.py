"""Which passages fit a number of tokens."""

from __future__ import annotations

from programs.passage import Passage
from programs.retrieval.context import tokens, within_budget


def passage(name, text):
    return Passage(name, name, "results", "", text, 10, 10 + len(text))


def kept(budget, *texts):
    passages = [passage(str(place), text) for place, text in enumerate(texts)]
    return [each.text for each in within_budget(passages, budget)]


def test_a_token_is_three_quarters_of_a_word():
    assert tokens("one two three") == 4


def test_passages_are_kept_up_to_the_budget_and_shorter_ones_may_follow():
    assert kept(8, "one two three", "four five six") == ["one two three", "four five six"]
    assert kept(7, "one two three", "four five six", "seven") == ["one two three", "seven"]
    assert kept(8) == []


def test_a_first_passage_that_is_too_long_is_cut_at_a_sentence():
    (cut,) = within_budget([passage("a", "One sentence stands here. Another stands behind it, longer.")], 8)
    assert (cut.text, cut.start, cut.end) == ("One sentence stands here.", 10, 35)


def test_where_no_sentence_fits_it_is_cut_at_a_word():
    assert kept(4, "one two three four five six") == ["one two three"]
    assert kept(1, "one two three") == ["one"]
