"""Several seeds in one run: each an ordinary run, one table, one state."""

import json

import pytest

from optimize.compiling import compile_seeds, plan_seeds, read_seeds
from optimize.job import Job, JobSetup
from optimize.run_folder import open_run
from programs.budget import Budget
from programs.compiled_state import read_state
from programs.errors import UsageError
from tests.counting_lm import CountingEngine, PowerCut
from tests.hashing_embedder import HashingEmbedder

pytestmark = pytest.mark.slow

SEEDS = (0, 1)


def setup(dataset, engine, **more):
    job = Job("compile", "main_points", dataset, optimizer="few_shot")
    return JobSetup(job, embedder=HashingEmbedder(), lm=engine.lm(cache=True), **more)


def compiled(made, path):
    return compile_seeds(made, SEEDS, open_run(path, made.manifest(SEEDS), resume=True))


@pytest.fixture(scope="module")
def run(dataset, tmp_path_factory):
    engine, path = CountingEngine(), tmp_path_factory.mktemp("runs") / "seeds"
    made = setup(dataset, engine)
    return made, engine, compiled(made, path), path


def test_each_seed_has_a_run_and_a_row(run):
    _, _, result, path = run
    report = result.report
    assert [each.seed for each in report.seeds] == [0, 1]
    for each in report.seeds:
        own = json.loads((path / f"seed-{each.seed}" / "report.json").read_text())
        assert own["choice"][each.candidate] == each.val
    differences = [each.paired.difference for each in report.seeds]
    assert report.together.difference == pytest.approx(sum(differences) / 2)
    assert report.spread is not None
    text = (path / "report.md").read_text()
    assert text == str(report)
    assert "over 2 seeds" in text
    assert json.loads((path / "report.json").read_text())["best"] == report.best


def test_the_state_is_that_of_the_seed_that_is_best_on_val(run):
    _, _, result, path = run
    state = read_state(result.state)
    assert state.provenance.seed == result.report.best
    assert state.score == pytest.approx(max(each.val for each in result.report.seeds), abs=1e-6)
    assert state.content == read_state(path / f"seed-{result.report.best}" / "compiled.json").content


def test_the_uncompiled_program_is_asked_once(run):
    made, engine, _, path = run
    assert len(set(engine.asked)) == len(engine.asked)
    assert {child.name for child in path.iterdir()} >= {"calls", "seed-0", "seed-1", "compiled.json"}
    assert not (path / "seed-0" / "calls").exists()
    assert len(engine.asked) <= plan_seeds(made, SEEDS).most_calls


def test_the_plan_is_that_of_all_seeds(dataset):
    one, two = (plan_seeds(setup(dataset, CountingEngine()), seeds) for seeds in ((0,), SEEDS))
    assert two.most_calls == 2 * one.most_calls
    assert two.candidates == 2 * one.candidates


def test_a_run_that_is_cut_off_goes_on(run, dataset, tmp_path):
    _, whole, result, _ = run
    asked, cuts = [], 0
    for _ in range(20):
        engine = CountingEngine(stop_after=5)
        try:
            again = compiled(setup(dataset, engine), tmp_path / "run")
            break
        except PowerCut:
            cuts += 1
        finally:
            asked += engine.asked
    assert cuts >= 2
    assert sorted(asked) == sorted(whole.asked)
    assert again.report.seeds == result.report.seeds


def test_the_seeds_share_a_budget(dataset, tmp_path):
    engine = CountingEngine()
    report = compiled(setup(dataset, engine, budget=Budget(calls=180)), tmp_path / "run").report
    assert len(engine.asked) <= 180
    assert len(report.seeds) == 2
    with pytest.raises(UsageError, match=r"a budget of 179 calls does not suffice .* give at least --budget-calls 180"):
        plan_seeds(setup(dataset, CountingEngine(), budget=Budget(calls=179)), SEEDS)


@pytest.mark.parametrize("text", ["", "0,0", "1,x", "-1", "1,,2"])
def test_seeds_are_different_numbers(text):
    with pytest.raises(UsageError, match="is not a list of valid seeds; give different whole numbers"):
        read_seeds(text)


def test_seeds_as_they_are_typed():
    assert read_seeds("0, 2,5") == (0, 2, 5)
