"""What an optimizer is: a source of candidate programs. Which of them is best is decided outside, on other data.

Here are those that choose demos; those that write instructions or search parameters are in ``optimize.optimizers``.

few_shot        demos from the gold data, for every predictor (DSPy's LabeledFewShot fits programs of one step)
bootstrap       demos taken from the program's own successful runs (DSPy's BootstrapFewShot)
random_search   many candidates, half of each kind (DSPy's rebuilds its candidates after every interruption)
"""

from __future__ import annotations

import io
import logging
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar

import dspy
from dspy.utils.callback import BaseCallback

from metrics.score import GOOD_ENOUGH
from optimize.dataset import Example
from optimize.dataset.loading import Dataset
from optimize.scoring import Objective
from optimize.tasks import Task
from programs.budget import BudgetSpent, CircuitBreaker
from programs.program import Program


@dataclass(frozen=True, slots=True)
class Compilation:
    """What optimizers work with; of a data set's questions they see ``train`` and ``val``.

    Demos are made of train, and candidates are chosen by val, of which nothing may get into a prompt. The ``prompt_lm``
    shows how, or writes instructions; without one it is the model that is compiled for.
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
    def writer(self) -> dspy.LM:
        """The model that writes instructions."""
        return self.prompt_lm or dspy.settings.lm


@dataclass(frozen=True, slots=True)
class CandidateProgram:
    """A program to try; ``build`` is not called when a run is resumed that has it already.

    Its name says how it was made, is unique in a run, and fit for a file's name.
    """

    name: str
    build: Callable[[], Program[Any]]


@dataclass(frozen=True, slots=True)
class Sizes:
    """What an optimizer's work grows with: examples of train and val, and predictors, each with its own prompt."""

    train: int
    val: int
    steps: int


@dataclass(frozen=True, slots=True)
class Work:
    """How many candidates there will be, and, at most, runs of programs for them and instructions to be written."""

    candidates: int = 1
    runs: int = 0
    writings: int = 0


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

    @abstractmethod
    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """Candidates in a fixed order; the same seed gives the same."""

    @abstractmethod
    def work(self, sizes: Sizes) -> Work:
        """What it will do; no program runs where gold data are enough."""


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
            ``programs.budget``: a candidate made without a model would pass for one that found nothing.
    """
    failures = _Failures()
    try:
        # DSPy prints to stdout, which holds the result, and draws its own bars.
        callbacks = [*(dspy.settings.callbacks or []), failures]
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), dspy.context(callbacks=callbacks):
            yield
    except _Fatal as fatal:
        raise fatal.error from None
    for error in failures.errors:
        logger.warning("A training question failed and teaches nothing: %s: %s", type(error).__name__, error)


def until_stopped(search: Callable[[], Program[Any]], questions: int) -> Program[Any]:
    """Run an optimizer to its end, or until the budget is spent; then the best program that it scored on all questions.

    BudgetSpent says that there was none yet.
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
    """Carries an error that ends the run through DSPy, which would count it as one question's and continue."""

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
            try:
                self._breaker.record(exception)
            except Exception as fatal:
                raise _Fatal(fatal) from fatal
            self.errors.append(exception)


class _Scored(BaseCallback):  # type: ignore[misc]
    """Remembers the best program that was scored on a whole set of questions."""

    def __init__(self, questions: int) -> None:
        self.best: Program[Any] | None = None
        self._questions = questions
        self._value = float("-inf")
        self._running: dict[str, Program[Any]] = {}

    def on_evaluate_start(self, call_id: str, instance: dspy.Evaluate, inputs: dict[str, Any]) -> None:
        """GEPA looks at a few questions with its own metric; what that gives is not a score."""
        devset = inputs["devset"] or instance.devset
        if inputs["metric"] is None and len(devset) == self._questions:
            self._running[call_id] = inputs["program"]

    def on_evaluate_end(self, call_id: str, outputs: Any | None, exception: BaseException | None = None) -> None:  # noqa: ANN401
        """Keep the program if it scores above the best so far; of those that tie the first is kept."""
        program = self._running.pop(call_id, None)
        if program is not None and outputs is not None and float(outputs.score) > self._value:
            self.best, self._value = program.deepcopy(), float(outputs.score)


@dataclass(frozen=True, slots=True)
class FewShot(Optimizer):
    """Candidates with demos of more and more training examples."""

    sizes: tuple[int, ...] = (2, 4, 8)
    name: ClassVar[str] = "few_shot"

    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """One candidate a size; a larger one has the examples of the smaller, and more."""
        for size in self.sizes:
            build = partial(self._build, compilation, size, compilation.seed)
            yield CandidateProgram(f"{self.name}-{size}-seed{compilation.seed}", build)

    def work(self, sizes: Sizes) -> Work:
        """One candidate for each size."""
        return Work(len(self.sizes))

    def _build(self, compilation: Compilation, size: int, seed: int) -> Program[Any]:
        return labelled(compilation, size, seed)


def labelled(compilation: Compilation, size: int, seed: int, predictors: Sequence[str] | None = None) -> Program[Any]:
    """The program with demos of ``size`` training examples for the named predictors, by default all.

    About one example in five has no answer, from two on at least one, if there are such.
    """
    order = shuffled(compilation.train, seed)
    unanswerable = [each for each in order if not each.answerable][: max(1, size // 5) if size > 1 else 0]
    answerable = [each for each in order if each.answerable][: size - len(unanswerable)]
    program, rng = compilation.new_program(), random.Random(seed)  # noqa: S311 - repeatable, not secret
    chosen = sorted((*answerable, *unanswerable), key=order.index)
    made = [compilation.task.demos(each, compilation.dataset, rng) for each in chosen]
    for name, predictor in program.named_predictors():
        if predictors is None or name in predictors:
            predictor.demos = [dspy.Example(**demos[name]) for demos in made if name in demos]
    return program


@dataclass(frozen=True, slots=True)
class Bootstrap(FewShot):
    """Candidates with more and their own more demos: ``sizes`` are numbers of successful runs to collect."""

    sizes: tuple[int, ...] = (2, 4)
    name: ClassVar[str] = "bootstrap"
    uses_prompt_lm: ClassVar[bool] = True

    def work(self, sizes: Sizes) -> Work:
        """Each training example once a candidate, when too few runs go well."""
        return Work(len(self.sizes), sizes.train * len(self.sizes))

    def _build(self, compilation: Compilation, size: int, seed: int) -> Program[Any]:
        return bootstrapped(compilation, size, seed)


def bootstrapped(compilation: Compilation, size: int, seed: int) -> Program[Any]:
    """The program with demos of up to ``size`` of its runs on training examples that reached the objective's threshold.

    The runs are those of the uncompiled program with the ``prompt_lm``; an error says that none succeeded.
    """
    optimizer = dspy.BootstrapFewShot(
        metric=compilation.objective,
        metric_threshold=GOOD_ENOUGH,
        teacher_settings={"lm": compilation.prompt_lm} if compilation.prompt_lm else {},
        max_bootstrapped_demos=size,
        max_labeled_demos=0,  # a training example is not a demo of any single step
        max_rounds=1,
        max_errors=len(compilation.train) + 1,
    )
    with compiling():
        trainset = as_dspy(compilation, shuffled(compilation.train, seed))
        program: Program[Any] = optimizer.compile(compilation.new_program(), trainset=trainset)
    return program


_SEEDS_APART = 1_000
"""Distance between the seeds of runs, so that runs with seeds 0 and 1 share no candidate."""


@dataclass(frozen=True, slots=True)
class RandomSearch(Optimizer):
    """Many candidates, each with other demos for other steps, from gold examples or own runs in turn."""

    size: int = 12
    most_labelled: int = 8
    most_bootstrapped: int = 4
    name: ClassVar[str] = "random_search"
    uses_prompt_lm: ClassVar[bool] = True

    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """Gold demos and own runs in turn."""
        for number in range(self.size):
            seed = compilation.seed * _SEEDS_APART + number
            kind = "bootstrap" if number % 2 else "few_shot"
            yield CandidateProgram(f"{self.name}-{kind}-seed{seed}", partial(self._build, compilation, seed, kind))

    def work(self, sizes: Sizes) -> Work:
        """Each training example once for every second candidate, when too few runs go well."""
        return Work(self.size, sizes.train * (self.size // 2))

    def _build(self, compilation: Compilation, seed: int, kind: str) -> Program[Any]:
        rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
        if kind == "bootstrap":
            return bootstrapped(compilation, rng.randint(1, self.most_bootstrapped), seed)
        names = [name for name, _ in compilation.new_program().named_predictors()]
        taught = rng.sample(names, rng.randint(1, len(names)))
        return labelled(compilation, rng.randint(1, self.most_labelled), seed, taught)
