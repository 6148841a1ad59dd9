"""What a task is: one program as optimizers, evaluation and reports see it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from programs.program import Program
from programs.retrieval.embedding.embedder import Embedder

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


ANSWER_METRICS = (
    "grounded_utility",
    "claim_groundedness",
    "contradiction_rate",
    "nugget_recall",
    "citation_f1",
    "citation_recall",
    "citation_precision",
    "citation_coverage",
    "citation_validity",
    "answerability",
    "token_f1",
)
"""What every written answer is judged by; the first is the objective."""

Demo: TypeAlias = Mapping[str, Any]
"""Values of a signature's fields, JSON-ready."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A question as it is put to a program.

    Attributes:
        example: As metrics see it.
        inputs: What the program is called with.
    """

    example: Example
    inputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallCount:
    """How many calls of a language model one run of a program takes.

    Attributes:
        least: At least.
        most: At most.
        before: Once, before the first run, at most.
    """

    least: int
    most: int
    before: int = 0


class Task(Protocol):
    """One program as optimizers see it."""

    @property
    def name(self) -> str:
        """The program's name."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics that say something of it, the objective first."""

    @property
    def space(self) -> Space:
        """Parameters that are worth searching; empty for none."""

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The uncompiled program, over the papers of a data set where it asks a collection."""

    def pose(self, example: Example, dataset: Dataset) -> Posed:
        """Put a question to the program."""

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """What each predictor, by name, should have said of this example, from the gold data alone."""

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """What one question of a data set costs; the program may be one whose index is not there."""
