"""Two runs compared from their files alone."""

import json

import pytest

from optimize.dataset.example import Example
from optimize.evaluating.compare import compare_runs, read_side
from optimize.running.run_folder import open_run
from programs.errors import UsageError
from tests.command_line import run

APP = "optimize.cli.app"
PAPERS = 8
QUESTIONS = {f"q{number}": f"P{number % PAPERS}" for number in range(40)}


def finished(path, values, *, split_hash="h1", metric="answerability"):
    settings = {"command": "eval", "split": "dev", "dataset": "invented", "splits": {"dev": split_hash}}
    made = open_run(path, settings, resume=False)
    examples = {each: Example(each, f"{each}?", (paper,), answer="a") for each, paper in QUESTIONS.items()}
    made.write_questions(examples, QUESTIONS, "dev")
    lines = [
        {"candidate": path.name, "split": "dev", "id": each, "metric": metric, "value": value}
        for each, value in zip(QUESTIONS, values, strict=True)
    ]
    made.scores.replace(
        {**line, "status": "not_applicable" if line["value"] is None else "scored", "feedback": ""} for line in lines
    )
    return path


@pytest.fixture
def poor(tmp_path):
    return finished(tmp_path / "poor", [float(number % 3 == 0) for number in range(40)])


@pytest.fixture
def good(tmp_path):
    return finished(tmp_path / "good", [1.0] * 40)


def test_a_planted_difference_is_found(poor, good):
    (row,) = compare_runs(read_side(poor), read_side(good))
    assert (row.first, row.second) == (0.35, 1.0)
    assert row.paired.difference == pytest.approx(0.65)
    assert row.paired.excludes_zero
    assert row.p_holm < 0.05
    assert row.paired.n_clusters == PAPERS


def test_the_command_prints_a_table_and_json(poor, good):
    ran = run("compare", poor, good, module=APP)
    assert "| answerability | 0.350 | 1.000 | +0.650 [" in ran.stdout
    assert "40 questions on 8 papers" in ran.stdout
    ran = run("compare", poor, good, "--format", "json", module=APP)
    assert ran.json["metrics"][0]["paired"]["difference"] == pytest.approx(0.65)


def test_a_mean_over_a_part_of_the_questions_says_so(good, tmp_path):
    other = finished(tmp_path / "other", [1.0 if number < 10 else None for number in range(40)])
    ran = run("compare", good, other, module=APP)
    assert "| answerability | 1.000 | 1.000 (10/40) |" in ran.stdout


def test_other_judges_and_a_run_twice_are_told(poor, good):
    for path, judge in ((poor, "support-check/1"), (good, "ollama/tiny#1")):
        (path / "report.json").write_text(json.dumps({"about": {"judge": judge}}))
    ran = run("compare", poor, good, module=APP)
    assert "good was judged by" not in ran.stdout
    assert f"{poor} was judged by support-check/1, {good} by ollama/tiny#1" in ran.stdout
    assert run("compare", poor, poor, "--format", "json", module=APP).json["warnings"] == ["Both are the same run."]


def test_a_run_of_several_seeds_names_its_runs(poor, tmp_path):
    seeds = tmp_path / "seeds"
    finished(seeds, [1.0] * 40)
    (seeds / "seed-3").mkdir()
    for path, report in ((seeds, {"seeds": []}), (seeds / "seed-3", {})):
        (path / "report.json").write_text(json.dumps(report))
    with pytest.raises(UsageError, match=r"several seeds: compare one of .*seed-3"):
        read_side(seeds)


def test_runs_on_other_questions_are_refused(poor, tmp_path):
    other = finished(tmp_path / "other", [1.0] * 40, split_hash="h2")
    with pytest.raises(UsageError, match="compare runs on the same questions"):
        compare_runs(read_side(poor), read_side(other))


def test_an_unknown_metric_names_those_there_are(poor, good):
    with pytest.raises(UsageError, match="both have answerability"):
        compare_runs(read_side(poor), read_side(good), ["beauty"])


def test_what_is_no_run_is_refused(tmp_path, poor):
    with pytest.raises(UsageError, match="holds no run"):
        read_side(tmp_path)
    (poor / "scores.jsonl").unlink()
    with pytest.raises(UsageError, match="not finished"):
        read_side(poor)


def test_of_a_compilation_the_chosen_program_is_compared(tmp_path):
    path = finished(tmp_path / "chosen", [1.0] * 40)
    lines = [json.loads(line) for line in (path / "scores.jsonl").read_text().splitlines()]
    before = [{**line, "candidate": "uncompiled", "value": 0.0} for line in lines]
    (path / "scores.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (*before, *lines)))
    assert read_side(path).candidate == "chosen"


def test_of_a_run_that_went_on_with_another_state_the_one_of_its_report_is_compared(tmp_path):
    path = finished(tmp_path / "later", [1.0] * 40)
    lines = [json.loads(line) for line in (path / "scores.jsonl").read_text().splitlines()]
    other = [{**line, "candidate": "other", "value": 0.0} for line in lines]
    (path / "scores.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (*other, *lines, *other[:1])))
    for named in ("later", "other"):
        (path / "report.json").write_text(json.dumps({"aggregates": {named: {}}}))
        assert read_side(path).candidate == named
    (path / "report.json").write_text(json.dumps({"aggregates": {"neither": {}}}))
    with pytest.raises(UsageError, match="not finished"):
        read_side(path)
