"""Budgets: a hard stop that keeps the best so far, and leaves enough for an honest report."""

import math
from functools import partial
from types import SimpleNamespace

import dspy
import pytest

from optimize.compiling import compile_program, plan
from optimize.generate import UNWRITTEN, Meter, MeteredCache, spent_in
from optimize.job import Job, JobSetup
from optimize.optimizers import OPTIMIZERS, Mipro
from optimize.policy import until_stopped
from optimize.run_folder import RunFolder, open_run
from optimize.tasks.main_points import MainPointsTask
from programs.budget import Allowance, Budget, BudgetSpent, Spent
from programs.compiled_state import UNCOMPILED, read_state
from programs.errors import UsageError
from programs.lm import LM
from programs.lm.pace import Timing, keep
from tests import small_dataset
from tests.command_line import run
from tests.counting_lm import PHRASE, CountingEngine, InstructedEngine
from tests.hashing_embedder import HashingEmbedder
from tests.scripted_lm import Writer

pytestmark = pytest.mark.slow

LEAST = 30
"""Calls that main_points may take, unverified, for the four questions of val and the six of test, three each."""


class Unverified(MainPointsTask):
    """`main_points` without repair, which a budget allows for and good answers never take.

    A model that declines is not made up for by a quotation either, so that it matters how well it is told.
    """

    def program(self, dataset, embedder):
        made = super().program(dataset, embedder)
        made.set_parameters(verify=False)
        return made


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return small_dataset.write(tmp_path_factory.mktemp("data") / "small")


def bench(dataset, budget, optimizer="random_search", engine=None, writer=None, threads=1):
    job = Job("compile", "main_points", str(dataset), optimizer=optimizer, prompt_lm="writer/1" if writer else "")
    lm, prompt_lm = (engine or CountingEngine()).lm(cache=True), writer.lm() if writer else None
    made = JobSetup(job, HashingEmbedder(), threads, lm, prompt_lm, budget)
    vars(made).update(task=Unverified())
    return made


def compiled(made, path, resume=False):
    return compile_program(made, open_run(path, made.manifest(), resume=resume))


def states(path):
    return {each.stem for each in (path / "candidates").iterdir()}


def test_the_first_limit_that_is_reached_counts():
    budget = Budget(calls=10, minutes=2.0)
    assert budget.exceeded(Spent(calls=9, seconds=119)) == ""
    assert budget.exceeded(Spent(calls=10)) == "10 calls"
    assert budget.exceeded(Spent(seconds=120)) == "2.0 minutes"
    assert Budget(money=0.5).exceeded(Spent(money=None)) == ""
    assert str(budget) == "10 calls and 2.0 minutes"
    assert not Budget()


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["calls", "tokens", "minutes", "money"])
def test_a_budget_is_more_than_nothing(name, limit):
    with pytest.raises(UsageError, match=f"--budget-{name}="):
        Budget(**{name: limit})


def test_what_comes_after_is_kept_back():
    allowance = Allowance(Budget(calls=10, tokens=1000), reserved=4)
    allowance(Spent(calls=5, tokens=500))
    with pytest.raises(BudgetSpent, match="10 calls"):
        allowance(Spent(calls=6, tokens=60))
    with pytest.raises(BudgetSpent, match="1,000 tokens"):
        allowance(Spent(calls=5, tokens=600))
    with pytest.raises(UsageError, match="reports no price"):
        Allowance(Budget(money=1.0))(Spent(calls=1, money=None))


def test_only_answers_that_are_not_kept_are_paid_for(tmp_path):
    meter = Meter(RunFolder(tmp_path).sessions)
    cache = MeteredCache(SimpleNamespace(get={"known": "answer"}.get, put=lambda *_: None, reset="as it was"))
    cache._cache.get = lambda request, *_: "kept" if request["model"] == "known" else None
    priced = SimpleNamespace(usage={"prompt_tokens": 7, "completion_tokens": 3}, _hidden_params={"response_cost": 0.25})
    with dspy.context(meter=meter):
        assert cache.get({"model": "known"}, []) == "kept"
        assert cache.get({"model": "new", "n": 2}, []) is None
        cache.put({}, {"usage": {"total_tokens": 90}, "cost": 0.5}, [])
        cache.put({}, priced, [])
        with dspy.context(gate=Allowance(Budget(calls=2))), pytest.raises(BudgetSpent):
            cache.get({"model": "new"}, [])
    meter.write()
    spent = spent_in(RunFolder(tmp_path).sessions)
    assert (spent.calls, spent.tokens, spent.money) == (2, 100, 0.75)
    assert Meter(RunFolder(tmp_path).sessions).spent.calls == 2
    assert cache.reset == "as it was"


@pytest.mark.parametrize("threads", [1, 4])
def test_no_call_goes_beyond_the_budget_and_the_report_is_made(dataset, tmp_path, threads):
    engine = CountingEngine()
    made = bench(dataset, Budget(calls=LEAST), engine=engine, threads=threads)
    report = compiled(made, tmp_path / "run").report
    assert 0 < len(engine.asked) <= LEAST
    assert 1 < len(report.choice) < plan(made).candidates
    assert report.choice.keys() <= states(tmp_path / "run")
    assert f"Stopped by its budget of {LEAST} calls after {len(report.choice)} of 13 candidates." in report.warnings
    assert all(row.before.total == 6 for row in report.rows)
    state = read_state(tmp_path / "run" / "compiled.json")
    assert state.provenance.scores["val"] == pytest.approx(max(report.choice.values()), abs=1e-6)
    assert state.provenance.budget["budget"] == {"calls": LEAST}


def test_a_budget_counts_all_sessions_and_a_larger_one_goes_on(dataset, tmp_path):
    first, again, more = CountingEngine(), CountingEngine(), CountingEngine()
    stopped = compiled(bench(dataset, Budget(calls=LEAST), engine=first), tmp_path / "run").report
    same = compiled(bench(dataset, Budget(calls=LEAST), engine=again), tmp_path / "run", resume=True).report
    assert again.asked == []
    assert (same.choice, same.warnings) == (stopped.choice, stopped.warnings)
    further = compiled(bench(dataset, Budget(calls=2 * LEAST), engine=more), tmp_path / "run", resume=True).report
    assert len(further.choice) > len(stopped.choice)
    assert len(first.asked) + len(more.asked) <= 2 * LEAST
    assert not set(first.asked) & set(more.asked)


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (Budget(calls=LEAST - 1), "a budget of 29 calls does not suffice .* give at least --budget-calls 30"),
        (Budget(money=1.0), "--budget-money cannot be kept: extractive/1 has no price"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused_before_the_start(dataset, tmp_path, budget, message):
    engine = CountingEngine()
    with pytest.raises(UsageError, match=message):
        plan(bench(dataset, budget, engine=engine))
    assert engine.asked == []


@pytest.mark.parametrize("budget", [Budget(tokens=300), Budget(minutes=1e-9)])
def test_what_shows_to_be_too_small_says_so_as_soon_as_it_is_known(dataset, tmp_path, budget):
    engine = CountingEngine()
    with pytest.raises(UsageError, match="does not suffice for the uncompiled program's 10 questions of val and test"):
        compiled(bench(dataset, budget, engine=engine), tmp_path / "run")
    assert len(engine.asked) <= 2


@pytest.mark.needs("tune")
@pytest.mark.parametrize("threads", [1, 3])
def test_what_an_optimizer_had_found_when_it_was_stopped_competes(dataset, tmp_path, monkeypatch, threads):
    monkeypatch.setitem(OPTIMIZERS, "mipro", partial(Mipro, size=8, trials=16))
    others = ("Answer at length.", "Answer briefly.", "Use plain words.", "Say less.", "Say more.", "Say it well.")
    writer = Writer(f"Say what the passages say, {PHRASE}.", *others)

    def compile_with(calls):
        engine, before = InstructedEngine(), len(writer.prompts)
        made = bench(dataset, Budget(calls), "mipro", engine, writer, threads)
        report = compiled(made, tmp_path / "run", resume=True).report
        return report, len(engine.asked) + len(writer.prompts) - before

    stopped, asked = compile_with(222)
    assert asked <= 222
    assert stopped.choice["mipro-seed0-stopped-at-222-calls"] > stopped.choice[UNCOMPILED]
    assert "Stopped by its budget of 222 calls after 2 of 2 candidates." in stopped.warnings
    again, more = compile_with(222)
    assert (again.choice, more) == (stopped.choice, 0)
    whole, _ = compile_with(None)
    assert list(whole.choice) == [UNCOMPILED, "mipro-seed0"]
    assert not any("Stopped" in each for each in whole.warnings)


def test_the_best_that_was_scored_on_all_questions_is_what_is_kept(dataset):
    """As GEPA does it: a few questions with a metric of its own, all with ours."""
    programs = [bench(dataset, Budget()).new_program() for _ in range(3)]
    examples = [dspy.Example(number=number).with_inputs() for number in range(3)]
    worth = dict(zip(map(id, programs), (0.1, 0.9, 0.5), strict=True))

    def scored(program, devset, metric=None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(program), "__call__", lambda self, **_: dspy.Prediction(worth=worth[id(self)]))
            ours = lambda _, prediction: prediction.worth  # noqa: E731
            dspy.Evaluate(devset=devset, metric=ours, num_threads=1)(program, metric=metric)

    def search(*order):
        for place in order:
            scored(programs[place], examples)
        scored(programs[0], examples[:1])
        scored(programs[0], examples, metric=lambda *_: 1.0)
        raise BudgetSpent("3 calls")

    programs[1].set_parameters(threshold=0.77)
    assert until_stopped(partial(search, 0, 1, 2), 3).settings.threshold == 0.77
    with pytest.raises(BudgetSpent):
        until_stopped(search, 3)


def test_a_run_that_is_killed_loses_few_of_the_calls_that_it_made(tmp_path):
    meter = Meter(RunFolder(tmp_path).sessions)
    for _ in range(2 * UNWRITTEN + 3):
        meter.begin(1, None)
    assert spent_in(RunFolder(tmp_path).sessions).calls == 2 * UNWRITTEN
    meter.write()
    assert spent_in(RunFolder(tmp_path).sessions).calls == meter.spent.calls == 2 * UNWRITTEN + 3


def test_what_a_call_took_is_not_lost_when_the_call_was_written_down_before(tmp_path):
    meter = Meter(RunFolder(tmp_path).sessions, counts_time=False)
    for _ in range(UNWRITTEN):
        meter.begin(1, None)
        meter.paid(7, 0.5)
    meter.write()
    spent = spent_in(RunFolder(tmp_path).sessions)
    assert (spent.calls, spent.tokens, spent.money) == (UNWRITTEN, 7 * UNWRITTEN, 0.5 * UNWRITTEN)
    meter.write()
    assert len(list(RunFolder(tmp_path).sessions.read())) == 2, "nothing was spent since"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--budget-calls", "0"), "--budget-calls=0 leaves nothing to spend"),
        (("--budget-minutes", "-1"), "--budget-minutes=-1.0 leaves nothing to spend"),
        (("--lm", "ollama/x", "--budget-calls", "89"), "give at least --budget-calls 90"),
        (("--budget-money", "1"), "extractive/1 has no price"),
        (("--optimizer", "gepa"), "gepa has instructions written, which extractive/1 cannot do"),
    ],
)
def test_wrong_usage_is_exit_code_2(dataset, options, message):
    ran = run("compile", "main_points", "--dataset", dataset, *options, "--dry-run", module="optimize.cli.app")
    assert (ran.code, ran.stdout) == (2, "")
    assert message in " ".join(ran.stderr.split())


def test_a_dry_run_gives_minutes_once_the_model_was_timed(dataset):
    command = ("compile", "main_points", "--dataset", dataset, "--lm", "ollama/never-timed", "--dry-run")
    dry = run(*command, module="optimize.cli.app").stdout
    assert "how long that takes is not known yet" in dry
    assert "check --lm" in dry
    assert run(*command, "--format", "json", module="optimize.cli.app").json["minutes"] is None
    lm = LM("ollama/never-timed")
    keep(lm.engine.host, lm.model, Timing(400, 40.0, 4.0))
    ran = run(*command, "--format", "json", module="optimize.cli.app").json
    assert ran["minutes"] == math.ceil(ran["runs"] * ran["seconds"] / 60)
    assert (
        f"about {ran['minutes']:,} min at the pace that was measured" in run(*command, module="optimize.cli.app").stdout
    )
