"""A saved draft, and what somebody changed in it: whatever it says beside its proved sections is compared with them."""

import copy
import json

import pytest

from programs.errors import UsageError
from programs.paper_writer import record
from programs.replay import replay_parts, replay_report
from tests.changed_values import GONE, changed
from tests.programs.paper_writer.writing import draft_with, full_script


@pytest.fixture(scope="module")
def written(index):
    """A draft as its file holds it."""
    return json.loads(json.dumps(record(draft_with(full_script(), index))))


@pytest.fixture
def draft(written):
    """The draft, to be changed."""
    return copy.deepcopy(written)


@pytest.fixture
def faults(index):
    return lambda changed: [f"{part}{fault}" for part, fault in replay_parts(changed, index.document)]


def test_a_draft_as_it_was_written_replays(draft, faults):
    assert draft["papers"]
    assert faults(draft) == []


def test_the_markdown_of_figures_is_no_uncited_sentence(draft, index):
    placed = ["[Bone.](bone.png)\n*Figure 1: Bone by group.", "Bars are means.*", "!"]
    draft["sections"][0]["uncited"] = placed
    said = replay_report(draft, index.document)["uncited"]
    assert said[1:3] == ["Figure 1: Bone by group.", "Bars are means."]
    assert "!" not in said


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("draft.results", "Femur density rose.", "draft: its results is not the text of the section results"),
        ("draft.methods", "Femur density rose.", "draft: its methods is not the text"),
        ("unsupported", lambda _: [{}], "unsupported: the sections make 0, the file holds 1"),
        ("papers", [], "papers: the sections make 1, the file holds 0"),
        ("papers", lambda papers: papers * 2, "papers: the sections make 1, the file holds 2"),
        ("papers", ["okafor2014"], "papers: the sections make 1"),
        ("papers.0.title", "Bone gain in orbit", "papers 1: its title is"),
        ("papers.0.doi", "10.1/forged", "papers 1: its doi is"),
        ("papers.0.more", "x", "papers 1: its more is"),
        ("sections.3.citations", [], "citations: the answer makes 1"),
    ],
)
def test_a_part_that_differs_from_the_sections_is_named(draft, faults, path, value, named):
    found = faults(changed(draft, path, value))
    assert any(named in each for each in found), found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("draft", ""),
        ("draft.epilogue", "Bone grew."),
        ("draft.title", GONE),
        ("sections", []),
        ("sections", lambda sections: [*sections, sections[0]]),
        ("sections.6", GONE),
        ("sections.0", "results"),
        ("sections.0.section", "epilogue"),
        ("sections.0.more", "x"),
        ("answer", "Bone grew."),
        ("unsupported", GONE),
        ("notes", "none"),
    ],
)
def test_a_draft_of_another_shape_is_refused(draft, faults, path, value):
    with pytest.raises(UsageError, match=r"this draft is not as `write` writes it|which `write` does not write"):
        faults(changed(draft, path, value))


def test_an_answer_does_not_pass_as_a_draft_or_as_a_section(draft, faults):
    section = draft["sections"][0]
    with pytest.raises(UsageError, match="not as `write` writes it"):
        faults({**section, "draft": "", "sections": []})
    answer = {"question": "Did it fall?", **section}
    with pytest.raises(UsageError, match="which `write` does not write"):
        faults(answer)


@pytest.mark.parametrize("name", ["evidence", "unknown_citations"])
def test_what_a_section_only_says_is_named(draft, index, name):
    draft["sections"][0][name] = [{"summary": "Bone grew by 81 percent."}]
    assert name in replay_report(draft, index.document)["said_only"]
