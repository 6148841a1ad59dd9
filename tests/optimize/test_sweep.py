"""Many evaluations as one: all cells, one table, and a broken cell harms no other."""

import pytest

from optimize.job import Job, JobSetup
from optimize.sweep import Grid, Sweep, SweepResult, cell_name, markdown, read_grid
from programs.errors import UsageError
from programs.lm.ollama_errors import NoServer
from tests.command_line import run
from tests.counting_lm import CountingEngine, PowerCut
from tests.hashing_embedder import HashingEmbedder

pytestmark = pytest.mark.slow

APP = "optimize.cli.app"


class Unplugged(CountingEngine):
    def complete(self, request):
        raise NoServer("no Ollama at 127.0.0.1; start it with `ollama serve`")


@pytest.fixture
def grid(dataset):
    return Grid(["main_points", "multi_signal"], ["one", "broken"], [dataset], ["none"], split="val")


def sweep(grid, engines):
    def setup_of(job, embedder, threads):
        return JobSetup(job, embedder, threads, lm=engines[job.lm].lm(cache=True))

    return Sweep(grid, HashingEmbedder(), setup_of)


def test_a_broken_cell_is_told_and_the_others_go_on(grid, tmp_path):
    seen = []
    results = sweep(grid, {"one": CountingEngine(), "broken": Unplugged()}).run(
        tmp_path, lambda done, result: seen.append((done, result.run.name, bool(result.error)))
    )
    assert seen == [
        (1, "main_points.one.small.none", False),
        (2, "main_points.broken.small.none", True),
        (3, "multi_signal.one.small.none", False),
        (4, "multi_signal.broken.small.none", True),
    ]
    assert "ollama serve" in results[1].error
    assert results[0].questions == 4
    assert 0 <= results[0].low <= results[0].values["grounded_utility"] <= results[0].high <= 1
    text = markdown(results)
    assert "| main_points | one | small | none | 4 | grounded_utility" in text
    assert "| main_points | broken | small | none | failed | –" in text
    assert "- multi_signal.broken.small.none: NoServer: no Ollama" in text


def test_going_on_asks_only_what_has_no_result(grid, tmp_path):
    first = CountingEngine()
    before = sweep(grid, {"one": first, "broken": Unplugged()}).run(tmp_path)
    again, mended = CountingEngine(), CountingEngine()
    after = sweep(grid, {"one": again, "broken": mended}).run(tmp_path)
    assert again.asked == []
    assert len(mended.asked) == len(first.asked) > 0
    assert [each.error for each in after] == [""] * 4
    assert after[0] == before[0]


def test_a_sweep_that_was_cut_off_asks_nothing_twice(grid, tmp_path):
    engine = CountingEngine(stop_after=3)
    with pytest.raises(PowerCut):
        sweep(grid, {"one": engine, "broken": Unplugged()}).run(tmp_path)
    rest = CountingEngine()
    sweep(grid, {"one": rest, "broken": Unplugged()}).run(tmp_path)
    whole = CountingEngine()
    sweep(grid, {"one": whole, "broken": Unplugged()}).run(tmp_path / "other")
    assert len(engine.asked) + len(rest.asked) == len(whole.asked)


def test_another_judge_or_metric_measures_finished_cells_again(dataset, tmp_path):
    engines = {"one": CountingEngine()}
    grid = Grid(["main_points"], ["one"], [dataset], ["none"], split="val")
    sweep(grid, engines).run(tmp_path)
    n_calls = len(engines["one"].asked)
    more = Grid(["main_points"], ["one"], [dataset], ["none"], split="val", metrics=["mrr"])
    (found,) = sweep(more, engines).run(tmp_path)
    assert found.values["mrr"] == 1
    assert len(engines["one"].asked) == n_calls
    assert "| mrr |" in markdown([found], ["mrr"])


def test_folders_of_cells_can_be_told_apart_and_written():
    job = Job("eval", "rag_fusion", "data/my set", "ollama/qwen3:8b", state="runs/r1/compiled.json")
    assert cell_name(job) == "rag_fusion.ollama-qwen3-8b.my-set.compiled"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("programs: [main_points]\nmodels: [a]", "models: Unexpected"),
        (
            "programs: 3",
            "programs: Input should be a valid array.*; it has programs, and may have lms, datasets, states, split",
        ),
        ("lms: [extractive]", "programs: Field required"),
        ("programs: []", r"programs must name one or more, each once, got \[\]"),
        ("programs: [a, a]", "each once"),
        ("programs: [a]\nlimit: many", "limit: Input should be a valid integer"),
        ("just words", "file: Input should be an object"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_wrong_file_is_named(tmp_path, text, message):
    path = tmp_path / "sweep.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_grid(path)


def test_other_settings_are_refused_before_anything_is_touched(dataset, tmp_path):
    def sweep(seed):
        grid = Grid(programs=["lead", "majority"], datasets=[dataset], states=["none"], split="val", seed=seed)
        return Sweep(grid, embedder=HashingEmbedder())

    before = [each.as_dict() for each in sweep(0).run(tmp_path)]
    with pytest.raises(UsageError, match="started with other settings: seed was 0 and is 1"):
        sweep(1).run(tmp_path)
    assert [each.as_dict() for each in sweep(0).run(tmp_path)] == before


def test_a_single_name_needs_no_brackets(tmp_path):
    path = tmp_path / "sweep.yaml"
    path.write_text("programs: main_points\nlms: [extractive]\nsplit: val\n")
    grid = read_grid(path)
    assert (grid.programs, grid.lms, grid.split) == (["main_points"], ["extractive"], "val")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"programs": ["main_point"]}, "'main_point' cannot be compiled or evaluated"),
        ({"lms": ["ollama"]}, "names no model"),
        ({"datasets": ["nowhere"]}, "no data set 'nowhere'"),
        ({"split": "exam"}, "no split 'exam'"),
        ({"metrics": ["beauty"]}, "there is no metric beauty"),
        ({"judge_lm": "extractive", "judge_nli": "m"}, "there is one judge"),
    ],
)
def test_names_are_checked_before_anything_runs(dataset, wrong, message):
    values = {"programs": ["main_points"], "datasets": [dataset], "split": "val", **wrong}
    with pytest.raises(UsageError, match=message):
        Sweep(Grid(**values)).check()


def test_the_command_plans_runs_and_goes_on(dataset, embedder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "two.yaml"
    file.write_text(f"programs: [main_points]\ndatasets: [{dataset}]\nstates: [none]\nsplit: val\nlimit: 2\n")
    planned = run("sweep", file, "--dry-run", "--format", "json", module=APP)
    assert planned.json["main_points.extractive.small.none"]["runs"] == 2
    assert not (tmp_path / "runs").exists()
    ran = run("sweep", file, module=APP)
    assert ran.code == 0
    assert "| main_points | extractive | small | none | 2 |" in ran.stdout
    assert "1/1 main_points.extractive.small.none: grounded_utility" in ran.stderr
    again = run("sweep", file, "--resume", "--format", "json", module=APP)
    assert again.json["cells"][0]["values"]["grounded_utility"] is not None
    (folder,) = (tmp_path / "runs").iterdir()
    assert (folder / "table.md").read_text() in ran.stdout
    refused = run("sweep", file, "--output", folder, module=APP)
    assert (refused.code, refused.stdout) == (2, "")


def test_a_judge_that_is_asked_is_in_the_plan(dataset, embedder):
    grid = Grid(programs=["main_points"], datasets=[dataset], split="val", limit=2, judge_lm="extractive")
    assert [each.judged for _, each in Sweep(grid, embedder).plans()] == [2]


def test_what_a_model_wrote_in_an_error_is_text(tmp_path):
    job = Job("eval", "main_points", "small")
    text = markdown([SweepResult(job, tmp_path, error="ValueError: It wrote: '<b>![x](http://evil)'\n# Title")])
    assert r"ValueError: It wrote: '\<b\>!\[x\](http://evil)' # Title" in text


def test_the_command_fails_when_a_cell_does(dataset, embedder, tmp_path):
    file = tmp_path / "bad.yaml"
    state = tmp_path / "nowhere.json"
    file.write_text(f"programs: [main_points]\ndatasets: [{dataset}]\nstates: [none, {state}]\nsplit: val\nlimit: 2\n")
    ran = run("sweep", file, "--output", tmp_path / "s", "--format", "json", module=APP)
    assert ran.code == 1
    assert [bool(cell["error"]) for cell in ran.json["cells"]] == [False, True]
    assert "1 of 2 cells failed: main_points.extractive.small.nowhere" in ran.stderr
