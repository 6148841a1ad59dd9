"""`few_shot`: demos written from the gold data, for every predictor of the program.

DSPy's LabeledFewShot gives a training example to each predictor as it is, which fits programs of one step. Here a task
knows what each step should have said; see ``tasks``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import dspy

from optimize.dataset.example import Example
from optimize.optimizers.policy import CandidateProgram, Compilation, Optimizer, shuffled
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
