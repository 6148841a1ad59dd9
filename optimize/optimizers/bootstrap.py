"""`bootstrap`: demos taken from the program's own runs that went well (DSPy's BootstrapFewShot)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import dspy

from optimize.optimizers.dspy_compilation import as_dspy, compiling
from optimize.optimizers.policy import CandidateProgram, Compilation, Optimizer, Sizes, shuffled
from programs.program import Program


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
