"""Commands that measure: ``eval``, ``score``, ``compare`` and ``report``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optimize import cli as options
from programs.cli.console import Format, FormatOption, LMOptionsOption, print_json, say, steps
from programs.errors import CorroborateError, UsageError
from programs.lm import with_options

if TYPE_CHECKING:
    from optimize.report import Report
    from optimize.scoring import Limit


def evaluate(
    program: Annotated[str, typer.Argument(metavar="NAME", help="The program; see `python -m programs list`.")],
    dataset: options.DatasetOption = "space_biology",
    split: Annotated[str, typer.Option(help="train, val, dev or test.")] = "dev",
    state: Annotated[str, typer.Option(help="A file, best for the best that fits the model, or none.")] = "best",
    lm: options.LMOption = options.DEFAULT_LM,
    lm_option: LMOptionsOption = None,
    seed: options.SeedOption = 0,
    limit: options.LimitOption = None,
    objective: options.ObjectiveOption = "",
    judge_lm: options.JudgeLMOption = "",
    judge_lm_option: options.JudgeLMOptionsOption = None,
    metric: options.MetricOption = None,
    fail_under: options.FailUnderOption = None,
    fail_over: options.FailOverOption = None,
    threads: options.ThreadsOption = 1,
    output: options.OutputOption = None,
    dry_run: options.DryRunOption = False,
    resume: options.ResumeOption = False,
    output_format: FormatOption = Format.text,
) -> None:
    """Evaluate a program: every metric on one split, with what worthless answers would get.

    With --fail-under and --fail-over it is a gate: a limit that is not kept ends it with exit code 1.
    """
    from optimize.job import Job, JobSetup, plan
    from optimize.job import evaluate as evaluated
    from optimize.scoring import read_limits

    lm = with_options(lm, lm_option)
    judge_lm = with_options(judge_lm, judge_lm_option, "--judge-lm-option")
    chosen = {"split": split, "state": state, "objective": objective}
    setup = JobSetup(Job("eval", program, dataset, lm, seed=seed, limit=limit, **chosen), threads=threads)
    measures = options.measures_of(judge_lm, metric, threads)
    limits = read_limits(fail_under or (), fail_over or (), measures.names(setup.task.metrics))
    planned = plan(setup, judged=bool(judge_lm))
    if dry_run:
        print_json(planned.as_dict()) if output_format is Format.json else typer.echo(planned)
        return
    options.say_if_no_model(lm)
    run = options.run_folder(f"eval-{program}", output, setup.manifest(), resume=resume)
    with options.preparing(), steps(planned.reporting, "Asking") as advance:
        assessed = evaluated(setup, run, measures, advance)
    _finish(assessed, run.path, limits, output_format)


def _finish(found: Report, run: Path, limits: Sequence[Limit], output_format: Format) -> None:
    """Print a report, and end the command with exit code 1 if a limit is not kept."""
    from optimize.report_rendering import markdown
    from optimize.scoring import check

    checked = check(limits, found.values())
    if output_format is Format.json:
        print_json({**found.as_dict(), "run": str(run), "gate": [each.as_dict() for each in checked]})
    else:
        typer.echo(markdown(found))
    if missed := [str(each) for each in checked if not each.is_met]:
        raise CorroborateError(f"the gate is not met: {'; '.join(missed)}")


def score(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a finished run.")],
    judge_lm: options.JudgeLMOption = "",
    judge_lm_option: options.JudgeLMOptionsOption = None,
    metric: options.MetricOption = None,
    threads: options.ThreadsOption = 1,
    fail_under: options.FailUnderOption = None,
    fail_over: options.FailOverOption = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Judge and score the answers of a finished run, and write its report anew; its program is not asked again.

    What a judge said before is kept in the run, so going back to it asks nothing.
    """
    from optimize.finished_run import read_run
    from optimize.job import rescore
    from optimize.scoring import read_limits

    judge_lm = with_options(judge_lm, judge_lm_option, "--judge-lm-option")
    measures = options.measures_of(judge_lm, metric, threads)
    limits = read_limits(fail_under or (), fail_over or (), measures.names(read_run(run).metrics))
    assessed = rescore(run, measures)
    _finish(assessed, run, limits, output_format)


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="Folder of a finished run.")],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="Folder of another, on the same questions.")],
    metric: Annotated[list[str] | None, typer.Option(help="Only this metric; repeat it for more.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of resampling.", min=0)] = 0,
    output_format: FormatOption = Format.text,
) -> None:
    """Compare two runs question by question; of a compilation the chosen program is compared."""
    from optimize.assess import compare_runs, doubts
    from optimize.finished_run import read_run
    from optimize.report_rendering import comparison

    one, other = read_run(first), read_run(second)
    rows, warnings = compare_runs(one, other, metric or (), seed), doubts(one, other)
    if output_format is Format.json:
        metrics = [asdict(row) for row in rows]
        print_json({"first": str(first), "second": str(second), "metrics": metrics, "warnings": warnings})
    else:
        typer.echo(comparison(one, other, rows, warnings))


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a finished run.")],
    output: Annotated[
        Path | None, typer.Option(help="Where the page goes, a name in .html. [default: RUN/report.html]")
    ] = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Write a run's report as one page of HTML, and print it as Markdown; nothing is asked or judged again."""
    if output is not None and output.suffix not in (".html", ".htm"):
        raise UsageError(f"--output={output} is not an HTML file; give it a name that ends in .html")
    if output is not None and not output.parent.is_dir():
        raise UsageError(f"no folder at {output.parent} for --output {output}; make it first")
    from optimize.finished_run import read_run
    from optimize.report_rendering import markdown, write_page

    finished = read_run(run)
    page = write_page(finished, output)
    if output_format is Format.json:
        print_json({**finished.report.as_dict(), "run": str(run), "page": str(page)})
    else:
        typer.echo(markdown(finished.report, finished))
        say(f"The page is {page}; open it in a browser.")
