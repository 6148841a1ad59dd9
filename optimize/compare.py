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
from optimize.optimizers.policy import UNCOMPILED
from optimize.run_folder import RunFolder
from optimize.statistics import Paired, compare, holm
from programs.errors import UsageError


@dataclass(frozen=True, slots=True)
class Side:
    """One run as it is compared.

    Attributes:
        path: Its folder.
        candidate: The version of the program: of a compilation the chosen one.
        split: The questions' split.
        data: Name of the data set and hash of the split.
        clusters: The paper of each question by id.
        scores: By metric and id.
    """

    path: Path
    candidate: str
    split: str
    data: tuple[str, str]
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
        paired: Difference, interval, p and what could be detected; None if no question is defined for both.
        p_holm: Its p, adjusted for the number of metrics.
    """

    metric: str
    higher_is_better: bool
    first: float | None
    second: float | None
    paired: Paired | None = None
    p_holm: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


def read_side(path: Path) -> Side:
    """Read a finished run.

    Raises:
        UsageError: The folder holds no run, or one that is not finished.
    """
    run = RunFolder(path)
    manifest = _manifest(path)
    lines = list(run.scores.read()) if run.scores.path.is_file() else []
    questions = list(run.questions.read()) if run.questions.path.is_file() else []
    if not lines or not questions:
        raise UsageError(f"the run in {path} is not finished; go on with it by --resume")
    split = "test" if manifest["command"] == "compile" else manifest["split"]
    reported = [line for line in lines if line["split"] == split]
    names = list(dict.fromkeys(line["candidate"] for line in reported))
    candidate = next((name for name in names if name != UNCOMPILED), UNCOMPILED)
    scores: dict[str, dict[str, Score]] = {}
    for line in reported:
        if line["candidate"] == candidate:
            found = Score(line["value"], line["feedback"], status=line["status"])
            scores.setdefault(line["metric"], {})[line["id"]] = found
    data = (str(manifest["dataset"]), str(manifest["splits"].get(split, "")))
    return Side(path, candidate, split, data, {each["id"]: each["cluster"] for each in questions}, scores)


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
    return Compared(metric, better, mean(one.values()).value, mean(other.values()).value, paired)


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"{path} holds no run; name a folder that `python -m optimize` made") from error
    except ValueError as error:
        raise UsageError(f"{path / 'manifest.json'} cannot be read: {error}") from error
    return manifest
