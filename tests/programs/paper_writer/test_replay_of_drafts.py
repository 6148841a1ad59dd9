"""A saved draft, and what somebody changed in it: whatever it says beside its proved sections is compared with them."""

import copy
import json

import pytest

from programs.errors import UsageError
from programs.paper_writer import record
from programs.replay import replay_parts, replay_report
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


def set_text(draft):
    draft["draft"]["results"] = draft["draft"]["results"].replace("fell", "rose")


def swap_texts(draft):
    texts = draft["draft"]
    texts["results"], texts["methods"] = texts["methods"], texts["results"]


def drop_weak(draft):
    draft["unsupported"].append(draft["sections"][0]["citations"][0])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (set_text, "draft: its results is not the text of the section results"),
        (swap_texts, "draft: its results is not the text"),
        (drop_weak, "unsupported: the sections make 0, the file holds 1"),
        (lambda draft: draft["papers"].clear(), "papers: the sections make 1, the file holds 0"),
        (lambda draft: draft["papers"].append(draft["papers"][0]), "papers: the sections make 1, the file holds 2"),
        (lambda draft: draft["papers"][0].update(title="Bone gain in orbit"), "papers 1: its title is"),
        (lambda draft: draft["papers"][0].update(doi="10.1/forged"), "papers 1: its doi is"),
        (lambda draft: draft["papers"][0].update(more="x"), "papers 1: its more is"),
        (lambda draft: draft["papers"].__setitem__(0, "okafor2014"), "papers: the sections make 1"),
        (lambda draft: draft["sections"][3]["citations"].clear(), "citations: the answer makes 1"),
    ],
)
def test_a_part_that_differs_from_the_sections_is_named(draft, faults, change, named):
    change(draft)
    assert any(named in each for each in faults(draft)), faults(draft)


@pytest.mark.parametrize(
    "change",
    [
        lambda draft: draft.update(draft=""),
        lambda draft: draft.update(sections=[]),
        lambda draft: draft.update(answer="Bone grew."),
        lambda draft: draft.pop("unsupported"),
        lambda draft: draft["sections"].pop(),
        lambda draft: draft["sections"].append(draft["sections"][0]),
        lambda draft: draft["sections"][0].update(section="epilogue"),
        lambda draft: draft["sections"].__setitem__(0, "results"),
        lambda draft: draft["sections"][0].update(more="x"),
        lambda draft: draft["draft"].update(epilogue="Bone grew."),
        lambda draft: draft["draft"].pop("title"),
        lambda draft: draft.update(notes="none"),
    ],
)
def test_a_draft_of_another_shape_is_refused(draft, faults, change):
    change(draft)
    with pytest.raises(UsageError, match=r"this draft is not as `write` writes it|which `write` does not write"):
        faults(draft)


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
