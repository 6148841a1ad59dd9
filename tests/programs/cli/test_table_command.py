"""``table`` as a user runs it."""

from __future__ import annotations

import json

import pytest

from programs.evidence_table import filling
from programs.retrieval.index import Index
from tests.command_line import run
from tests.papers import PAPERS

COLUMN = "change: By how many percent did femur density fall? [number]"
DIRECTION = "effect: How did femur density change? [direction]"


@pytest.fixture(scope="module")
def index(tmp_path_factory, embedder):
    place = tmp_path_factory.mktemp("index") / "papers.idx"
    with Index.open(place, create=True, embedder=embedder) as opened:
        opened.add(PAPERS)
    return place


def table(index, output, *more):
    return run("table", "--column", COLUMN, "--column", DIRECTION, "--index", index, "--output", output, *more)


def test_a_table_is_written_verified_and_gone_on_with(index, tmp_path):
    output = tmp_path / "table"
    ran = table(index, output)
    assert ran.code == 0, ran.stderr
    assert f"{len(PAPERS)} papers × 2 questions: 2 cells proved" in ran.stdout
    assert "No language model was used" in ran.stderr
    assert {"table.json", "table.csv", "cells.csv", "cells.jsonl"} <= {each.name for each in output.iterdir()}
    verified = run("verify", output / "table.json", "--index", index)
    assert (verified.code, "All 2 citations replay: 2 supported" in verified.stdout) == (0, True)
    before = (output / "table.json").read_text(encoding="utf-8")
    assert table(index, output).code == 2
    assert table(index, output, "--resume").code == 0
    assert (output / "table.json").read_text(encoding="utf-8") == before


def test_json_is_all_that_stdout_holds(index, tmp_path):
    ran = table(index, tmp_path / "table", "--format", "json", "--paper", "bone")
    assert [row["document_id"] for row in ran.json["rows"]] == ["bone"]
    assert ran.json["rows"][0]["cells"][0]["result"]["value"]["number"] == 12.0


def test_a_budget_ends_a_run_with_code_1_and_what_to_do(index, tmp_path):
    ran = table(index, tmp_path / "table", "--budget-calls", "1", "--threads", "1", "--paper", "bone")
    assert ran.code == 1
    assert "1 cells were not asked; --resume goes on with them" in ran.stderr
    assert table(index, tmp_path / "table", "--resume", "--paper", "bone").code == 0


def test_a_changed_file_does_not_verify(index, tmp_path):
    table(index, tmp_path / "table", "--paper", "bone")
    saved = json.loads((tmp_path / "table" / "table.json").read_text(encoding="utf-8"))
    saved["rows"][0]["cells"][0]["result"]["value"]["text"] = "13 percent"
    (tmp_path / "forged.json").write_text(json.dumps(saved), encoding="utf-8")
    ran = run("verify", tmp_path / "forged.json", "--index", index)
    assert (ran.code, "is not a number that its quotes bear out" in ran.stdout) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "a table needs questions"),
        (("--column", "a: b? [colour]"), "there is no type 'colour'"),
        (("--column", "a: b?", "--column", "A: c?"), "two columns have the name 'a'"),
        (("none.yaml",), "no file at none.yaml"),
        (("--column", "a: b?", "--paper", "gone"), "has no paper gone"),
        (("--column", "a: b?", "--threads", "0"), "--threads must be at least 1"),
        (("--column", "a: b?", "--limit", "0"), "--limit must be at least 1"),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(index, tmp_path, arguments, message):
    ran = run("table", *arguments, "--index", index, "--output", tmp_path / "table")
    assert ran.code == 2
    assert message in ran.stderr
    assert not (tmp_path / "table" / "table.json").exists()


def test_a_run_that_is_stopped_says_how_to_go_on(index, tmp_path, monkeypatch):
    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(filling, "fill", stopped)
    ran = table(index, tmp_path / "table")
    assert ran.code == 1
    assert "the same command with --resume goes on" in ran.stderr
    assert "the same command goes on from there" not in ran.stderr
    monkeypatch.undo()
    assert table(index, tmp_path / "table", "--resume").code == 0
