"""Programs that ask a collection, before questions that were made for others."""

import pytest

from metrics.grounded_utility import grounded_utility
from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.tasks import task_of

LABELLED = Example("q", "Did density fall?", ("P1",), answer="Density fell.", label="yes", choices=("yes", "no"))
ANSWER = {"answer": "Density fell [1].", "answerable": True, "passages": ["Density fell."], "question": "?"}


@pytest.mark.parametrize("program", ["rag_fusion", "multi_signal"])
def test_a_label_that_no_program_of_them_gives_is_not_asked_of_them(program):
    posed = task_of(program).pose(LABELLED, Dataset("d", {"test": (LABELLED,)}, {}))
    assert (posed.example.label, posed.example.choices, posed.example.answer) == ("", (), "Density fell.")
    assert set(posed.inputs) == {"question", "filters"}
    assert grounded_utility(LABELLED, ANSWER).value == 0.0
    assert grounded_utility(posed.example, ANSWER).value > 0.5
