"""Optimizers by name: small policies that can be exchanged; in those of ``proposed`` a model proposes instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import dspy

from optimize.optimizers.demo_optimizers import Bootstrap, FewShot, RandomSearch
from optimize.optimizers.instruction_optimizers import Copro, Gepa, Mipro, Simba
from optimize.optimizers.parameters import ParameterSearch
from optimize.optimizers.policy import Optimizer, writes
from optimize.tasks.task import Task
from programs.errors import UsageError
from programs.extras import require

OPTIMIZERS: Mapping[str, Callable[[], Optimizer]] = {
    "few_shot": FewShot,
    "bootstrap": Bootstrap,
    "random_search": RandomSearch,
    "mipro": Mipro,
    "gepa": Gepa,
    "simba": Simba,
    "copro": Copro,
    "parameters": ParameterSearch,
}

SEARCHED_BY_OPTUNA = ("mipro", "parameters")


def optimizer_of(name: str) -> Optimizer:
    """The optimizer of a name, with its default sizes.

    Raises:
        UsageError: There is no optimizer of this name.
        MissingExtra: It searches with a library that is not installed.
    """
    if name not in OPTIMIZERS:
        raise UsageError(f"there is no optimizer {name!r}; there are {', '.join(OPTIMIZERS)}")
    if name in SEARCHED_BY_OPTUNA:
        require("tune", f"the optimizer {name}")
    return OPTIMIZERS[name]()


def chain_of(names: str, task: Task, lm: dspy.LM, prompt_lm: dspy.LM | None) -> list[Optimizer]:
    """The optimizers of a compilation, checked before anything runs; each starts where the one before it ended.

    Args:
        names: One, or several separated by commas.
        task: The program that is compiled.
        lm: The model that it is compiled for.
        prompt_lm: The model that shows how; None for ``lm``.

    Raises:
        UsageError: There is no such optimizer, it is named twice, or it cannot do anything here.
    """
    chosen = [name.strip() for name in names.split(",")]
    if len(set(chosen)) < len(chosen):
        raise UsageError(f"--optimizer {names} names one twice; each starts where the one before it ended")
    optimizers = [optimizer_of(name) for name in chosen]
    if prompt_lm and not any(each.uses_prompt_lm for each in optimizers):
        raise UsageError(f"{' and '.join(chosen)} has no use for a second model; leave --prompt-lm out")
    if "parameters" in chosen and not task.space:
        raise UsageError(f"{task.name} has no parameters to search; use another optimizer")
    _check_writer(optimizers, prompt_lm or lm)
    return optimizers


def _check_writer(optimizers: Sequence[Optimizer], writer: dspy.LM) -> None:
    idle = [each.name for each in optimizers if each.needs_writer and not writes(writer)]
    if idle:
        others = [name for name, make in OPTIMIZERS.items() if not make().needs_writer]
        raise UsageError(
            f"{' and '.join(idle)} has instructions written, which {writer.model} cannot do; name a model that can "
            f"with --prompt-lm, or use {', '.join(others[:-1])} or {others[-1]}"
        )
