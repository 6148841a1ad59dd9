"""`mipro`: instructions and demos of every step, searched together by Bayesian optimization (DSPy's MIPROv2).

Opsahl-Ong et al. 2024, "Optimizing Instructions and Demonstrations for Multi-Stage Language Model Programs",
arXiv:2406.11695.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import dspy

from optimize.optimizers.dspy_compilation import as_dspy, until_stopped
from optimize.optimizers.policy import Candidate, Compilation, Optimizer, Sizes
from programs.program import Program


@dataclass(frozen=True, slots=True)
class Mipro(Optimizer):
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
    uses_prompt_lm: ClassVar[bool] = True

    def candidates(self, compilation: Compilation) -> Iterator[Candidate]:
        """The best of all trials."""
        yield Candidate(f"{self.name}-seed{compilation.seed}", partial(self._best, compilation))

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
