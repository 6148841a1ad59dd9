"""A whole draft: sections in order, citations, figures, and what is said of bad input."""

import json
import re
from dataclasses import replace

import pytest
from dspy.utils.exceptions import LMTransportError

from metrics.grounding import citation_precision, citation_recall
from programs.compiled_state import Provenance, apply_state, read_state, save_state
from programs.errors import LMError, UsageError
from programs.paper_writer import PaperDraft, PaperSection, PaperWriterParameters, PaperWritingPipeline
from programs.paper_writer.evidence import WRITING_ORDER
from programs.proof.sentence_proof import CHECKER
from programs.registry import Entry
from programs.replay import replay
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper
from tests.programs.paper_writer.writing import (
    CONCEPT,
    DONE,
    FELL,
    KEYS,
    PAPERS,
    draft_with,
    full_script,
    index_at,
    keys_in,
    section_asked,
    sections_written,
    wants,
)


def test_all_eight_parts_in_the_order_of_the_seed(index):
    script = full_script()
    prediction = draft_with(script, index)
    assert sections_written(script) == [section.value for section in WRITING_ORDER]
    assert script.steps[-1] == "title"
    assert isinstance(prediction.draft, PaperDraft)
    assert all(prediction.draft.model_dump().values())
    assert prediction.draft.discussion == f"Own words on discussion. {FELL}"
    assert prediction.metrics["lm_calls"] == len(script.calls)


def test_a_section_sees_the_sections_it_builds_on(index):
    script = full_script()
    draft_with(script, index)
    seen = {
        section_asked(call): re.findall(r"^## (.+)$", call.values["earlier_sections"], re.MULTILINE)
        for call in script.asked("section_text")
    }
    assert seen["introduction"] == []
    assert seen["discussion"] == ["Results"]
    assert seen["abstract"] == ["Introduction", "Methods", "Results", "Conclusion"]
    title = script.asked("title")[0].values
    assert [title[name].startswith(f"Own words on {name}") for name in ("abstract", "introduction", "conclusion")]


def test_evidence_is_shown_with_keys(index):
    script = full_script()
    draft_with(script, index)
    assert "[okafor2014] (results) Femur density fell" in script.asked("section_text")[0].values["evidence"]


def test_every_cited_sentence_has_a_certificate(index):
    prediction = draft_with(full_script(), index)
    assert len(prediction.citations) == len(WRITING_ORDER)
    assert {each.marker for each in prediction.citations} == {KEYS["bone"]}
    assert {(each.verdict, each.check) for each in prediction.citations} == {("supported", CHECKER.name)}
    document = index.document("bone")
    assert all(document.text[each.start : each.end] == each.quote for each in prediction.citations)


def test_every_section_replays_from_the_papers_and_a_changed_byte_shows(index):
    sections = [json.loads(json.dumps(each.as_dict())) for each in draft_with(full_script(), index).sections]
    assert [replay(each, index.document) for each in sections] == [[]] * 7
    sections[0]["citations"][0]["quote"] = "Femur density fell by 13 percent in flight mice."
    assert replay(sections[0], index.document) != []


def test_weak_support_is_listed(index):
    weak = "Femur density rose by 90 percent in flight mice (okafor2014)."
    prediction = draft_with(full_script(section_text={"section_text": weak}), index, verify=False)
    assert [each.sentence for each in prediction.unsupported] == [weak] * 7
    assert prediction.unsupported[0].verdict == "contradicted"


def test_sections_are_what_the_metrics_of_citation_read(index):
    for section in draft_with(full_script(section_text={"section_text": FELL}), index).sections:
        assert citation_recall({}, section).value == citation_precision({}, section).value == 1.0


def test_a_claim_that_is_not_supported_is_repaired_in_its_place(index):
    wrong = FELL.replace("12", "90")
    prediction = draft_with(full_script(section_text={"section_text": f"Before. {wrong} After."}), index)
    assert prediction.draft.methods == f"Before. {FELL} After."
    assert len(prediction.sections[0].repairs) == 1


def test_verification_reads_only_sentences_that_cite(index):
    script = full_script()
    prediction = draft_with(script, index)
    assert {each.sentence for section in prediction.sections for each in section.proofs} == {
        FELL.replace(f" ({KEYS['bone']})", "")
    }
    assert "corrected" not in script.steps


def test_a_section_that_cannot_be_verified_is_kept_and_says_so(index):
    wrong = FELL.replace("12", "90")
    prediction = draft_with(full_script(section_text={"section_text": wrong}, corrected="no field at all"), index)
    assert wrong in prediction.draft.methods
    assert any(note.startswith("methods: The section could not be verified") for note in prediction.notes)


def test_an_unknown_key_is_repaired_by_asking_again(index):
    def write(call):
        return {"section_text": FELL if call.values["corrections"] else "Bone fell (doe1999ghost)."}

    script = full_script(section_text=write)
    prediction = draft_with(script, index)
    assert prediction.draft.methods == FELL
    assert len(script.asked("section_text")) == 14
    asked = script.asked("section_text")[1].values["corrections"]
    assert "doe1999ghost" in asked
    assert KEYS["roots"] in asked
    assert prediction.sections[0].unknown_citations == ()


def test_an_unknown_key_that_comes_again_is_taken_out_and_listed(index):
    text = f"{FELL} Bone fell (doe1999ghost). It fell [7]. It fell (Doe et al., 1999)."
    script = full_script(section_text={"section_text": text})
    prediction = draft_with(script, index)
    assert prediction.draft.methods == f"{FELL} Bone fell. It fell. It fell."
    assert len(script.asked("section_text")) == 14
    assert prediction.sections[0].unknown_citations == ("(Doe et al., 1999)", "doe1999ghost", "7")
    assert "methods: doe1999ghost was cited, which is not in the evidence; it was taken out" in prediction.notes
    assert keys_in(prediction.manuscript) == {KEYS["bone"]}


def test_an_empty_section_is_asked_for_again_and_noted(index):
    script = full_script(section_text=lambda call: {"section_text": " " if section_asked(call) == "results" else FELL})
    prediction = draft_with(script, index)
    assert sections_written(script).count("results") == 2
    assert prediction.draft.results == ""
    assert "results: The model wrote nothing, twice; write this section yourself or take another model" in (
        prediction.notes
    )


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


def test_a_title_is_one_line_without_marks(index):
    prediction = draft_with(full_script(title={"title": '# "Jumping\nprotects bone (okafor2014)."'}), index)
    assert prediction.draft.title == "Jumping protects bone"


def test_without_a_title_the_hypothesis_stands_for_it(index):
    assert draft_with(full_script(title={"title": " "}), index).draft.title == "Jumping protects femur density of mice"


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


def test_an_empty_index_says_what_to_do(tmp_path):
    with (
        Index.open(tmp_path / "empty.idx", create=True, embedder=HashingEmbedder()) as empty,
        pytest.raises(UsageError, match=r"holds no paper; .*add some with `python -m programs index PAPERS`"),
    ):
        draft_with(full_script(), empty, tmp_path / "draft")
    assert not (tmp_path / "draft").exists()


def test_a_plot_that_is_gone_says_so(index, with_plots, tmp_path):
    (tmp_path / "bone.png").unlink()
    with pytest.raises(UsageError, match=r"no plot at .*bone\.png"):
        draft_with(full_script(), index, tmp_path / "draft", with_plots)
    assert not (tmp_path / "draft").exists()


def test_two_papers_of_one_key_are_told_apart(tmp_path):
    twins = [replace(paper(each, "Femur density fell."), title="Bone", year=2014, authors=("Li, A",)) for each in "ab"]
    with index_at(tmp_path / "twins.idx", *twins) as opened:
        prediction = draft_with(full_script(section_text={"section_text": "It fell (li2014a)."}), opened)
    assert prediction.notes[0] == (
        "2 papers would share the citation key li2014, so they have their own keys: li2014a is a, li2014b is b"
    )
    assert {each.document_id for each in prediction.citations} == {"a"}


def test_a_compiled_state_goes_round(index, tmp_path):
    program = PaperWritingPipeline(index, PaperWriterParameters(top_k_final=3))
    program.writer.write.signature = program.writer.write.signature.with_instructions("Write well.")
    path = save_state(program, tmp_path / "paper_writer.test.json", Provenance(lm="scripted/1"))
    other = PaperWritingPipeline(index)
    apply_state(other, read_state(path))
    assert other.settings.top_k_final == 3
    assert other.writer.write.signature.instructions == "Write well."


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


def test_what_the_authors_say_is_never_rewritten(index):
    said = "Density fell by 90 percent, unlike before (okafor2014)."
    concept = CONCEPT.model_copy(update={"background": said})
    script = full_script(section_text={"section_text": f"{said} {FELL}"})
    assert draft_with(script, index, concept=concept).draft.methods == f"{said} {FELL}"
    assert "corrected" not in script.steps


def test_a_sentence_that_repair_takes_out_is_noted(index):
    wrong = FELL.replace("12", "90")
    nothing = {"corrected": {"text": "", "evidence": [1]}}
    prediction = draft_with(full_script(section_text={"section_text": f"{FELL} {wrong}"}, corrected=nothing), index)
    assert prediction.draft.methods == FELL
    assert f"methods: Repair took out a sentence that its papers do not support: {wrong}" in prediction.notes


def test_a_paper_called_by_a_word_is_cited_by_its_key_only(tmp_path):
    with index_at(tmp_path / "c.idx", replace(PAPERS[0], id="control")) as opened:
        text = f"Density was kept in jumpers (control). {FELL}"
        prediction = draft_with(full_script(section_text={"section_text": text}), opened)
    assert prediction.draft.methods == text
    assert {(each.marker, each.document_id) for each in prediction.citations} == {("okafor2014", "control")}
