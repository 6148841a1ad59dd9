"""The headline of the page, and every metric with its interval: of the paired difference, or of one program's mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from metrics.catalogue import METRICS
from optimize.measuring.statistics import Paired, counted, detectable, difference, interval_of, number, signed
from optimize.plots import AxisScale, Drawing, Tone, axis, shared_scale, strip
from optimize.reporting.finished_run import FinishedRun
from optimize.reporting.report import MetricRow, shown


@dataclass(frozen=True, slots=True)
class Effect:
    """One metric as it stands in the table.

    Attributes:
        metric: Its name.
        lower_is_better: Whether less is better.
        is_judged: Whether it rests on the judge.
        before: Mean of the uncompiled program, or of the only one.
        after: Of the compiled one; a dash without one.
        interval: Of the difference, or of one program's mean.
        n: Questions that it rests on: for which the metric is defined, and for both programs.
        p_holm: P adjusted for the number of metrics, or a dash.
        detectable: The smallest difference that could have been found, or a dash.
        tone: Whether the interval says better, worse, or neither.
        drawing: Dot and interval; None where they are undefined.
    """

    metric: str
    lower_is_better: bool
    is_judged: bool
    before: str
    after: str
    interval: str
    n: str
    p_holm: str
    detectable: str
    tone: Tone
    drawing: Drawing | None


@dataclass(frozen=True, slots=True)
class Effects:
    """The table.

    Attributes:
        is_difference: Whether two programs are compared.
        axis: Stands over the drawings; None where there are none.
        rows: The objective first.
    """

    is_difference: bool
    axis: Drawing | None
    rows: tuple[Effect, ...]


def effects(run: FinishedRun) -> Effects:
    """Every metric of a run."""
    is_difference = run.after is not None
    found = {row.metric: row.paired if is_difference else row.alone for row in run.report.rows}
    ends = [end for paired in found.values() if paired is not None for end in _ends(paired)]
    scale = shared_scale(ends) if ends else None
    rows = tuple(_effect(row, found[row.metric], scale, is_difference=is_difference) for row in run.report.rows)
    meaning = "difference, compiled − uncompiled" if is_difference else "mean over the questions"
    return Effects(is_difference, axis(scale, meaning) if scale else None, rows)


def tone_of(paired: Paired | None, *, higher_is_better: bool) -> Tone:
    """What a difference says by its interval."""
    if paired is None or not paired.excludes_zero:
        return "unclear"
    return "better" if (paired.difference > 0) == higher_is_better else "worse"


def _effect(row: MetricRow, paired: Paired | None, scale: AxisScale | None, *, is_difference: bool) -> Effect:
    tone = tone_of(paired, higher_is_better=row.higher_is_better) if is_difference else "after"
    drawing = None
    if paired is not None and scale is not None:
        drawing = strip(scale, paired.difference, paired.low, paired.high, tone, row.metric)
    return Effect(
        metric=row.metric,
        lower_is_better=not row.higher_is_better,
        is_judged=METRICS[row.metric].judged,
        before=shown(row.before),
        after=shown(row.after if is_difference else None),
        interval=difference(paired) if is_difference else interval_of(paired),
        n=number(paired.n if paired else None, 0),
        p_holm=number(row.p_holm),
        detectable=detectable(paired),
        tone=tone,
        drawing=drawing,
    )


def _ends(paired: Paired) -> Iterator[float]:
    yield paired.difference
    if paired.low is not None and paired.high is not None:
        yield from (paired.low, paired.high)


LEAST_SHOWN = (-0.1, 0.1)
"""What the axis of a difference holds at least, so that a small one looks small; that of a mean goes to 1."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The top of the page: the verdict, the difference with its interval, and what it rests on.

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
