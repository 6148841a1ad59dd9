"""What a compilation will cost, by the optimizers that it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optimize.optimizers.policy import Optimizer, Sizes
from optimize.running.plan import Plan
from optimize.tasks.task import Calls


def plan_compile(
    optimizers: Sequence[Optimizer], calls: Calls, sizes: Sizes, n_test: int, *, judged: bool = False
) -> Plan:
    """Plan a compilation.

    Args:
        optimizers: One after the other.
        calls: Of the model in one run of the program.
        sizes: Questions of train and val that are used, and the program's predictors.
        n_test: Questions of test that are used.
        judged: Whether a model judges the answers.
    """
    candidates = sum(each.n_candidates() for each in optimizers) + 1
    building = sum(each.most_program_runs(sizes) for each in optimizers)
    writing = sum(each.most_writings(sizes) for each in optimizers)
    planned = Plan(candidates, building, candidates * sizes.val, 2 * n_test, calls, writing)
    return replace(planned, judged=planned.runs) if judged else planned
