"""A whole draft: sections in order, citations, figures, files, resuming, and what is said of bad input."""

import json
import re
import shutil
from dataclasses import replace

import pytest
from dspy.utils.exceptions import LMTimeoutError, LMTransportError

from metrics.citations import citation_precision, citation_recall
from programs.errors import LMError, MalformedOutput, UsageError
from programs.paper_writer import PaperConcept, PaperDraft, PaperSection, PaperWriterParameters, PaperWritingPipeline
from programs.paper_writer.draft import DraftFolder
from programs.paper_writer.evidence import WRITING_ORDER
from programs.paper_writer.resources import GONE
from programs.proof.proving import CHECKER
from programs.registry import Entry
from programs.replay import replay
from programs.retrieval.index import Index
from programs.state import Provenance, apply_state, read_state, save_state
from tests.counting_lm import PowerCut
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
    wants,
)
from tests.scripted_lm import fixed, unproved

pytestmark = pytest.mark.needs("write")

FILES = ("draft.md", "references.bib", "draft.json")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    with index_at(tmp_path_factory.mktemp("index") / "papers.idx") as opened:
        yield opened


@pytest.fixture
def with_plots(tmp_path):
    for name in ("bone.png", "root.png"):
        (tmp_path / name).write_bytes(b"\x89PNG")
    plots = [{"file": tmp_path / f"{name}.png", "caption": f"The {name}."} for name in ("bone", "root")]
    return PaperConcept(hypothesis=CONCEPT.hypothesis, experiments=[{"name": "Jumps", "plots": plots}])


def sections_written(script):
    return [section_asked(call) for call in script.asked("section_text")]


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
    assert "[okafor2014bone] (results) Said: Femur density fell" in script.asked("section_text")[0].values["evidence"]


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
    weak = "Femur density rose by 90 percent in flight mice (okafor2014bone)."
    prediction = draft_with(full_script(section_text={"section_text": weak}), index, verify=False)
    assert [each.sentence for each in prediction.unsupported] == [weak] * 7
    assert prediction.unsupported[0].verdict == "contradicted"


def test_sections_are_what_the_metrics_of_citation_read(index):
    for section in draft_with(full_script(section_text={"section_text": FELL}), index).sections:
        assert citation_recall({}, section).value == citation_precision({}, section).value == 1.0


def test_a_claim_that_is_not_supported_is_repaired_in_its_place(index):
    wrong = FELL.replace("12", "90")
    prediction = draft_with(
        full_script(
            section_text=lambda call: {"section_text": f"Before. {wrong} After."},
            proofs=lambda call: unproved(*([wrong] if "90" in call.values["answer"] else [])),
            fixed_answer=fixed(FELL),
        ),
        index,
    )
    assert prediction.draft.methods == f"Before. {FELL} After."
    assert len(prediction.sections[0].repairs) == 1


def test_verification_reads_only_sentences_that_cite(index):
    script = full_script()
    draft_with(script, index)
    assert {call.values["answer"] for call in script.asked("proofs")} == {FELL}


def test_a_section_that_cannot_be_verified_is_kept_and_says_so(index):
    prediction = draft_with(full_script(proofs="no field at all"), index)
    assert FELL in prediction.draft.methods
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
    prediction = draft_with(full_script(title={"title": '# "Jumping\nprotects bone (okafor2014bone)."'}), index)
    assert prediction.draft.title == "Jumping protects bone"


def test_without_a_title_the_hypothesis_stands_for_it(index):
    assert draft_with(full_script(title={"title": " "}), index).draft.title == "Jumping protects femur density of mice"


def test_the_folder_holds_all_of_it(index, with_plots, tmp_path):
    prediction = draft_with(full_script(), index, tmp_path / "draft", with_plots)
    text = (tmp_path / "draft" / "draft.md").read_text("utf-8")
    assert text == prediction.manuscript
    assert re.findall(r"^##? (.+)$", text, re.MULTILINE) == [
        "Jumping protects bone",
        "Abstract",
        "Introduction",
        "Related Work",
        "Methods",
        "Results",
        "Discussion",
        "Conclusion",
        "References",
    ]
    assert all((tmp_path / "draft" / name).is_file() for name in re.findall(r"\]\(([^)]+)\)", text))
    from pybtex.database import parse_file

    assert set(parse_file(str(tmp_path / "draft" / "references.bib")).entries) == {KEYS["bone"]}
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
    assert not {"summary", "result", "done"} & set(script.steps)
    for name in FILES:
        assert (tmp_path / "draft" / name).read_text("utf-8") == (tmp_path / "whole" / name).read_text("utf-8")


def test_one_after_another_the_first_three_are_those_of_the_order(index, tmp_path):
    with pytest.raises(PowerCut):
        draft_with(full_script(section_text=stopping(3)), index, tmp_path / "draft")
    kept = {path.stem.removeprefix("written-") for path in (tmp_path / "draft" / "state").glob("written-*")}
    assert kept == {"methods", "results", "discussion"}


def test_killed_while_gathering_it_keeps_finished_sections(index, tmp_path):
    def plan(call):
        if section_asked(call) == "introduction":
            raise PowerCut
        return DONE

    with pytest.raises(PowerCut):
        draft_with(full_script(done=plan), index, tmp_path / "draft")
    script = full_script()
    draft_with(script, index, tmp_path / "draft")
    assert [section_asked(call) for call in script.asked("done")] == ["introduction"]


def test_a_finished_draft_asks_nothing_again(index, tmp_path):
    first = draft_with(full_script(), index, tmp_path / "draft")
    script = full_script()
    assert draft_with(script, index, tmp_path / "draft").manuscript == first.manuscript
    assert script.calls == []


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


def test_a_plan_writes_nothing_and_is_kept_for_the_draft(index, tmp_path):
    script = full_script()
    plan = draft_with(script, index, tmp_path / "draft", plan_only=True)
    assert set(plan.evidence) == set(WRITING_ORDER)
    assert "section_text" not in script.steps
    after = full_script()
    draft_with(after, index, tmp_path / "draft")
    assert set(after.steps) == {"section_text", "proofs", "title"}


def test_a_model_that_is_gone_from_the_start_is_an_error(index, tmp_path):
    gone = LMTransportError("no server")
    with pytest.raises(LMError, match=r"before any evidence was found.*no server"):
        draft_with(full_script(summary=gone), index, tmp_path / "draft")


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


def test_an_empty_index_says_what_to_do(tmp_path):
    with (
        Index.open(tmp_path / "empty.idx", create=True, embedder=HashingEmbedder()) as empty,
        pytest.raises(UsageError, match=r"holds no paper; add some with `python -m programs index PAPERS`"),
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
        prediction = draft_with(full_script(section_text={"section_text": "It fell (li2014bonea)."}), opened)
    assert prediction.notes[0] == (
        "2 papers would share the citation key li2014bone, so they have keys of their own: li2014bonea is a, "
        "li2014boneb is b"
    )
    assert {each.document_id for each in prediction.citations} == {"a"}


def test_a_folder_of_another_concept_is_left_alone(index, tmp_path):
    draft_with(full_script(), index, tmp_path / "draft")
    before = {path: path.read_bytes() for path in (tmp_path / "draft").rglob("*") if path.is_file()}
    other = CONCEPT.model_copy(update={"background": "Another."})
    with pytest.raises(UsageError, match="was begun with another concept; name a new folder"):
        draft_with(full_script(), index, tmp_path / "draft", other)
    with pytest.raises(UsageError, match="was begun with another parameters"):
        draft_with(full_script(), index, tmp_path / "draft", max_iterations=1)
    assert {path: path.read_bytes() for path in (tmp_path / "draft").rglob("*") if path.is_file()} == before


def test_a_folder_with_other_files_is_left_alone(index, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds files that do not belong to a draft"):
        draft_with(full_script(), index, tmp_path)


def test_damaged_state_is_named(index, tmp_path):
    draft_with(full_script(), index, tmp_path / "draft")
    (tmp_path / "draft" / "state" / "written-methods.json").write_text("{")
    with pytest.raises(UsageError, match=r"written-methods\.json cannot be read .*delete it"):
        draft_with(full_script(), index, tmp_path / "draft")


def test_another_index_is_noticed(index, tmp_path):
    draft_with(full_script(), index, tmp_path / "draft")
    with (
        index_at(tmp_path / "fewer.idx", *PAPERS[:2]) as fewer,
        pytest.raises(UsageError, match="was begun with another index"),
    ):
        draft_with(full_script(), fewer, tmp_path / "draft")


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
        PaperWritingPipeline(Entry("x", "y", "z"))


@pytest.mark.parametrize(
    ("name", "value"), [("max_iterations", -1), ("threads", 0), ("vector_weight", 1.5), ("top_k_final", 0)]
)
def test_parameters_have_bounds(name, value):
    with pytest.raises(UsageError, match=name):
        PaperWriterParameters(**{name: value})


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
        draft_with(full_script(summary=LMTransportError("no server")), index, tmp_path / "draft", max_iterations=1)
    assert draft_with(full_script(), index, tmp_path / "draft").draft.methods


def test_an_edited_manuscript_is_kept(index, tmp_path):
    written = draft_with(full_script(), index, tmp_path / "draft").manuscript
    for number in (1, 2):
        (tmp_path / "draft" / "draft.md").write_text(f"edited {number}", "utf-8")
        notes = draft_with(full_script(), index, tmp_path / "draft").notes
        assert notes[-1] == f"draft.md was edited after it was written; your edition is kept as draft.md.bak-{number}"
        assert (tmp_path / "draft" / f"draft.md.bak-{number}").read_text("utf-8") == f"edited {number}"
    assert (tmp_path / "draft" / "draft.md").read_text("utf-8") == written


def test_killed_within_a_section_it_asks_only_for_what_is_missing(index, tmp_path):
    def plan(call):
        if "yeast" in call.values["past_searches"]:
            raise PowerCut
        return wants(("yeast in acid", "methods"))

    first = full_script(done=plan)
    with pytest.raises(PowerCut):
        draft_with(first, index, tmp_path / "draft", top_k_initial=1, plan_only=True)
    assert section_asked(first.asked("done")[0]) == "methods"
    script = full_script()
    draft_with(script, index, tmp_path / "draft", top_k_initial=1, plan_only=True)
    again = {(call.values["passage"], call.values["query"]) for call in first.asked("summary")} & {
        (call.values["passage"], call.values["query"]) for call in script.asked("summary")
    }
    assert not [each for each in again if each[1] == "yeast in acid"]
    assert len([call for call in script.asked("done") if section_asked(call) == "methods"]) == 1


def test_a_model_that_is_gone_is_not_asked_by_other_sections(index, tmp_path):
    def plan(call):
        raise LMTransportError("no server")

    script = full_script(done=plan)
    prediction = draft_with(script, index, tmp_path / "draft", plan_only=True)
    assert len(script.asked("done")) == 1
    assert f"abstract: {GONE}" in prediction.notes


def test_two_runs_do_not_share_a_folder(index, tmp_path):
    with DraftFolder(tmp_path / "draft", {}), pytest.raises(UsageError, match="is being written by another process"):
        draft_with(full_script(), index, tmp_path / "draft")
    assert draft_with(full_script(), index, tmp_path / "draft").draft.methods


def test_state_of_another_form_is_named(index, tmp_path):
    draft_with(full_script(), index, tmp_path / "draft")
    (tmp_path / "draft" / "state" / "written-methods.json").write_text("[1]")
    with pytest.raises(UsageError, match=r"written-methods\.json .*delete it"):
        draft_with(full_script(), index, tmp_path / "draft")


def test_a_folder_that_cannot_be_made_is_named(index, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        draft_with(full_script(), index, tmp_path / "file" / "draft")


def test_what_the_authors_say_is_never_rewritten(index):
    said = "Density fell by 90 percent, unlike before (okafor2014bone)."
    concept = CONCEPT.model_copy(update={"background": said})
    script = full_script(section_text={"section_text": f"{said} {FELL}"})
    assert draft_with(script, index, concept=concept).draft.methods == f"{said} {FELL}"
    assert {call.values["answer"] for call in script.asked("proofs")} == {FELL}


def test_a_sentence_that_repair_takes_out_is_noted(index):
    wrong = FELL.replace("12", "90")
    script = full_script(
        section_text={"section_text": f"{FELL} {wrong}"},
        proofs=lambda call: unproved(*([wrong] if "90" in call.values["answer"] else [])),
        fixed_answer=fixed(FELL),
    )
    prediction = draft_with(script, index)
    assert prediction.draft.methods == FELL
    assert f"methods: Repair took out a sentence that its papers do not bear out: {wrong}" in prediction.notes


def test_a_paper_called_by_a_word_is_cited_by_its_key_only(tmp_path):
    with index_at(tmp_path / "c.idx", replace(PAPERS[0], id="control")) as opened:
        text = f"Density was kept in jumpers (control). {FELL}"
        prediction = draft_with(full_script(section_text={"section_text": text}), opened)
    assert prediction.draft.methods == text
    assert {(each.marker, each.document_id) for each in prediction.citations} == {("okafor2014bone", "control")}
