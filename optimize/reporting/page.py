"""One file of HTML that shows a finished run: no script, nothing from elsewhere, every text a text.

The style sheet stands in the page; the page's own security policy names it by its hash, and allows nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from metrics.catalogue import METRICS
from optimize.measuring.tables import difference, number, signed
from optimize.reporting.ablation import ablation
from optimize.reporting.canaries import rivals
from optimize.reporting.effects import effects
from optimize.reporting.finished_run import FinishedRun
from optimize.reporting.headline import headline
from optimize.reporting.judge import accuracy_of
from optimize.reporting.prompts import prompts
from optimize.reporting.regressions import MOST, regressions
from optimize.reporting.report_text import plain
from optimize.reporting.risk import risk
from optimize.reporting.tried import candidates
from programs.clipping import clipped
from programs.harmless import visible
from programs.written_file import write_file

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
