"""``python -m optimize eval``: how good a program is on a split."""

from __future__ import annotations

from typing import Annotated

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


def evaluate(
    program: Annotated[str, typer.Argument(metavar="NAME", help="The program; see `python -m programs list`.")],
    dataset: DatasetOption = "space_biology",
    split: Annotated[str, typer.Option(help="train, val, dev or test.")] = "dev",
    state: Annotated[str, typer.Option(help="A file, best for the best that fits the model, or none.")] = "best",
    lm: LMOption = DEFAULT_LM,
    seed: SeedOption = 0,
    limit: LimitOption = None,
    threads: ThreadsOption = 1,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
    resume: ResumeOption = False,
    output_format: FormatOption = Format.text,
) -> None:
    """Evaluate a program: every metric on one split, with what worthless answers would get."""
    from optimize.evaluate import evaluate_program, plan
    from optimize.job import Bench, Job
    from optimize.report_text import markdown

    bench = Bench(Job("eval", program, dataset, lm, seed=seed, limit=limit, split=split, state=state), threads=threads)
    planned = plan(bench)
    if dry_run:
        print_json(planned.as_dict()) if output_format is Format.json else typer.echo(planned)
        return
    say_if_no_model(lm)
    run = run_folder(f"eval-{program}", output, bench.manifest(), resume=resume)
    say(f"The run is in {run.path}; if it is broken off, the same command goes on with --resume.")
    with steps(planned.reporting, "Asking") as advance:
        report = evaluate_program(bench, run, advance)
    if output_format is Format.json:
        print_json({**report.as_dict(), "run": str(run.path)})
    else:
        typer.echo(markdown(report))
