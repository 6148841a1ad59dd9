"""What an optimizer is: a source of candidate programs. Which of them is best is decided outside, on other data.

The second part runs DSPy's own optimizers: examples in their form, a silent stdout, errors and results not lost.
"""

from __future__ import annotations

import io
import logging
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

import dspy
from dspy.utils.callback import BaseCallback

from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.measuring.scoring import Objective
from optimize.tasks.task import Task
from programs.budget import BudgetSpent, CircuitBreaker
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


logger = logging.getLogger(__name__)


def as_dspy(compilation: Compilation, examples: Sequence[Example]) -> list[dspy.Example]:
    """Examples as DSPy takes them: gold data and inputs, with the inputs named."""
    posed = [compilation.task.pose(each, compilation.dataset) for each in examples]
    return [dspy.Example(**{**asdict(each.example), **each.inputs}).with_inputs(*each.inputs) for each in posed]


@contextmanager
def compiling() -> Iterator[None]:
    """Run an optimizer quietly, and log afterwards what went wrong.

    Raises:
        UsageError, LMUnavailable …: As soon as it is clear that it would meet every question, see
            ``programs.budget.CircuitBreaker``: a candidate made without a model would pass for one that found nothing.
    """
    failures = _Failures()
    try:
        with _silenced(), dspy.context(callbacks=[*(dspy.settings.callbacks or []), failures]):
            yield
    except _Fatal as fatal:
        raise fatal.error from None
    for error in failures.errors:
        logger.warning("A training question failed and teaches nothing: %s: %s", type(error).__name__, error)


def until_stopped(search: Callable[[], Program[Any]], questions: int) -> Program[Any]:
    """Run an optimizer to its end, or until the budget is spent.

    Args:
        search: Runs it.
        questions: How many it scores a program on before it takes it for better.

    Returns:
        The compiled program; if it was stopped, the best program that it had scored on all questions.

    Raises:
        BudgetSpent: It was stopped before there was one.
    """
    scored = _Scored(questions)
    try:
        with compiling(), dspy.context(callbacks=[*(dspy.settings.callbacks or []), scored]):
            return search()
    except BudgetSpent:
        if scored.best is None:
            raise
        return scored.best


class _Fatal(BaseException):
    """Carries an error that ends the run through DSPy, which would count it as one question's and go on."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class _Failures(BaseCallback):  # type: ignore[misc]
    """Collects what went wrong, which DSPy would print with the whole paper."""

    def __init__(self) -> None:
        self.errors: list[Exception] = []
        self._breaker = CircuitBreaker()

    def on_module_end(self, call_id: str, outputs: Any | None, exception: BaseException | None = None) -> None:  # noqa: ANN401
        """One call ended; an error passes through every module around it, and counts once."""
        if exception is None:
            self._breaker.answered()
        elif isinstance(exception, Exception) and not any(exception is each for each in self.errors):
            self._bear(exception)
            self.errors.append(exception)

    def _bear(self, error: Exception) -> None:
        try:
            self._breaker.bear(error)
        except Exception as fatal:
            raise _Fatal(fatal) from fatal


class _Scored(BaseCallback):  # type: ignore[misc]
    """Remembers the best program that was scored on a whole set of questions."""

    def __init__(self, questions: int) -> None:
        self.best: Program[Any] | None = None
        self._questions = questions
        self._value = float("-inf")
        self._running: dict[str, Program[Any]] = {}

    def on_evaluate_start(self, call_id: str, instance: dspy.Evaluate, inputs: dict[str, Any]) -> None:
        """GEPA looks at a few questions with a metric of its own; what that gives is not a score."""
        devset = inputs["devset"] or instance.devset
        if inputs["metric"] is None and len(devset) == self._questions:
            self._running[call_id] = inputs["program"]

    def on_evaluate_end(self, call_id: str, outputs: Any | None, exception: BaseException | None = None) -> None:  # noqa: ANN401
        """Keep the program if it scores above the best so far; of those that tie the first is kept."""
        program = self._running.pop(call_id, None)
        if program is not None and outputs is not None and float(outputs.score) > self._value:
            self.best, self._value = program.deepcopy(), float(outputs.score)


@contextmanager
def _silenced() -> Iterator[None]:
    """DSPy prints to stdout, which holds the result, and draws bars of its own."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield
