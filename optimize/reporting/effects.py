"""Every metric with its interval: of the paired difference, or of the mean where there is one program only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from metrics.catalogue import METRICS
from optimize.measuring.statistics import Paired
from optimize.measuring.tables import UNDEFINED, detectable, difference, number
from optimize.plots.drawing import Drawing, Tone
from optimize.plots.intervals import axis, shared_scale, strip
from optimize.plots.scale import AxisScale
from optimize.reporting.finished_run import FinishedRun
from optimize.reporting.report import MetricRow, ReportCell
from optimize.reporting.report_text import interval_of


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
        before=_cell(row.before),
        after=_cell(row.after if is_difference else None),
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


def _cell(cell: ReportCell | None) -> str:
    if cell is None or cell.value is None:
        return UNDEFINED
    return number(cell.value) if cell.n == cell.total else f"{number(cell.value)} ({cell.n}/{cell.total})"
