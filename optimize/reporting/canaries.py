"""Worthless answers beside the programs: what each gets of the objective."""

from __future__ import annotations

from dataclasses import dataclass

from optimize.plots.bars import bar
from optimize.plots.drawing import Drawing, Tone
from optimize.reporting.finished_run import FinishedRun


@dataclass(frozen=True, slots=True)
class Rival:
    """A program or a canary, with its mean objective on the same questions."""

    name: str
    value: float
    tone: Tone
    drawing: Drawing


def rivals(run: FinishedRun) -> tuple[Rival, ...]:
    """Programs and canaries, best first; none where there are no canaries."""
    if not run.report.canaries:
        return ()
    row = run.report.row(run.report.objective)
    programs = dict(zip(run.programs, (row.before, row.after), strict=False))
    tones: dict[str, Tone] = {run.before: "before", run.reported: "after"}
    known: list[tuple[str, float, Tone]] = [
        (name, cell.value, tones[name]) for name, cell in programs.items() if cell and cell.value is not None
    ]
    known += [(name, value, "canary") for name, value in run.report.canaries.items()]
    found = [Rival(name, value, tone, bar(value, tone, name)) for name, value, tone in known]
    return tuple(sorted(found, key=lambda each: -each.value))
