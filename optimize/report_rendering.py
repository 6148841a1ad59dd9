"""A finished run for people: its report as Markdown, and as one file of HTML with the worst answers claim by claim.

The page has no script and loads nothing. Its style sheet is in it; its own security policy names that by its hash, and
allows nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markdown_it import MarkdownIt
from markupsafe import Markup

from metrics.catalogue import METRICS
from optimize.finished_run import MOST, FinishedRun, regressions
from optimize.report import MetricRow, Report, accuracy_of, difference_told, plain, shown
from optimize.statistics import Paired, detectable, difference, interval, number, signed
from programs.atomic_files import write_file
from programs.results.rendering import clipped, harmless_line, templates, visible

NAME = "report.html"
LONGEST = 12_000
"""Characters of an instruction."""
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
    steps = []
    for name, now in after.content.items():
        if isinstance(now, Mapping) and "signature" in now:
            was = before.content.get(name, {})
            said = [clipped(str(each.get("signature", {}).get("instructions", "")), LONGEST) for each in (was, now)]
            demos = [len(each.get("demos", [])) for each in (was, now)]
            steps.append(PromptStep(name.removesuffix(".predict"), said[0], said[1], demos[0], demos[1]))
    was, now = (state.content.get("parameters", {}) for state in (before, after))
    changed = {name: (_written(was.get(name)), _written(now[name])) for name in now if was.get(name) != now[name]}
    return Prompts(tuple(steps), changed)


def _written(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return f"{value:.4g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def markdown(report: Report, run: FinishedRun | None = None, *, on_page: bool = False) -> str:
    """The whole report; with its run, also prompts and the worst questions, whose answers its page has below it."""
    cells = (cell for row in report.rows for cell in (row.before, row.after) if cell and cell.value is not None)
    return _markdown_of(
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
    return _markdown_of("comparison.md", first=first, second=second, rows=rows, headline=headline, warnings=warnings)


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
            drawn=Drawn.of(run.report),
            regressions=regressions(run),
            most_cases=MOST,
            # The first line of each metric's documentation.
            meanings={
                row.metric: (METRICS[row.metric].score.__doc__ or "").strip().partition("\n")[0].replace("``", "")
                for row in run.report.rows
            },
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

    @classmethod
    def of(cls, report: Report) -> Drawn:
        """Differences around 0, or means from 0 to 1."""
        found = {row.metric: each for row in report.rows if (each := row.paired if report.is_difference else row.alone)}
        if not report.is_difference:
            return cls(0.0, 1.0, found)
        ends = (end for each in found.values() for end in (each.difference, each.low, each.high) if end is not None)
        reach = max([LEAST_REACH, *map(abs, ends)])
        return cls(-reach, reach, found)

    def place(self, number: float) -> float:
        """Where a number is drawn."""
        return round(100 * (number - self.low) / (self.high - self.low), 2)


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


def _markdown_of(template: str, **values: Any) -> str:  # noqa: ANN401 - what the template names
    return _environment().overlay(autoescape=False).get_template(template).render(values)
