"""Whether a program knows which of its answers are right: risk over coverage, for each program of a run."""

from __future__ import annotations

from dataclasses import dataclass

from metrics.abstention import risk_coverage
from metrics.outcome import outcome
from optimize.measuring.aggregates import confidence
from optimize.plots.drawing import Drawing, Tone
from optimize.plots.risk import Curve, risk_plot
from optimize.reporting.finished_run import FinishedRun


@dataclass(frozen=True, slots=True)
class Risk:
    """The curves of a run.

    Attributes:
        curves: One a program; of a program that answers nothing there is none.
        drawing: All of them; None without any.
        is_ordered: Whether some answers are surer than others. Else the curve is flat by construction.
    """

    curves: tuple[Curve, ...]
    drawing: Drawing | None
    is_ordered: bool


def risk(run: FinishedRun) -> Risk:
    """Risk over coverage, by the objective."""
    curves, is_ordered = [], False
    for name in run.programs:
        sure = _answers(run, name)
        found = risk_coverage([each for each, _ in sure], [value for _, value in sure])
        if found is not None:
            tone: Tone = "after" if name == run.reported else "before"
            curves.append(Curve(name, found.risks, len(run.answers(name)), found.aurc, tone))
            is_ordered = is_ordered or len({each for each, _ in sure}) > 1
    drawing = risk_plot(curves, f"1 − {run.report.objective}") if curves else None
    return Risk(tuple(curves), drawing, is_ordered)


def _answers(run: FinishedRun, program: str) -> list[tuple[float, float]]:
    """Confidence and objective of everything that was answered: an abstention has no answer to be sure of."""
    values = run.values(program, run.report.objective)
    return [
        (confidence(record.prediction), value)
        for name, record in run.answers(program).items()
        if outcome(record.as_scored) == "answered" and name in values and (value := values[name].value) is not None
    ]
