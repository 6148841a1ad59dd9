"""A finished run, read back from its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from metrics.catalogue import METRICS
from metrics.judgements import Judgement
from metrics.score import Score
from optimize.dataset import Example
from optimize.generate import Record, Records
from optimize.report import Report
from optimize.run_folder import RunFolder, read_manifest
from programs.compiled_state import State, read_state
from programs.errors import UsageError

_REPORT = TypeAdapter(Report)
_EXAMPLE = TypeAdapter(Example)
_EXAMPLE_FIELDS = {each.name for each in fields(Example)}


@dataclass(frozen=True)
class FinishedRun:
    """What a run's folder holds; ``examples`` are the questions of the report."""

    folder: RunFolder
    manifest: Mapping[str, Any]
    report: Report
    examples: Mapping[str, Example]
    clusters: Mapping[str, str]
    records: tuple[Record, ...]
    judgements: Mapping[str, Judgement]

    @property
    def is_compilation(self) -> bool:
        """Whether a program was compiled, not only asked."""
        return self.manifest.get("command") == "compile"

    @property
    def split(self) -> str:
        """The split that the report is on."""
        return "test" if self.is_compilation else str(self.manifest["split"])

    @property
    def programs(self) -> tuple[str, ...]:
        """The program as it was, and the compiled one where that is another; names of candidates."""
        return tuple(self.report.aggregates)

    @property
    def before(self) -> str:
        """The uncompiled program, or the only one."""
        return self.programs[0]

    @property
    def after(self) -> str | None:
        """The compiled program; None if it is the same as ``before``."""
        return self.programs[1] if len(self.programs) > 1 else None

    @property
    def reported(self) -> str:
        """The program that the run ends with."""
        return self.programs[-1]

    def answers(self, candidate: str, split: str | None = None) -> dict[str, Record]:
        """A candidate's records by id of the question; by default those that the report is on."""
        wanted = split or self.split
        return {each.id: each for each in self.records if (each.candidate, each.split) == (candidate, wanted)}

    def values(self, candidate: str, metric: str) -> dict[str, Score]:
        """A metric of the answers that the report is on, by id of the question."""
        return self._scores.get((candidate, metric), {})

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of its answers, the objective first."""
        return tuple(dict.fromkeys((self.report.objective, *(metric for _, metric in self._scores))))

    @property
    def judge(self) -> str:
        """The name of the judge that it was measured by."""
        return str(self.report.about.get("judge", ""))

    @property
    def data(self) -> tuple[str, str]:
        """The name of its data set, and the hash of the split."""
        return str(self.manifest.get("dataset", "")), str(self.manifest.get("splits", {}).get(self.split, ""))

    def state(self, candidate: str) -> State | None:
        """A candidate's prompts, demos and parameters, where the run made it."""
        path = self.folder.state(candidate)
        return read_state(path) if path.is_file() else None

    @cached_property
    def _scores(self) -> dict[tuple[str, str], dict[str, Score]]:
        return scores_in(self.folder, self.split)


def scores_in(run: RunFolder, split: str) -> dict[tuple[str, str], dict[str, Score]]:
    """A run's scores on a split by candidate and metric, each by id of the question."""
    found: dict[tuple[str, str], dict[str, Score]] = {}
    for line in run.scores.read():
        if line["split"] == split:
            score = Score(line["value"], line["feedback"], status=line["status"])
            found.setdefault((line["candidate"], line["metric"]), {})[line["id"]] = score
    return found


def read_run(path: Path) -> FinishedRun:
    """Read a run's folder; a UsageError if it holds none, one that is not finished, or a file that cannot be read."""
    folder = RunFolder(path)
    manifest = read_manifest(path)
    report = _report(path, manifest)
    if manifest["command"] != "compile" and not isinstance(manifest.get("split"), str):
        raise UsageError(f"{path / 'manifest.json'} was changed: it names no split; name another run")
    questions = list(folder.questions.read())
    if not questions:
        raise UsageError(
            f"{path} does not hold its questions; run its command again with --resume, which asks nothing again and "
            "writes them down"
        )
    finished = FinishedRun(
        folder=folder,
        manifest=manifest,
        report=report,
        examples={
            line["id"]: _EXAMPLE.validate_python({name: line[name] for name in line.keys() & _EXAMPLE_FIELDS})
            for line in questions
        },
        clusters={line["id"]: str(line["cluster"]) for line in questions},
        records=tuple(Records(folder.predictions)),
        judgements={line["key"]: Judgement.from_dict(line) for line in folder.judgements.read()},
    )
    for program in finished.programs:
        answers = finished.answers(program)
        if lacking := [name for name in finished.examples if name not in answers]:
            raise UsageError(
                f"{folder.predictions.path} has no answer of {program} to {lacking[0]}; the run's command with "
                "--resume asks it again"
            )
        if not finished.values(program, finished.report.objective):
            raise _unfinished(path)
    return finished


def _report(path: Path, manifest: Mapping[str, Any]) -> Report:
    place = path / "report.json"
    try:
        values = json.loads(place.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _unfinished(path) from error
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{place} cannot be read ({error}); continue the run with --resume, which writes it"
        ) from error
    try:
        report = _REPORT.validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise _of_another_version(path, manifest, f"{where}: {first['msg']}") from error
    metrics = {row.metric for row in report.rows}
    if unknown := sorted(metrics - METRICS.keys()):
        raise _of_another_version(path, manifest, f"there is no metric {unknown[0]!r}")
    if report.objective not in metrics:
        raise _of_another_version(path, manifest, f"its objective {report.objective!r} has no row")
    if not 1 <= len(report.aggregates) <= 2:
        raise _of_another_version(path, manifest, f"it is on {len(report.aggregates)} programs, not on one or two")
    return report


def _of_another_version(path: Path, manifest: Mapping[str, Any], why: str) -> UsageError:
    return UsageError(
        f"{path / 'report.json'} is of another version ({why}); the run's command with --resume writes it anew and "
        f"asks nothing again: python -m optimize {manifest['command']} {manifest.get('program', '')} … --output {path} "
        "--resume"
    )


def _unfinished(path: Path) -> UsageError:
    """What to raise for a run that is not at its end."""
    return UsageError(f"the run in {path} is not finished; continue it with --resume")
