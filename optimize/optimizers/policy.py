"""What an optimizer is: a source of candidate programs. Which of them is best is decided outside, on other data."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import dspy

from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.measuring.scoring import Objective
from optimize.tasks.task import Task
from programs.program import Program


@dataclass(frozen=True, slots=True)
class Compilation:
    """What optimizers work with.

    Attributes:
        task: The program as optimizers see it.
        new_program: Makes the program as its authors wrote it.
        dataset: Papers; of its questions optimizers see ``train`` and ``val``.
        train: What demos may be made of.
        val: What candidates may be chosen by; nothing of it may get into a prompt.
        objective: What to maximise.
        seed: Of everything random.
        prompt_lm: The model that shows how, or writes instructions; None for the one that is compiled for.
        threads: Questions at a time.
    """

    task: Task
    new_program: Callable[[], Program[Any]]
    dataset: Dataset
    train: tuple[Example, ...]
    objective: Objective
    val: tuple[Example, ...] = ()
    seed: int = 0
    prompt_lm: dspy.LM | None = None
    threads: int = 1

    @property
    def can_write(self) -> bool:
        """Whether there is a model that writes instructions; the extractive LM cannot."""
        return writes(self.writer)

    @property
    def writer(self) -> dspy.LM:
        """The model that writes instructions."""
        return self.prompt_lm or dspy.settings.lm


@dataclass(frozen=True, slots=True)
class CandidateProgram:
    """A program to try.

    Attributes:
        name: Says how it was made; unique in a run, fit for a file's name.
        build: Makes it. Not called when a run is resumed that has it already.
    """

    name: str
    build: Callable[[], Program[Any]]


@dataclass(frozen=True, slots=True)
class Sizes:
    """What an optimizer's work grows with.

    Attributes:
        train: Training examples.
        val: Examples to choose by.
        steps: Predictors of the program, each with an instruction and demos of its own.
    """

    train: int
    val: int
    steps: int


@dataclass(frozen=True, slots=True)
class Optimizer(ABC):
    """A policy. Its fields are its sizes.

    Attributes:
        name: What ``--optimizer`` takes.
        uses_prompt_lm: Whether a second model can take part.
        needs_writer: Whether it can do nothing without a model that writes instructions, which the extractive LM does
            not.
    """

    name: ClassVar[str]
    uses_prompt_lm: ClassVar[bool] = False
    needs_writer: ClassVar[bool] = False

    @property
    def budget(self) -> Mapping[str, Any]:
        """The sizes that were set, for the provenance."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}

    @abstractmethod
    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """Candidates in a fixed order; the same seed gives the same."""

    def n_candidates(self) -> int:
        """How many there will be."""
        return 1

    def most_program_runs(self, sizes: Sizes) -> int:
        """How often programs run, at most, to build them; not at all where gold data are enough."""
        return 0

    def most_writings(self, sizes: Sizes) -> int:
        """How often a model is asked to write an instruction, at most."""
        return 0


def _plain(value: Any) -> Any:  # noqa: ANN401 - a field of an optimizer
    return list(value) if isinstance(value, tuple) else value


def writes(lm: dspy.LM) -> bool:
    """Whether a model can write an instruction; the extractive LM takes every word from what it is given."""
    return not str(lm.model).startswith("extractive")


def shuffled(train: Sequence[Example], seed: int) -> list[Example]:
    """The examples in a random order that the seed decides."""
    order = list(train)
    random.Random(seed).shuffle(order)  # noqa: S311 - repeatable, not secret
    return order
