"""Filling a table: side by side, within a budget, and no cell twice."""

from __future__ import annotations

import json
from unittest.mock import patch

import dspy
import pytest

from programs.budget import Budget
from programs.errors import UsageError
from programs.evidence_table import EvidenceTable
from programs.evidence_table.cell_values import ValueType
from programs.evidence_table.columns import Column
from programs.evidence_table.filling import CELLS, TableFolder, chosen_papers, fill, maker
from programs.replay import replay_parts
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper
from tests.scripted_lm import Script, evidence

pytestmark = pytest.mark.slow

COLUMNS = [Column("finding", "What was found?"), Column("effect", "What was the effect?", ValueType("direction"))]


@pytest.fixture
def index(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


def quoting(call):
    """The first sentence that is shown, whatever is asked."""
    number, said = next(iter(evidence(call).items()))
    label = "decreased" if "decreased" in call.values["form"] else said
    return {"answerable": True, "answer": [{"text": said, "evidence": [number]}], "value": label}


def filled(index, folder, script=None, columns=COLUMNS, *, resume=False, threads=2, **more):
    script = script or Script(value=quoting)
    with dspy.context(lm=script.lm()):
        program = EvidenceTable(index)
        kept = TableFolder(folder, maker(program), "scripted", resume=resume)
        return fill(program, columns, chosen_papers(index), kept, threads=threads, **more), script


def test_every_cell_is_asked_once_and_replays(index, tmp_path):
    table, script = filled(index, tmp_path / "table")
    assert len(script.calls) == len(table.rows) * 2 == len(PAPERS) * 2
    assert table.count("reported") == len(PAPERS) * 2
    saved = json.loads(json.dumps(table.as_dict()))
    assert replay_parts(saved, index.document) == []
    assert saved["summary"][1]["counts"] == {"increased": 0, "decreased": len(PAPERS), "no significant difference": 0}


def test_a_stopped_run_goes_on_and_gives_the_same_table(index, tmp_path):
    whole, script = filled(index, tmp_path / "whole")
    first, begun = filled(index, tmp_path / "cut", threads=1, budget=Budget(calls=3))
    assert (len(begun.calls), first.count("not asked")) == (3, len(script.calls) - 3)
    assert "Stopped by its budget of 3 calls" in first.notes[0]
    second, rest = filled(index, tmp_path / "cut", resume=True)
    assert len(begun.calls) + len(rest.calls) == len(script.calls)
    assert second.as_dict() == whole.as_dict()


def test_a_line_that_was_cut_in_the_middle_is_asked_again(index, tmp_path):
    whole, _ = filled(index, tmp_path / "table")
    journal = tmp_path / "table" / CELLS
    journal.write_bytes(journal.read_bytes()[:-40])
    again, script = filled(index, tmp_path / "table", resume=True)
    assert len(script.calls) == 1
    assert again.as_dict() == whole.as_dict()


def test_new_papers_and_columns_are_asked_and_nothing_else(index, tmp_path):
    filled(index, tmp_path / "table")
    index.add([paper("moss", "Moss grew taller in orbit.", title="Moss")])
    more = [*COLUMNS, Column("why", "Why?")]
    table, script = filled(index, tmp_path / "table", columns=more, resume=True)
    assert len(script.calls) == len(PAPERS) + 3
    assert [len(row.cells) for row in table.rows] == [3] * (len(PAPERS) + 1)


def test_a_changed_paper_is_asked_anew_and_a_vanished_one_is_named(index, tmp_path):
    filled(index, tmp_path / "table")
    index.add([paper("bone", "Femur density rose in flight mice.", title="Bone, corrected")])
    index.remove("roots")
    table, script = filled(index, tmp_path / "table", resume=True)
    assert len(script.calls) == 2
    assert "1 papers of earlier runs are not in this table: roots" in table.notes[0]


def test_a_failed_cell_is_told_and_asked_again(index, tmp_path):
    calls = iter(range(99))
    script = Script(value=lambda call: "no field" if next(calls) == 1 else quoting(call))
    table, _ = filled(index, tmp_path / "table", script, threads=1)
    assert table.count("failed") == 1
    assert "1 cells failed (MalformedOutput" in table.notes[0]
    again, rest = filled(index, tmp_path / "table", resume=True)
    assert (again.count("failed"), len(rest.calls)) == (0, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"result": {}},
        {"result": {"value": 3}},
        {"result": {"value": None}},
        {"result": {"value": {"text": "x", "number": None, "unit": ""}, "citations": [{"verdict": 3}]}},
        {"status": "proved"},
        {"paper": 3},
    ],
)
def test_a_line_that_was_changed_is_named_and_nothing_is_written(index, tmp_path, change):
    filled(index, tmp_path / "table")
    journal = tmp_path / "table" / CELLS
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    lines[1].update(change)
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(UsageError, match=r"cells.jsonl:2 was changed .*delete that line"):
        filled(index, tmp_path / "table", resume=True)


def test_another_model_does_not_go_on_with_a_table(index, tmp_path):
    filled(index, tmp_path / "table")
    with pytest.raises(UsageError, match="was filled by scripted with other prompts"):
        TableFolder(tmp_path / "table", "another", "other", resume=True)
    with pytest.raises(UsageError, match="continue it with --resume"):
        filled(index, tmp_path / "table")


def test_a_folder_is_one_process_at_a_time(index, tmp_path):
    one = TableFolder(tmp_path / "table", "a", "a", resume=False)
    other = TableFolder(tmp_path / "table", "a", "a", resume=False)
    with one.held(), pytest.raises(UsageError, match="is being filled by another process"), other.held():
        pass


def test_rows_by_name_filter_and_question(index):
    assert [each.document_id for each in chosen_papers(index, named=["yeast", "bone"])] == ["yeast", "bone"]
    assert [each.document_id for each in chosen_papers(index, filters={"mission_env": ["ISS"]})] == ["bone"]
    assert [each.document_id for each in chosen_papers(index, find="acetic acid yeast", limit=1)] == ["yeast"]
    every = len(index.document_ids(None))
    for limit in (2, every):  # whatever number of passages the nearest paper has
        with patch("programs.evidence_table.filling._DEPTH", 1):
            assert len(chosen_papers(index, find="acetic acid yeast", limit=limit)) == limit
    with pytest.raises(UsageError, match=r"has no paper gone; `python -m programs list --index .* lists what it has"):
        chosen_papers(index, named=["gone"])
    with pytest.raises(UsageError, match="change --filter"):
        chosen_papers(index, filters={"year": {"gte": 2999}})
    for paper_id in index.document_ids(None):
        index.remove(paper_id)
    with pytest.raises(UsageError, match="is empty; add papers"):
        chosen_papers(index)
