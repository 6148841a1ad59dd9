"""A saved table that was changed does not replay, and says where."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import dspy
import pytest

from programs.errors import UsageError
from programs.evidence_table import EvidenceTable
from programs.evidence_table.cell_values import ValueType
from programs.evidence_table.columns import Column
from programs.evidence_table.filling import TableFolder, chosen_papers, fill, maker
from programs.evidence_table.table import Table
from programs.lm import LM
from programs.replay import replay_parts, replay_report
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS

COLUMNS = [
    Column("change", "By how many percent did femur density fall?", ValueType("number")),
    Column("finding", "How did femur density change in flight mice?"),
    Column("effect", "How did femur density change in flight mice?", ValueType("direction")),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("index")
    with Index.open(folder / "papers.idx", create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


@pytest.fixture(scope="module")
def saved(index, tmp_path_factory):
    with dspy.context(lm=LM("extractive")):
        program = EvidenceTable(index)
        folder = TableFolder(tmp_path_factory.mktemp("out") / "table", maker(program), "extractive", resume=False)
        table = fill(program, COLUMNS, chosen_papers(index, named=["bone", "yeast"]), folder)
    return json.loads(json.dumps(table.as_dict()))


def test_as_it_was_written_it_replays(saved, index):
    assert replay_parts(saved, index.document) == []
    assert [each["status"] for each in saved["rows"][0]["cells"]] == ["reported"] * 3
    assert {each["status"] for each in saved["rows"][1]["cells"]} == {"not reported"}


def bone(saved, place):
    return saved["rows"][0]["cells"][place]


def exchange_cells(saved):
    one, other = (row["cells"] for row in saved["rows"])
    one[0], other[0] = other[0], one[0]


CHANGES = {
    "another number": (lambda s: bone(s, 0)["result"]["value"].update(number=13.0), "not a number that its quotes"),
    "another text": (
        lambda s: bone(s, 1)["result"]["value"].update(text="in flight rats"),
        "not a text that its quotes support",
    ),
    "no such label": (lambda s: bone(s, 2)["result"]["value"].update(text="up"), "not a direction that its quotes"),
    "another quote": (lambda s: bone(s, 0)["result"]["citations"][0].update(quote="It rose."), "its quote is"),
    "another status": (lambda s: bone(s, 0).update(status="not reported"), "it is 'not reported' and its value"),
    "another title": (lambda s: s["rows"][0].update(title="Another"), "its title is 'Another'"),
    "another content": (lambda s: s["rows"][0].update(content="0"), "its content differs"),
    "another summary": (lambda s: s["summary"][0].update(reported=2), "the cells add up to 'reported 1 of 2"),
    "more than the number": (
        lambda s: bone(s, 0)["result"]["value"].update(text=bone(s, 0)["result"]["value"]["text"] + ", which cures"),
        "not a number that its quotes",
    ),
    "another unit": (lambda s: bone(s, 0)["result"]["value"].update(unit="mg"), "not a number that its quotes"),
    "cells of a row exchanged": (lambda s: s["rows"][0]["cells"].reverse(), "answers another question"),
    "cells of a column exchanged": (exchange_cells, "rests on a passage of another paper"),
    "rows exchanged in their names": (
        lambda s: s["rows"][0].update(document_id="yeast") or s["rows"][1].update(document_id="bone"),
        "its title is",
    ),
    "no values": (lambda s: bone(s, 0)["result"].update(value=None), "it is 'reported' and its value is None"),
    "a failed cell with a result": (lambda s: bone(s, 0).update(status="failed"), "it is 'failed'"),
    "a summary of another column": (lambda s: s["summary"].reverse(), "the cells add up to"),
    "a summary with more": (lambda s: s["summary"][0].update(significant=True), "the cells add up to"),
    "a column less in the summary": (lambda s: s["summary"].pop(), "the summary another number"),
    "the columns exchanged": (lambda s: s["columns"].reverse(), "answers another question"),
    "another type of a column": (lambda s: s["columns"][1].update(type="number"), "not a number that its quotes"),
    "another verdict": (
        lambda s: bone(s, 0)["result"]["citations"][0].update(verdict="contradicted"),
        "its verdict is",
    ),
    "another label": (lambda s: bone(s, 2)["result"].update(label="increased"), "its label is"),
    "another DOI": (lambda s: s["rows"][0].update(doi="10.1126/science.1"), "its doi is"),
    "another address": (lambda s: s["rows"][0].update(url="https://evil.example"), "its url is"),
    "another year": (lambda s: s["rows"][0].update(year=2026), "its year is"),
    "another question": (lambda s: s["columns"][0].update(question="Why?"), "answers another question"),
    "an error where there is none": (lambda s: bone(s, 0).update(error="Bone grew."), "says why it failed"),
    "a swapped cell": (
        lambda s: s["rows"][1]["cells"].__setitem__(1, copy.deepcopy(bone(s, 1))),
        "rests on a passage of another paper",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found(saved, index, name):
    changed = copy.deepcopy(saved)
    change, problem = CHANGES[name]
    change(changed)
    faults = [str(fault) for _, fault in replay_parts(changed, index.document)]
    assert any(problem in each for each in faults), faults


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.pop("summary"),
        lambda s: s.update(more=1),
        lambda s: s.update(rows=3),
        lambda s: s["rows"][0]["cells"].pop(),
        lambda s: s["rows"].append(s["rows"][0]),
        lambda s: s["columns"].__setitem__(1, s["columns"][0]),
        lambda s: bone(s, 0)["result"].update(value=3),
        lambda s: bone(s, 0)["result"].update(value={"words": "x"}),
        lambda s: bone(s, 0)["result"].update(value={"text": 3, "number": None, "unit": ""}),
        lambda s: bone(s, 0)["result"].update(value={"text": "x", "number": True, "unit": ""}),
        lambda s: s["rows"][0].update(document_id=3),
        lambda s: s["rows"][0].update(document_id=["bone"]),
        lambda s: s.update(notes=[3]),
        lambda s: s["columns"][0].update(finding="Bone grew."),
        lambda s: s["columns"][0].pop("unit"),
        lambda s: bone(s, 0).update(status=["reported"]),
        lambda s: bone(s, 0).update(status="proved"),
        lambda s: bone(s, 0).update(error=["Bone grew."]),
    ],
)
def test_what_is_no_table_is_refused(saved, index, change):
    changed = copy.deepcopy(saved)
    change(changed)
    with pytest.raises(UsageError, match="not as `table` writes it"):
        replay_parts(changed, index.document)


def test_a_retracted_paper_is_said_to_be_and_the_table_may_not_hide_it(tmp_path):
    retracted = replace(BONE, metadata={**BONE.metadata, "retracted": True})
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add([retracted])
        with dspy.context(lm=LM("extractive")):
            program = EvidenceTable(index)
            folder = TableFolder(tmp_path / "table", maker(program), "extractive", resume=False)
            made = fill(program, COLUMNS, chosen_papers(index), folder)
        table = json.loads(json.dumps(made.as_dict()))
        assert table["notes"] == ["Bone loss in flight mice (bone) was retracted."]
        assert replay_parts(table, index.document) == []
        table["notes"].clear()
        assert [fault.what for _, fault in replay_parts(table, index.document)] == ["notes"]
        bone(table, 0)["result"]["notes"].clear()
        assert [(part, fault.what) for part, fault in replay_parts(table, index.document)] == [
            ("bone, change: ", "notes")
        ]


def test_why_a_cell_failed_is_named_as_said_only(saved, index):
    changed = copy.deepcopy(saved)
    changed["rows"][1]["cells"][1] = {"status": "failed", "error": "Yeast grew by 81 percent.", "result": {}}
    changed["summary"][1] = Table.from_dict(changed).as_dict()["summary"][1]
    found = replay_report(changed, index.document)
    assert found["verified"]
    assert "error" in found["said_only"]
