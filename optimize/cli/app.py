"""The command line's entry; without a command it compiles `main_points` with the defaults.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import errno
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from optimize import cli as options
from optimize.cli.evaluate import compare, evaluate, report, score
from programs.cli.app import INTERRUPTED
from programs.cli.app import app as programs_app
from programs.cli.app import errors_reported as programs_errors_reported
from programs.cli.console import Format, FormatOption, LMOptionsOption, print_json, say, steps
from programs.config import forbid_telemetry
from programs.errors import CorroborateError, UsageError
from programs.lm import with_options

if TYPE_CHECKING:
    from optimize.compiling import Compiled
    from optimize.generate import WorkPlan
    from optimize.run_folder import RunFolder
    from optimize.training.loop import TrainingRun
    from programs.budget import Budget


DEFAULT_PROGRAM = "main_points"
FEWEST_VAL = 20
"""Questions of val below which the best of several candidates is mostly a matter of luck."""


def compile_(
    program: Annotated[str, typer.Argument(metavar="NAME", help="The program; see `python -m programs list`.")],
    dataset: options.DatasetOption = "space_biology",
    optimizer: Annotated[
        str,
        typer.Option(
            help="How candidates are made, such as few_shot or parameters, see docs/compiling.md; or several, each "
            "starting from the best before it, like parameters,random_search."
        ),
    ] = "random_search",
    lm: options.LMOption = options.DEFAULT_LM,
    lm_option: LMOptionsOption = None,
    prompt_lm: Annotated[
        str,
        typer.Option(
            help="Another model that shows how: its runs on train become demos, or it writes instructions. "
            "[default: that of --lm]"
        ),
    ] = "",
    prompt_lm_option: options.PromptLMOptionsOption = None,
    seed: options.SeedOption = 0,
    limit: options.LimitOption = None,
    threads: options.ThreadsOption = 1,
    objective: options.ObjectiveOption = "",
    judge_lm: options.JudgeLMOption = "",
    judge_lm_option: options.JudgeLMOptionsOption = None,
    budget_calls: options.BudgetCallsOption = None,
    budget_tokens: options.BudgetTokensOption = None,
    budget_minutes: options.BudgetMinutesOption = None,
    budget_money: options.BudgetMoneyOption = None,
    output: options.OutputOption = None,
    dry_run: options.DryRunOption = False,
    resume: options.ResumeOption = False,
    ship: Annotated[bool, typer.Option(help="Put the state among those that come with this checkout.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help=f"Compile on fewer than {FEWEST_VAL} questions of val.")
    ] = False,
    output_format: FormatOption = Format.text,
) -> None:
    """Compile a program: candidates from train, the choice on val, the report on test.

    The compiled state goes to the run's folder and to your own compiled states, where `programs.load` finds it. Under a
    budget, the search stops in time for the report; a run that it stopped continues with --resume and a larger one.
    """
    from optimize import compiling
    from optimize.job import Job, JobSetup
    from programs.budget import Budget

    budget = Budget(budget_calls, budget_tokens, budget_minutes, budget_money)
    lm = with_options(lm, lm_option)
    prompt_lm = with_options(prompt_lm, prompt_lm_option, "--prompt-lm-option")
    judge_lm = with_options(judge_lm, judge_lm_option, "--judge-lm-option")
    job = Job(
        "compile", program, dataset, lm, optimizer, prompt_lm, seed, limit, judge_lm=judge_lm, objective=objective
    )
    setup = JobSetup(job, threads=threads, budget=budget)
    planned = compiling.plan(setup)
    if dry_run:
        allowed = {"budget": budget.as_dict(), "reserved_calls": planned.reserved_calls} if budget else {}
        shown = {**planned.as_dict(), **allowed}
        print_json(shown) if output_format is Format.json else typer.echo(_announced(planned, budget))
        return
    # With --limit few questions are meant, and the state is not published.
    if (val := len(setup.dataset.split("val"))) < FEWEST_VAL and limit is None and not force:
        raise UsageError(
            f"{dataset} has {val} questions of val, on which a candidate is best by luck as easily as by its answers; "
            f"add questions to val (from {FEWEST_VAL} on it is compiled as it is), or compile on them with --force"
        )
    options.say_if_no_model(lm)
    say(_announced(planned, budget))
    run = options.run_folder(f"compile-{program}", output, setup.manifest(), resume=resume)
    with options.preparing(), steps(planned.choosing + planned.reporting, "Asking") as advance:
        compiled = compiling.compile_program(setup, run, advance)
    # A state that was made of a part of the data is not published, and one that was searched for another metric may
    # hold parameters that answers are not to be written with.
    is_whole = limit is None and not objective
    published = compiling.publish(compiled.state, ship=ship) if is_whole else None
    _print(compiled, run, published, output_format)


def headroom_(
    program: Annotated[str, typer.Argument(metavar="NAME", help="A program that answers questions.")],
    dataset: options.DatasetOption = "space_biology",
    split: Annotated[str, typer.Option(help="train, val, dev or test.")] = "train",
    lm: options.LMOption = options.DEFAULT_LM,
    lm_option: LMOptionsOption = None,
    limit: Annotated[int, typer.Option(min=1, help="Questions to ask at most.")] = 30,
    output_format: FormatOption = Format.text,
) -> None:
    """Tell before compiling where answers are lost, and how many of them other prompts could win at most."""
    from optimize.headroom import Loss, headroom
    from optimize.job import Job, JobSetup

    setup = JobSetup(Job("eval", program, dataset, with_options(lm, lm_option), limit=limit, split=split, state="none"))
    options.say_if_no_model(lm)
    with options.preparing(), steps(len(setup.posed(split)), "Asking") as advance:
        found = headroom(setup, lambda done: advance(done, split)).as_dict()
    if output_format is Format.json:
        print_json(found)
        return
    for name in get_args(Loss):
        typer.echo(f"{name:<14}{found[name]:>4}")
    low, high = found["interval"]
    typer.echo(
        f"Of {found['questions']} questions other prompts could win {found['prompts_could_win']:.0%} at most "
        f"(95 % interval {low:.0%} to {high:.0%}); {found['right_share']:.0%} are right already."
    )


def _announced(planned: WorkPlan, budget: Budget) -> str:
    if not budget:
        return f"{planned}."
    kept = f"up to {planned.reserved_calls:,} calls"
    return f"{planned}. The search stops at {budget}, less what the report will take: {kept}."


def _print(compiled: Compiled, run: RunFolder, published: Path | None, output_format: Format) -> None:
    if output_format is Format.json:
        places = {"run": str(run.path), "state": str(compiled.state)}
        print_json({**compiled.report.as_dict(), **places, "published": str(published) if published else None})
        return
    typer.echo((run.path / "report.md").read_text(encoding="utf-8"))
    if not published:
        reason = "made with --limit or --objective, so programs.load does not take it up"
        typer.echo(f"Compiled state: {compiled.state}; {reason}.")
        return
    from programs.compiled_state import read_state
    from programs.state_choice import compiled_states

    state = read_state(published)
    first = next((each for each in compiled_states(state.program) if each.lm == state.lm), state)
    fate = "programs.load takes it up" if first.path == published else f"programs.load uses {first}"
    if state.is_loss:
        fate = "it did worse on test than the uncompiled program, so programs.load does not take it up"
    typer.echo(f"Compiled state: {published}; {fate}.")


def checker(
    data: Annotated[Path, typer.Option("--data", help="Folder with claims/, scifact/, trials_train/ and so on.")],
    output: Annotated[Path, typer.Option("--output", help="Where the checker goes.")],
    seed: options.SeedOption = 0,
    start: Annotated[
        Path | None, typer.Option(help="Folder of the finished checker to start from.", show_default="the shipped one")
    ] = None,
    kept: Annotated[float, typer.Option(help="Share of its weights in the result.", min=0, max=1)] = 0.5,
    threads: Annotated[int, typer.Option("--threads", help="CPU threads.")] = 2,
    device: Annotated[str, typer.Option("--device", help="cpu, or a GPU as torch spells it.")] = "cpu",
) -> None:
    """Train the checker that says whether a text proves a claim, from a finished one.

    The checker is written to OUTPUT/checker: model.onnx, tokenizer.json and manifest.json.
    """
    from optimize.training.checker import TrainingSettings, export, finished, train
    from optimize.training.stages import Sources, calibration_pairs, epoch_pairs
    from programs.models.checker import SHIPPED

    weights, start = _embedder("`checker`"), start or SHIPPED
    settings, sources, folder = TrainingSettings(seed=seed), Sources(data), output / "checker"
    trainer = train(weights, sources, _training(threads, device), settings, start)
    trained, apart = epoch_pairs(settings.stages[-1], sources, seed), calibration_pairs(sources, seed)
    export(finished(trainer, start, kept), weights, folder, trained, apart)
    typer.echo(f"The checker is in {folder}; measure it with: python -m bench.checker --folder {folder}")


def order(
    data: Annotated[Path, typer.Option("--data", help="Folder with trials_train/, scifact/, claims/ and so on.")],
    output: Annotated[Path, typer.Option("--output", help="Where the order goes.")],
    seed: options.SeedOption = 0,
    start: Annotated[
        Path | None, typer.Option(help="Folder of the finished order to start from.", show_default="the shipped one")
    ] = None,
    epochs: Annotated[int, typer.Option(help="Passes through the questions, each in other words.", min=1)] = 1,
    threads: Annotated[int, typer.Option("--threads", help="CPU threads.")] = 2,
    device: Annotated[str, typer.Option("--device", help="cpu, or a GPU as torch spells it.")] = "cpu",
) -> None:
    """Train the order that says which passage answers a question, from a finished one.

    The order is written to OUTPUT/order: model.onnx, tokenizer.json and manifest.json.
    """
    from optimize.training.order import OrderSettings, export, figures, judged, train
    from optimize.training.ranking_lists import invented_sentences, trials
    from programs.models.order import SHIPPED

    weights = _embedder("`order`")
    settings = OrderSettings(seed=seed, epochs=epochs)
    trainer = train(weights, data, _training(threads, device), settings, start or SHIPPED)
    dev = {"trials": trials(data, dev=True), "other subjects": invented_sentences(data, apart=True)}
    made = export(trainer.weights(), weights, output / "order", list(dev.values()), settings.length)
    for kind, collection in dev.items():
        found = figures(judged(made, collection))
        typer.echo("\n".join(f"{kind}, {name}: {value:.3f}" for name, value in found.items()))


def _embedder(what: str) -> Path:
    """Folder of the weights that a training starts from."""
    from programs.config import DEFAULT_EMBEDDER
    from programs.extras import require
    from programs.retrieval.model_files import find_weights

    require("models", what)
    return find_weights(DEFAULT_EMBEDDER)


def _training(threads: int, device: str) -> TrainingRun:
    from optimize.training.loop import TrainingRun

    def said(part: str, step: int, steps: int, loss: float) -> None:
        if step % STEPS_A_LINE == 0 or step == steps:
            say(f"{part}: step {step} of {steps}, loss {loss:.3f}")

    return TrainingRun(threads, device, said)


STEPS_A_LINE = 50
"""Steps of a training after which a line says how far it is."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
RESUME = "What was done is kept; the same command continues from there, with --resume where it takes that."

app = typer.Typer(
    name="optimize",
    help="Make programs better, and prove it on questions that they have not seen.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(name="compile")(compile_)
app.command(name="eval")(evaluate)
app.command(name="headroom")(headroom_)
for command in (checker, compare, order, report, score):
    app.command()(command)


@app.callback()
def default(context: typer.Context) -> None:
    """Make programs better, and prove it on questions that they have not seen.

    Without a command: compile main_points with the defaults, on the bundled data, without a language model.
    """
    if context.invoked_subcommand is None:
        compile_(DEFAULT_PROGRAM)


def main() -> None:
    """Run the command line and exit."""
    forbid_telemetry()
    with errors_reported():
        app(prog_name="python -m optimize")


@contextmanager
def errors_reported() -> Iterator[None]:
    """As the commands of ``programs`` do; and files that cannot be written are reported with what to do."""
    with programs_errors_reported(RESUME, INTERRUPTED):
        try:
            yield
        except OSError as error:
            if error.errno not in (*FULL, *CLOSED):
                raise
            place, remedy = error.filename or "a file", "Make room." if error.errno in FULL else "Make it writable."
            raise CorroborateError(f"{place} cannot be written ({error.strerror}). {remedy} {RESUME}") from error
        except sqlite3.Error as error:
            raise CorroborateError(
                f"the kept answers of models cannot be read or written ({error}). Free disk space, or repair the "
                f"files. {RESUME}"
            ) from error


suite = typer.Typer(
    name="corroborate",
    help=programs_app.info.help,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
suite.registered_commands.extend(programs_app.registered_commands)
suite.add_typer(app, name="optimize")


def corroborate() -> None:
    """Run ``corroborate``: the commands of ``python -m programs``, these as ``optimize``, and shell completion."""
    with errors_reported() if sys.argv[1:2] == ["optimize"] else programs_errors_reported():
        suite(prog_name="corroborate")
