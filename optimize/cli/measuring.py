"""Options of the commands that measure answers: who judges, what is measured, what is good enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from programs.errors import CorroborateError

if TYPE_CHECKING:
    from optimize.evaluating.assess import Measures
    from optimize.evaluating.gate import Checked

JudgeLMOption = Annotated[
    str, typer.Option("--judge-lm", help="A language model that judges claims. [default: the shipped checker]")
]
JudgeLMOptionsOption = Annotated[
    list[str] | None,
    typer.Option("--judge-lm-option", help="An option of --judge-lm; repeat it for more.", metavar="NAME=VALUE"),
]
JudgeNLIOption = Annotated[
    str,
    typer.Option(
        "--judge-nli",
        help="An NLI cross-encoder that judges claims: a name on the hub, a folder, or checker, the shipped one.",
    ),
]
MetricOption = Annotated[
    list[str] | None,
    typer.Option("--metric", help="This metric too, such as answer_relevancy; repeat it for more."),
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


def measures_of(judge_lm: str, judge_nli: str, metrics: Sequence[str] | None, threads: int) -> Measures:
    """How answers are measured, by the options; checked before anything runs."""
    from optimize.evaluating.assess import Measures
    from optimize.judging.judges import judge_of

    return Measures(judge_of(judge_lm, judge_nli), tuple(metrics or ()), threads=threads if judge_lm else 1)


def fail_if_missed(checked: Sequence[Checked]) -> None:
    """End the command with exit code 1 if a limit is not kept.

    Raises:
        CorroborateError: Names every limit that is not.
    """
    missed = [str(each) for each in checked if not each.is_met]
    if missed:
        raise CorroborateError(f"the gate is not met: {'; '.join(missed)}")
