"""Optimizers of DSPy in which a language model proposes instructions.

`copro` rewrites each step's instruction in turn, with the scores of earlier attempts in view; `gepa` in the light of
what went wrong, sentence by sentence; `mipro` searches instructions and demos of every step together, by Bayesian
optimization (MIPROv2); `simba` adds rules and demos from questions that a program answers well once and badly another
time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import dspy

from optimize.dataset.example import spread
from optimize.optimizers.policy import (
    CandidateProgram,
    Compilation,
    Optimizer,
    Sizes,
    as_dspy,
    compiling,
    until_stopped,
)
from programs.program import Program


class InstructionOptimizer(Optimizer):
    """An optimizer of DSPy that searches by itself and gives the best program that it found."""

    uses_prompt_lm: ClassVar[bool] = True

    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """The best that was found."""
        yield CandidateProgram(f"{self.name}-seed{compilation.seed}", partial(self._best, compilation))

    @abstractmethod
    def _best(self, compilation: Compilation) -> Program[Any]:
        """Search, and give what was found best."""


@dataclass(frozen=True, slots=True)
class Simba(InstructionOptimizer):
    """One candidate: the best on train of those that the steps ended with.

    It scores programs on batches until its end, so a search that a budget stops before that gives no candidate.

    Attributes:
        batch: Training questions a step; fewer where there are fewer.
        size: Programs tried a step.
        steps: How many steps.
        most_demos: Demos of a predictor at most.
    """

    batch: int = 16
    size: int = 4
    steps: int = 4
    most_demos: int = 3
    name: ClassVar[str] = "simba"
    needs_writer: ClassVar[bool] = True

    def most_program_runs(self, sizes: Sizes) -> int:
        """A batch for every program and one more, before and after, in every step; then train for the best ones."""
        batch = min(self.batch, sizes.train)
        return self.steps * (2 * self.size + 1) * batch + (min(self.size, self.steps) + 1) * sizes.train

    def most_writings(self, sizes: Sizes) -> int:
        """A rule for each question of each batch, again where it does not parse."""
        return 2 * self.steps * min(self.batch, sizes.train)

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

    The extractive LM proposes each instruction as it is, so with it only demos are searched.

    Attributes:
        size: Instructions, and sets of demos, to choose from for each step.
        trials: Combinations to try on val.
        most_bootstrapped: Own runs in a set of demos at most.
    """

    size: int = 4
    trials: int = 8
    most_bootstrapped: int = 3
    name: ClassVar[str] = "mipro"

    def most_program_runs(self, sizes: Sizes) -> int:
        """Each training example for every set of demos, and val for every trial and for the start."""
        return self.size * sizes.train + (self.trials + 1) * sizes.val

    def most_writings(self, sizes: Sizes) -> int:
        """For every instruction the program, the step and the instruction, each again where it does not parse."""
        return 2 * 3 * self.size * sizes.steps

    def _best(self, compilation: Compilation) -> Program[Any]:
        optimizer = dspy.MIPROv2(
            metric=compilation.objective,
            prompt_model=compilation.prompt_lm,
            auto=None,
            num_candidates=self.size,
            max_bootstrapped_demos=self.most_bootstrapped,
            max_labeled_demos=0,  # a training example is not a demo of any single step
            metric_threshold=compilation.objective.threshold,
            num_threads=compilation.threads,
            max_errors=len(compilation.train) + len(compilation.val) + 1,
            seed=compilation.seed,
        )
        search = partial(
            optimizer.compile,
            compilation.new_program(),
            trainset=as_dspy(compilation, compilation.train),
            valset=as_dspy(compilation, compilation.val),
            num_trials=self.trials,
            minibatch=False,  # val is small, and a part of it would be noise
            data_aware_proposer=False,  # it would show whole papers to the proposer
            program_aware_proposer=compilation.can_write,
        )
        return until_stopped(search, len(compilation.val))


@dataclass(frozen=True, slots=True)
class Gepa(InstructionOptimizer):
    """One candidate: the best on val of all that were written.

    Its own checkpoint would be a pickle, so it has none; a resumed run reads the model's answers from the run's folder.

    Attributes:
        metric_calls: Runs of the program at most.
        minibatch: Training questions that one rewriting looks at.
    """

    metric_calls: int = 300
    minibatch: int = 3
    name: ClassVar[str] = "gepa"
    needs_writer: ClassVar[bool] = True

    def most_program_runs(self, sizes: Sizes) -> int:
        """As many as were allowed, and what the last step takes beyond that."""
        return self.metric_calls + sizes.val + 2 * self.minibatch

    def most_writings(self, sizes: Sizes) -> int:
        """One for every look at a few questions, and again where it does not parse."""
        return 2 * (self.metric_calls // self.minibatch + 1)

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
        search = partial(
            optimizer.compile,
            compilation.new_program(),
            trainset=as_dspy(compilation, compilation.train),
            valset=as_dspy(compilation, compilation.val),
        )
        return until_stopped(search, len(compilation.val))


@dataclass(frozen=True, slots=True)
class Copro(InstructionOptimizer):
    """One candidate: the best on train of all instructions that were tried.

    Attributes:
        breadth: Instructions a round for each step, at least 2.
        depth: Rounds.
        questions: Training questions that instructions are scored on, at most.
        temperature: Of writing.
    """

    breadth: int = 3
    depth: int = 2
    questions: int = 20
    temperature: float = 1.0
    name: ClassVar[str] = "copro"
    needs_writer: ClassVar[bool] = True

    def most_program_runs(self, sizes: Sizes) -> int:
        """The questions for every instruction of every step in every round, earlier rounds' instructions included."""
        rounds = self.depth * (self.depth + 1) // 2
        return min(self.questions, sizes.train) * sizes.steps * self.breadth * rounds

    def most_writings(self, sizes: Sizes) -> int:
        """Every instruction but the first of each step, each again where it does not parse."""
        return 2 * sizes.steps * (self.breadth * self.depth - 1)

    def _best(self, compilation: Compilation) -> Program[Any]:
        questions = spread(compilation.train, self.questions)
        optimizer = dspy.COPRO(
            metric=compilation.objective,
            prompt_model=compilation.writer,
            breadth=self.breadth,
            depth=self.depth,
            init_temperature=self.temperature,
        )
        search = partial(
            optimizer.compile,
            compilation.new_program(),
            trainset=as_dspy(compilation, questions),
            eval_kwargs={"num_threads": compilation.threads, "display_progress": False, "display_table": 0},
        )
        return until_stopped(search, len(questions))
