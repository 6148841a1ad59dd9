"""What a task is: one program as optimizers, evaluation and reports see it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.tasks.space import Space
from programs.program import Program
from programs.retrieval.embedding.embedder import Embedder

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
