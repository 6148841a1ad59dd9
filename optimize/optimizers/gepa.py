"""`gepa`: instructions rewritten in the light of what went wrong, sentence by sentence (DSPy's GEPA).

Agrawal et al. 2025, "GEPA: Reflective Prompt Evolution Can Outperform Reinforcement Learning", arXiv:2507.19457. The
feedback is that of the claim ledger: which sentence cites what, and what the passage says instead.
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
class Gepa(Optimizer):
    """One candidate: the best on val of all that were written.

    Its own checkpoint would be a pickle, so it has none; a resumed run reads the model's answers from the run's folder.

    Attributes:
        metric_calls: Runs of the program at most.
        minibatch: Training questions that one rewriting looks at.
    """

    metric_calls: int = 300
    minibatch: int = 3
    name: ClassVar[str] = "gepa"
    uses_prompt_lm: ClassVar[bool] = True
    needs_writer: ClassVar[bool] = True

    def candidates(self, compilation: Compilation) -> Iterator[Candidate]:
        """The best that was found."""
        yield Candidate(f"{self.name}-seed{compilation.seed}", partial(self._best, compilation))

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
