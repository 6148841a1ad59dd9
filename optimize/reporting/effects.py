"""Every metric with its interval: of the paired difference, or of the mean where there is one program only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optimize.plots.drawing import Drawing, Tone
from optimize.plots.intervals import axis, shared_scale, strip
from optimize.plots.scale import Scale
from optimize.report import Cell, Row
from optimize.reporting.finished_run import FinishedRun
from optimize.statistics import Paired, compare
from optimize.tables import UNDEFINED, difference, number


@dataclass(frozen=True, slots=True)
class Effect:
    """One metric as it stands in the table.

    Attributes:
        metric: Its name.
        lower_is_better: Whether less is better.
        before: Mean of the uncompiled program, or of the only one.
        after: Of the compiled one; a dash without one.
        interval: Of the difference, or of one program's mean.
        p_holm: P adjusted for the number of metrics, or a dash.
        detectable: The smallest difference that could have been found, or a dash.
        tone: Whether the interval says better, worse, or neither.
        drawing: Dot and interval; None where they are undefined.
    """

    metric: str
    lower_is_better: bool
    before: str
    after: str
    interval: str
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
    found = {row.metric: row.paired if is_difference else mean_of(run, row.metric) for row in run.report.rows}
    ends = [end for paired in found.values() if paired is not None for end in _ends(paired)]
    scale = shared_scale(ends) if ends else None
    rows = tuple(_effect(row, found[row.metric], scale, is_difference=is_difference) for row in run.report.rows)
    meaning = "difference, compiled − uncompiled" if is_difference else "mean over the questions"
    return Effects(is_difference, axis(scale, meaning) if scale else None, rows)


def mean_of(run: FinishedRun, metric: str) -> Paired | None:
    """A program's own mean with its interval, as the difference from one that always gets 0; None if undefined."""
    values = {name: score.value for name, score in run.values(run.reported, metric).items() if name in run.clusters}
    defined = {name: value for name, value in values.items() if value is not None}
    if not defined:
        return None
    return compare(list(defined.values()), [run.clusters[name] for name in defined], int(run.manifest.get("seed", 0)))


def interval_of(paired: Paired | None) -> str:
    """A mean's interval: "0.312 to 0.590", or a dash."""
    return UNDEFINED if paired is None or paired.low is None else f"{paired.low:.3f} to {paired.high:.3f}"


def tone_of(paired: Paired | None, *, higher_is_better: bool) -> Tone:
    """What a difference says by its interval."""
    if paired is None or not paired.excludes_zero:
        return "unclear"
    return "better" if (paired.difference > 0) == higher_is_better else "worse"


def _effect(row: Row, paired: Paired | None, scale: Scale | None, *, is_difference: bool) -> Effect:
    tone = tone_of(paired, higher_is_better=row.higher_is_better) if is_difference else "after"
    drawing = None
    if paired is not None and scale is not None:
        drawing = strip(scale, paired.difference, paired.low, paired.high, tone, row.metric)
    return Effect(
        metric=row.metric,
        lower_is_better=not row.higher_is_better,
        before=_cell(row.before),
        after=_cell(row.after if is_difference else None),
        interval=difference(paired) if is_difference else interval_of(paired),
        p_holm=number(row.p_holm),
        detectable=number(paired.detectable if paired else None),
        tone=tone,
        drawing=drawing,
    )


def _ends(paired: Paired) -> Iterator[float]:
    yield paired.difference
    if paired.low is not None and paired.high is not None:
        yield from (paired.low, paired.high)


def _cell(cell: Cell | None) -> str:
    if cell is None or cell.value is None:
        return UNDEFINED
    return f"{cell.value:.3f}" if cell.n == cell.total else f"{cell.value:.3f} ({cell.n}/{cell.total})"
