"""``python -m optimize eval``: how good a program is on a split."""

from __future__ import annotations

from typing import Annotated

import typer

from optimize.cli.measuring import (
    FailOverOption,
    FailUnderOption,
    JudgeLMOption,
    JudgeLMOptionsOption,
    JudgeNLIOption,
    MetricOption,
    fail_if_missed,
    measures_of,
)
from optimize.cli.options import (
    DEFAULT_LM,
    DatasetOption,
    DryRunOption,
    LimitOption,
    LMOption,
    ObjectiveOption,
    OutputOption,
    ResumeOption,
    SeedOption,
    ThreadsOption,
    preparing,
    run_folder,
    say_if_no_model,
)
from programs.cli.console import Format, print_json, say, steps
from programs.cli.options import FormatOption, LMOptionsOption
from programs.lm.options import with_options


def evaluate(
    program: Annotated[str, typer.Argument(metavar="NAME", help="The program; see `python -m programs list`.")],
    dataset: DatasetOption = "space_biology",
    split: Annotated[str, typer.Option(help="train, val, dev or test.")] = "dev",
    state: Annotated[str, typer.Option(help="A file, best for the best that fits the model, or none.")] = "best",
    lm: LMOption = DEFAULT_LM,
    lm_option: LMOptionsOption = None,
    seed: SeedOption = 0,
    limit: LimitOption = None,
    objective: ObjectiveOption = "",
    judge_lm: JudgeLMOption = "",
    judge_lm_option: JudgeLMOptionsOption = None,
    judge_nli: JudgeNLIOption = "",
    metric: MetricOption = None,
    fail_under: FailUnderOption = None,
    fail_over: FailOverOption = None,
    threads: ThreadsOption = 1,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
    resume: ResumeOption = False,
    output_format: FormatOption = Format.text,
) -> None:
    """Evaluate a program: every metric on one split, with what worthless answers would get.

    With --fail-under and --fail-over it is a gate: a limit that is not kept ends it with exit code 1.
    """
    from optimize.evaluating.evaluate import evaluate as evaluated
    from optimize.evaluating.evaluate import plan
    from optimize.evaluating.gate import check, read_limits
    from optimize.job import Job, JobSetup
    from optimize.reporting.report_text import markdown

    lm = with_options(lm, lm_option)
    judge_lm = with_options(judge_lm, judge_lm_option, "--judge-lm-option")
    chosen = {"split": split, "state": state, "objective": objective}
    setup = JobSetup(Job("eval", program, dataset, lm, seed=seed, limit=limit, **chosen), threads=threads)
    measures = measures_of(judge_lm, judge_nli, metric, threads)
    limits = read_limits(fail_under or (), fail_over or (), measures.names(setup.task.metrics))
    planned = plan(setup, judged=bool(judge_lm))
    if dry_run:
        print_json(planned.as_dict()) if output_format is Format.json else typer.echo(planned)
        return
    say_if_no_model(lm)
    run = run_folder(f"eval-{program}", output, setup.manifest(), resume=resume)
    say(f"The run is in {run.path}; if it is interrupted, the same command goes on with --resume.")
    with preparing(), steps(planned.reporting, "Asking") as advance:
        assessed = evaluated(setup, run, measures, advance)
    checked = check(limits, assessed.values())
    if output_format is Format.json:
        print_json({**assessed.as_dict(), "run": str(run.path), "gate": [each.as_dict() for each in checked]})
    else:
        typer.echo(markdown(assessed.report))
    fail_if_missed(checked)
