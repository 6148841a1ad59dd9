"""All candidates of a compilation: what a question costs each, and how good they are on val."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from metrics.cost import Cost
from optimize.measuring.aggregates import cost_of
from optimize.plots.charts import ChartPoint, scatter
from optimize.plots.drawing import Drawing, Tone
from optimize.reporting.finished_run import FinishedRun
from optimize.running.generate import Record
from programs.state import UNCOMPILED


@dataclass(frozen=True, slots=True)
class Tried:
    """One candidate.

    Attributes:
        name: Its name.
        val: Its mean objective on val.
        cost: Of a question of val, over those of which the run had kept no answer: an answer it had costs nothing.
        tone: Uncompiled, chosen or another.
    """

    name: str
    val: float
    cost: Cost
    tone: Tone


@dataclass(frozen=True, slots=True)
class TriedCandidates:
    """What was tried.

    Attributes:
        tried: In the order in which it was.
        drawing: Quality over cost; None where the costs are not known.
        cost: What the drawing takes for cost.
        left_out: Candidates whose cost is not known, which are not on the drawing.
    """

    tried: tuple[Tried, ...]
    drawing: Drawing | None
    cost: str
    left_out: int = 0


_COSTS: tuple[tuple[str, Callable[[Cost], float | None]], ...] = (
    ("tokens a question", lambda cost: cost.tokens),
    ("median milliseconds a question", lambda cost: cost.latency_p50_ms),
)
"""What a question costs: the first that is known of several candidates and not the same of all.

Not money, of which an answer that the run had kept already costs nothing.
"""


def candidates(run: FinishedRun) -> TriedCandidates:
    """The candidates of a run; an evaluation has none."""
    tried = tuple(
        Tried(name, val, cost_of(_fresh(run.answers(name, "val").values())), _tone(run, name))
        for name, val in run.report.choice.items()
    )
    for meaning, of in _COSTS:
        costs = {each: cost for each in tried if (cost := of(each.cost)) is not None}
        if len(set(costs.values())) > 1:
            points = _points(list(costs), list(costs.values()))
            drawing = scatter(points, meaning, f"{run.report.objective} on val")
            return TriedCandidates(tried, drawing, meaning, len(tried) - len(points))
    return TriedCandidates(tried, None, "")


def _fresh(records: Iterable[Record]) -> list[Record]:
    return [each for each in records if not each.prediction.get("metrics", {}).get("cached_calls")]


def _points(tried: Sequence[Tried], costs: Sequence[float]) -> list[ChartPoint]:
    marks = {"after": "chosen", "before": UNCOMPILED}
    return [
        ChartPoint(each.name, cost, each.val, each.tone, marks.get(each.tone, ""))
        for each, cost in zip(tried, costs, strict=True)
    ]


def _tone(run: FinishedRun, name: str) -> Tone:
    if name == run.reported:
        return "after"
    return "before" if name == run.before else "other"
