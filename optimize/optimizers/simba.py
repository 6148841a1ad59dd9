"""`simba`: rules and demos from questions that a program answers well once, badly another time (DSPy's SIMBA)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import dspy

from optimize.optimizers.dspy_compilation import as_dspy, compiling
from optimize.optimizers.policy import Candidate, Compilation, Optimizer, Sizes
from programs.program import Program


@dataclass(frozen=True, slots=True)
class Simba(Optimizer):
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
    uses_prompt_lm: ClassVar[bool] = True
    needs_writer: ClassVar[bool] = True

    def candidates(self, compilation: Compilation) -> Iterator[Candidate]:
        """The best that was found."""
        yield Candidate(f"{self.name}-seed{compilation.seed}", partial(self._best, compilation))

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
