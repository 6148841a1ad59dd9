"""`bootstrap`: demos taken from the program's own runs that went well (DSPy's BootstrapFewShot)."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback

from optimize.example import Example
from optimize.generate import FATAL
from optimize.optimizers.policy import Candidate, Workshop, shuffled
from programs.program import Program

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Candidates with more and more demos of their own.

    Attributes:
        sizes: Numbers of successful runs to collect.
    """

    sizes: tuple[int, ...] = (2, 4)
    name: str = "bootstrap"
    uses_prompt_lm: bool = True

    @property
    def budget(self) -> Mapping[str, Any]:
        """Numbers of runs that were collected."""
        return {"sizes": list(self.sizes)}

    def candidates(self, workshop: Workshop) -> Iterator[Candidate]:
        """One candidate a size."""
        for size in self.sizes:
            build = partial(bootstrapped, workshop, size, workshop.seed)
            yield Candidate(f"{self.name}-{size}-seed{workshop.seed}", build)

    def n_candidates(self) -> int:
        """One a size."""
        return len(self.sizes)

    def most_program_runs(self, n_train: int) -> int:
        """Each training example once a candidate, when too few runs go well."""
        return n_train * len(self.sizes)


def bootstrapped(workshop: Workshop, size: int, seed: int, teacher: Program[Any] | None = None) -> Program[Any]:
    """The program with demos of ``size`` of its runs on training examples that reached the objective's threshold.

    Args:
        workshop: Where to run it; its ``prompt_lm`` runs the teacher.
        size: How many runs at most.
        seed: In which order examples are tried.
        teacher: What runs; by default the uncompiled program.

    Raises:
        UsageError, LMUnavailable …: One of FATAL; no question could be answered.
    """
    student, failures = workshop.new_program(), _Failures()
    optimizer = dspy.BootstrapFewShot(
        metric=workshop.objective,
        metric_threshold=workshop.objective.threshold,
        teacher_settings={"lm": workshop.prompt_lm} if workshop.prompt_lm else {},
        max_bootstrapped_demos=size,
        max_labeled_demos=0,  # a training example is no demo of any single step
        max_rounds=1,
        max_errors=len(workshop.train) + 1,
    )
    with _silenced(), dspy.context(callbacks=[*(dspy.settings.callbacks or []), failures]):
        trainset = _examples(workshop, shuffled(workshop.train, seed))
        program: Program[Any] = optimizer.compile(student, teacher=teacher, trainset=trainset)
    for error in failures.errors:
        if isinstance(error, FATAL):  # else a candidate without demos would pass for one that found none
            raise error
        logger.warning("A training question failed and gives no demo: %s: %s", type(error).__name__, error)
    return program


def _examples(workshop: Workshop, train: Sequence[Example]) -> list[dspy.Example]:
    posed = [workshop.task.pose(each, workshop.dataset) for each in train]
    return [dspy.Example(**{**asdict(each.example), **each.inputs}).with_inputs(*each.inputs) for each in posed]


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
