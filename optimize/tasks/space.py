"""Which parameters of a program are worth searching, and where: data, read by the optimizer `parameters`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import optuna


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from ``low`` to ``high``, both included, in steps."""

    low: int
    high: int
    step: int = 1

    def suggest(self, trial: optuna.Trial, name: str) -> int:
        """The value that a trial takes."""
        return int(trial.suggest_int(name, self.low, self.high, step=self.step))


@dataclass(frozen=True, slots=True)
class Real:
    """A number from ``low`` to ``high``, on a logarithmic scale if ``log``."""

    low: float
    high: float
    log: bool = False

    def suggest(self, trial: optuna.Trial, name: str) -> float:
        """The value that a trial takes."""
        return round(float(trial.suggest_float(name, self.low, self.high, log=self.log)), 4)


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off."""

    def suggest(self, trial: optuna.Trial, name: str) -> bool:
        """The value that a trial takes."""
        return bool(trial.suggest_categorical(name, [False, True]))


Space: TypeAlias = Mapping[str, Whole | Real | Switch]
"""Parameters by name; those that are not named stay as they are."""
