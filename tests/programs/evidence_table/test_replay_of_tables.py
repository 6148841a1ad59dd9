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
from programs.replay import replay_parts, replay_report
from programs.retrieval.index import Index
from tests.changed_values import GONE, changed
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS
from tests.scripted_lm import Script, evidence

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


def _read(call):
    """The finding on femur density, in the form of each column; of other papers nothing."""
    number, text = next(((each, said) for each, said in evidence(call).items() if "fell by 12" in said), (0, ""))
    form = call.values["form"]
    value = "12 percent" if form.startswith("a number") else "decreased" if "decreased" in form else text
    return {
        "answerable": number > 0,
        "answer": [{"text": text, "evidence": [number]}] if number else [],
        "value": value,
    }


def filled(index, folder, papers):
    """A table as it is saved, and read again."""
    with dspy.context(lm=Script(value=_read).lm()):
        program = EvidenceTable(index)
        cells = TableFolder(folder / "table", maker(program), "scripted", resume=False)
        table = fill(program, COLUMNS, chosen_papers(index, named=papers), cells)
    return json.loads(json.dumps(table.as_dict()))


@pytest.fixture(scope="module")
def saved(index, tmp_path_factory):
    return filled(index, tmp_path_factory.mktemp("out"), ["bone", "yeast"])


def test_as_it_was_written_it_replays(saved, index):
    assert replay_parts(saved, index.document) == []
    assert [each["status"] for each in saved["rows"][0]["cells"]] == ["reported"] * 3
    assert {each["status"] for each in saved["rows"][1]["cells"]} == {"not reported"}


def exchanged(rows):
    """Rows whose first cells are exchanged."""
    one, other = (copy.deepcopy(row["cells"][0]) for row in rows)
    return [{**row, "cells": [cell, *row["cells"][1:]]} for row, cell in zip(rows, (other, one), strict=True)]


CELL = "rows.0.cells.0"
VALUE = f"{CELL}.result.value"
NO_NUMBER = "not a number that its quotes"


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (f"{VALUE}.number", 13.0, NO_NUMBER),
        (f"{VALUE}.unit", "mg", NO_NUMBER),
        (f"{VALUE}.text", lambda text: f"{text}, which cures", NO_NUMBER),
        ("columns.1.type", "number", NO_NUMBER),
        ("rows.0.cells.1.result.value.text", "in flight rats", "not a text that its quotes support"),
        ("rows.0.cells.2.result.value.text", "up", "not a direction that its quotes"),
        ("rows.0.cells.2.result.label", "increased", "its label is"),
        (f"{CELL}.result.citations.0.quote", "It rose.", "its quote is"),
        (f"{CELL}.result.citations.0.verdict", "contradicted", "its verdict is"),
        (f"{CELL}.status", "not reported", "it is 'not reported' and its value"),
        (f"{CELL}.status", "failed", "it is 'failed'"),
        (VALUE, None, "it is 'reported' and its value is None"),
        (f"{CELL}.error", "Bone grew.", "says why it failed"),
        ("rows.0.title", "Another", "its title is 'Another'"),
        ("rows.0.content", "0", "its content differs"),
        ("rows.0.doi", "10.1126/science.1", "its doi is"),
        ("rows.0.url", "https://evil.example", "its url is"),
        ("rows.0.year", 2026, "its year is"),
        ("columns.0.question", "Why?", "answers another question"),
        ("columns", lambda columns: columns[::-1], "answers another question"),
        ("rows.0.cells", lambda cells: cells[::-1], "answers another question"),
        ("rows", exchanged, "rests on a passage of another paper"),
        ("summary.0.reported", 2, "the cells add up to 'reported 1 of 2"),
        ("summary.0", lambda summary: {**summary, "significant": True}, "the cells add up to"),
        ("summary", lambda summary: summary[::-1], "the cells add up to"),
        ("summary.2", GONE, "the summary another number"),
    ],
)
def test_a_change_is_found(saved, index, path, value, problem):
    faults = [str(fault) for _, fault in replay_parts(changed(saved, path, value), index.document)]
    assert any(problem in each for each in faults), faults


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("summary", GONE),
        ("more", 1),
        ("rows", 3),
        ("rows.0.cells.2", GONE),
        ("rows", lambda rows: [*rows, rows[0]]),
        ("columns", lambda columns: [columns[0], columns[0], columns[2]]),
        *((VALUE, each) for each in (3, {"words": "x"}, {"text": 3, "number": None, "unit": ""})),
        (f"{VALUE}.number", True),
        ("rows.0.document_id", 3),
        ("rows.0.document_id", ["bone"]),
        ("notes", [3]),
        ("columns.0.finding", "Bone grew."),
        ("columns.0.unit", GONE),
        (f"{CELL}.status", ["reported"]),
        (f"{CELL}.status", "proved"),
        (f"{CELL}.error", ["Bone grew."]),
    ],
)
def test_what_is_no_table_is_refused(saved, index, path, value):
    with pytest.raises(UsageError, match="not as `table` writes it"):
        replay_parts(changed(saved, path, value), index.document)


def test_a_retracted_paper_is_said_to_be_and_the_table_may_not_hide_it(tmp_path):
    retracted = replace(BONE, metadata={**BONE.metadata, "retracted": True})
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add([retracted])
        table = filled(index, tmp_path, ["bone"])
        assert table["notes"] == ["Bone loss in flight mice (bone) was retracted."]
        assert replay_parts(table, index.document) == []
        table["notes"].clear()
        assert [fault.what for _, fault in replay_parts(table, index.document)] == ["notes"]
        table["rows"][0]["cells"][0]["result"]["notes"].clear()
        assert [(part, fault.what) for part, fault in replay_parts(table, index.document)] == [
            ("bone, change: ", "notes")
        ]


def test_why_a_cell_failed_is_named_as_said_only(saved, index):
    failed = {"status": "failed", "error": "Yeast grew by 81 percent.", "result": {}}
    table = changed(saved, "rows.1.cells.1", failed)
    table["summary"][1] = Table.from_dict(table).as_dict()["summary"][1]
    found = replay_report(table, index.document)
    assert found["verified"]
    assert "error" in found["said_only"]
