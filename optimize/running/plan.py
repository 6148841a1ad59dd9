"""What a compilation or an evaluation will cost, before it starts.

    runs of the program = building candidates + candidates × val + 2 × test
    calls of the model  = runs × calls of one run, between the fewest and the most that one can take, + instructions
                          + what is done once before the first run

The most is a bound: no run exceeds it, but for papers that are longer than the model's context and are read in parts.
How often a model that judges is asked depends on what the answers say, so only those answers are counted here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from optimize.tasks.task import CallCount


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """Numbers of the work ahead.

    Attributes:
        candidates: Programs to choose from, the uncompiled one among them.
        building: Runs to build them, at most.
        choosing: Runs on val.
        reporting: Runs on the split of the report.
        calls: Of the model in one run.
        writing: Calls of the model that writes instructions, at most.
        judged: Answers whose claims another model judges, at most.
    """

    candidates: int
    building: int
    choosing: int
    reporting: int
    calls: CallCount
    writing: int = 0
    judged: int = 0

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
        """Calls of models, at most."""
        return self.runs * self.calls.most + self.writing + self.calls.before

    @property
    def uncompiled_calls(self) -> int:
        """Calls that the uncompiled program takes on val and test, at most: the least that a budget must allow."""
        return (self.choosing // self.candidates + self.reporting // 2) * self.calls.most + self.calls.before

    @property
    def reserved_calls(self) -> int:
        """Calls that a budget keeps back for the report, at most; less once questions of val have shown their cost."""
        return self.reporting * self.calls.most

    def times(self, seeds: int) -> WorkPlan:
        """The same for several seeds, one after the other."""
        return replace(
            self,
            candidates=self.candidates * seeds,
            building=self.building * seeds,
            choosing=self.choosing * seeds,
            reporting=self.reporting * seeds,
            writing=self.writing * seeds,
            judged=self.judged * seeds,
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values, the sums included."""
        sums = {"runs": self.runs, "least_calls": self.least_calls, "most_calls": self.most_calls}
        return {**asdict(self), **sums}

    def __str__(self) -> str:
        written = f", and at most {self.writing:,} calls to write instructions" if self.writing else ""
        before = f", and at most {self.calls.before:,} before the first" if self.calls.before else ""
        judged = f"; the judge is asked besides, about up to {self.judged:,} answers" if self.judged else ""
        return (
            f"{self._work}; {self.calls.least} to {self.calls.most} calls each{before}{written}, so between "
            f"{self.least_calls:,} and {self.most_calls:,} calls of the language model{judged}"
        )

    @property
    def _work(self) -> str:
        if not self.choosing:
            return f"{self.reporting:,} questions"
        return (
            f"{self.candidates} candidates: at most {self.building:,} runs to build them, {self.choosing:,} to choose, "
            f"{self.reporting:,} for the report"
        )


def plan_eval(calls: CallCount, n_questions: int, *, judged: bool = False) -> WorkPlan:
    """Plan an evaluation of one program."""
    return WorkPlan(1, 0, 0, n_questions, calls, judged=n_questions if judged else 0)
