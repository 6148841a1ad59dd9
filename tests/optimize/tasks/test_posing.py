"""How tasks put questions of a data set to their programs: cells, collections, joined papers; and what a run costs."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from metrics.grounded_utility import grounded_utility
from optimize.dataset.data import Dataset, load_dataset
from optimize.dataset.example import Example
from optimize.tasks import task_of
from optimize.tasks.main_points import about, joined
from optimize.tasks.task import CallCount
from programs.evidence_table.columns import ValueType
from programs.ingest.chunking import SENTENCES, chunk
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


# Programs that search a collection.

LABELLED = Example("q", "Did density fall?", ("P1",), answer="Density fell.", label="yes", choices=("yes", "no"))
ANSWER = {"answer": "Density fell [1].", "answerable": True, "passages": ["Density fell."], "question": "?"}


@pytest.mark.parametrize("program", ["rag_fusion", "multi_signal"])
def test_a_label_that_no_program_of_them_gives_is_not_asked_of_them(program):
    posed = task_of(program).pose(LABELLED, Dataset("d", {"test": (LABELLED,)}, {}))
    assert (posed.example.label, posed.example.choices, posed.example.answer) == ("", (), "Density fell.")
    assert set(posed.inputs) == {"question", "filters"}
    assert grounded_utility(LABELLED, ANSWER).value == 0.0
    assert grounded_utility(posed.example, ANSWER).value > 0.5


def test_every_span_of_a_joined_paper_is_provable():
    documents = load_dataset("space_biology").documents
    both = [documents["PMC0000001"], documents["PMC0000002"]]
    paper = joined(both)
    assert paper.id == "PMC0000001+PMC0000002"
    texts = [each.text[figure.start : figure.end] for each in both for figure in each.figures]
    assert [paper.text[figure.start : figure.end] for figure in paper.figures] == texts
    assert len({figure.id for figure in paper.figures}) == len(paper.figures)
    apart = [piece.text for each in both for piece in chunk(each, SENTENCES) if piece.kind == "text"]
    assert [piece.text for piece in chunk(paper, SENTENCES) if piece.kind == "text"] == apart


def test_one_paper_stays_as_it_is():
    document = load_dataset("space_biology").documents["PMC0000001"]
    assert joined([document]) is document


def test_gold_ids_become_those_of_the_joined_paper():
    dataset = load_dataset("space_biology")
    example = next(each for each in dataset.split("train") if len(each.document_ids) == 2 and each.evidence)
    paper = joined([dataset.documents[each] for each in example.document_ids])
    posed = about(example, paper)
    assert posed.document_ids == (paper.id,)
    assert {each.document_id for each in posed.evidence} == {paper.id}
    assert all(each.quote in paper.text for each in posed.evidence)
    alone = Example("x", "q", (paper.id,))
    assert about(alone, paper) is alone
