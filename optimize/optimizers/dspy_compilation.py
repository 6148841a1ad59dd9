"""What running one of DSPy's optimizers takes: examples in its form, a silent stdout, errors that are not lost."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback

from optimize.example import Example
from optimize.generate import FATAL
from optimize.optimizers.policy import Workshop

logger = logging.getLogger(__name__)


def as_dspy(workshop: Workshop, examples: Sequence[Example]) -> list[dspy.Example]:
    """Examples as DSPy takes them: gold data and inputs, with the inputs named."""
    posed = [workshop.task.pose(each, workshop.dataset) for each in examples]
    return [dspy.Example(**{**asdict(each.example), **each.inputs}).with_inputs(*each.inputs) for each in posed]


@contextmanager
def compiling() -> Iterator[None]:
    """Run an optimizer: quietly, and with what went wrong told afterwards.

    Raises:
        UsageError, LMUnavailable …: One of FATAL, which would meet every question; else a candidate that was made
            without a model would pass for one that found nothing.
    """
    failures = _Failures()
    with _silenced(), dspy.context(callbacks=[*(dspy.settings.callbacks or []), failures]):
        yield
    for error in failures.errors:
        if isinstance(error, FATAL):
            raise error
        logger.warning("A training question failed and teaches nothing: %s: %s", type(error).__name__, error)


class _Failures(BaseCallback):  # type: ignore[misc]
    """Collects what went wrong, which DSPy would print with the whole paper."""

    def __init__(self) -> None:
        self.errors: list[Exception] = []

    def on_module_end(self, call_id: str, outputs: Any | None, exception: Exception | None = None) -> None:  # noqa: ANN401
        """One call ended; an error passes through every module around it, and counts once."""
        if exception is not None and not any(exception is each for each in self.errors):
            self.errors.append(exception)


@contextmanager
def _silenced() -> Iterator[None]:
    """DSPy prints to stdout, which holds the result, and draws bars of its own."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield
