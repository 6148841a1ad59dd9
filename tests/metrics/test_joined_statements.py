"""A claim that joins what two sentences say is judged part by part."""

import pytest

from metrics.support.guards import vetoes
from metrics.support.joined_statements import parts_of

FELL = "Pain scores fell by 5 points with zinc at week 6 of the trial."
NONE = "No serious adverse events were seen in either of the groups."
WRITTEN = (FELL, NONE)


@pytest.mark.parametrize(
    "claim",
    [
        "Pain scores fell by 5 points with zinc at week 6 of the trial, and no serious adverse events were seen.",
        "No serious adverse events were seen in either of the groups, while pain scores fell by 5 points with zinc.",
        "Pain scores fell by 5 points with zinc at week 6 of the trial, but serious adverse events did not occur.",
    ],
)
def test_what_each_sentence_says_may_be_joined(claim):
    assert len(parts_of(claim, WRITTEN)) == 2
    assert vetoes(claim, WRITTEN) == []


@pytest.mark.parametrize(
    "claim",
    [
        "Pain scores fell by 5 points with zinc, and serious adverse events were seen in either of the groups.",
        "Pain scores fell by 5 points without zinc at week 6, and no serious adverse events were seen in the groups.",
        "Pain scores rose by 5 points with zinc at week 6 of the trial, and no serious adverse events were seen.",
        "Pain scores fell by 5 points with zinc at week 6 of the trial, and no one died or had to be treated.",
    ],
)
def test_each_part_must_be_true(claim):
    assert vetoes(claim, WRITTEN)


def test_two_clauses_of_one_sentence_are_not_taken_apart():
    both = "Pain scores fell by 5 points with zinc, and sleep scores rose by 3 points with zinc."
    assert parts_of(both, [both]) == (both,)
