"""A finished run for people: its report as Markdown, and one file of HTML without script or anything from elsewhere.

The style sheet is in the page; the page's own security policy names it by its hash, and allows nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment

from metrics.answers import risk_coverage
from metrics.catalogue import METRICS
from metrics.score import Cost
from optimize.changes import ablation, prompts
from optimize.finished_run import FinishedRun, effects, headline, interval_of, rivals
from optimize.plots import ChartPoint, Curve, Drawing, Tone, risk_plot, scatter
from optimize.regressions import MOST, regressions
from optimize.report import Report, accuracy_of, plain, shown
from optimize.scoring import cost_of, sureness
from optimize.statistics import detectable, difference, number, signed
from programs.atomic_files import write_file
from programs.compiled_state import UNCOMPILED
from programs.results.rendering import clipped, harmless_line, templates, visible


@dataclass(frozen=True, slots=True)
class Tried:
    """One candidate: its mean objective on val, and what a question of val cost that the run had not kept already."""

    name: str
    val: float
    cost: Cost
    tone: Tone


@dataclass(frozen=True, slots=True)
class TriedCandidates:
    """Candidates in the order in which they were tried, drawn by quality over ``cost`` as far as that is known."""

    tried: tuple[Tried, ...]
    drawing: Drawing | None
    cost: str
    left_out: int = 0


_DRAWN_COSTS: tuple[tuple[str, Callable[[Cost], float | None]], ...] = (
    ("tokens a question", lambda cost: cost.tokens),
    ("median milliseconds a question", lambda cost: cost.latency_p50_ms),
)
"""What a question costs: the first that is known of several candidates and not the same of all.

Not money, of which an answer that the run had kept already costs nothing.
"""


def candidates(run: FinishedRun) -> TriedCandidates:
    """The candidates of a run; an evaluation has none."""
    tones: dict[str, Tone] = {run.before: "before", run.reported: "after"}
    tried = []
    for name, val in run.report.choice.items():
        paid = [
            each
            for each in run.answers(name, "val").values()
            if not each.prediction.get("metrics", {}).get("cached_calls")
        ]
        tried.append(Tried(name, val, cost_of(paid), tones.get(name, "other")))
    for meaning, of in _DRAWN_COSTS:
        costs = {each: cost for each in tried if (cost := of(each.cost)) is not None}
        if len(set(costs.values())) > 1:
            marks = {"after": "chosen", "before": UNCOMPILED}
            points = [
                ChartPoint(each.name, cost, each.val, each.tone, marks.get(each.tone, ""))
                for each, cost in costs.items()
            ]
            drawing = scatter(points, meaning, f"{run.report.objective} on val")
            return TriedCandidates(tuple(tried), drawing, meaning, len(tried) - len(points))
    return TriedCandidates(tuple(tried), None, "")


@dataclass(frozen=True, slots=True)
class Risk:
    """Curves of the programs that answer something; without an order by sureness they are flat by construction."""

    curves: tuple[Curve, ...]
    drawing: Drawing | None
    is_ordered: bool


def risk(run: FinishedRun) -> Risk:
    """Risk over coverage, by the objective."""
    curves, is_ordered = [], False
    for name in run.programs:
        scores = run.values(name, run.report.objective)
        sure = sureness(run.answers(name).values(), {each: score.value for each, score in scores.items()})
        if found := risk_coverage([each for each, _ in sure], [value for _, value in sure]):
            tone: Tone = "after" if name == run.reported else "before"
            curves.append(Curve(name, found.risks, len(run.answers(name)), found.aurc, tone))
            is_ordered = is_ordered or len({each for each, _ in sure}) > 1
    drawing = risk_plot(curves, f"1 − {run.report.objective}") if curves else None
    return Risk(tuple(curves), drawing, is_ordered)


NAME = "report.html"
LONGEST = 2_000
"""Characters of a warning, an error or a line of the run's description."""


def write_page(run: FinishedRun, output: Path | None = None) -> Path:
    """Write the page of a finished run, by default as ``report.html`` in its folder; not through a symbolic link."""
    return write_file(output or run.folder.path / NAME, html(run))


def html(run: FinishedRun) -> str:
    """The page."""
    style = files("optimize").joinpath("templates", "report.css").read_text(encoding="utf-8")
    parts = (headline, candidates, risk, rivals, ablation, prompts, regressions)
    template = _environment().get_template("report.html")
    return template.render(
        _described(run.report),
        style=style,
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        run=run,
        most_cases=MOST,
        meanings=_meanings(run),
        **{part.__name__: part(run) for part in parts},
    )


def _described(report: Report) -> dict[str, Any]:
    """What both templates are given."""
    judge, (axis, rows) = str(report.about.get("judge") or "the judge"), effects(report)
    return {"report": report, "axis": axis, "effects": rows, "judge": judge, "accuracy_of": accuracy_of}


@cache
def _environment() -> Environment:
    environment = templates("optimize", "templates")
    environment.filters.update(
        number=number,
        signed=signed,
        difference=difference,
        plain=plain,
        mean=shown,
        interval=interval_of,
        detectable=detectable,
        cut=partial(clipped, most=LONGEST),
        md=lambda text: harmless_line(str(text)),
        cell=lambda text: harmless_line(str(text)).replace("|", "\\|"),
        visible=visible,
    )
    return environment


def _meanings(run: FinishedRun) -> dict[str, str]:
    """What each metric of the run is: the first line of its documentation."""
    documented = {row.metric: METRICS[row.metric].score.__doc__ or "" for row in run.report.rows}
    return {metric: text.strip().partition("\n")[0].replace("``", "") for metric, text in documented.items()}


def markdown(report: Report, run: FinishedRun | None = None) -> str:
    """The whole report; with its run, also prompts, signals and the worst questions."""
    parts = (prompts, ablation, regressions)
    return markdown_of(
        "report.md",
        **_described(report),
        run=run,
        numbers=[each.numbers() for each in report.aggregates.values()],
        best=max(report.choice, key=lambda name: report.choice[name], default=""),
        **{part.__name__: part(run) if run else None for part in parts},
    )


def markdown_of(template: str, **values: Any) -> str:  # noqa: ANN401 - what the template names
    """What a template of this package says, as Markdown."""
    return _environment().overlay(autoescape=False).get_template(template).render(values)
