"""What stands at the top of the page: the verdict, the difference with its interval, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from optimize.measuring.statistics import Paired
from optimize.measuring.tables import counted, detectable, number, signed
from optimize.plots.drawing import Drawing
from optimize.plots.intervals import axis, shared_scale, strip
from optimize.reporting.effects import tone_of
from optimize.reporting.finished_run import FinishedRun
from optimize.reporting.report import MetricRow

LEAST_SHOWN = (-0.1, 0.1)
"""What the axis of a difference holds at least, so that a small one looks small; that of a mean goes to 1."""


@dataclass(frozen=True, slots=True)
class Headline:
    """See the module.

    Attributes:
        verdict: In two or three words.
        tone: Of the verdict: better, worse or unclear.
        figure: The number that counts; empty where it is undefined.
        interval: Its interval in words; empty without one.
        sentence: The report's own, where the number does not say it all.
        facts: What it rests on, by name.
        axis: Of the drawing.
        drawing: The number with its interval.
    """

    verdict: str
    tone: str
    figure: str
    interval: str
    sentence: str
    facts: tuple[tuple[str, str], ...]
    axis: Drawing | None
    drawing: Drawing | None


def headline(run: FinishedRun) -> Headline:
    """The top of a run's page."""
    row = next((row for row in run.report.rows if row.metric == run.report.objective), None)
    is_difference = run.after is not None
    paired = _shown(row, is_difference=is_difference)
    tone = tone_of(paired, higher_is_better=row.higher_is_better if row else True) if is_difference else "unclear"
    facts = tuple(_facts(run, paired))
    verdict = _verdict(run, paired, tone)
    if paired is None:
        return Headline(verdict, tone, "", "", run.report.headline, facts, None, None)
    figure = signed(paired.difference) if is_difference else number(paired.difference)
    least = LEAST_SHOWN if is_difference else (1.0,)
    scale = shared_scale([end for end in (paired.difference, paired.low, paired.high, *least) if end is not None])
    drawing = strip(scale, paired.difference, paired.low, paired.high, tone, run.report.objective)
    says_it_all = paired.low is not None and not (run.is_compilation and run.after is None)
    sentence = "" if says_it_all else run.report.headline
    return Headline(
        verdict,
        tone,
        figure,
        _interval(paired, is_difference=is_difference),
        sentence,
        facts,
        axis(scale, "scale"),
        drawing,
    )


def _shown(row: MetricRow | None, *, is_difference: bool) -> Paired | None:
    if row is None:
        return None
    return row.paired if is_difference else row.alone


def _interval(paired: Paired, *, is_difference: bool) -> str:
    if paired.low is None or paired.high is None:
        return "no interval: one paper is too few"
    shown = signed if is_difference else number
    return f"95 % interval {shown(paired.low)} to {shown(paired.high)}"


def _verdict(run: FinishedRun, paired: Paired | None, tone: str) -> str:
    if not run.is_compilation:
        return "Measured"
    if run.after is None:
        return "Nothing beat the uncompiled program on val"
    if paired is None:
        return "Undefined"
    if paired.low is None:
        return "One paper is too few to tell"
    if not paired.excludes_zero:
        return "No significant difference"
    verb = "Better" if tone == "better" else "Worse"
    return f"{verb} than uncompiled{'' if paired.is_significant else ' by its interval, not by its p'}"


def _facts(run: FinishedRun, paired: Paired | None) -> list[tuple[str, str]]:
    row = next((row for row in run.report.rows if row.metric == run.report.objective), None)
    facts = []
    if row and run.after is not None and row.after:
        facts.append(("uncompiled → compiled", f"{number(row.before.value)} → {number(row.after.value)}"))
    if paired is not None:
        facts.append(("questions", f"{paired.n:,} on {counted(paired.n_clusters, 'paper')}"))
    if paired is not None and run.after is not None:
        facts.append(("p, p by Holm", f"{number(paired.p)}, {number(row.p_holm if row else None)}"))
        facts.append(("smallest difference that would show", detectable(paired)))
    spent = str(run.report.about.get("spent", ""))
    of = "compiling and this report" if run.is_compilation else "the run"
    return [*facts, (f"cost of {of}", spent)] if spent else facts
