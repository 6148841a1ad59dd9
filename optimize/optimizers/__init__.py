"""Optimizers by name: small policies that can be exchanged; in those of ``proposed`` a model proposes instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from optimize.optimizers.bootstrap import Bootstrap
from optimize.optimizers.few_shot import FewShot
from optimize.optimizers.instruction_optimizers import Copro, Gepa, Mipro, Simba
from optimize.optimizers.parameters import ParameterSearch
from optimize.optimizers.policy import Optimizer
from optimize.optimizers.random_search import RandomSearch
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
        UsageError: There is none.
        MissingExtra: It searches with a library that is not installed.
    """
    if name not in OPTIMIZERS:
        raise UsageError(f"there is no optimizer {name!r}; there are {', '.join(OPTIMIZERS)}")
    if name in SEARCHED_BY_OPTUNA:
        require("tune", f"the optimizer {name}")
    return OPTIMIZERS[name]()
