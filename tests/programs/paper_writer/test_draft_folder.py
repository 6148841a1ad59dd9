"""A folder of a draft: what is in it, going on from it after every kind of end, and whose it is."""

import json
import re
import shutil
from contextlib import closing
from dataclasses import replace

import bibtexparser
import pytest
from dspy.utils.exceptions import LMTimeoutError, LMTransportError

from programs.errors import LMError, MalformedOutput, UsageError
from programs.paper_writer.draft import Drafts
from programs.paper_writer.evidence import WRITING_ORDER
from tests.counting_lm import PowerCut
from tests.programs.paper_writer.writing import (
    CONCEPT,
    DONE,
    FELL,
    KEYS,
    PAPERS,
    draft_with,
    full_script,
    index_at,
    section_asked,
    sections_written,
)

FILES = ("draft.md", "references.bib", "draft.json")


def test_the_folder_holds_all_of_it(index, with_plots, tmp_path):
    prediction = draft_with(full_script(), index, tmp_path / "draft", with_plots)
    text = (tmp_path / "draft" / "draft.md").read_text("utf-8")
    assert text == prediction.manuscript
    headings = "Abstract, Introduction, Related Work, Methods, Results, Discussion, Conclusion, References"
    assert re.findall(r"^##? (.+)$", text, re.MULTILINE) == ["Jumping protects bone", *headings.split(", ")]
    assert all((tmp_path / "draft" / name).is_file() for name in re.findall(r"\]\(([^)]+)\)", text))
    written = (tmp_path / "draft" / "references.bib").read_text("utf-8")
    assert set(bibtexparser.parse_string(written).entries_dict) == {KEYS["bone"]}
    record = json.loads((tmp_path / "draft" / "draft.json").read_text("utf-8"))
    assert [each["section"] for each in record["sections"]] == [section.value for section in WRITING_ORDER]
    assert record["sections"][0]["citations"][0]["verdict"] == "supported"
    assert record["sections"][0]["uncited"] == ["Own words on methods."]
    prompts = tmp_path / "draft" / "prompts"
    assert "Own words" not in (prompts / "methods.final.md").read_text("utf-8")
    lines = (prompts / "methods.evidence.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["outputs"] for line in lines][-1] == ["queries", "done"]
    assert not list((tmp_path / "draft").rglob("*.part"))


def stopping(after):
    """A reply that ends the process once so many sections were written."""
    asked = []

    def write(call):
        asked.append(call)
        if len(asked) > after:
            raise PowerCut
        return {"section_text": f"Own words on {section_asked(call)}. {FELL}"}

    return write


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 8])
def test_killed_after_the_third_section_it_goes_on(index, tmp_path, threads):
    draft_with(full_script(), index, tmp_path / "whole", threads=threads)
    with pytest.raises(PowerCut):
        draft_with(full_script(section_text=stopping(3)), index, tmp_path / "draft", threads=threads)
    kept = {path.stem.removeprefix("written-") for path in (tmp_path / "draft" / "state").glob("written-*")}
    assert len(kept) == 3
    assert not (tmp_path / "draft" / "draft.md").exists()

    script = full_script()
    draft_with(script, index, tmp_path / "draft", threads=threads)
    assert set(sections_written(script)) == {section.value for section in WRITING_ORDER} - kept
    assert not {"numbers", "result", "done"} & set(script.steps)
    for name in FILES:
        assert (tmp_path / "draft" / name).read_text("utf-8") == (tmp_path / "whole" / name).read_text("utf-8")


def test_a_plan_writes_nothing_and_is_kept_for_the_draft(index, tmp_path):
    script = full_script()
    plan = draft_with(script, index, tmp_path / "draft", plan_only=True)
    assert set(plan.evidence) == set(WRITING_ORDER)
    assert "section_text" not in script.steps
    after = full_script()
    draft_with(after, index, tmp_path / "draft")
    assert set(after.steps) == {"section_text", "title"}


def test_a_section_whose_gathering_failed_is_gathered_again(index, tmp_path):
    def plan(call):
        if section_asked(call) == "results":
            raise LMTimeoutError("too slow")
        return DONE

    first = draft_with(full_script(done=plan), index, tmp_path / "draft", plan_only=True)
    assert any(note.startswith("results: Gathering ended early") for note in first.notes)
    script = full_script()
    again = draft_with(script, index, tmp_path / "draft", plan_only=True)
    assert [section_asked(call) for call in script.asked("done")] == ["results"]
    assert again.notes == [note for note in first.notes if not note.startswith("results:")]


def test_a_section_that_does_not_parse_is_an_error_that_keeps_the_others(index, tmp_path):
    def write(call):
        return "no field" if section_asked(call) == "introduction" else {"section_text": FELL}

    with pytest.raises(MalformedOutput):
        draft_with(full_script(section_text=write), index, tmp_path / "draft", threads=8)
    kept = {path.stem.removeprefix("written-") for path in (tmp_path / "draft" / "state").glob("written-*")}
    assert {"methods", "results", "discussion"} <= kept


def test_a_folder_of_another_concept_is_left_alone(index, tmp_path):
    draft_with(full_script(), index, tmp_path / "draft")
    before = {path: path.read_bytes() for path in (tmp_path / "draft").rglob("*") if path.is_file()}
    other = CONCEPT.model_copy(update={"background": "Another."})
    with pytest.raises(UsageError, match="was begun with another concept; name a new folder"):
        draft_with(full_script(), index, tmp_path / "draft", other)
    with pytest.raises(UsageError, match="was begun with another parameters"):
        draft_with(full_script(), index, tmp_path / "draft", max_iterations=1)
    assert {path: path.read_bytes() for path in (tmp_path / "draft").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(("text", "why"), [("{", "cannot be read"), ("[1]", "")])
def test_state_that_is_damaged_or_of_another_form_is_named(index, tmp_path, text, why):
    draft_with(full_script(), index, tmp_path / "draft")
    (tmp_path / "draft" / "state" / "written-methods.json").write_text(text)
    with pytest.raises(UsageError, match=rf"written-methods\.json {why}.*delete it"):
        draft_with(full_script(), index, tmp_path / "draft")


def test_the_same_draft_stands_elsewhere(index, with_plots, tmp_path):
    draft_with(full_script(), index, tmp_path / "draft", with_plots)
    shutil.move(tmp_path / "draft", tmp_path / "moved")
    script = full_script()
    draft_with(script, index, tmp_path / "moved", with_plots)
    assert script.calls == []


def test_papers_that_changed_are_named(tmp_path):
    with index_at(tmp_path / "papers.idx") as opened:
        draft_with(full_script(), opened, tmp_path / "draft", plan_only=True)
        opened.add([replace(PAPERS[0], text=PAPERS[0].text.replace("12", "21"))])
        with pytest.raises(UsageError, match=r"begun with another index \(bone\); name a new folder"):
            draft_with(full_script(), opened, tmp_path / "draft")


def test_a_draft_that_was_begun_in_vain_binds_nobody(index, tmp_path):
    with pytest.raises(LMError):
        draft_with(full_script(numbers=LMTransportError("no server")), index, tmp_path / "draft", max_iterations=1)
    assert draft_with(full_script(), index, tmp_path / "draft").draft.methods


def test_an_edited_manuscript_is_kept(index, tmp_path):
    written = draft_with(full_script(), index, tmp_path / "draft").manuscript
    for number in (1, 2):
        (tmp_path / "draft" / "draft.md").write_text(f"edited {number}", "utf-8")
        notes = draft_with(full_script(), index, tmp_path / "draft").notes
        assert notes[-1] == f"draft.md was edited after it was written; your edition is kept as draft.md.bak-{number}"
        assert (tmp_path / "draft" / f"draft.md.bak-{number}").read_text("utf-8") == f"edited {number}"
    assert (tmp_path / "draft" / "draft.md").read_text("utf-8") == written


def test_two_runs_do_not_share_a_folder(index, tmp_path):
    with (
        closing(Drafts(tmp_path / "draft", {})),
        pytest.raises(UsageError, match="is being written by another process"),
    ):
        draft_with(full_script(), index, tmp_path / "draft")
    assert draft_with(full_script(), index, tmp_path / "draft").draft.methods


@pytest.mark.parametrize(
    ("file", "folder", "said"),
    [("file", "file/draft", "cannot be written"), ("notes.txt", ".", "holds files that do not belong to a draft")],
)
def test_a_folder_that_cannot_be_a_drafts_is_named(index, tmp_path, file, folder, said):
    (tmp_path / file).write_text("mine")
    with pytest.raises(UsageError, match=said):
        draft_with(full_script(), index, tmp_path / folder)
