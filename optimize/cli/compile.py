"""``python -m optimize compile``: a better program, and the evidence that it is better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optimize.cli.options import (
    DEFAULT_LM,
    DatasetOption,
    DryRunOption,
    LimitOption,
    LMOption,
    OutputOption,
    ResumeOption,
    SeedOption,
    ThreadsOption,
    run_folder,
    say_if_no_model,
)
from programs.cli.console import Format, print_json, say, steps
from programs.cli.options import FormatOption

if TYPE_CHECKING:
    from optimize.compile import Compiled
    from optimize.job import Bench

DEFAULT_PROGRAM = "main_points"


def compile_(
    program: Annotated[str, typer.Argument(metavar="NAME", help="The program; see `python -m programs list`.")],
    dataset: DatasetOption = "space_biology",
    optimizer: Annotated[
        str,
        typer.Option(
            help="few_shot, bootstrap, random_search, mipro, gepa, simba, copro or parameters; or several, each "
            "starting from the best before it, like parameters,random_search."
        ),
    ] = "random_search",
    lm: LMOption = DEFAULT_LM,
    prompt_lm: Annotated[
        str, typer.Option(help="Another model that shows how: its runs on train become demos. [default: that of --lm]")
    ] = "",
    seed: SeedOption = 0,
    limit: LimitOption = None,
    threads: ThreadsOption = 1,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
    resume: ResumeOption = False,
    ship: Annotated[bool, typer.Option(help="Put the state among those that come with this checkout.")] = False,
    output_format: FormatOption = Format.text,
) -> None:
    """Compile a program: candidates from train, the choice on val, the report on test.

    The compiled state goes to the run's folder and to your own compiled states, where `programs.load` finds it.
    """
    from optimize.compile import plan
    from optimize.job import Bench, Job

    job = Job("compile", program, dataset, lm, optimizer, prompt_lm, seed, limit)
    bench = Bench(job, threads=threads)
    planned = plan(bench)
    if dry_run:
        print_json(planned.as_dict()) if output_format is Format.json else typer.echo(planned)
        return
    say_if_no_model(lm)
    say(f"{planned}.")
    compiled, run = _compiled(bench, output, planned.choosing + planned.reporting, resume=resume)
    _print(compiled, run, _published(compiled, is_whole=limit is None, ship=ship), output_format)


def _published(compiled: Compiled, *, is_whole: bool, ship: bool) -> Path | None:
    """Where `programs.load` finds the state; one that was made of a part of the data is not put there."""
    from optimize import publish

    if not is_whole:
        return None
    return publish.ship(compiled.state) if ship else publish.publish(compiled.state)


def _compiled(bench: Bench, output: Path | None, total: int, *, resume: bool) -> tuple[Compiled, Path]:
    from optimize.compile import compile_program

    run = run_folder(f"compile-{bench.job.program}", output, bench.manifest(), resume=resume)
    say(f"The run is in {run.path}; if it is broken off, the same command goes on with --resume.")
    with steps(total, "Asking") as advance:
        return compile_program(bench, run, advance), run.path


def _print(compiled: Compiled, run: Path, published: Path | None, output_format: Format) -> None:
    if output_format is Format.json:
        places = {"run": str(run), "state": str(compiled.state), "published": str(published) if published else None}
        print_json({**compiled.report.as_dict(), **places})
        return
    from optimize.report_text import markdown

    typer.echo(markdown(compiled.report))
    if published:
        typer.echo(f"Compiled state: {published}; programs.load takes it up.")
    else:
        typer.echo(f"Compiled state: {compiled.state}; made with --limit, so programs.load does not take it up.")
