"""One file of HTML that shows a finished run: no script, nothing from elsewhere, every text a text.

The style sheet stands in the page; the page's own security policy names it by its hash, and allows nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from metrics.abstention import risk_coverage
from metrics.catalogue import METRICS
from metrics.cost import Cost
from metrics.outcome import outcome
from optimize.measuring.scoring import confidence, cost_of
from optimize.measuring.statistics import difference, number, signed
from optimize.plots import Bar, ChartPoint, Curve, Drawing, Tone, risk_plot, scatter
from optimize.reporting.ablation import ablation
from optimize.reporting.effects import effects, headline
from optimize.reporting.finished_run import FinishedRun
from optimize.reporting.prompts import prompts
from optimize.reporting.regressions import MOST, regressions
from optimize.reporting.report_text import accuracy_of, plain
from optimize.running.generate import Record
from programs.files import write_file
from programs.results.rendering import clipped, visible
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


@dataclass(frozen=True, slots=True)
class Risk:
    """The curves of a run.

    Attributes:
        curves: One for each program that answers something.
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


WIDTH = 320.0
HEIGHT = 14.0


def bar(share: float, tone: Tone, title: str) -> Drawing:
    """Draw a number in [0, 1]."""
    length = round(max(share * WIDTH, 1.5), 2)
    return Drawing(WIDTH, HEIGHT, title, f"{share:.3f}", (Bar(0, 2, length, HEIGHT - 4, tone),))


@dataclass(frozen=True, slots=True)
class Rival:
    """A program or a canary, with its mean objective on the same questions."""

    name: str
    value: float
    tone: Tone
    drawing: Drawing


def rivals(run: FinishedRun) -> tuple[Rival, ...]:
    """Programs and canaries, best first; empty without canaries."""
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


NAME = "report.html"
LONGEST = 2_000
"""Characters of a warning, an error or a line of the run's description."""


def write_page(run: FinishedRun, output: Path | None = None) -> Path:
    """Write the page of a finished run.

    Args:
        run: As ``read_run`` gives it.
        output: The file; by default ``report.html`` in the run's folder.

    Raises:
        UsageError: A symbolic link stands in its place.
    """
    return write_file(output or run.folder.path / NAME, html(run))


def html(run: FinishedRun) -> str:
    """The page."""
    style = files("optimize.reporting").joinpath("templates", "report.css").read_text(encoding="utf-8")
    return (
        _environment()
        .get_template("report.html")
        .render(
            style=style,
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            run=run,
            report=run.report,
            headline=headline(run),
            effects=effects(run),
            candidates=candidates(run),
            risk=risk(run),
            rivals=rivals(run),
            ablation=ablation(run),
            prompts=prompts(run),
            regressions=regressions(run),
            most_cases=MOST,
            judge=str(run.report.about.get("judge") or "the judge"),
            accuracy_of=accuracy_of,
            meanings=_meanings(run),
            missing=_missing(run),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("optimize.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_harmless,
    )
    environment.filters.update(number=number, signed=signed, difference=difference, plain=plain, cut=_cut)
    return environment


def _cut(text: str) -> str:
    return clipped(text, LONGEST)


def _harmless(value: object) -> object:
    """What the template writes, before it is escaped."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _meanings(run: FinishedRun) -> dict[str, str]:
    """What each metric of the run is: the first line of its documentation."""
    documented = {row.metric: METRICS[row.metric].score.__doc__ or "" for row in run.report.rows}
    return {metric: text.strip().partition("\n")[0].replace("``", "") for metric, text in documented.items()}


def _missing(run: FinishedRun) -> list[str]:
    """Files that an older version did not write, with what can therefore not be shown."""
    needed: dict[str, Any] = {
        "questions.jsonl": (run.examples, "questions with their gold data"),
        "predictions.jsonl": (run.records, "answers"),
        "judgements.jsonl": (
            run.judgements or not any(METRICS[row.metric].judged for row in run.report.rows),
            "what the judge said; verdicts are those of the answers' certificates",
        ),
    }
    return [f"The run holds no {name}: {what}." for name, (found, what) in needed.items() if not found]
