"""`random_search`: many candidates, each with other demos for other steps, half from gold data, half from own runs.

DSPy's BootstrapFewShotWithRandomSearch does the same with labelled examples that fit programs of one step only, and
runs its candidates anew after every interruption.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from optimize.optimizers.bootstrap import bootstrapped
from optimize.optimizers.few_shot import labelled
from optimize.optimizers.policy import CandidateProgram, Compilation, Optimizer, Sizes
from programs.program import Program

_SEEDS_APART = 1_000
"""Runs with seeds 0 and 1 share no candidate."""


@dataclass(frozen=True, slots=True)
class RandomSearch(Optimizer):
    """See the module.

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
