"""Conflicts that a model reported, against the passages, and in the prose."""

from __future__ import annotations

import pytest

from programs.multi_signal import conflicts_of, naming
from programs.passages import Passage
from signatures.multi_signal import Conflict


def passage(document_id):
    return Passage(f"{document_id}::0", document_id, "results", "", "", 0, 0)


PASSAGES = [passage("A"), passage("A"), passage("B")]


def conflict(statement, *numbers):
    return Conflict(statement=statement, passages=list(numbers))


@pytest.mark.parametrize("numbers", [(1, 3), (3, 1, 3), (0, 1, 3, 4, -1)])
def test_a_conflict_of_two_papers_is_kept_with_the_numbers_that_exist(numbers):
    assert conflicts_of([conflict(" They disagree. ", *numbers)], PASSAGES) == [conflict("They disagree.", 1, 3)]


@pytest.mark.parametrize(
    ("statement", "numbers"), [("x", (1, 2)), ("x", (3,)), ("x", ()), ("x", (3, 9)), (" ", (1, 3))]
)
def test_what_can_be_no_conflict_is_dropped(statement, numbers):
    assert conflicts_of([conflict(statement, *numbers)], PASSAGES) == []


def test_an_answer_that_cites_all_sides_stays_as_it_is():
    answer = "Study [1] found a fall, study [3] none."
    assert naming([conflict("They disagree [1][3].", 1, 3)], answer) == answer


def test_a_side_that_is_missing_is_added_without_repeating_the_other():
    stated = "It fell [1]. In contrast, it rose [3]."
    assert naming([conflict(stated, 1, 3)], "It fell [1].") == "It fell [1]. In contrast, it rose [3]."
    assert naming([conflict("They disagree.", 1, 3)], "It fell [1].") == "It fell [1]. They disagree [1][3]."
