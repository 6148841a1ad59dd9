"""Optimizers by name: those of ``policy``, which choose demos, and those that write instructions or search parameters.

`copro` rewrites each step's instruction in turn, with the scores of earlier attempts in view; `gepa` in the light of
what went wrong, sentence by sentence; `mipro` searches instructions and demos of every step together, by Bayesian
optimization (MIPROv2); `simba` adds rules and demos from questions that a program answers well once and badly another
time: four optimizers of DSPy. `parameters` searches thresholds, fusion constants, weights and counts with optuna (the
tree-structured Parzen estimator, Bergstra et al. 2011), and leaves prompts as they are.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar

import dspy

from metrics.score import GOOD_ENOUGH
from optimize.dataset import Example, spread
from optimize.policy import (
    Bootstrap,
    CandidateProgram,
    Compilation,
    FewShot,
    Optimizer,
    RandomSearch,
    Sizes,
    Work,
    as_dspy,
    compiling,
    until_stopped,
)
from optimize.tasks import Task
from programs.budget import BudgetSpent, CircuitBreaker
from programs.errors import UsageError
from programs.extras import require
from programs.program import AnsweringParameters, Program, in_threads

if TYPE_CHECKING:
    import optuna


class InstructionOptimizer(Optimizer):
    """An optimizer of DSPy that searches by itself and gives the best program that it found."""

    uses_prompt_lm: ClassVar[bool] = True

    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """The best that was found."""
        yield CandidateProgram(f"{self.name}-seed{compilation.seed}", partial(self._best, compilation))

    @abstractmethod
    def _best(self, compilation: Compilation) -> Program[Any]:
        """Search, and give what was found best."""


def searched(
    optimizer: Any,  # noqa: ANN401 - one of DSPy's
    compilation: Compilation,
    train: Sequence[Example],
    val: Sequence[Example] = (),
    **options: Any,  # noqa: ANN401 - of its ``compile``
) -> Program[Any]:
    """The best program that an optimizer finds on val, or on train where it takes no val; see ``until_stopped``."""
    sets = {"trainset": as_dspy(compilation, train)} | ({"valset": as_dspy(compilation, val)} if val else {})
    return until_stopped(partial(optimizer.compile, compilation.new_program(), **sets, **options), len(val or train))


@dataclass(frozen=True, slots=True)
class Simba(InstructionOptimizer):
    """One candidate: the best on train of those that the steps ended with.

    It scores programs on batches until its end, so a search that a budget stops before that gives no candidate.

    Attributes:
        batch: Training questions a step; fewer where there are fewer.
        size: Programs tried a step.
    """

    batch: int = 16
    size: int = 4
    steps: int = 4
    most_demos: int = 3
    name: ClassVar[str] = "simba"
    needs_writer: ClassVar[bool] = True

    def work(self, sizes: Sizes) -> Work:
        """A batch for every program and one more, before and after, in every step; then train for the best ones.

        A rule is written for each question of each batch, again where it does not parse.
        """
        batch = min(self.batch, sizes.train)
        runs = self.steps * (2 * self.size + 1) * batch + (min(self.size, self.steps) + 1) * sizes.train
        return Work(runs=runs, writings=2 * self.steps * batch)

    def _best(self, compilation: Compilation) -> Program[Any]:
        optimizer = dspy.SIMBA(
            metric=compilation.objective.with_feedback,
            bsize=min(self.batch, len(compilation.train)),
            num_candidates=self.size,
            max_steps=self.steps,
            max_demos=self.most_demos,
            prompt_model=compilation.writer,
            num_threads=compilation.threads,
        )
        with compiling():
            program: Program[Any] = optimizer.compile(
                compilation.new_program(), trainset=as_dspy(compilation, compilation.train), seed=compilation.seed
            )
        program.set_lm(None)
        return program


@dataclass(frozen=True, slots=True)
class Mipro(InstructionOptimizer):
    """One candidate: the best of the trials.

    Attributes:
        size: Instructions, and sets of demos, to choose from for each step.
        trials: Combinations to try on val.
        most_bootstrapped: Own runs in a set of demos at most.
    """

    size: int = 4
    trials: int = 8
    most_bootstrapped: int = 3
    name: ClassVar[str] = "mipro"
    needs_writer: ClassVar[bool] = True

    def work(self, sizes: Sizes) -> Work:
        """Each training example for every set of demos, and val for every trial and for the start.

        For every instruction the program, the step and the instruction are written, each again where it does not parse.
        """
        runs = self.size * sizes.train + (self.trials + 1) * sizes.val
        return Work(runs=runs, writings=2 * 3 * self.size * sizes.steps)

    def _best(self, compilation: Compilation) -> Program[Any]:
        optimizer = dspy.MIPROv2(
            metric=compilation.objective,
            prompt_model=compilation.prompt_lm,
            auto=None,
            num_candidates=self.size,
            max_bootstrapped_demos=self.most_bootstrapped,
            max_labeled_demos=0,  # a training example is not a demo of any single step
            metric_threshold=GOOD_ENOUGH,
            num_threads=compilation.threads,
            max_errors=len(compilation.train) + len(compilation.val) + 1,
            seed=compilation.seed,
        )
        return searched(
            optimizer,
            compilation,
            compilation.train,
            compilation.val,
            num_trials=self.trials,
            minibatch=False,  # val is small, and a part of it would be noise
            data_aware_proposer=False,  # it would show whole papers to the proposer
        )


@dataclass(frozen=True, slots=True)
class Gepa(InstructionOptimizer):
    """One candidate: the best on val of all that were written, in so many runs of the program.

    Its own checkpoint would be a pickle, so it has none; a resumed run reads the model's answers from the run's folder.
    """

    metric_calls: int = 300
    minibatch: int = 3
    name: ClassVar[str] = "gepa"
    needs_writer: ClassVar[bool] = True

    def work(self, sizes: Sizes) -> Work:
        """As many runs as were allowed, and what the last step takes beyond that.

        An instruction is written for every look at a few questions, and again where it does not parse.
        """
        runs = self.metric_calls + sizes.val + 2 * self.minibatch
        return Work(runs=runs, writings=2 * (self.metric_calls // self.minibatch + 1))

    def _best(self, compilation: Compilation) -> Program[Any]:
        optimizer = dspy.GEPA(
            metric=compilation.objective.with_feedback,
            max_metric_calls=self.metric_calls,
            reflection_minibatch_size=self.minibatch,
            reflection_lm=compilation.writer,
            num_threads=compilation.threads,
            warn_on_score_mismatch=False,
            seed=compilation.seed,
        )
        return searched(optimizer, compilation, compilation.train, compilation.val)


@dataclass(frozen=True, slots=True)
class Copro(InstructionOptimizer):
    """One candidate: the best on train of all instructions that were tried.

    Attributes:
        breadth: Instructions for each step in each of ``depth`` rounds, at least 2.
        questions: Training questions that instructions are scored on, at most.
    """

    breadth: int = 3
    depth: int = 2
    questions: int = 20
    temperature: float = 1.0
    name: ClassVar[str] = "copro"
    needs_writer: ClassVar[bool] = True

    def work(self, sizes: Sizes) -> Work:
        """The questions for every instruction of every step in every round, earlier rounds' instructions included.

        Every instruction but the first of each step is written, each again where it does not parse.
        """
        rounds = self.depth * (self.depth + 1) // 2
        runs = min(self.questions, sizes.train) * sizes.steps * self.breadth * rounds
        return Work(runs=runs, writings=2 * sizes.steps * (self.breadth * self.depth - 1))

    def _best(self, compilation: Compilation) -> Program[Any]:
        optimizer = dspy.COPRO(
            metric=compilation.objective,
            prompt_model=compilation.writer,
            breadth=self.breadth,
            depth=self.depth,
            init_temperature=self.temperature,
        )
        quiet = {"num_threads": compilation.threads, "display_progress": False, "display_table": 0}
        return searched(optimizer, compilation, spread(compilation.train, self.questions), eval_kwargs=quiet)


@dataclass(frozen=True, slots=True)
class ParameterSearch(Optimizer):
    """Candidates with other parameters and the same prompts: the best of the trials, of which the first has its own."""

    trials: int = 24
    kept: int = 3
    name: ClassVar[str] = "parameters"

    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """The best on train, the best first; those that are left over repeat the last."""
        best = cache(partial(self._best, compilation))

        def build(rank: int) -> Program[Any]:
            program = compilation.new_program()
            program.set_parameters(**best()[min(rank, len(best()) - 1)])
            return program

        for rank in range(self.kept):
            yield CandidateProgram(f"{self.name}-{rank + 1}-seed{compilation.seed}", partial(build, rank))

    def work(self, sizes: Sizes) -> Work:
        """Train, once a trial."""
        return Work(self.kept, self.trials * sizes.train)

    def _best(self, compilation: Compilation) -> list[Mapping[str, Any]]:
        """Different settings, the best on train first; where the budget ends the search, of those that were tried."""
        import optuna

        breaker = CircuitBreaker()

        def value(trial: optuna.Trial) -> float:
            settings = {name: suggest(trial, name) for name, suggest in compilation.task.space.items()}
            trial.set_user_attr("settings", settings)
            program = compilation.new_program()
            try:
                program.set_parameters(**settings)
            except UsageError as error:  # settings that do not go together
                raise optuna.TrialPruned(str(error)) from error
            return _mean(program, compilation, breaker)

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = optuna.samplers.TPESampler(seed=compilation.seed, n_startup_trials=8)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        given = compilation.new_program().settings
        if isinstance(given, AnsweringParameters):  # values in place of "auto", as those that are tried
            given = replace(given.for_model(), context_tokens=given.passage_tokens)
        own = asdict(given)
        study.enqueue_trial({name: own[name] for name in compilation.task.space})
        try:
            study.optimize(value, n_trials=self.trials)
        except BudgetSpent:
            if not any(trial.value is not None for trial in study.trials):
                raise
        tried = sorted((each for each in study.trials if each.value is not None), key=lambda each: -each.value)
        ranked = [trial.user_attrs["settings"] for trial in tried]
        return [each for place, each in enumerate(ranked) if each not in ranked[:place]][: self.kept]


def _mean(program: Program[Any], compilation: Compilation, breaker: CircuitBreaker) -> float:
    """The objective on train; a question that fails counts 0."""

    def value(example: Example) -> float | None:
        posed = compilation.task.pose(example, compilation.dataset)
        try:
            prediction = program(**posed.inputs)
        except Exception as error:  # noqa: BLE001 - whatever a model does with one question, the trial continues
            breaker.record(error)
            return 0.0
        breaker.answered()
        return compilation.objective(posed.example, prediction).value

    values = [each for each in in_threads(value, compilation.train, compilation.threads) if each is not None]
    return math.fsum(values) / len(values) if values else 0.0


_ALL: tuple[type[Optimizer], ...] = (FewShot, Bootstrap, RandomSearch, Mipro, Gepa, Simba, Copro, ParameterSearch)
OPTIMIZERS: Mapping[str, type[Optimizer]] = {each.name: each for each in _ALL}

SEARCHED_BY_OPTUNA = ("mipro", "parameters")


def optimizer_of(name: str) -> Optimizer:
    """The optimizer of a name, with its default sizes; MissingExtra if its library is missing, else a UsageError."""
    if name not in OPTIMIZERS:
        raise UsageError(f"there is no optimizer {name!r}; there are {', '.join(OPTIMIZERS)}")
    if name in SEARCHED_BY_OPTUNA:
        require("tune", f"the optimizer {name}")
    return OPTIMIZERS[name]()


def chain_of(names: str, task: Task, lm: dspy.LM, prompt_lm: dspy.LM | None) -> list[Optimizer]:
    """The optimizers of a compilation, checked before anything runs; each starts where the one before it ended.

    A UsageError says that one does not exist, is named twice, or cannot do anything here.
    """
    chosen = [name.strip() for name in names.split(",")]
    if len(set(chosen)) < len(chosen):
        raise UsageError(f"--optimizer {names} names one twice; each starts where the one before it ended")
    optimizers = [optimizer_of(name) for name in chosen]
    if prompt_lm and not any(each.uses_prompt_lm for each in optimizers):
        raise UsageError(f"{' and '.join(chosen)} has no use for a second model; leave --prompt-lm out")
    if "parameters" in chosen and not task.space:
        raise UsageError(f"{task.name} has no parameters to search; use another optimizer")
    writer = prompt_lm or lm
    takes_words = str(writer.model).startswith("extractive")  # every word from what it is given
    if idle := [each.name for each in optimizers if each.needs_writer and takes_words]:
        others = [name for name, make in OPTIMIZERS.items() if not make().needs_writer]
        raise UsageError(
            f"{' and '.join(idle)} has instructions written, which {writer.model} cannot do; name a model that can "
            f"with --prompt-lm, or use {', '.join(others[:-1])} or {others[-1]}"
        )
    return optimizers
