"""One file of HTML that shows a finished run: no script, nothing from elsewhere, every text a text.

The style sheet stands in the page; the page's own security policy names it by its hash, and allows nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from optimize.aggregates import Aggregates, aggregates, objective_values
from optimize.reporting.ablation import ablation
from optimize.reporting.canaries import rivals
from optimize.reporting.effects import effects
from optimize.reporting.finished_run import FinishedRun
from optimize.reporting.headline import headline
from optimize.reporting.prompts import prompts
from optimize.reporting.regressions import MOST, regressions
from optimize.reporting.risk import risk
from optimize.reporting.tried import candidates
from optimize.tables import difference, number

NAME = "report.html"


def write_page(run: FinishedRun, output: Path | None = None) -> Path:
    """Write the page of a finished run.

    Args:
        run: As ``read_run`` gives it.
        output: The file; by default ``report.html`` in the run's folder.
    """
    path = output or run.folder.path / NAME
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_text(html(run), encoding="utf-8")
    unfinished.replace(path)
    return path


def html(run: FinishedRun) -> str:
    """The page."""
    style = files("optimize").joinpath("templates", "report.css").read_text(encoding="utf-8")
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
            together=together(run),
            ablation=ablation(run),
            prompts=prompts(run),
            regressions=regressions(run),
            most_cases=MOST,
            missing=_missing(run),
        )
    )


def together(run: FinishedRun) -> dict[str, Aggregates]:
    """What is said of all answers of a program together; nothing where the questions were not kept."""
    return {
        name: aggregates(
            run.examples,
            [record for record in run.answers(name).values() if record.id in run.examples],
            objective_values(run.values(name, run.report.objective)),
        )
        for name in run.programs
        if run.examples and run.answers(name)
    }


def plain(value: object) -> str:
    """A value of the run's description in words."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or "none"
    return str(value)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("optimize", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(number=number, difference=difference, plain=plain)
    return environment


def _missing(run: FinishedRun) -> list[str]:
    """Files that an older version did not write, with what can therefore not be shown."""
    needed: dict[str, Any] = {
        "questions.jsonl": (run.examples, "questions with their gold data"),
        "predictions.jsonl": (run.records, "answers"),
        "judgements.jsonl": (run.judgements, "what the judge said; verdicts are those of the answers' certificates"),
    }
    return [f"The run holds no {name}: {what}." for name, (found, what) in needed.items() if not found]
