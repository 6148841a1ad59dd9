import logging
import os
from dataclasses import replace

import dspy
import pytest

import programs
from programs.compiled_state import Provenance, read_state, save_state
from programs.config import settings
from programs.errors import StateMismatch, UsageError
from programs.lm import LM
from programs.main_points import MainPoints
from programs.registry import PROGRAMS, answering, create, entry_of, load
from programs.retrieval.index import Index
from programs.state_choice import SHIPPED, compiled_states
from signatures.evidence import WriteAnswer
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder


@pytest.fixture
def compiled():
    """The user's folder of compiled states, which is empty again afterwards."""
    folder = settings().compiled
    folder.mkdir(parents=True, exist_ok=True)
    yield folder
    for path in folder.iterdir():
        path.unlink()


def state(folder, name, score, lm="openai/one", instructions="Answer well.", **made):
    program = MainPoints(HashingEmbedder())
    program.answer.write.signature = program.answer.write.signature.with_instructions(instructions)
    provenance = Provenance(lm=lm, optimizers=("few_shot",), dataset="d", scores={"val": score}, date="2026-01-01")
    return save_state(program, folder / f"main_points.{name}.json", replace(provenance, **made))


def instructions(program):
    return program.answer.write.signature.instructions


def loaded(lm="openai/one", **options):
    with dspy.context(lm=dspy.LM(lm)):
        return load("main_points", embedder=HashingEmbedder(), **options)


def test_the_best_state_for_the_current_model_is_taken(compiled, caplog):
    state(compiled, "a", 0.4, instructions="Good.")
    state(compiled, "b", 0.6, instructions="Better.")
    state(compiled, "c", 0.9, lm="openai/two", instructions="For another model.")
    with caplog.at_level(logging.INFO, "programs.state_choice"):
        assert instructions(loaded()) == "Better."
    assert "main_points.b.json" in caplog.text


@pytest.mark.parametrize(
    ("made_for", "lm", "taken"),
    [
        ("ollama/qwen2.5-coder:1.5b", "openai/qwen2.5:3b-instruct", True),
        ("ollama/qwen2.5-coder:1.5b", "ollama/gemma3:1b", True),
        ("ollama/qwen2.5-coder:1.5b", "ollama/qwen2.5:7b", False),
        ("openai/gpt-5", "azure/gpt-5-mini", True),
        ("openai/gpt-5", "anthropic/claude-sonnet-5", False),
        ("extractive/1", "openai/extractive", False),
    ],
)
def test_a_state_of_a_model_that_is_like_the_current_one_is_taken(compiled, made_for, lm, taken):
    state(compiled, "a", 0.9, lm=made_for, instructions="Like it.")
    with dspy.context(lm=dspy.LM(lm)):
        assert (instructions(load("main_points", embedder=HashingEmbedder())) == "Like it.") is taken


def test_the_models_own_state_comes_before_its_familys_and_that_before_its_sizes(compiled):
    names = ["ollama/gemma3:1b", "ollama/qwen2.5:3b", "ollama/qwen2.5-coder:1.5b"]
    for score, name in zip((0.9, 0.8, 0.7), names, strict=True):
        state(compiled, name[-2:], score, lm=name, instructions=name)
        with dspy.context(lm=dspy.LM(names[-1])):
            assert instructions(load("main_points", embedder=HashingEmbedder())) == name


def test_scores_of_different_data_sets_are_not_compared(compiled):
    old = state(compiled, "old", 0.9, instructions="On other papers.", dataset="toy")
    os.utime(old, (1, 1))
    state(compiled, "new", 0.4, instructions="Good.")
    state(compiled, "newer", 0.6, instructions="Better.")
    assert instructions(loaded()) == "Better."


def test_the_uncompiled_program_that_nothing_beat_displaces_no_gain(compiled):
    state(compiled, "vain", 0.9, instructions="As it was.", candidate="uncompiled")
    state(compiled, "gain", 0.1, instructions="Better.", dataset="other")
    assert instructions(loaded()) == "Better."


def test_a_state_that_lost_on_test_is_not_taken_up_but_can_be_named(compiled):
    lost = {"scores": {"val": 0.9, "test": 0.3}, "uncompiled": {"val": 0.5, "test": 0.4}}
    state(compiled, "lost", 0.9, instructions="Lost.", **lost)
    assert loaded().compiled_from is None
    assert instructions(loaded(state="main_points.lost.json")) == "Lost."
    state(compiled, "kept", 0.1, instructions="Kept.", dataset="other")
    assert instructions(loaded()) == "Kept."
    listed = {each["file"]: each for each in run("list", "--format", "json").json[0]["compiled"]}
    assert [listed[f"main_points.{name}.json"]["loaded"] for name in ("lost", "kept")] == [False, True]
    assert "val 0.900, test 0.300 (uncompiled 0.500, 0.400)" in run("list").stdout


def test_the_users_own_states_come_before_shipped_ones(compiled):
    assert loaded(lm="extractive/1").compiled_from.parent == SHIPPED
    own = state(compiled, "own", 0.01, lm="extractive/1", instructions="Mine.")
    assert loaded(lm="extractive/1").compiled_from == own


def test_a_state_that_is_gone_when_it_is_looked_at_again_stops_nobody(compiled, monkeypatch):
    state(compiled, "a", 0.4)
    gone = state(compiled, "b", 0.6)

    def read_and_lose(path):
        found = read_state(path)
        if path == gone:
            gone.unlink()
        return found

    monkeypatch.setattr("programs.compiled_state.read_state", read_and_lose)
    assert {each.path.name for each in compiled_states("main_points")} >= {"main_points.a.json", "main_points.b.json"}


def test_a_state_with_a_damaged_value_stops_nobody(compiled, caplog):
    path = state(compiled, "damaged", 0.9)
    path.write_text(path.read_text().replace('"window_size": 3', '"window_size": -3'))
    state(compiled, "fit", 0.1, instructions="Fits.")
    assert instructions(loaded()) == "Fits."
    assert "Left out: " in caplog.text


def test_without_a_state_for_the_model_it_runs_uncompiled(compiled, caplog):
    state(compiled, "a", 0.4, lm="openai/two")
    with caplog.at_level(logging.INFO, "programs.state_choice"):
        assert instructions(loaded()) == WriteAnswer.instructions
    assert "uncompiled" in caplog.text


def test_broken_and_unfit_states_are_left_out_by_name(compiled, caplog):
    path = state(compiled, "unfit", 0.9)
    path.write_text(path.read_text().replace('"answerable",', '"decided",'))
    (compiled / "main_points.broken.json").write_text("{")
    state(compiled, "fit", 0.1, instructions="Fits.")
    assert instructions(loaded()) == "Fits."
    assert "main_points.unfit.json" in caplog.text
    assert "main_points.broken.json" in caplog.text


def test_a_state_can_be_named_or_refused(compiled, tmp_path):
    state(compiled, "a", 0.9, instructions="Best.")
    named = state(tmp_path, "mine", 0.1, instructions="Mine.")
    assert instructions(loaded(state=named)) == "Mine."
    for none in (None, "none"):
        assert instructions(loaded(state=none)) == WriteAnswer.instructions
        assert loaded(state=none).compiled_from is None
    named.write_text(named.read_text().replace('"answerable",', '"decided",'))
    with pytest.raises(StateMismatch, match="decided"):
        loaded(state=named)


def test_parameters_win_over_the_state(compiled):
    assert loaded(window_size=7).settings.window_size == 7


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("main_point", {}, r"'main_point' is not a program; did you mean main_points\?$"),
        ("zzz", {}, "'zzz' is not a program; the programs are main_points, "),
        ("multi_signal", {"preset": "best"}, "multi_signal has no preset 'best'; it has defaults and seed"),
        ("paper_writer", {"preset": "seed"}, "paper_writer has no preset 'seed'; it has only defaults"),
        ("rag_fusion", {"state": "bst"}, r"there is no file bst; give a compiled state, .* or none"),
        ("rag_fusion", {"verify": "no"}, "verify='no' is of the wrong type"),
        ("rag_fusion", {"windows": 7}, "no parameter windows"),
    ],
)
def test_what_cannot_be_loaded_is_told(papers, name, given, message):
    with pytest.raises(UsageError, match=message):
        load(name, index=papers, **given)


def test_a_program_that_answers_nothing_names_its_command():
    with pytest.raises(UsageError, match="paper_writer answers no questions; use `python -m programs write`"):
        answering("paper_writer")
    assert answering("rag_fusion").constructor is programs.RagFusion


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    """An index for programs that ask one; no question is put to it."""
    with Index.open(tmp_path_factory.mktemp("index") / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        yield index


def in_numbers(program):
    """Parameters as states hold them that are older than "auto", which stands for a number of tokens of passages."""
    tokens = getattr(program.settings, "passage_tokens", None)
    return program.settings if tokens is None else replace(program.settings, context_tokens=tokens)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.json")), ids=lambda path: path.name)
def test_every_shipped_state_fits_its_program(path, papers):
    shipped = read_state(path)
    source = {"embedder": HashingEmbedder()} if entry_of(shipped.program).asks == "paper" else {"index": papers}
    program = load(shipped.program, **source, state=path)
    assert replace(shipped.provenance, scores={}) != Provenance(lm="")
    has_demos = any(predictor.demos for _, predictor in program.named_predictors())
    is_compiled = has_demos or in_numbers(program) != in_numbers(create(shipped.program, **source))
    assert is_compiled is (shipped.provenance.candidate != "uncompiled")


@pytest.mark.parametrize("name", ["main_points", "rag_fusion", "multi_signal", "paper_retriever"])
def test_the_preset_seed_wins_over_a_state_and_what_is_given_over_both(name, papers):
    source = {"embedder": HashingEmbedder()} if entry_of(name).asks == "paper" else {"index": papers}
    with dspy.context(lm=LM("extractive")):
        assert load(name, **source).settings.cross_encoder == "learned"
        program = load(name, **source, preset="seed", verify=False)
    assert program.settings == replace(type(program.settings).seed(), verify=False)
    assert program.settings.cross_encoder == ""


def test_all_programs_come_compiled_for_the_extractive_model():
    shipped = {read_state(path).program for path in SHIPPED.glob("*.extractive.json")}
    assert shipped == {entry.name for entry in PROGRAMS}


@pytest.mark.parametrize("name", ["rag_fusion", "multi_signal"])
def test_a_program_whose_passages_another_program_finds_is_compiled_as_well(name, papers, caplog):
    with dspy.context(lm=LM("extractive")):
        alone = load(name, index=papers)
        finding = load("paper_retriever", index=papers)
        finding.set_lm(LM("extractive"))
        found_by, its_lm = finding.dump_state(), finding.selector.select.lm
        composed = load(name, retriever=finding)
    assert caplog.text == ""
    assert composed.compiled_from == alone.compiled_from is not None
    assert composed.settings == alone.settings
    own = {each: predictor.demos for each, predictor in composed.named_predictors() if "retriever." not in each}
    assert own == {each: predictor.demos for each, predictor in alone.named_predictors()}
    assert finding.dump_state() == found_by
    assert finding.selector.select.lm is its_lm


def test_a_state_of_both_programs_is_for_both(papers, tmp_path):
    finding = create("paper_retriever", index=papers)
    composed = create("rag_fusion", retriever=finding)
    signature = finding.selector.select.signature
    finding.selector.select.signature = signature.with_instructions("Choose well.")
    path = save_state(composed, tmp_path / "both.json", Provenance(lm="openai/one"))
    finding.selector.select.signature = signature
    load("rag_fusion", retriever=finding, state=path)
    assert finding.selector.select.signature.instructions == "Choose well."
    with pytest.raises(StateMismatch, match=r"it has the predictors retriever\.selector"):
        load("rag_fusion", index=papers, state=path)
