"""``python -m optimize sweep``: programs × language models × data sets × states, in one table."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optimize.cli.options import RUNS, DryRunOption, OutputOption, preparing
from programs.cli.console import Format, print_json, say
from programs.cli.options import FormatOption
from programs.errors import CorroborateError, UsageError

if TYPE_CHECKING:
    from optimize.evaluating.sweep import Sweep
    from optimize.evaluating.sweep_table import SweepResult


def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="YAML; see above.")],
    output: OutputOption = None,
    dry_run: DryRunOption = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the sweep in --output, else the newest.")
    ] = False,
    output_format: FormatOption = Format.text,
) -> None:
    """Evaluate every combination that a file lists; what fails is told at the end, and the others go on.

    A file says, for example, "programs: [main_points, rag_fusion]", "lms: [extractive, ollama/gpt-oss]", "datasets:
    [space_biology, my_folder]", "states: [none, best]", a line each; and may say split, limit, seed, judge_lm,
    judge_nli, metrics and threads.

    With --resume only what has no result yet is done, so a file may also grow.
    """
    from optimize.evaluating.sweep import Sweep, read_grid
    from optimize.evaluating.sweep_table import markdown

    planned = Sweep(read_grid(file))
    planned.check()
    if dry_run:
        _print_plan(planned, output_format)
        return
    folder = _folder(file.stem, output, resume=resume)
    say(f"The sweep is in {folder}; if it is interrupted, the same command goes on with --resume.")
    with preparing():
        results = planned.run(folder, lambda done, result: _tell(done, len(list(planned.grid.jobs())), result))
    text = markdown(results, planned.grid.metrics)
    (folder / "table.md").write_text(text, encoding="utf-8")
    if output_format is Format.json:
        print_json({"sweep": str(folder), "cells": [each.as_dict() for each in results]})
    else:
        typer.echo(text)
    broken = [each.run.name for each in results if each.error]
    if broken:
        raise CorroborateError(
            f"{len(broken)} of {len(results)} cells failed: {', '.join(broken)}; "
            "fix the cause and run again with --resume"
        )


def _folder(stem: str, output: Path | None, *, resume: bool) -> Path:
    name = f"sweep-{stem}"
    newest = max(RUNS.glob(f"{name}-*/"), default=None) if resume and output is None else None
    folder = output or newest or RUNS / f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    if not resume and folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; go on with it by --resume, or name another --output")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _tell(done: int, total: int, result: SweepResult) -> None:
    from optimize.measuring.tables import number

    found = result.error or f"{result.objective} {number(result.values.get(result.objective))}"
    say(f"{done}/{total} {result.run.name}: {found}")


def _print_plan(planned: Sweep, output_format: Format) -> None:
    from optimize.evaluating.sweep import cell_name

    plans = {cell_name(job): each for job, each in planned.plans()}
    if output_format is Format.json:
        print_json({name: each.as_dict() for name, each in plans.items()})
        return
    for name, each in plans.items():
        typer.echo(f"{name}: {each}")
