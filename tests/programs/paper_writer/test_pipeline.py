"""A whole draft: sections in order, citations, figures, and what is said of bad input."""

import json
import re
from dataclasses import replace

import pytest
from dspy.utils.exceptions import LMTransportError

from programs.errors import LMError, UsageError
from programs.paper_writer import PaperDraft, PaperSection, PaperWriterParameters, PaperWritingPipeline
from programs.paper_writer.evidence import WRITING_ORDER
from programs.proof.sentence_proof import CHECKER
from programs.registry import Entry
from programs.replay import replay
from tests.papers import paper
from tests.programs.paper_writer.writing import (
    DONE,
    FELL,
    KEYS,
    draft_with,
    full_script,
    index_at,
    keys_in,
    section_asked,
    sections_written,
    wants,
)

WRONG = FELL.replace("12", "90")


@pytest.fixture(scope="module")
def made(index):
    """A whole draft, and the script that wrote it."""
    script = full_script()
    return draft_with(script, index), script


def test_all_eight_parts_in_the_order_of_the_seed_each_seeing_what_it_builds_on(made):
    prediction, script = made
    assert sections_written(script) == [section.value for section in WRITING_ORDER]
    assert script.steps[-1] == "title"
    assert isinstance(prediction.draft, PaperDraft)
    assert all(prediction.draft.model_dump().values())
    assert prediction.draft.discussion == f"Own words on discussion. {FELL}"
    assert prediction.metrics["lm_calls"] == len(script.calls)
    seen = {
        section_asked(call): re.findall(r"^## (.+)$", call.values["earlier_sections"], re.MULTILINE)
        for call in script.asked("section_text")
    }
    assert seen["introduction"] == []
    assert seen["discussion"] == ["Results"]
    assert seen["abstract"] == ["Introduction", "Methods", "Results", "Conclusion"]
    title = script.asked("title")[0].values
    assert [title[name].startswith(f"Own words on {name}") for name in ("abstract", "introduction", "conclusion")]
    assert "[okafor2014] (results) Femur density fell" in script.asked("section_text")[0].values["evidence"]


def test_every_cited_sentence_has_a_certificate_and_no_other_is_checked(made, index):
    prediction, script = made
    assert len(prediction.citations) == len(WRITING_ORDER)
    assert {each.marker for each in prediction.citations} == {KEYS["bone"]}
    assert {(each.verdict, each.check) for each in prediction.citations} == {("supported", CHECKER.name)}
    document = index.document("bone")
    assert all(document.text[each.start : each.end] == each.quote for each in prediction.citations)
    assert {each.sentence for section in prediction.sections for each in section.proofs} == {
        FELL.replace(f" ({KEYS['bone']})", "")
    }
    assert "corrected" not in script.steps


def test_every_section_replays_from_the_papers_and_a_changed_byte_shows(made, index):
    sections = [json.loads(json.dumps(each.as_dict())) for each in made[0].sections]
    assert [replay(each, index.document) for each in sections] == [[]] * 7
    sections[0]["citations"][0]["quote"] = "Femur density fell by 13 percent in flight mice."
    assert replay(sections[0], index.document) != []


def test_weak_support_is_listed(index):
    weak = "Femur density rose by 90 percent in flight mice (okafor2014)."
    prediction = draft_with(full_script(section_text={"section_text": weak}), index, verify=False)
    assert [each.sentence for each in prediction.unsupported] == [weak] * 7
    assert prediction.unsupported[0].verdict == "contradicted"


@pytest.mark.parametrize(
    ("written", "replies", "text", "note"),
    [
        (f"Before. {WRONG} After.", {}, f"Before. {FELL} After.", ""),
        (WRONG, {"corrected": "no field at all"}, WRONG, "methods: The section could not be verified"),
        (
            f"{FELL} {WRONG}",
            {"corrected": {"corrected": {"text": "", "evidence": [1]}}},
            FELL,
            f"methods: Repair took out a sentence that its papers do not support: {WRONG}",
        ),
        (
            f"{FELL} Bone fell (doe1999ghost). It fell [7]. It fell (Doe et al., 1999).",
            {},
            f"{FELL} Bone fell. It fell. It fell.",
            "methods: doe1999ghost was cited, which is not in the evidence; it was taken out",
        ),
        (" ", {}, "", "methods: The model wrote nothing, twice; write this section yourself or take another model"),
    ],
    ids=["repaired", "not verified", "taken out", "unknown", "nothing"],
)
def test_what_is_wrong_with_a_section_is_mended_or_told(index, written, replies, text, note):
    script = full_script(section_text={"section_text": written}, **replies)
    prediction = draft_with(script, index)
    assert prediction.draft.methods == text
    assert any(each.startswith(note) for each in prediction.notes) or not note
    assert keys_in(prediction.manuscript) <= {KEYS["bone"]}
    asks_again = "was cited" in note or "wrote nothing" in note
    assert len(script.asked("section_text")) == (14 if asks_again else 7)


def test_an_unknown_key_is_repaired_by_asking_again(index):
    def write(call):
        return {"section_text": FELL if call.values["corrections"] else "Bone fell (doe1999ghost)."}

    script = full_script(section_text=write)
    prediction = draft_with(script, index)
    assert prediction.draft.methods == FELL
    asked = script.asked("section_text")[1].values["corrections"]
    assert "doe1999ghost" in asked
    assert KEYS["roots"] in asked
    assert prediction.sections[0].unknown_citations == ()


def test_figures_stand_in_results_once(index, with_plots):
    image = "![x](bone.png)\n*Figure 4: x*"
    script = full_script(section_text=lambda call: {"section_text": f"Text.\n\n{image}\n\n{image}"})
    prediction = draft_with(script, index, concept=with_plots)
    shown = "![The bone.](bone.png)\n*Figure 1: The bone.*\n\n![The root.](root.png)\n*Figure 2: The root.*"
    assert prediction.draft.results == f"Text.\n\n{shown}"
    assert prediction.draft.methods == "Text."
    figures = {section_asked(call): call.values["figures"] for call in script.asked("section_text")}
    assert figures["results"] == shown
    assert figures["methods"] == ""


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ('# "Jumping\nprotects bone (okafor2014)."', "Jumping protects bone"),
        (" ", "Jumping protects femur density of mice"),
    ],
)
def test_a_title_is_one_line_without_marks_or_else_the_hypothesis(index, written, title):
    assert draft_with(full_script(title={"title": written}), index).draft.title == title


@pytest.mark.slow
def test_threads_change_nothing_in_the_draft(index, tmp_path):
    drafts = {}
    for threads in (1, 8):
        script = full_script(done=lambda call: DONE if "yeast" in call.values["past_searches"] else wants(*ASKED))
        prediction = draft_with(script, index, tmp_path / str(threads), threads=threads, top_k_initial=1)
        drafts[threads] = (prediction.manuscript, prediction.notes, sorted(call.user for call in script.calls))
        assert (tmp_path / str(threads) / "draft.json").stat().st_size > 0
    assert drafts[1] == drafts[8]
    one, eight = ((tmp_path / name / "draft.json").read_text("utf-8") for name in ("1", "8"))
    assert one == eight


ASKED = (("yeast in acetic acid", "introduction"), ("auxin in roots", "methods"))


def test_evidence_that_another_section_found_is_used(index):
    def plan(call):
        return wants(("yeast", "methods")) if call.values["section"] == "results" and "yeast" not in call.user else DONE

    plain = draft_with(full_script(), index, plan_only=True, top_k_initial=1)
    helped = draft_with(full_script(done=plan), index, plan_only=True, top_k_initial=1)
    assert [each.key for each in plain.evidence[PaperSection.METHODS]] == [KEYS["bone"]]
    assert {each.key for each in helped.evidence[PaperSection.METHODS]} == {KEYS["bone"], KEYS["yeast"]}


def test_a_model_that_is_gone_from_the_start_is_an_error(index, tmp_path):
    gone = LMTransportError("no server")
    with pytest.raises(LMError, match=r"before any evidence was found.*no server"):
        draft_with(full_script(numbers=gone), index, tmp_path / "draft")


def test_two_papers_of_one_key_are_told_apart(tmp_path):
    twins = [replace(paper(each, "Femur density fell."), title="Bone", year=2014, authors=("Li, A",)) for each in "ab"]
    with index_at(tmp_path / "twins.idx", *twins) as opened:
        prediction = draft_with(full_script(section_text={"section_text": "It fell (li2014a)."}), opened)
    assert prediction.notes[0] == (
        "2 papers would share the citation key li2014, so they have their own keys: li2014a is a, li2014b is b"
    )
    assert {each.document_id for each in prediction.citations} == {"a"}


def test_it_needs_an_index():
    with pytest.raises(UsageError, match="reads all papers of an index, got Entry"):
        PaperWritingPipeline(
            Entry("paper_writer", "Drafts", "It drafts.", "programs.paper_writer.PaperWritingPipeline")
        )


@pytest.mark.parametrize(
    ("name", "value"), [("max_iterations", -1), ("threads", 0), ("vector_weight", 1.5), ("top_k_final", 0)]
)
def test_parameters_have_bounds(name, value):
    with pytest.raises(UsageError, match=name):
        PaperWriterParameters(**{name: value})
