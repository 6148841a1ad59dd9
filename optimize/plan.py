"""What a compilation or an evaluation will cost, before it starts.

    runs of the program = building candidates + candidates × val + 2 × test
    calls of the model  = runs × calls of one run, between the fewest and the most that one can take

The most is a bound: no run exceeds it, but for papers that are longer than the model's context and are read in parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from optimize.optimizers.policy import Optimizer
from optimize.tasks import Calls


@dataclass(frozen=True, slots=True)
class Plan:
    """Numbers of the work ahead.

    Attributes:
        candidates: Programs to choose from, the uncompiled one among them.
        building: Runs to build them, at most.
        choosing: Runs on val.
        reporting: Runs on the split of the report.
        calls: Of the model in one run.
    """

    candidates: int
    building: int
    choosing: int
    reporting: int
    calls: Calls

    @property
    def runs(self) -> int:
        """Runs of the program, at most."""
        return self.building + self.choosing + self.reporting

    @property
    def least_calls(self) -> int:
        """Calls of the model, at least: candidates may be built without a run."""
        return (self.choosing + self.reporting) * self.calls.least

    @property
    def most_calls(self) -> int:
        """Calls of the model, at most."""
        return self.runs * self.calls.most

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values, the sums included."""
        sums = {"runs": self.runs, "least_calls": self.least_calls, "most_calls": self.most_calls}
        return {**asdict(self), **sums}

    def __str__(self) -> str:
        return (
            f"{self.candidates} candidates: at most {self.building:,} runs to build them, {self.choosing:,} to choose, "
            f"{self.reporting:,} for the report; {self.calls.least} to {self.calls.most} calls each, so between "
            f"{self.least_calls:,} and {self.most_calls:,} calls of the language model"
        )


def plan_compile(optimizers: Sequence[Optimizer], calls: Calls, n_train: int, n_val: int, n_test: int) -> Plan:
    """Plan a compilation; ``n_…`` are the questions of each split that are used."""
    candidates = sum(each.n_candidates() for each in optimizers) + 1
    building = sum(each.most_program_runs(n_train, n_val) for each in optimizers)
    return Plan(candidates, building, candidates * n_val, 2 * n_test, calls)


def plan_eval(calls: Calls, n_questions: int) -> Plan:
    """Plan an evaluation of one program."""
    return Plan(1, 0, 0, n_questions, calls)
