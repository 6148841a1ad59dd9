"""`python -m programs write`, with the extractive LM and the real embedding model."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.command_line import run

pytestmark = [pytest.mark.needs("weights"), pytest.mark.needs("write")]

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
NO_MODEL = "No language model was used: the draft quotes the papers and repeats the concept. Name a model with --lm."


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
    assert "“Femur density of mice fell by 12 % in flight” (okafor2014bone)." in text
    assert "![Femur density.](bone.png)\n*Figure 1: Femur density.*" in text
    assert (tmp_path / "draft" / "bone.png").is_file()
    assert "@misc{okafor2014bone," in (tmp_path / "draft" / "references.bib").read_text("utf-8")
    record = json.loads((tmp_path / "draft" / "draft.json").read_text("utf-8"))
    assert len(record["sections"]) == 7
    verified = run("verify", tmp_path / "draft" / "draft.json", "--index", folder / "papers.idx")
    assert verified.code == 0, verified.stdout + verified.stderr
    assert "Not cited, so not proved: 'Jumping protects bone'" in verified.stdout


def test_progress_is_told_line_by_line_where_there_is_no_terminal(folder, tmp_path):
    told = write(folder, tmp_path / "draft").stderr.splitlines()
    assert [line.split()[0] for line in told[:-1]] == [f"{number}/15" for number in range(1, 16)]
    assert told[-1] == NO_MODEL


def test_a_plan_shows_evidence_and_writes_no_draft(folder, tmp_path):
    ran = write(folder, tmp_path / "draft", "--plan")
    assert ran.code == 0, ran.stderr
    assert "methods: 1 pieces of evidence\n" in ran.stdout
    assert "okafor2014bone (results) Femur density of mice fell by 12 % in flight." in ran.stdout
    assert not (tmp_path / "draft" / "draft.md").exists()
    after = write(folder, tmp_path / "draft")
    assert after.stderr.count("evidence from the run before") == 7
    assert (tmp_path / "draft" / "draft.md").exists()


def test_an_index_of_other_chunks_is_noted(folder, tmp_path):
    index = tmp_path / "words.idx"
    assert run("index", folder / "bone.md", "--index", index).code == 0
    ran = run("write", folder / "concept.yaml", "--index", index, "--output", tmp_path / "draft", "--plan")
    assert "Note: The index is cut into passages:200:0; the paper writer is made for tokens:500:100" in ran.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hypothesis": None}, "it has no hypothesis, and a paper needs one"),
        ({"experiments": [{"name": "x", "plots": [{"file": "gone.png", "caption": "x"}]}]}, "no plot at"),
    ],
)
def test_bad_input_ends_with_2_and_leaves_nothing(folder, tmp_path, change, said):
    (tmp_path / "concept.yaml").write_text(yaml.safe_dump({**CONCEPT, **change}), "utf-8")
    ran = run("write", tmp_path / "concept.yaml", "--index", folder / "papers.idx", "--output", tmp_path / "draft")
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert not (tmp_path / "draft").exists()


def test_a_missing_index_says_how_to_make_one(folder, tmp_path):
    ran = run("write", folder / "concept.yaml", "--index", tmp_path / "none.idx", "--output", tmp_path / "draft")
    assert ran.code == 1
    assert "no index at" in ran.stderr


def test_a_folder_with_other_files_is_refused(folder):
    ran = write(folder, folder)
    assert ran.code == 2
    assert "holds files that do not belong to a draft; name a new one" in ran.stderr


def test_cited_papers_are_written_as_a_reference_list(folder, tmp_path):
    ran = write(folder, tmp_path / "draft", "--references", tmp_path / "refs.json")
    assert ran.code == 0, ran.stderr
    (item,) = json.loads((tmp_path / "refs.json").read_text("utf-8"))
    assert (item["title"], item["issued"]) == ("Bone loss in orbit", {"date-parts": [[2014]]})
    assert write(folder, tmp_path / "other", "--references", tmp_path / "refs.doc").code == 2
    assert not (tmp_path / "other").exists()
