"""Options that several commands share, and where a run is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli.console import say
from programs.errors import UsageError

if TYPE_CHECKING:
    from optimize.assess import Measures
    from optimize.run_folder import RunFolder

RUNS = Path("runs")
DEFAULT_LM = "extractive"

DatasetOption = Annotated[
    str,
    typer.Option(
        "--dataset",
        help="A folder with papers/ and questions/SPLIT.jsonl, a bundled set, or a benchmark: scifact, pubmed_qa, "
        "qasper or evidence_inference, from the hub, or as NAME=FOLDER from a folder with its columns.",
    ),
]
LMOption = Annotated[
    str, typer.Option("--lm", help="ollama/MODEL, a LiteLLM name, or extractive, which uses no model.")
]
PromptLMOptionsOption = Annotated[
    list[str] | None, typer.Option("--prompt-lm-option", help="The same for --prompt-lm.", metavar="NAME=VALUE")
]
ObjectiveOption = Annotated[
    str,
    typer.Option("--objective", help="The metric that counts. [default: the program's own]"),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Of everything random.")]
LimitOption = Annotated[int | None, typer.Option("--limit", help="Questions of each split at most.")]
ThreadsOption = Annotated[int, typer.Option("--threads", help="Questions at a time.")]
OutputOption = Annotated[Path | None, typer.Option("--output", help="Folder of the run. [default: a new one in runs/]")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Say how many calls and minutes it will take, and stop.")]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Continue a run that was interrupted: that in --output, else the newest.")
]
BudgetCallsOption = Annotated[
    int | None, typer.Option("--budget-calls", help="Calls of models at most; the best by then is reported.")
]
BudgetTokensOption = Annotated[
    int | None, typer.Option("--budget-tokens", help="Tokens of prompts and answers at most.")
]
BudgetMinutesOption = Annotated[float | None, typer.Option("--budget-minutes", help="Minutes of work at most.")]
BudgetMoneyOption = Annotated[
    float | None, typer.Option("--budget-money", help="US dollars at most, for models with a known price.")
]


def run_folder(name: str, output: Path | None, manifest: Mapping[str, Any], *, resume: bool) -> RunFolder:
    """The folder that a run uses: the named one, the one to be resumed, or a new one that begins with ``name``."""
    from optimize.run_folder import open_run, unfinished_run

    new = RUNS / f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    path = output or (unfinished_run(RUNS, manifest) if resume else new)
    if path is None:
        raise UsageError(f"there is no unfinished run with these settings in {RUNS}/; leave out --resume to start one")
    if resume and not (path / "manifest.json").exists():
        raise UsageError(f"{path} holds no run to continue; leave out --resume to start one there")
    run = open_run(path, manifest, resume=resume)
    say(f"The run is in {run.path}; if it is interrupted, use --resume to continue.")
    return run


@contextmanager
def preparing() -> Iterator[None]:
    """Say on stderr what is done before the first question and takes its time: papers are indexed and summarized."""
    from programs.progress import listening

    with listening(lambda step: say(f"{step.message}.") if step.name in ("index", "summarize") else None):
        yield


def say_if_no_model(lm: str) -> None:
    """Tell that answers are extracted, where they are."""
    if lm == DEFAULT_LM:
        say("No language model is used: answers are extracted from the papers. Name a model with --lm.")


JudgeLMOption = Annotated[
    str, typer.Option("--judge-lm", help="A language model that judges claims. [default: the shipped checker]")
]
JudgeLMOptionsOption = Annotated[
    list[str] | None,
    typer.Option("--judge-lm-option", help="An option of --judge-lm; repeat it for more.", metavar="NAME=VALUE"),
]
MetricOption = Annotated[
    list[str] | None, typer.Option("--metric", help="This metric too, such as answer_relevancy; repeat it for more.")
]
FailUnderOption = Annotated[
    list[str] | None,
    typer.Option("--fail-under", metavar="METRIC=VALUE", help="Exit with 1 if the mean is lower; may be repeated."),
]
FailOverOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-over", metavar="METRIC=VALUE", help="The same for metrics that are better when lower: if it is higher."
    ),
]


def measures_of(judge_lm: str, metrics: Sequence[str] | None, threads: int) -> Measures:
    """How answers are measured, by the options; checked before anything runs."""
    from optimize.assess import Measures
    from optimize.judging import judge_of

    return Measures(judge_of(judge_lm), tuple(metrics or ()), threads=threads if judge_lm else 1)
