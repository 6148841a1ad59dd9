"""Cells as questions of a data set: how they are put, what the prompt should have said, what a run costs."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from optimize.dataset.data import load_dataset
from optimize.tasks import task_of
from optimize.tasks.task import CallCount
from programs.evidence_table.values import ValueType
from programs.registry import create
from programs.retrieval.index import UnconnectedIndex
from signatures.evidence_table import FillCell

TASK = task_of("evidence_table")


@pytest.fixture(scope="module")
def dataset():
    return load_dataset("space_biology")


def test_a_question_is_a_column_and_its_paper_a_row(dataset):
    example = dataset.split("train")[0]
    posed = TASK.pose(example, dataset)
    assert posed.inputs == {"question": example.question, "paper": example.document_ids[0], "wanted": ValueType()}
    labelled = replace(example, label="yes", choices=("yes", "no"))
    assert TASK.pose(labelled, dataset).inputs["wanted"] == ValueType("yes/no")
    chosen = replace(example, label="b", choices=("a", "b"))
    assert TASK.pose(chosen, dataset).inputs["wanted"] == ValueType("choices", ("a", "b"))


def test_a_question_on_two_papers_is_put_to_the_one_with_more_evidence(dataset):
    example = next(each for each in dataset.split("train") if len(each.document_ids) > 1 and each.evidence)
    paper = TASK.pose(example, dataset).inputs["paper"]
    counts = [sum(each.document_id == name for each in example.evidence) for name in example.document_ids]
    assert sum(each.document_id == paper for each in example.evidence) == max(counts)


def test_demos_hold_the_fields_of_the_prompt_and_quotes_that_stand_in_it(dataset):
    made = [TASK.demos(each, dataset, random.Random(0)) for each in dataset.split("train")]
    demos = [each["fill"] for each in made if each]
    assert len(demos) > len(made) / 2
    for demo in demos:
        assert list(demo) == [*FillCell.input_fields, *FillCell.output_fields]
        assert bool(demo["answer"]) is demo["answerable"] is bool(demo["value"])
        folded = " ".join(demo["passages"].split())
        assert all(" ".join(each["quote"].split()) in folded for each in demo["quotes"])


def test_a_cell_costs_one_call_a_try(dataset):
    program = create("evidence_table", index=UnconnectedIndex())
    program.set_parameters(num_tries=3)
    assert TASK.calls(program, dataset) == CallCount(0, 3)
