"""The whole way from a folder of questions to a compiled state, on a small set with the extractive LM."""

import json
from functools import cache, partial

import dspy
import pytest

from metrics.canaries import CANARIES
from optimize.compiling import publish
from optimize.dataset import leaked
from optimize.job import Job, JobSetup, evaluate
from optimize.job import plan as plan_evaluation
from optimize.optimizers import OPTIMIZERS, ParameterSearch, optimizer_of
from optimize.policy import Bootstrap, Compilation, RandomSearch, bootstrapped
from optimize.report_rendering import markdown
from optimize.run_folder import open_run, unfinished_run
from optimize.scoring import Objective
from programs.budget import STOPPED
from programs.compiled_state import UNCOMPILED, apply_state, read_state
from programs.errors import CorroborateError
from programs.lm.ollama_errors import ServerFailed
from programs.state_choice import SHIPPED
from tests import small_dataset
from tests.counting_lm import CountingEngine, PowerCut
from tests.hashing_embedder import HashingEmbedder
from tests.optimize.conftest import compiled, finish, setup

pytestmark = pytest.mark.slow

OF_DEMOS = ("few_shot", "bootstrap", "random_search")
"""The others have tests of their own."""


@pytest.fixture(scope="module", autouse=True)
def few_candidates():
    """As many as tell one from another; how many there are by default: ``tests/programs/test_budget.py``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(OPTIMIZERS, "random_search", partial(RandomSearch, size=2))
        yield


@pytest.fixture(scope="module")
def finished(dataset, tmp_path_factory):
    """Compilations by optimizer, each done once."""
    return cache(lambda optimizer: finish(dataset, tmp_path_factory.mktemp("runs") / optimizer, optimizer))


@pytest.fixture(scope="module")
def run(finished):
    return finished("few_shot")


@pytest.mark.parametrize("optimizer", OF_DEMOS)
def test_what_is_saved_is_what_was_measured_and_candidates_differ_by_their_demos(finished, optimizer):
    run = finished(optimizer)
    chosen = read_state(run.result.state).provenance
    loaded, candidate = run.setup.new_program(), run.setup.new_program()
    apply_state(loaded, read_state(run.result.state))
    apply_state(candidate, read_state(run.path / "candidates" / f"{chosen.candidate}.json"))
    assert loaded.dump_state() == candidate.dump_state()
    assert chosen.scores["val"] == pytest.approx(max(run.result.report.choice.values()), abs=1e-6)
    assert (chosen.optimizers, chosen.dataset, chosen.lm) == ((optimizer,), "small", "extractive/1")
    assert chosen.splits == run.setup.split_hashes()
    states = [read_state(path).content for path in sorted((run.path / "candidates").iterdir())]
    contents = {json.dumps(state, sort_keys=True) for state in states}
    assert len(contents) > len(states) / 2
    assert any(state["answer.write"]["demos"] for state in states)


def test_a_run_that_is_cut_off_goes_on_and_asks_nothing_twice(finished, dataset, tmp_path):
    whole = finished("bootstrap")
    asked, cuts = [], 0
    while True:
        engine = CountingEngine(stop_after=5)
        try:
            result = compiled(setup(dataset, "bootstrap", engine), tmp_path / "run", resume=True)
            break
        except PowerCut:
            cuts += 1
        finally:
            asked += engine.asked
    assert cuts >= 2
    assert sorted(asked) == sorted(whole.engine.asked)
    assert len(set(asked)) == len(asked)
    same = [report.as_dict() | {"about": None, "aggregates": None} for report in (result.report, whole.result.report)]
    assert same[0] == same[1]


def test_the_newest_unfinished_run_with_these_settings_is_found(dataset, tmp_path):
    settings = setup(dataset).manifest()
    for name in ("a", "b", "c"):
        open_run(tmp_path / name, settings, resume=False)
    open_run(tmp_path / "d", setup(dataset, seed=3).manifest(), resume=False)
    for name in ("report.json", "report.md", "compiled.json"):
        assert unfinished_run(tmp_path, settings) == tmp_path / "c"
        (tmp_path / "c" / name).write_text("{}")
    assert unfinished_run(tmp_path, settings) == tmp_path / "b"
    (tmp_path / "b" / "manifest.json").write_text("damaged")
    assert unfinished_run(tmp_path, settings) == tmp_path / "a"
    (tmp_path / "c" / "report.json").write_text(json.dumps({"warnings": [f"{STOPPED} of 100 calls after 2 of 13."]}))
    assert unfinished_run(tmp_path, settings) == tmp_path / "c"


def test_a_model_that_never_answers_ends_the_compilation_at_once(tmp_path):
    answerable = {split: lines[::2] for split, lines in small_dataset.rows().items()}  # of others no model is asked
    dataset = str(small_dataset.write(tmp_path / "answerable", answerable))
    engine = CountingEngine(fail_on="")
    with pytest.raises(CorroborateError, match=r"failed on all 2 questions of val.*tripped over its own feet"):
        compiled(setup(dataset, engine=engine), tmp_path / "run")
    assert len(engine.asked) == 2
    assert compiled(setup(dataset), tmp_path / "run", resume=True).report.choice


def test_the_report_has_every_canary_and_both_programs_and_the_folder_what_the_next_step_needs(run, dataset):
    report = run.result.report
    assert report.canaries.keys() == CANARIES.keys()
    assert UNCOMPILED in report.aggregates
    assert next(iter(report.choice)) == UNCOMPILED
    text = markdown(report)
    assert text.startswith("# main_points compiled for extractive/1\n\n**")
    assert all(f"| {name} | " in text for name in CANARIES)
    assert "No language model was used" in text

    def lines(name):
        return [json.loads(line) for line in (run.path / name).read_text().splitlines()]

    predictions = lines("predictions.jsonl")
    assert {line["split"] for line in predictions} == {"val", "test"}
    asked_of_test = {line["candidate"] for line in predictions if line["split"] == "test"}
    assert UNCOMPILED in asked_of_test
    assert len(asked_of_test) <= 2
    assert {"scored", "abstained"} <= {line["status"] for line in lines("scores.jsonl")}
    assert {line["verdict"] for line in lines("judgements.jsonl")} >= {"supported"}
    assert json.loads((run.path / "report.json").read_text())["headline"] == report.headline
    engine = CountingEngine()
    again = compiled(setup(dataset, "few_shot", engine), run.path, resume=True)
    assert engine.asked == []
    assert again.report.rows == report.rows


def test_demos_come_from_train_alone_and_text_of_the_test_split_in_one_is_found(finished, dataset):
    data = setup(dataset)
    for state in (finished("random_search").path / "candidates").iterdir():
        program = data.new_program()
        apply_state(program, read_state(state))
        assert [*leaked(program, data.dataset.split("test")), *leaked(program, data.dataset.split("val"))] == []
    program, example = data.new_program(), data.dataset.split("test")[0]
    program.answer.write.demos = [dspy.Example(question=f"  {example.question.upper()} ", answerable=True)]
    assert list(leaked(program, data.dataset.split("test"))) == [f"{example.id}: {example.question[:80]!r}"]


def compilation(a_setup, **more):
    train = a_setup.dataset.split("train")
    return Compilation(a_setup.task, a_setup.new_program, a_setup.dataset, train, Objective(), **more)


@pytest.mark.parametrize("optimizer", ["few_shot", "random_search"])
def test_seeds_decide_what_is_tried(dataset, optimizer):
    def built(seed):
        candidates = optimizer_of(optimizer).candidates(compilation(setup(dataset), seed=seed))
        return [(each.name, each.build().dump_state()) for each in candidates if "bootstrap" not in each.name]

    assert built(1) == built(1)
    assert built(1) != built(2)


def test_a_second_model_shows_how(dataset):
    student, teacher = CountingEngine(), CountingEngine()
    with dspy.context(lm=student.lm()):
        program = bootstrapped(compilation(setup(dataset), prompt_lm=teacher.lm()), 1, 0)
    assert teacher.asked
    assert not student.asked
    assert program.answer.write.demos


@pytest.mark.parametrize(
    "optimizer",
    [Bootstrap(sizes=(6,)), pytest.param(ParameterSearch(trials=2, kept=1), marks=pytest.mark.needs("tune"))],
)
def test_a_server_that_fails_on_one_training_question_does_not_end_the_search(dataset, optimizer):
    error = ServerFailed("the server says 'out of memory' (HTTP 500)")
    with dspy.context(lm=CountingEngine(fail_on="root length of the cress change", error=error).lm()):
        (candidate,) = optimizer.candidates(compilation(setup(dataset)))
        assert candidate.build().name == "main_points"


@pytest.mark.parametrize("state", ["none", "named"])
def test_evaluating_a_program(run, dataset, tmp_path, state):
    place = "none" if state == "none" else str(run.result.state)
    engine = CountingEngine()
    job = Job("eval", "main_points", dataset, split="val", state=place)
    made = JobSetup(job, embedder=HashingEmbedder(), lm=engine.lm(cache=True), threads=2)
    report = evaluate(made, open_run(tmp_path / "run", made.manifest(), resume=False))
    candidate = UNCOMPILED if state == "none" else read_state(run.result.state).provenance.candidate
    assert report.row("grounded_utility").before.value == pytest.approx(run.result.report.choice[candidate])
    assert len(engine.asked) <= plan_evaluation(made).most_calls
    assert report.row("grounded_utility").after is None
    assert "| metric | value |" in markdown(report)


def test_a_state_is_copied_under_a_name_made_of_program_model_and_content_or_the_place_is_named(tmp_path):
    shipped = sorted(SHIPPED.glob("main_points.*.json"))[0]
    state = tmp_path / "compiled.json"
    state.write_bytes(shipped.read_bytes())
    published = publish(state, tmp_path / "compiled")
    assert published.name.startswith("main_points.extractive.")
    assert json.loads(published.read_text()) == json.loads(state.read_text())
    assert publish(state, tmp_path / "compiled") == published
    assert list(published.parent.iterdir()) == [published]
    (tmp_path / "file").write_text("a file, not a folder")
    with pytest.raises(CorroborateError) as caught:
        publish(state, tmp_path / "file")
    assert str(caught.value).startswith(f"the compiled state is in {state}, but cannot be copied to ")
    assert "set CORROBORATE_COMPILED to a folder that can be written" in str(caught.value)
