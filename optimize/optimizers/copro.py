"""`copro`: each step's instruction rewritten in turn, with the scores of earlier attempts in view (DSPy's COPRO)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import dspy

from optimize.dataset.example import spread
from optimize.optimizers.dspy_compilation import as_dspy, until_stopped
from optimize.optimizers.policy import Candidate, Compilation, Optimizer, Sizes
from programs.program import Program


@dataclass(frozen=True, slots=True)
class Copro(Optimizer):
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
    uses_prompt_lm: ClassVar[bool] = True
    needs_writer: ClassVar[bool] = True

    def candidates(self, compilation: Compilation) -> Iterator[Candidate]:
        """The best that was found."""
        yield Candidate(f"{self.name}-seed{compilation.seed}", partial(self._best, compilation))

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
