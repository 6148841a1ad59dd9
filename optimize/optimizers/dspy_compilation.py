"""What running one of DSPy's optimizers takes: examples in its form, a silent stdout, errors and finds not lost."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback

from optimize.dataset.example import Example
from optimize.optimizers.policy import Compilation
from programs.budget import BudgetSpent, CircuitBreaker
from programs.program import Program

logger = logging.getLogger(__name__)


def as_dspy(compilation: Compilation, examples: Sequence[Example]) -> list[dspy.Example]:
    """Examples as DSPy takes them: gold data and inputs, with the inputs named."""
    posed = [compilation.task.pose(each, compilation.dataset) for each in examples]
    return [dspy.Example(**{**asdict(each.example), **each.inputs}).with_inputs(*each.inputs) for each in posed]


@contextmanager
def compiling() -> Iterator[None]:
    """Run an optimizer: quietly, and with what went wrong told afterwards.

    Raises:
        UsageError, LMUnavailable …: As soon as it is clear that it would meet every question, see
            ``programs.budget``: a candidate made without a model would pass for one that
            found nothing.
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
