"""`python -m programs write`, with the extractive LM and the real embedding model."""

from __future__ import annotations

import json

import pytest
import yaml

from programs.evidence_table import filling
from programs.retrieval.index import Index
from tests.command_line import run
from tests.papers import PAPERS

BONE = """---
title: Bone loss in orbit
authors: [Okafor, Chidinma]
year: 2014
---

# Bone loss in orbit

## Results

Femur density of mice fell by 12 % in flight. Osteoclast counts doubled in the femur of flight mice.
"""
CONCEPT = {
    "hypothesis": "Jumping protects the femur density of mice.",
    "title": "Jumping protects bone",
    "background": "Mice lose femur density in flight.",
    "experiments": [
        {
            "name": "Jumps",
            "method": "Mice jumped daily.",
            "findings": ["Femur density of mice fell by 2 %."],
            "plots": [{"file": "bone.png", "caption": "Femur density."}],
        }
    ],
}
NO_MODEL = "No language model is used: the draft is an outline of what the concept and the papers say."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("papers")
    (folder / "bone.md").write_text(BONE, "utf-8")
    (folder / "bone.png").write_bytes(b"\x89PNG")
    (folder / "concept.yaml").write_text(yaml.safe_dump(CONCEPT), "utf-8")
    ran = run("index", folder / "bone.md", "--index", folder / "papers.idx", "--chunking", "tokens:500:100")
    assert ran.code == 0, ran.stderr
    return folder


def write(folder, output, *options):
    return run("write", folder / "concept.yaml", "--index", folder / "papers.idx", "--output", output, *options)


def test_a_draft_stands_in_its_folder(folder, tmp_path):
    ran = write(folder, tmp_path / "draft")
    assert ran.code == 0, ran.stderr
    assert ran.stdout.startswith(f"Jumping protects bone\n{tmp_path / 'draft' / 'draft.md'}\n")
    assert "of 1 papers, 0 of them weak" in ran.stdout
    text = (tmp_path / "draft" / "draft.md").read_text("utf-8")
    assert "“Femur density of mice fell by 12 % in flight” (okafor2014)." in text
    assert "![Femur density.](bone.png)\n*Figure 1: Femur density.*" in text
    assert (tmp_path / "draft" / "bone.png").is_file()
    assert "@misc{okafor2014," in (tmp_path / "draft" / "references.bib").read_text("utf-8")
    record = json.loads((tmp_path / "draft" / "draft.json").read_text("utf-8"))
    assert len(record["sections"]) == 7
    verified = run("verify", tmp_path / "draft" / "draft.json", "--index", folder / "papers.idx")
    assert verified.code == 0, verified.stdout + verified.stderr
    assert "Not cited, so not proved: 'Jumping protects bone'" in verified.stdout


def test_progress_is_told_line_by_line_where_there_is_no_terminal(folder, tmp_path):
    replay_report = write(folder, tmp_path / "draft").stderr.splitlines()
    assert [line.split()[0] for line in replay_report[1:]] == [f"{number}/15" for number in range(1, 16)]
    assert replay_report[0].startswith(NO_MODEL)


def test_a_plan_shows_evidence_and_leaves_nothing_behind(folder, tmp_path):
    ran = write(folder, tmp_path / "draft", "--plan")
    assert ran.code == 0, ran.stderr
    assert "methods: 1 pieces of evidence\n" in ran.stdout
    assert "okafor2014 (results) Femur density of mice fell by 12 % in flight." in ran.stdout
    assert not (tmp_path / "draft").exists()


def test_an_index_of_other_chunks_is_noted(folder, tmp_path):
    index = tmp_path / "words.idx"
    assert run("index", folder / "bone.md", "--index", index).code == 0
    ran = run("write", folder / "concept.yaml", "--index", index, "--output", tmp_path / "draft", "--plan")
    assert "Note: The index is cut into passages:200:0; the paper writer is made for tokens:500:100" in ran.stderr


def test_bad_input_ends_with_2_and_leaves_nothing(folder, tmp_path):
    plots = [{"file": "gone.png", "caption": "x"}]
    wrong = {**CONCEPT, "experiments": [{"name": "x", "plots": plots}]}
    (tmp_path / "concept.yaml").write_text(yaml.safe_dump(wrong), "utf-8")
    ran = run("write", tmp_path / "concept.yaml", "--index", folder / "papers.idx", "--output", tmp_path / "draft")
    assert (ran.code, ran.stdout, "no plot at" in ran.stderr) == (2, "", True)
    assert not (tmp_path / "draft").exists()


def test_cited_papers_are_written_as_a_reference_list(folder, tmp_path):
    ran = write(folder, tmp_path / "draft", "--references", tmp_path / "refs.json")
    assert ran.code == 0, ran.stderr
    (item,) = json.loads((tmp_path / "refs.json").read_text("utf-8"))
    assert (item["title"], item["issued"]) == ("Bone loss in orbit", {"date-parts": [[2014]]})
    assert write(folder, tmp_path / "other", "--references", tmp_path / "refs.doc").code == 2
    assert not (tmp_path / "other").exists()


# ``table`` as a user runs it.

COLUMN = "change: By how many percent did femur density fall?"
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
    assert f"{len(PAPERS)} papers × 2 questions: 2 cells with a quoted sentence" in ran.stdout
    assert "  labels among them: 1, read from the sentence and proved by nothing; compare the quotes" in ran.stdout
    assert "No language model is used" in ran.stderr
    assert {"table.json", "table.csv", "cells.csv", "cells.jsonl"} <= {each.name for each in output.iterdir()}
    verified = run("verify", output / "table.json", "--index", index)
    assert (verified.code, "All 2 citations replay: 2 quoted" in verified.stdout) == (0, True)
    before = (output / "table.json").read_text(encoding="utf-8")
    assert table(index, output).code == 2
    assert table(index, output, "--resume").code == 0
    assert (output / "table.json").read_text(encoding="utf-8") == before


def test_json_is_all_that_stdout_holds(index, tmp_path):
    ran = table(index, tmp_path / "table", "--format", "json", "--paper", "bone")
    assert [row["document_id"] for row in ran.json["rows"]] == ["bone"]
    assert "12 percent" in ran.json["rows"][0]["cells"][0]["result"]["value"]["text"]


def test_a_budget_ends_a_run_with_code_1_and_what_to_do(index, tmp_path):
    ran = table(index, tmp_path / "table", "--budget-minutes", "0.0001", "--threads", "1", "--paper", "bone")
    assert ran.code == 1
    assert "cells were not asked; --resume asks them" in ran.stderr
    assert table(index, tmp_path / "table", "--resume", "--paper", "bone").code == 0


def test_bad_input_is_told_and_nothing_is_written(index, tmp_path):
    ran = run("table", "--column", "a: b?", "--column", "A: c?", "--index", index, "--output", tmp_path / "table")
    assert (ran.code, "two columns have the name 'a'" in ran.stderr) == (2, True)
    assert not (tmp_path / "table" / "table.json").exists()


def test_a_run_that_is_stopped_says_how_to_go_on(index, tmp_path, monkeypatch):
    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(filling, "fill", stopped)
    ran = table(index, tmp_path / "table")
    assert ran.code == 1
    assert "--resume continues" in ran.stderr
    assert "the same command continues from there" not in ran.stderr
    monkeypatch.undo()
    assert table(index, tmp_path / "table", "--resume").code == 0
