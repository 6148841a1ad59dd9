"""Two finished runs on the same questions: which is better, by how much, and whether it is more than chance.

Everything is read from the runs' folders; nothing is asked again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from metrics.catalogue import METRICS
from metrics.score import Score, mean
from optimize.measuring.statistics import Paired, compare, holm
from optimize.running.run_folder import RunFolder, read_manifest
from programs.errors import UsageError


@dataclass(frozen=True, slots=True)
class Side:
    """One run as it is compared.

    Attributes:
        path: Its folder.
        candidate: The version of the program: of a compilation the chosen one.
        split: The questions' split.
        data: Name of the data set and hash of the split.
        judge: Who judged its claims; empty where the run does not say.
        clusters: The paper of each question by id.
        scores: By metric and id.
    """

    path: Path
    candidate: str
    split: str
    data: tuple[str, str]
    judge: str
    clusters: Mapping[str, str]
    scores: Mapping[str, Mapping[str, Score]]


@dataclass(frozen=True, slots=True)
class Compared:
    """One metric of both runs; the difference is second − first, over the questions for which both are defined.

    Attributes:
        metric: Its name.
        higher_is_better: Whether more is better.
        first: Mean of the first run; None if it is undefined for all its questions.
        second: Mean of the second.
        n: Questions.
        n_first: Those that the first run has a value of its own for.
        n_second: Those that the second has.
        paired: Difference, interval, p and what could be detected; None if no question is defined for both.
        p_holm: Its p, adjusted for the number of metrics.
    """

    metric: str
    higher_is_better: bool
    first: float | None
    second: float | None
    n: int
    n_first: int
    n_second: int
    paired: Paired | None = None
    p_holm: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


def read_side(path: Path) -> Side:
    """Read a finished run.

    Raises:
        UsageError: The folder holds no run, one that is not finished, or one of several seeds.
    """
    run = RunFolder(path)
    manifest, report = read_manifest(path), _report(path)
    lines = list(run.scores.read()) if run.scores.path.is_file() else []
    questions = list(run.questions.read()) if run.questions.path.is_file() else []
    if not lines or not questions:
        raise _unfinished(path)
    split = "test" if manifest["command"] == "compile" else str(manifest.get("split", ""))
    reported = [line for line in lines if line["split"] == split]
    names = list(dict.fromkeys(line["candidate"] for line in reported))
    # A run that was resumed with another compiled state has scores of both; its report says which it ended with.
    candidate = [*names, *report.get("aggregates", ())][-1] if names else ""
    if candidate not in names:
        raise _unfinished(path)
    scores: dict[str, dict[str, Score]] = {}
    for line in reported:
        if line["candidate"] == candidate:
            found = Score(line["value"], line["feedback"], status=line["status"])
            scores.setdefault(line["metric"], {})[line["id"]] = found
    data = (str(manifest.get("dataset", "")), str(dict(manifest.get("splits", {})).get(split, "")))
    judge = str(report.get("about", {}).get("judge", ""))
    return Side(path, candidate, split, data, judge, {each["id"]: each["cluster"] for each in questions}, scores)


def _unfinished(path: Path) -> UsageError:
    return UsageError(f"the run in {path} is not finished; go on with it by --resume")


def _report(path: Path) -> dict[str, Any]:
    """The run's report; empty without one."""
    place = path / "report.json"
    try:
        report = dict(json.loads(place.read_text(encoding="utf-8"))) if place.exists() else {}
    except (OSError, TypeError, ValueError) as error:
        raise UsageError(
            f"{place} cannot be read ({error}); go on with the run by --resume, which writes it"
        ) from error
    if "seeds" in report:
        each = ", ".join(sorted(str(found.parent) for found in path.glob("seed-*/report.json")))
        raise UsageError(f"{path} holds a run for each of several seeds: compare one of {each}")
    return report


def doubts(first: Side, second: Side) -> list[str]:
    """What a reader of the comparison must know."""
    found = []
    if first.path.resolve() == second.path.resolve():
        found.append("Both are the same run.")
    if first.judge != second.judge:
        found.append(
            f"{first.path} was judged by {first.judge or 'an unnamed judge'}, {second.path} by "
            f"{second.judge or 'an unnamed judge'}: that alone changes metrics that rest on judgements. Measure "
            "one by the judge of the other with `python -m optimize score`."
        )
    return found


def compare_runs(first: Side, second: Side, metrics: Sequence[str] = (), seed: int = 0) -> list[Compared]:
    """Compare two runs, metric by metric.

    Args:
        first: One run.
        second: The other.
        metrics: Names; by default all that both have.
        seed: Of resampling.

    Raises:
        UsageError: They were not asked the same questions, or a metric is not in both.
    """
    if first.clusters.keys() != second.clusters.keys() or first.data[1] != second.data[1]:
        raise UsageError(
            f"{first.path} is on {first.split} of {first.data[0]} ({len(first.clusters)} questions), {second.path} on "
            f"{second.split} of {second.data[0]} ({len(second.clusters)}); compare runs on the same questions"
        )
    shared = [metric for metric in first.scores if metric in second.scores]
    unknown = [metric for metric in metrics if metric not in shared]
    if unknown:
        raise UsageError(f"not both runs have {', '.join(unknown)}; both have {', '.join(shared)}")
    rows = [_row(metric, first, second, seed) for metric in metrics or shared]
    adjusted = holm({row.metric: row.paired.p for row in rows if row.paired and row.paired.p is not None})
    return [replace(row, p_holm=adjusted.get(row.metric)) for row in rows]


def _row(metric: str, first: Side, second: Side, seed: int) -> Compared:
    one, other = first.scores[metric], second.scores[metric]
    both = [each for each in one if each in other and one[each].value is not None and other[each].value is not None]
    differences = [float(other[each]) - float(one[each]) for each in both]
    paired = compare(differences, [first.clusters[each] for each in both], seed) if both else None
    better = METRICS[metric].higher_is_better if metric in METRICS else True
    mine, others = mean(one.values()), mean(other.values())
    n_scored = mine.n_scored, others.n_scored
    return Compared(metric, better, mine.value, others.value, mine.n_total, *n_scored, paired)
