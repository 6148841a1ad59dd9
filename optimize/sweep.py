"""Many evaluations as one: programs × language models × data sets × compiled states, in one folder, as one table.

    programs: [main_points, rag_fusion]
    lms: [extractive, ollama/gpt-oss]         # default: extractive
    datasets: [space_biology, my_folder]      # default: space_biology
    states: [none, best]                      # default: best
    split: dev                                # also: limit, seed, judge_lm, judge_nli, metrics, threads

Each cell is its own run, in its own folder. One that fails is written down, and the others continue.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from metrics.catalogue import METRICS
from optimize.assess import Measures
from optimize.dataset.splits import DEFAULT_DATASET, Dataset, load_dataset
from optimize.generate import WorkPlan
from optimize.job import EXTRACTIVE, Job, JobSetup, evaluate, plan, task_of
from optimize.judging import judge_of
from optimize.run_folder import RunFolder, check_same, open_run
from optimize.statistics import UNDEFINED, number, table
from programs.atomic_files import plain_values
from programs.errors import UsageError
from programs.results.rendering import harmless_line as as_markdown
from programs.retrieval.embedder import Embedder

Names: TypeAlias = Annotated[list[str], BeforeValidator(lambda said: [said] if isinstance(said, str) else said)]
"""A single name is a list of one."""


@dataclass(frozen=True, slots=True)
class Grid:
    """What a file of a sweep says; see the module."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    programs: Names
    lms: Names = field(default_factory=lambda: [EXTRACTIVE])
    datasets: Names = field(default_factory=lambda: [DEFAULT_DATASET])
    states: Names = field(default_factory=lambda: ["best"])
    split: str = "dev"
    limit: int | None = None
    seed: int = 0
    judge_lm: str = ""
    judge_nli: str = ""
    metrics: list[str] = field(default_factory=list)
    threads: int = 1

    def jobs(self) -> Iterator[Job]:
        """Every cell; those of one program over one data set follow one another."""
        for dataset, program, lm, state in product(self.datasets, self.programs, self.lms, self.states):
            yield Job("eval", program, dataset, lm, seed=self.seed, limit=self.limit, split=self.split, state=state)


MOST_CHARACTERS = 2**20
"""Characters of a sweep's file at most."""

_MORE = tuple(each.name for each in fields(Grid) if each.name != "programs")


def read_grid(path: Path) -> Grid:
    """Read a sweep's file; a UsageError if it is not there, not YAML, or does not have the fields of a Grid."""
    try:
        values = plain_values(path.read_text(encoding="utf-8"), MOST_CHARACTERS)
        grid: Grid = TypeAdapter(Grid).validate_json(json.dumps(values, default=str))
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {path}") from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'file'}: {each['msg']}" for each in error.errors())
        raise UsageError(f"{path} is not a sweep: {wrong}; it has programs, and may have {', '.join(_MORE)}") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    for name in ("programs", "lms", "datasets", "states"):
        listed = getattr(grid, name)
        if not listed or len(set(listed)) < len(listed):
            raise UsageError(f"{path}: {name} must name one or more, each once, got {listed}")
    return grid


@dataclass(frozen=True)
class Sweep:
    """A grid with what it needs; ``embedder`` turns text into vectors for programs, None for the configured one."""

    grid: Grid
    embedder: Embedder | None = None
    setup_of: Callable[..., JobSetup] = JobSetup

    @cached_property
    def datasets(self) -> Mapping[str, Dataset]:
        """Every data set, checked, by the name it is given in the grid."""
        return {name: load_dataset(name) for name in self.grid.datasets}

    @cached_property
    def measures(self) -> Measures:
        """How answers are measured: one judge for all cells."""
        judge = judge_of(self.grid.judge_lm, self.grid.judge_nli)
        return Measures(judge, tuple(self.grid.metrics), threads=self.grid.threads if self.grid.judge_lm else 1)

    def check(self) -> None:
        """Check, before anything runs, that every program, model, data set, split, metric and judge is there."""
        _ = self.measures
        for program in self.grid.programs:
            task_of(program)
        for dataset in self.datasets.values():
            dataset.split(self.grid.split, self.grid.limit)
        names: dict[str, Job] = {}
        for job in self.grid.jobs():
            self._setup(job)
            if (other := names.setdefault(cell_name(job), job)) is not job:
                raise UsageError(
                    f"{job} and {other} would share the folder {cell_name(job)}; rename a data set or state"
                )

    def plans(self) -> list[tuple[Job, WorkPlan]]:
        """What each cell will cost."""
        judged = bool(self.grid.judge_lm)
        return [(setup.job, plan(setup, judged=judged)) for setup in self._setups()]

    def run(self, folder: Path, on_cell: Callable[[int, SweepResult], None] = lambda *_: None) -> list[SweepResult]:
        """Evaluate every cell that has no result in the folder yet, each in its own folder.

        A UsageError says that a cell in the folder was started with other settings; nothing is changed.
        """
        for job in self.grid.jobs():
            if (folder / cell_name(job) / "manifest.json").exists():
                check_same(folder / cell_name(job), self._setup(job).manifest())
        results = []
        for setup in self._setups():
            results.append(self._result(setup, folder / cell_name(setup.job)))
            on_cell(len(results), results[-1])
        return results

    def _result(self, setup: JobSetup, path: Path) -> SweepResult:
        try:
            run = open_run(path, setup.manifest(), resume=True)
            report = self._report(run, setup) or evaluate(setup, run, self.measures).as_dict()
            return result_of(setup.job, path, report)
        except Exception as error:  # noqa: BLE001 - recorded, reported, and the reason of the exit code
            return SweepResult(setup.job, path, error=f"{type(error).__name__}: {error}")

    def _report(self, run: RunFolder, setup: JobSetup) -> dict[str, Any] | None:
        """A finished cell's report, unless it was measured otherwise."""
        if not (run.path / "report.json").exists():
            return None
        report: dict[str, Any] = json.loads((run.path / "report.json").read_text(encoding="utf-8"))
        scored = {line["metric"] for line in run.scores.read()}
        is_same = report["about"]["judge"] == self.measures.judge.name
        return report if is_same and scored.issuperset(self.measures.names(setup.task.metrics)) else None

    def _setups(self) -> Iterator[JobSetup]:
        """A setup a cell; those of one program over one data set share it, for an index can be opened only once."""
        last: JobSetup | None = None
        for job in self.grid.jobs():
            setup = self._setup(job)
            if last is not None and (last.job.dataset, last.job.program) == (job.dataset, job.program):
                vars(setup).update((name, made) for name, made in vars(last).items() if name == "_program")
            elif last is not None:
                _close(last)
            last = setup
            yield setup
        if last is not None:
            _close(last)

    def _setup(self, job: Job) -> JobSetup:
        setup = self.setup_of(job, self.embedder, self.grid.threads)
        vars(setup).update(dataset=self.datasets[job.dataset])
        return setup


def _close(setup: JobSetup) -> None:
    """Close the index that a setup's program asks, if it has one."""
    if close := getattr(getattr(vars(setup).get("_program"), "retriever", None), "close", None):
        close()


def cell_name(job: Job) -> str:
    """The folder of a cell: "rag_fusion.ollama-gpt-oss.space_biology.best"."""
    parts = (job.program, job.lm, Path(job.dataset).name, Path(job.state).stem)
    return ".".join("".join(each if each.isalnum() or each in "-_" else "-" for each in part) for part in parts)


COLUMNS = ("claim_groundedness", "nugget_recall", "citation_f1", "answerability", "accuracy", "ndcg_at_k")
"""Beside the objective and what the sweep names itself; one that no cell has is left out."""


@dataclass(frozen=True, slots=True)
class SweepResult:
    """One cell.

    Attributes:
        objective: Name of its first metric; empty if it failed.
        low, high: Ends of the 95 % interval of the objective's mean; None with fewer than two papers.
        values: Means and aggregates by name; None where undefined.
        state: The compiled state that the program had, "none" without one; empty if it failed.
    """

    job: Job
    run: Path
    objective: str = ""
    low: float | None = None
    high: float | None = None
    values: Mapping[str, float | None] = field(default_factory=dict)
    questions: int = 0
    judge: str = ""
    state: str = ""
    error: str = ""

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {**asdict(self), "run": str(self.run)}


def result_of(job: Job, run: Path, report: Mapping[str, Any]) -> SweepResult:
    """A cell's result, from its folder and what ``Report.as_dict`` gives."""
    (together,) = report["aggregates"].values()
    means = {row["metric"]: row["before"]["value"] for row in report["rows"]}
    more = {name: together[name] for name in ("macro_f1", "answerability_balanced_accuracy", "over_abstention")}
    alone = next((row["alone"] for row in report["rows"] if row["metric"] == report["objective"]), None)
    low = high = None
    if alone is not None and alone["low"] is not None:
        low, high = max(0.0, alone["low"]), min(1.0, alone["high"])
    return SweepResult(
        job=job,
        run=run,
        objective=report["objective"],
        low=low,
        high=high,
        values={**means, **more, **together["cost"]},
        questions=int(report["about"]["questions"]),
        judge=str(report["about"]["judge"]),
        state=Path(report["about"]["compiled state"]).name,
    )


def markdown(results: Sequence[SweepResult], metrics: Sequence[str] = ()) -> str:
    """The table of one or more cells with further columns, and what failed under it."""
    wanted = dict.fromkeys((*COLUMNS, *metrics))
    columns = [name for name in wanted if any(each.values.get(name) is not None for each in results)]
    columns = [name for name in columns if any(each.objective != name for each in results)]
    header = ("program", "model", "data", "state", "n", "objective [95 % interval]")
    names = [name if METRICS[name].higher_is_better else f"{name} ↓" for name in columns]
    rows = [_cells(each, columns) for each in results]
    judges = " and ".join(dict.fromkeys(each.judge for each in results if each.judge))
    title = f"# Sweep over {results[0].job.split}" + (f", judged by {judges}" if judges else "")
    failures = [f"- {each.run.name}: {as_markdown(each.error)}" for each in results if each.error]
    lines = [title, "", *table((*header, *names, "LM calls", "p50 ms"), rows)]
    return "\n".join([*lines, *(["## Failed", "", *failures, ""] if failures else [])]) + "\n"


def _cells(result: SweepResult, columns: Sequence[str]) -> tuple[str, ...]:
    job, values = result.job, result.values
    objective, n = UNDEFINED, "failed"
    if not result.error:
        interval = "" if result.low is None else f" [{result.low:.3f}, {result.high:.3f}]"
        objective, n = f"{result.objective} {number(values.get(result.objective))}{interval}", str(result.questions)
    numbers = (number(values.get(name)) for name in columns)
    cost = number(values.get("lm_calls"), 2), number(values.get("latency_p50_ms"), 0)
    return job.program, job.lm, Path(job.dataset).name, result.state or job.state, n, objective, *numbers, *cost
