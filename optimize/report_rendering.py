"""A finished run for people: its report as Markdown, and as one file of HTML with the worst answers claim by claim.

The page has no script and loads nothing. Its style sheet is in it; its own security policy names that by its hash, and
allows nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markdown_it import MarkdownIt
from markupsafe import Markup

from metrics.catalogue import METRICS
from optimize.finished_run import FinishedRun
from optimize.regressions import MOST, regressions
from optimize.report import MetricRow, Report, accuracy_of, difference_told, plain, shown
from optimize.statistics import Paired, detectable, difference, interval, number, signed
from programs.atomic_files import write_file
from programs.results.rendering import clipped, harmless_line, templates, visible

NAME = "report.html"
LONGEST_INSTRUCTION = 12_000
LEAST_REACH = 0.1
"""What the axis of differences holds at least on either side, so that a small one looks small."""


@dataclass(frozen=True, slots=True)
class PromptStep:
    """One predictor before and after compiling: its instruction, and the number of its demos."""

    name: str
    before: str
    after: str
    demos_before: int
    demos_after: int


@dataclass(frozen=True, slots=True)
class Prompts:
    """What compiling changed: prompts, and by name the parameters that are others now."""

    steps: tuple[PromptStep, ...]
    parameters: Mapping[str, tuple[str, str]]


def prompts(run: FinishedRun) -> Prompts | None:
    """What compiling changed; None for a run that chose no compiled program, or keeps no states."""
    before, after = run.state(run.before), run.state(run.reported)
    if run.after is None or before is None or after is None:
        return None
    was = before.content.get("parameters", {})
    now = after.content.get("parameters", {})
    changed = {name: (_written(was.get(name)), _written(now[name])) for name in now if was.get(name) != now[name]}
    return Prompts(tuple(_steps(before.content, after.content)), changed)


def _steps(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[PromptStep]:
    for name, now in after.items():
        if isinstance(now, Mapping) and "signature" in now:
            was = before.get(name, {})
            demos = len(was.get("demos", [])), len(now.get("demos", []))
            yield PromptStep(name.removesuffix(".predict"), _instruction(was), _instruction(now), *demos)


def _instruction(step: Mapping[str, Any]) -> str:
    return clipped(str(step.get("signature", {}).get("instructions", "")), LONGEST_INSTRUCTION)


def _written(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return f"{value:.4g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def markdown(report: Report, run: FinishedRun | None = None, *, on_page: bool = False) -> str:
    """The whole report; with its run, also prompts and the worst questions, whose answers its page has below it."""
    cells = (cell for row in report.rows for cell in (row.before, row.after) if cell and cell.value is not None)
    return markdown_of(
        "report.md",
        report=report,
        judge=str(report.about.get("judge") or "the judge"),
        accuracy_of=accuracy_of,
        numbers=[each.numbers() for each in report.aggregates.values()],
        best=max(report.choice, key=lambda name: report.choice[name], default=""),
        partial=next((cell for cell in cells if cell.n < cell.total), None),
        on_page=on_page,
        run=run,
        prompts=prompts(run) if run else None,
        regressions=regressions(run) if run else None,
    )


def comparison(first: FinishedRun, second: FinishedRun, rows: Sequence[MetricRow], warnings: Sequence[str]) -> str:
    """Two runs on the same questions, metric by metric, as Markdown."""
    headline = difference_told(rows[0], first.folder.path.name) if rows else ""
    return markdown_of("comparison.md", first=first, second=second, rows=rows, headline=headline, warnings=warnings)


def write_page(run: FinishedRun, output: Path | None = None) -> Path:
    """Write the page of a finished run, by default as ``report.html`` in its folder; not through a symbolic link."""
    return write_file(output or run.folder.path / NAME, html(run))


def html(run: FinishedRun) -> str:
    """The page: what the Markdown says, the intervals drawn, and the worst answers claim by claim."""
    style = files("optimize").joinpath("templates", "report.css").read_text(encoding="utf-8")
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=run.report,
            run=run,
            style=style,
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            text=_as_html(markdown(run.report, run, on_page=True)),
            drawn=_drawn(run.report),
            regressions=regressions(run),
            most_cases=MOST,
            meanings=_meanings(run.report),
        )
    )


def _as_html(text: str) -> Markup:
    """Markdown in which HTML is text; the page's policy allows no styles, so numbers are a class of cells."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink"])
    tokens = reader.parse(text)
    for each in tokens:
        if each.attrs.pop("style", None):
            each.attrs["class"] = "number"
    return Markup(reader.renderer.render(tokens, reader.options, {}))  # noqa: S704 - of which HTML is escaped


@dataclass(frozen=True, slots=True)
class Drawn:
    """Intervals by metric, the places of 0 and of their ends in percent of one axis from ``low`` to ``high``."""

    low: float
    high: float
    found: Mapping[str, Paired]

    def place(self, number: float) -> float:
        """Where a number is drawn."""
        return round(100 * (number - self.low) / (self.high - self.low), 2)


def _drawn(report: Report) -> Drawn:
    found = {row.metric: each for row in report.rows if (each := row.paired if report.is_difference else row.alone)}
    if not report.is_difference:
        return Drawn(0.0, 1.0, found)
    ends = [abs(end) for each in found.values() for end in (each.difference, each.low, each.high) if end is not None]
    reach = max([LEAST_REACH, *ends])
    return Drawn(-reach, reach, found)


def _meanings(report: Report) -> dict[str, str]:
    """What each metric of the run is: the first line of its documentation."""
    documented = {row.metric: METRICS[row.metric].score.__doc__ or "" for row in report.rows}
    return {metric: text.strip().partition("\n")[0].replace("``", "") for metric, text in documented.items()}


@cache
def _environment() -> Environment:
    environment = templates("optimize", "templates")
    environment.filters.update(
        number=number,
        signed=signed,
        difference=difference,
        plain=plain,
        mean=shown,
        interval=interval,
        detectable=detectable,
        cut=partial(clipped, most=200),
        md=lambda text: harmless_line(str(text)),
        cell=lambda text: harmless_line(str(text)).replace("|", "\\|"),
        visible=visible,
    )
    return environment


def markdown_of(template: str, **values: Any) -> str:  # noqa: ANN401 - what the template names
    """What a template of this package says, as Markdown."""
    return _environment().overlay(autoescape=False).get_template(template).render(values)
