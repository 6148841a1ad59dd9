"""``python -m optimize compile``: a better program, and the evidence that it is better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optimize.cli.options import (
    DEFAULT_LM,
    BudgetCallsOption,
    BudgetMinutesOption,
    BudgetMoneyOption,
    BudgetTokensOption,
    DatasetOption,
    DryRunOption,
    JudgeLMOption,
    JudgeLMOptionsOption,
    JudgeNLIOption,
    LimitOption,
    LMOption,
    ObjectiveOption,
    OutputOption,
    PromptLMOptionsOption,
    ResumeOption,
    SeedOption,
    SeedsOption,
    ThreadsOption,
    preparing,
    run_folder,
    say_if_no_model,
)
from programs.cli.console import Format, FormatOption, LMOptionsOption, print_json, say, steps
from programs.errors import UsageError
from programs.lm.options import with_options

if TYPE_CHECKING:
    from optimize.compiling.compile import Compiled
    from optimize.compiling.seeds import CompiledSeeds
    from optimize.job import JobSetup
    from optimize.running.cost import WorkPlan
    from optimize.running.run_folder import RunFolder
    from programs.budget import Budget

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
    lm_option: LMOptionsOption = None,
    prompt_lm: Annotated[
        str,
        typer.Option(
            help="Another model that shows how: its runs on train become demos, or it writes instructions. "
            "[default: that of --lm]"
        ),
    ] = "",
    prompt_lm_option: PromptLMOptionsOption = None,
    seed: SeedOption = 0,
    seeds: SeedsOption = "",
    limit: LimitOption = None,
    threads: ThreadsOption = 1,
    objective: ObjectiveOption = "",
    judge_lm: JudgeLMOption = "",
    judge_lm_option: JudgeLMOptionsOption = None,
    judge_nli: JudgeNLIOption = "",
    budget_calls: BudgetCallsOption = None,
    budget_tokens: BudgetTokensOption = None,
    budget_minutes: BudgetMinutesOption = None,
    budget_money: BudgetMoneyOption = None,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
    resume: ResumeOption = False,
    ship: Annotated[bool, typer.Option(help="Put the state among those that come with this checkout.")] = False,
    output_format: FormatOption = Format.text,
) -> None:
    """Compile a program: candidates from train, the choice on val, the report on test.

    The compiled state goes to the run's folder and to your own compiled states, where `programs.load` finds it. Under a
    budget, the search stops in time for the report; a run that it stopped goes on with --resume and a larger one.
    """
    from optimize.compiling.seeds import plan_seeds, read_seeds
    from optimize.job import Job, JobSetup
    from programs.budget import Budget

    if seeds and seed:
        raise UsageError(f"--seed={seed} and --seeds={seeds} exclude one another; give one of them")
    budget = Budget(budget_calls, budget_tokens, budget_minutes, budget_money)
    lm = with_options(lm, lm_option)
    prompt_lm = with_options(prompt_lm, prompt_lm_option, "--prompt-lm-option")
    judge_lm = with_options(judge_lm, judge_lm_option, "--judge-lm-option")
    judged = {"judge_lm": judge_lm, "judge_nli": judge_nli, "objective": objective}
    job = Job("compile", program, dataset, lm, optimizer, prompt_lm, seed, limit, **judged)
    setup = JobSetup(job, threads=threads, budget=budget)
    chosen = read_seeds(seeds) if seeds else (seed,)
    planned = plan_seeds(setup, chosen)
    if dry_run:
        allowed = {"budget": budget.as_dict(), "reserved_calls": planned.reserved_calls} if budget else {}
        shown = {**planned.as_dict(), **allowed}
        print_json(shown) if output_format is Format.json else typer.echo(_announced(planned, budget))
        return
    say_if_no_model(lm)
    say(_announced(planned, budget))
    total = planned.choosing + planned.reporting
    compiled, run = _compiled(setup, chosen if seeds else (), output, total, resume=resume)
    # A state that was searched for another metric may hold parameters that answers are not to be written with.
    _print(compiled, run, _published(compiled, is_whole=limit is None and not objective, ship=ship), output_format)


def _announced(planned: WorkPlan, budget: Budget) -> str:
    if not budget:
        return f"{planned}."
    kept = f"up to {planned.reserved_calls:,} calls"
    return f"{planned}. The search stops at {budget}, less what the report will take: {kept}."


def _compiled(
    setup: JobSetup, seeds: tuple[int, ...], output: Path | None, total: int, *, resume: bool
) -> tuple[Compiled | CompiledSeeds, RunFolder]:
    from optimize.compiling.compile import compile_program
    from optimize.compiling.seeds import compile_seeds, manifest

    settings = manifest(setup, seeds) if seeds else setup.manifest()
    run = run_folder(f"compile-{setup.job.program}", output, settings, resume=resume)
    say(f"The run is in {run.path}; if it is interrupted, the same command goes on with --resume.")
    with preparing(), steps(total, "Asking") as advance:
        if seeds:
            return compile_seeds(setup, seeds, run, advance), run
        return compile_program(setup, run, advance), run


def _published(compiled: Compiled | CompiledSeeds, *, is_whole: bool, ship: bool) -> Path | None:
    """Where `programs.load` finds the state; one that was made of a part of the data is not put there."""
    from optimize.compiling import compile as compiling

    if not is_whole:
        return None
    return compiling.ship(compiled.state) if ship else compiling.publish(compiled.state)


def _fate(published: Path) -> str:
    """Whether `programs.load` takes a state up, or which other one it goes on with."""
    from programs.registry import compiled_states
    from programs.state import read_state

    state = read_state(published)
    if state.is_loss:
        return "it did worse on test than the uncompiled program, so programs.load does not take it up"
    first = next(each for each in compiled_states(state.program) if each.lm == state.lm)
    return "programs.load takes it up" if first.path == published else f"programs.load goes on with {first}"


def _print(compiled: Compiled | CompiledSeeds, run: RunFolder, published: Path | None, output_format: Format) -> None:
    if output_format is Format.json:
        places = {
            "run": str(run.path),
            "state": str(compiled.state),
            "published": str(published) if published else None,
        }
        print_json({**compiled.report.as_dict(), **places})
        return
    typer.echo((run.path / "report.md").read_text(encoding="utf-8"))
    if published:
        typer.echo(f"Compiled state: {published}; {_fate(published)}.")
    else:
        reason = "made with --limit or --objective, so programs.load does not take it up"
        typer.echo(f"Compiled state: {compiled.state}; {reason}.")
