"""Optimizers that choose demos: from gold data, from the program's own runs, or from both.

few_shot        demos written from the gold data, for every predictor (DSPy's LabeledFewShot fits programs of one step)
bootstrap       demos taken from the program's own successful runs (DSPy's BootstrapFewShot)
random_search   many candidates, half of each kind (DSPy's rebuilds its candidates after every interruption)
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import dspy

from optimize.dataset.example import Example
from optimize.optimizers.policy import CandidateProgram, Compilation, Optimizer, Sizes, as_dspy, compiling, shuffled
from programs.program import Program


@dataclass(frozen=True, slots=True)
class FewShot(Optimizer):
    """Candidates with more and more demos.

    Attributes:
        sizes: Numbers of examples to try.
    """

    sizes: tuple[int, ...] = (2, 4, 8)
    name: ClassVar[str] = "few_shot"

    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """One candidate a size; a larger one has the examples of the smaller, and more."""
        for size in self.sizes:
            build = partial(labelled, compilation, size, compilation.seed)
            yield CandidateProgram(f"{self.name}-{size}-seed{compilation.seed}", build)

    def n_candidates(self) -> int:
        """How many candidates ``candidates`` will yield: one for each number of demonstrations."""
        return len(self.sizes)


def labelled(compilation: Compilation, size: int, seed: int, predictors: Sequence[str] | None = None) -> Program[Any]:
    """The program with demos of ``size`` training examples.

    Args:
        compilation: Where to take them from.
        size: How many examples; about one in five has no answer, from two on at least one, if there are such.
        seed: Which ones.
        predictors: Names of those that get demos; by default all.
    """
    program = compilation.new_program()
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    made = [compilation.task.demos(each, compilation.dataset, rng) for each in _chosen(compilation.train, size, seed)]
    for name, predictor in program.named_predictors():
        if predictors is None or name in predictors:
            predictor.demos = [dspy.Example(**demos[name]) for demos in made if name in demos]
    return program


def _chosen(train: Sequence[Example], size: int, seed: int) -> list[Example]:
    order = shuffled(train, seed)
    unanswerable = [each for each in order if not each.answerable][: max(1, size // 5) if size > 1 else 0]
    answerable = [each for each in order if each.answerable][: size - len(unanswerable)]
    chosen = [*answerable, *unanswerable]
    return sorted(chosen, key=order.index)


@dataclass(frozen=True, slots=True)
class Bootstrap(Optimizer):
    """Candidates with more and more demos of their own.

    Attributes:
        sizes: Numbers of successful runs to collect.
    """

    sizes: tuple[int, ...] = (2, 4)
    name: ClassVar[str] = "bootstrap"
    uses_prompt_lm: ClassVar[bool] = True

    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """One candidate a size."""
        for size in self.sizes:
            build = partial(bootstrapped, compilation, size, compilation.seed)
            yield CandidateProgram(f"{self.name}-{size}-seed{compilation.seed}", build)

    def n_candidates(self) -> int:
        """How many candidates ``candidates`` will yield: one for each number of demonstrations."""
        return len(self.sizes)

    def most_program_runs(self, sizes: Sizes) -> int:
        """Each training example once a candidate, when too few runs go well."""
        return sizes.train * len(self.sizes)


def bootstrapped(compilation: Compilation, size: int, seed: int, teacher: Program[Any] | None = None) -> Program[Any]:
    """The program with demos of ``size`` of its runs on training examples that reached the objective's threshold.

    Args:
        compilation: Where to run it; its ``prompt_lm`` runs the teacher.
        size: How many runs at most.
        seed: In which order examples are tried.
        teacher: What runs; by default the uncompiled program.

    Raises:
        UsageError, LMUnavailable …: No question could be answered.
    """
    optimizer = dspy.BootstrapFewShot(
        metric=compilation.objective,
        metric_threshold=compilation.objective.threshold,
        teacher_settings={"lm": compilation.prompt_lm} if compilation.prompt_lm else {},
        max_bootstrapped_demos=size,
        max_labeled_demos=0,  # a training example is not a demo of any single step
        max_rounds=1,
        max_errors=len(compilation.train) + 1,
    )
    with compiling():
        trainset = as_dspy(compilation, shuffled(compilation.train, seed))
        program: Program[Any] = optimizer.compile(compilation.new_program(), teacher=teacher, trainset=trainset)
    return program


_SEEDS_APART = 1_000
"""Distance between the seeds of runs, so that runs with seeds 0 and 1 share no candidate."""


@dataclass(frozen=True, slots=True)
class RandomSearch(Optimizer):
    """Many candidates, each with other demos for other steps.

    Attributes:
        size: How many candidates.
        most_labelled: Gold examples in a candidate at most.
        most_bootstrapped: Own runs in a candidate at most.
    """

    size: int = 12
    most_labelled: int = 8
    most_bootstrapped: int = 4
    name: ClassVar[str] = "random_search"
    uses_prompt_lm: ClassVar[bool] = True

    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """Gold demos and own runs in turn."""
        for number in range(self.size):
            seed = compilation.seed * _SEEDS_APART + number
            build = self._bootstrapped if number % 2 else self._labelled
            kind = "bootstrap" if number % 2 else "few_shot"
            yield CandidateProgram(f"{self.name}-{kind}-seed{seed}", partial(build, compilation, seed))

    def n_candidates(self) -> int:
        """As many as were asked for."""
        return self.size

    def most_program_runs(self, sizes: Sizes) -> int:
        """Each training example once for every second candidate, when too few runs go well."""
        return sizes.train * (self.size // 2)

    def _labelled(self, compilation: Compilation, seed: int) -> Program[Any]:
        rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
        names = [name for name, _ in compilation.new_program().named_predictors()]
        taught = rng.sample(names, rng.randint(1, len(names)))
        return labelled(compilation, rng.randint(1, self.most_labelled), seed, taught)

    def _bootstrapped(self, compilation: Compilation, seed: int) -> Program[Any]:
        rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
        return bootstrapped(compilation, rng.randint(1, self.most_bootstrapped), seed)
