"""The scores of a sweep's cells, as one table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from metrics.catalogue import METRICS
from optimize.job import Job
from optimize.measuring.statistics import compare
from optimize.measuring.tables import UNDEFINED, number, table
from optimize.running.run_folder import RunFolder
from programs.results.harmless import as_markdown

COLUMNS = ("claim_groundedness", "nugget_recall", "citation_f1", "answerability", "accuracy", "ndcg_at_k")
"""Beside the objective and what the sweep names itself; one that no cell has is left out."""


@dataclass(frozen=True, slots=True)
class SweepResult:
    """One cell.

    Attributes:
        job: What was evaluated.
        run: Folder of its run.
        objective: Name of its first metric; empty if it failed.
        low: Lower end of the 95 % interval of the objective's mean; None with fewer than two papers.
        high: Its upper end.
        values: Means and aggregates by name; None where undefined.
        questions: How many were asked.
        judge: Who judged.
        state: The compiled state that the program had, "none" without one; empty if it failed.
        error: Why there is no result; empty if there is one.
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


def failed(job: Job, run: Path, error: Exception) -> SweepResult:
    """A cell without a result."""
    return SweepResult(job, run, error=f"{type(error).__name__}: {error}")


def read_result(job: Job, run: Path) -> SweepResult:
    """A finished cell's result, from its report."""
    return result_of(job, run, json.loads((run / "report.json").read_text(encoding="utf-8")))


def result_of(job: Job, run: Path, report: Mapping[str, Any]) -> SweepResult:
    """A cell's result.

    Args:
        job: What was evaluated.
        run: Its folder, with scores and questions.
        report: What ``optimize.evaluating.assess.Assessed.as_dict`` gives.
    """
    (together,) = report["aggregates"].values()
    means = {row["metric"]: row["before"]["value"] for row in report["rows"]}
    more = {name: together[name] for name in ("macro_f1", "answerability_balanced_accuracy", "over_abstention")}
    low, high = _interval(run, report["objective"], job.seed)
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
    """The table, and what failed under it.

    Args:
        results: One a cell, at least one.
        metrics: Further columns.
    """
    wanted = dict.fromkeys((*COLUMNS, *metrics))
    columns = [name for name in wanted if any(each.values.get(name) is not None for each in results)]
    columns = [name for name in columns if any(each.objective != name for each in results)]
    header = ("program", "model", "data", "state", "n", "objective [95 % interval]")
    names = [name if METRICS[name].higher_is_better else f"{name} ↓" for name in columns]
    rows = [_cells(each, columns) for each in results]
    judges = " and ".join(dict.fromkeys(each.judge for each in results if each.judge))
    title = f"# Sweep over {results[0].job.split}" + (f", judged by {judges}" if judges else "")
    lines = [title, "", *table((*header, *names, "LM calls", "p50 ms"), rows), *_failures(results)]
    return "\n".join(lines) + "\n"


def _cells(result: SweepResult, columns: Sequence[str]) -> tuple[str, ...]:
    job, values = result.job, result.values
    n = str(result.questions) if not result.error else "failed"
    numbers = (number(values.get(name)) for name in columns)
    cost = number(values.get("lm_calls"), 2), number(values.get("latency_p50_ms"), 0)
    return (
        job.program,
        job.lm,
        Path(job.dataset).name,
        result.state or job.state,
        n,
        _objective(result),
        *numbers,
        *cost,
    )


def _objective(result: SweepResult) -> str:
    if result.error:
        return UNDEFINED
    interval = "" if result.low is None else f" [{result.low:.3f}, {result.high:.3f}]"
    return f"{result.objective} {number(result.values.get(result.objective))}{interval}"


def _failures(results: Sequence[SweepResult]) -> list[str]:
    broken = [each for each in results if each.error]
    if not broken:
        return []
    return ["## Failed", "", *(f"- {each.run.name}: {as_markdown(each.error)}" for each in broken), ""]


def _interval(run: Path, metric: str, seed: int) -> tuple[float | None, float | None]:
    """Of a mean over papers, by the bootstrap that differences are given by; within [0, 1]."""
    folder = RunFolder(run)
    papers = {line["id"]: line["cluster"] for line in folder.questions.read()}
    lines = [each for each in folder.scores.read() if each["metric"] == metric and each["value"] is not None]
    if not lines:
        return None, None
    found = compare([each["value"] for each in lines], [papers[each["id"]] for each in lines], seed)
    if found.low is None or found.high is None:
        return None, None
    return max(0.0, found.low), min(1.0, found.high)
