"""Generate, judge, score and report are apart: what one step wrote, the next reads."""

import json
import shutil
from dataclasses import asdict, replace

import pytest

from metrics.judgements import Ledger
from metrics.score import Score
from optimize.assess import Measures, compare_runs
from optimize.compiling import compile_program
from optimize.dataset import Example
from optimize.finished_run import read_run
from optimize.generate import Record
from optimize.job import Job, JobSetup, evaluate, rescore
from optimize.judging import LMJudge
from optimize.report import CHECKER, AskedExamples, MeasuredProgram, ReportHeader, build_report
from optimize.run_folder import RunFolder, kept_calls, open_run
from optimize.scoring import ItemScore
from programs.compiled_state import Provenance, save_state
from programs.errors import CorroborateError, UsageError
from programs.main_points import MainPoints
from tests import invented_run
from tests.command_line import run
from tests.counting_lm import CountingEngine, PowerCut
from tests.hashing_embedder import HashingEmbedder
from tests.scripted_lm import Script
from tests.word_judge import WordJudge

pytestmark = pytest.mark.slow

SUPPORTED = {"reason": "the passage says so", "verdict": "supported"}


def setup_of(dataset, engine=None, command="eval", **job):
    engine = engine or CountingEngine()
    return JobSetup(
        Job(command, "main_points", dataset, state="none", **job), HashingEmbedder(), lm=engine.lm(cache=True)
    )


def run_of(setup, path, resume=False):
    return open_run(path, setup.manifest(), resume=resume)


@pytest.fixture(scope="module")
def original(dataset, tmp_path_factory):
    """The folder of a run on test, and its report."""
    path, setup = tmp_path_factory.mktemp("original") / "run", setup_of(dataset)
    return path, evaluate(setup, run_of(setup, path), Measures())


@pytest.fixture
def evaluated(original, tmp_path):
    """The same in a folder of the test's own."""
    path, report = original
    return shutil.copytree(path, tmp_path / "run"), report


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_answers_of_a_state_that_was_changed_are_not_taken_for_those_of_the_new_one(dataset, tmp_path):
    path = tmp_path / "s.json"

    def measured(threshold, date):
        program = MainPoints(HashingEmbedder())
        program.set_parameters(threshold=threshold)
        save_state(program, path, Provenance(lm="x", date=date))
        engine = CountingEngine()
        setup = replace(setup_of(dataset, engine), job=Job("eval", "main_points", dataset, state=str(path)))
        return evaluate(setup, run_of(setup, tmp_path / "run", resume=True), Measures()), len(engine.asked)

    _, asked = measured(0.4, "2026-01-01")
    assert asked > 0
    assert measured(0.4, "2026-01-02")[1] == 0
    with pytest.raises(UsageError, match=r"s\.json was changed since the run in .* was started; name another --output"):
        measured(3.9, "2026-01-02")


def test_a_session_that_is_kept_out_leaves_no_trace(evaluated, dataset):
    path, _ = evaluated
    before = {each: each.read_bytes() for each in path.glob("*.*")}
    setup = setup_of(dataset)
    with kept_calls(RunFolder(path)):
        for work in (
            lambda: evaluate(setup, run_of(setup, path, resume=True), Measures()),
            lambda: rescore(path, Measures()),
        ):
            with pytest.raises(UsageError, match="another process works on the run"):
                work()
    assert {each: each.read_bytes() for each in path.glob("*.*")} == before


def test_another_judge_is_asked_about_the_answers_alone_and_going_back_asks_nothing(evaluated):
    path, before = evaluated
    predictions = (path / "predictions.jsonl").read_bytes()
    script = Script(verdict=SUPPORTED)
    judge = Measures(LMJudge(script.lm()))
    after = rescore(path, judge)
    assert (path / "predictions.jsonl").read_bytes() == predictions
    assert set(script.steps) == {"verdict"}
    assert len(script.calls) == len({call.user for call in script.calls}), "a claim was judged twice"
    assert after.about["judge"].startswith("scripted/1#")
    assert after.canaries == {}
    assert after.values()["claim_groundedness"] == 1.0
    assert [row.metric for row in after.rows] == [row.metric for row in before.rows]
    n_calls = len(script.calls)
    assert rescore(path, Measures()).rows == before.rows
    assert rescore(path, judge).values()["claim_groundedness"] == 1.0
    assert len(script.calls) == n_calls > 0


def test_what_the_judge_costs_is_counted_and_measuring_without_a_model_is_no_cost_of_the_run(evaluated):
    path, _ = evaluated
    before = lines(path / "sessions.jsonl")
    rescore(path, Measures())
    assert lines(path / "sessions.jsonl") == before
    engine = CountingEngine()
    rescore(path, Measures(LMJudge(engine.lm(cache=True))))
    paid = lines(path / "sessions.jsonl")[len(before) :]
    assert sum(line["lm_calls"] for line in paid) == len(engine.asked) > 0


def test_further_metrics_are_added_and_stay_and_the_report_holds_what_is_said_of_all_answers(evaluated):
    path, before = evaluated
    written = json.loads((path / "report.json").read_text())["aggregates"]["main_points"]
    assert written["answerability_balanced_accuracy"] == before.values()["answerability_balanced_accuracy"]
    assert before.values()["grounded_utility"] == before.row("grounded_utility").before.value
    assert before.values()["aurc"] is not None
    assert sum(written["sections"].values()) > 0
    found = rescore(path, Measures(metrics=("answer_relevancy",), embed=HashingEmbedder().embed))
    assert found.values()["answer_relevancy"] > 0
    assert read_run(path).metrics[-1] == "answer_relevancy"
    assert len(lines(path / "scores.jsonl")) == 6 * len(read_run(path).metrics)


@pytest.mark.parametrize("threads", [1, 4])
def test_a_run_that_was_cut_off_asks_nothing_twice_and_ends_with_the_same_report(dataset, tmp_path, threads):
    def measured(engine, name, *, resume=False):
        setup = replace(setup_of(dataset, engine), threads=threads)
        return evaluate(setup, run_of(setup, tmp_path / name, resume), Measures())

    engine, whole, rest = CountingEngine(stop_after=2), CountingEngine(), CountingEngine()
    with pytest.raises(PowerCut):
        measured(engine, "cut")
    resumed = measured(rest, "cut", resume=True)
    uncut = measured(whole, "whole")
    assert len(engine.asked) == 2
    assert sorted(engine.asked + rest.asked) == sorted(whole.asked)
    assert (resumed.rows, resumed.canaries, resumed.headline) == (uncut.rows, uncut.canaries, uncut.headline)


@pytest.mark.parametrize("threads", [1, 4])
def test_a_judge_that_was_cut_off_goes_on_where_it_stopped(dataset, tmp_path, threads):
    class Mortal(WordJudge):
        left = 3

        def check(self, claim, passages, question=""):
            self.left -= 1
            if self.left < 0:
                raise PowerCut
            return super().check(claim, passages, question)

    setup, engine = setup_of(dataset), CountingEngine()
    with pytest.raises(PowerCut):
        evaluate(setup, run_of(setup, tmp_path / "run"), Measures(Mortal(), threads=threads))
    replay_report = {line["key"] for line in lines(tmp_path / "run" / "judgements.jsonl")}
    judge = WordJudge()
    again = setup_of(dataset, engine)
    found = evaluate(again, run_of(again, tmp_path / "run", resume=True), Measures(judge, threads=threads))
    assert engine.asked == []
    assert len(replay_report) == 3
    whole = setup_of(dataset)
    alone = WordJudge()
    assert found.rows == evaluate(whole, run_of(whole, tmp_path / "whole"), Measures(alone)).rows
    assert len(judge.asked) == len(alone.asked) - 3


def test_a_judge_that_writes_poems_ends_it_and_the_answers_are_kept(dataset, tmp_path):
    setup = setup_of(dataset)
    with pytest.raises(CorroborateError, match=r"is not a judge: it gave no verdict on .*Roses are red.*score RUN"):
        evaluate(setup, run_of(setup, tmp_path / "run"), Measures(LMJudge(Script(verdict="Roses are red.").lm())))
    assert len(lines(tmp_path / "run" / "predictions.jsonl")) == 6
    engine = CountingEngine()
    again = setup_of(dataset, engine)
    assert evaluate(again, run_of(again, tmp_path / "run", resume=True), Measures()).headline
    assert engine.asked == []


def test_a_compilation_keeps_its_choice_and_says_who_made_it(dataset, tmp_path):
    setup = setup_of(dataset, command="compile", optimizer="few_shot")
    before = compile_program(setup, run_of(setup, tmp_path / "run")).report
    n_lines = len(lines(tmp_path / "run" / "scores.jsonl"))
    after = rescore(tmp_path / "run", Measures(WordJudge()))
    assert after.choice == before.choice
    assert after.about["chosen by"] == CHECKER
    assert any(f"chosen by {CHECKER}" in each for each in after.warnings)
    assert len(lines(tmp_path / "run" / "scores.jsonl")) == n_lines
    back = rescore(tmp_path / "run", Measures())
    assert (back.rows, back.headline, back.warnings) == (before.rows, before.headline, before.warnings)


def test_a_run_without_its_questions_is_refused(evaluated):
    path, _ = evaluated
    (path / "questions.jsonl").unlink()
    with pytest.raises(UsageError, match="does not hold its questions"):
        rescore(path, Measures())


# Two runs compared from their files alone.

APP = "optimize.cli.app"
PAPERS = 8
QUESTIONS = {f"q{number}": f"P{number % PAPERS}" for number in range(40)}


def finished(path, values, *, split_hash="h1", judge="words/1"):
    settings = {"command": "eval", "split": "dev", "dataset": "invented", "splits": {"dev": split_hash}}
    made, name = open_run(path, settings, resume=False), path.name
    examples = {each: Example(each, f"{each}?", (paper,), answer="a") for each, paper in QUESTIONS.items()}
    records = [Record(name, "dev", each, "answered", "", {"answer": "", "passages": []}) for each in QUESTIONS]
    given = (Score(value, status="not_applicable" if value is None else "scored") for value in values)
    scores = [ItemScore(name, "dev", each, "answerability", one) for each, one in zip(QUESTIONS, given, strict=True)]
    asked, header = AskedExamples(examples, QUESTIONS, "dev"), ReportHeader("A run", {"judge": judge}, "x")
    report = build_report(header, asked, [MeasuredProgram(name, records, scores)], Ledger())
    made.write_questions(examples, QUESTIONS, "dev")
    made.predictions.replace(map(asdict, records))
    made.scores.replace(each.as_dict() for each in scores)
    made.write("report.json", json.dumps(report.as_dict()))
    return path


@pytest.fixture
def poor(tmp_path):
    return finished(tmp_path / "poor", [float(number % 3 == 0) for number in range(40)])


@pytest.fixture
def good(tmp_path):
    return finished(tmp_path / "good", [1.0] * 40)


def test_a_planted_difference_is_found_and_printed(poor, good):
    (row,) = compare_runs(read_run(poor), read_run(good))
    assert (row.before.value, row.after.value) == (0.35, 1.0)
    assert row.paired.difference == pytest.approx(0.65)
    assert row.paired.excludes_zero
    assert row.p_holm < 0.05
    assert row.paired.n_clusters == PAPERS
    ran = run("compare", poor, good, module=APP)
    for said in (
        "| answerability | 0.350 | 1.000 | +0.650 [",
        "40 questions on 8 papers",
        "**Better than poor: answerability 0.350 → 1.000, +0.650 (95 % interval",
        "> **Warning.** 8 papers are few to tell how much results vary",
    ):
        assert said in ran.stdout
    assert "good was judged by" not in ran.stdout
    ran = run("compare", poor, good, "--format", "json", module=APP)
    assert ran.json["metrics"][0]["paired"]["difference"] == pytest.approx(0.65)


def test_a_mean_over_a_part_of_the_questions_says_so(good, tmp_path):
    other = finished(tmp_path / "other", [1.0 if number < 10 else None for number in range(40)])
    ran = run("compare", good, other, module=APP)
    assert "| answerability | 1.000 | 1.000 (10/40) |" in ran.stdout


def test_a_metric_that_no_question_of_either_defines_has_no_row(tmp_path):
    runs = [read_run(finished(tmp_path / name, [1.0] * 40)) for name in ("one", "other")]
    for each in runs:
        lines = each.folder.path / "scores.jsonl"
        undefined = {"metric": "accuracy", "value": None, "status": "not_applicable"}
        more = [{**json.loads(line), **undefined} for line in lines.read_text().splitlines()]
        lines.write_text(lines.read_text() + "".join(json.dumps(each) + "\n" for each in more))
    assert "accuracy" in read_run(runs[0].folder.path).metrics
    rows = compare_runs(*(read_run(run.folder.path) for run in runs))
    assert [row.metric for row in rows] == ["answerability"]


def test_other_judges_and_a_run_twice_are_told(poor, good):
    other = finished(good.parent / "other", [1.0] * 40, judge="ollama/tiny#1")
    assert f"{poor} was judged by words/1, {other} by ollama/tiny#1" in run("compare", poor, other, module=APP).stdout
    assert run("compare", poor, poor, "--format", "json", module=APP).json["warnings"][1:] == ["Both are the same run."]


def test_runs_on_other_questions_and_unknown_metrics_are_refused(poor, good, tmp_path):
    other = finished(tmp_path / "other", [1.0] * 40, split_hash="h2")
    with pytest.raises(UsageError, match="compare runs on the same questions"):
        compare_runs(read_run(poor), read_run(other))
    with pytest.raises(UsageError, match="both have answerability"):
        compare_runs(read_run(poor), read_run(good), ["beauty"])


def test_of_a_compilation_the_chosen_program_is_compared(tmp_path):
    run = read_run(invented_run.write(tmp_path / "run").path)
    row, *_ = compare_runs(run, run)
    assert (row.metric, row.before.value) == ("grounded_utility", pytest.approx(0.4))


def test_of_a_run_that_went_on_with_another_state_the_one_of_its_report_is_compared(tmp_path, good):
    path = finished(tmp_path / "later", [1.0] * 40)
    lines = [json.loads(line) for line in (path / "scores.jsonl").read_text().splitlines()]
    other = [{**line, "candidate": "other", "value": 0.0} for line in lines]
    (path / "scores.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (*other, *lines, *other[:1])))
    (row,) = compare_runs(read_run(path), read_run(good))
    assert row.before.value == 1.0
