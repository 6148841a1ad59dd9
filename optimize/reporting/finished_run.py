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
from optimize.dataset.example import Example
from optimize.reporting.report import Report
from optimize.running.generate import Record, Records
from optimize.running.run_folder import RunFolder, read_manifest
from programs.errors import UsageError
from programs.state import State, read_state

_REPORT = TypeAdapter(Report)
_EXAMPLE = TypeAdapter(Example)
_EXAMPLE_FIELDS = {each.name for each in fields(Example)}


@dataclass(frozen=True)
class FinishedRun:
    """What a run's folder holds.

    Attributes:
        folder: Its folder.
        manifest: What was asked for.
        report: Scores, comparison and costs, as in the file.
        examples: The questions that the report is on, with their gold data, by id; empty for a run of an early version.
        clusters: The paper of each question, by id.
        records: What programs answered.
        judgements: What the judge said of claims, by key.
    """

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

    def state(self, candidate: str) -> State | None:
        """A candidate's prompts, demos and parameters, where the run made it."""
        path = self.folder.state(candidate)
        return read_state(path) if path.is_file() else None

    @cached_property
    def _scores(self) -> dict[tuple[str, str], dict[str, Score]]:
        found: dict[tuple[str, str], dict[str, Score]] = {}
        for line in self.folder.scores.read():
            if line["split"] == self.split:
                score = Score(line["value"], line["feedback"], status=line["status"])
                found.setdefault((line["candidate"], line["metric"]), {})[line["id"]] = score
        return found


def read_run(path: Path) -> FinishedRun:
    """Read a run's folder.

    Raises:
        UsageError: It holds no run, one that is not finished, one of several seeds, or a file of it cannot be read.
    """
    folder = RunFolder(path)
    manifest = read_manifest(path)
    report = _document(path / "report.json", f"the run in {path} is not finished; go on with it by --resume")
    if "seeds" in report:
        each = ", ".join(sorted(str(found.parent) for found in path.glob("seed-*/report.json")))
        raise UsageError(f"{path} holds a run for each of several seeds, with a report of its own: name one of {each}")
    if manifest["command"] != "compile" and not isinstance(manifest.get("split"), str):
        raise UsageError(f"{path / 'manifest.json'} was changed: it names no split; name another run")
    questions = list(folder.questions.read())
    finished = FinishedRun(
        folder=folder,
        manifest=manifest,
        report=_report(path, manifest, report),
        examples={line["id"]: _example(line) for line in questions},
        clusters={line["id"]: str(line["cluster"]) for line in questions},
        records=tuple(Records(folder.predictions)),
        judgements={line["key"]: Judgement.from_dict(line) for line in folder.judgements.read()},
    )
    _check_whole(finished)
    return finished


def _check_whole(run: FinishedRun) -> None:
    """Refuse a run of which answers are missing that its report is on."""
    for program in filter(None, (run.before, run.after)):
        answers = run.answers(program)
        if lacking := [name for name in run.examples if name not in answers]:
            raise UsageError(
                f"{run.folder.predictions.path} has no answer of {program} to {lacking[0]}; the run's command with "
                "--resume asks it again"
            )


def _report(path: Path, manifest: Mapping[str, Any], values: Mapping[str, Any]) -> Report:
    try:
        report = _REPORT.validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise _of_another_version(path, manifest, f"{place}: {first['msg']}") from error
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


def _example(line: Mapping[str, Any]) -> Example:
    return _EXAMPLE.validate_python({name: value for name, value in line.items() if name in _EXAMPLE_FIELDS})


def _document(path: Path, missing: str) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UsageError(missing) from error
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
