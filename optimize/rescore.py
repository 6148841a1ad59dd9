"""Measure a finished run again, by another judge or further metrics: from its files, without asking its program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dspy

from optimize.assess import Asked, Assessed, Measures, Story, assess
from optimize.generate import Record
from optimize.metering import Meter
from optimize.reporting.finished_run import FinishedRun, read_run
from optimize.run_folder import kept_calls
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
    run = read_run(path)
    meter = Meter(run.folder.sessions)
    try:
        with dspy.context(meter=meter), kept_calls(run.folder):
            return assess(run.folder, _asked(run), _answers(run), _metrics(run), _story(run, measures), measures, meter)
    finally:
        meter.write()


def _asked(run: FinishedRun) -> Asked:
    if not run.examples:
        raise UsageError(
            f"{run.folder.path} does not hold its questions; run its command again with --resume, which asks nothing "
            "again and writes them down"
        )
    return Asked(run.examples, run.clusters, run.split)


def _answers(run: FinishedRun) -> dict[str, list[Record]]:
    """The answers of the report's programs; a program that came out unchanged is in it twice."""
    answers = {}
    for name in run.programs:
        found = run.answers(name)
        missing = [each for each in run.examples if each not in found]
        if missing:
            raise UsageError(f"{run.folder.path} holds no answer of {name} to {', '.join(missing[:5])}; --resume it")
        answers[name] = [found[each] for each in run.examples]
    return answers


def _metrics(run: FinishedRun) -> tuple[str, ...]:
    scored = (line["metric"] for line in run.folder.scores.read() if line["split"] == run.split)
    return tuple(dict.fromkeys((run.report.objective, *scored)))


def _story(run: FinishedRun, measures: Measures) -> Story:
    report = run.report
    return Story(
        title=report.title,
        about=report.about,
        model=str(run.manifest.get("model", "")),
        choice=report.choice,
        warnings=(*_standing(report.warnings), *_chosen_by(report.about, report.choice, measures)),
        seed=int(run.manifest.get("seed", 0)),
    )
