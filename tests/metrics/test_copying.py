"""What is copied, and what is quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.grounded_utility import copy_ratio

TWELVE = "one two three four five six seven eight nine ten eleven twelve"
PASSAGE = f"We saw that {TWELVE} thirteen fourteen, in mice."


def ratio(answer, *passages):
    return copy_ratio({}, {"answer": answer, "passages": list(passages or (PASSAGE,))})


def test_runs_of_twelve_words_are_copies():
    score = ratio(f"It is known: {TWELVE} [1].")
    assert score.value == pytest.approx(12 / 15)
    assert score.feedback == f'copied without quotation marks: "{TWELVE} …"'


def test_eleven_words_are_not():
    assert ratio(" ".join(TWELVE.split()[:11]) + " of them.").value == 0


def test_case_punctuation_and_citations_do_not_hide_a_copy():
    assert ratio(f"{TWELVE.upper().replace(' SIX', ', SIX [1] –')}.").value == 1
    assert ratio(f"{TWELVE}.", PASSAGE.replace("five six", "five [12,13] six")).value == 1


@pytest.mark.parametrize("marks", ['""', "“”", "„“", "«»", "「」"])
def test_quotation_marks_make_a_quotation(marks):
    assert ratio(f"The paper says {marks[0]}{TWELVE}{marks[1]} [1].").value == 0


def test_a_copy_beside_a_quotation_is_still_a_copy():
    assert ratio(f'"Density fell" and {TWELVE} [1].').value == pytest.approx(12 / 15)


def test_a_run_over_two_passages_is_no_copy():
    first, second = TWELVE[: len(TWELVE) // 2], TWELVE[len(TWELVE) // 2 :]
    assert ratio(TWELVE, first, second).value == 0


def test_nothing_to_copy():
    assert ratio("").status == "not_applicable"
    assert ratio("[1]").status == "not_applicable"
    assert copy_ratio({}, {"answer": "Density fell."}).value == 0
    assert copy_ratio({}, None).value == 1


@given(st.lists(st.sampled_from(TWELVE.split()), min_size=1, max_size=40))
def test_range(answer):
    assert 0 <= ratio(" ".join(answer)).value <= 1


@given(st.integers(0, 12))
def test_whole_sentences_of_a_passage_are_copies_wherever_they_stand(position):
    filler = ["other"] * position
    assert ratio(" ".join([*filler, TWELVE])).value == pytest.approx(12 / (12 + len(filler)))
