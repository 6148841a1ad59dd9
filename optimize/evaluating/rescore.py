"""Measure a finished run again, by another judge or further metrics: from its files, without asking its program."""

from __future__ import annotations

from pathlib import Path

import dspy

from optimize.evaluating.assess import Answers, AskedExamples, Assessed, Measures, ReportHeader, assess
from optimize.reporting.finished_run import FinishedRun, read_run
from optimize.running.generate import Record
from optimize.running.metering import Meter
from optimize.running.run_folder import kept_calls
from programs.errors import UsageError


def rescore(path: Path, measures: Measures) -> Assessed:
    """Judge, score and report a finished run anew; what this judge said of it before is not asked again.

    Of a compilation, both programs of its report are measured; its choice among candidates stays as it was made.

    Args:
        path: The run's folder.
        measures: How answers are measured.

    Raises:
        UsageError: The folder holds no finished run.
    """
    with kept_calls(read_run(path).folder):
        run = read_run(path)
        meter = Meter(run.folder.sessions, counts_time=False)
        try:
            with dspy.context(meter=meter):
                return assess(run.folder, _asked(run), _answers(run), _metrics(run), _header(run), measures, meter)
        finally:
            meter.write()


def measured_in(path: Path) -> tuple[str, ...]:
    """Names of the metrics of a finished run, the objective first; raises as ``rescore``."""
    return _metrics(read_run(path))


def _asked(run: FinishedRun) -> AskedExamples:
    if not run.examples:
        raise UsageError(
            f"{run.folder.path} does not hold its questions; run its command again with --resume, which asks nothing "
            "again and writes them down"
        )
    return AskedExamples(run.examples, run.clusters, run.split)


def _answers(run: FinishedRun) -> list[Answers]:
    """The answers of the report's programs: of a compilation always two, though it may have come out unchanged."""
    names = (run.before, run.reported) if run.is_compilation else (run.reported,)
    return [Answers(name, _records(run, name)) for name in names]


def _records(run: FinishedRun, name: str) -> list[Record]:
    found = run.answers(name)
    missing = [each for each in run.examples if each not in found]
    if missing:
        raise UsageError(
            f"{run.folder.path} holds no answer of {name} to {', '.join(missing[:5])}; run its command again with "
            "--resume"
        )
    return [found[each] for each in run.examples]


def _metrics(run: FinishedRun) -> tuple[str, ...]:
    scored = (line["metric"] for line in run.folder.scores.read() if line["split"] == run.split)
    return tuple(dict.fromkeys((run.report.objective, *scored)))


def _header(run: FinishedRun) -> ReportHeader:
    report = run.report
    return ReportHeader(
        title=report.title,
        about=report.about,
        model=str(run.manifest.get("model", "")),
        choice=report.choice,
        warnings=report.lasting,
        seed=int(run.manifest.get("seed", 0)),
        chosen_by=str(report.about.get("chosen by", report.about["judge"])) if report.choice else "",
    )
