"""Which candidate is the best on val, within a budget.

    building a candidate    may spend what val for it and test for two programs leave over
    asking it val           may spend what test for two programs leaves over
    asking test             is what was kept back for

A question of test is taken to cost as many calls as the dearest of val so far, and a call the mean of those so far. So
the report is made whatever stops the search.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import dspy

from metrics.score import mean
from optimize.generate import Gate, Meter, Records, WorkPlan, generate
from optimize.job import JobSetup, project_version
from optimize.judging import KeptLedger
from optimize.policy import CandidateProgram, Compilation, Optimizer
from optimize.report import MeasuredProgram
from optimize.run_folder import RunFolder
from optimize.scoring import ItemScore, Objective, score
from programs.budget import Allowance, BudgetSpent, Spent
from programs.compiled_state import UNCOMPILED, Provenance, apply_state, read_state, save_state
from programs.errors import CorroborateError, UsageError
from programs.lm.adapters import adapter_for
from programs.program import Program


@dataclass(frozen=True, slots=True)
class Choice:
    """The objective of every candidate on val, in the order they were tried, and the limit that ended the search."""

    values: Mapping[str, float]
    stopped: str = ""

    @property
    def best(self) -> str:
        """The candidate with the highest value; the first of a tie, so the uncompiled before compiled ones."""
        return max(self.values, key=self.values.__getitem__)


@dataclass
class Candidates:
    """The candidates of one compilation: built, saved, asked, scored, and the best one chosen within a budget.

    Each is saved and loaded again before it is asked anything, so that what is measured is what its file holds. What a
    file already holds is not done again.

    Attributes:
        optimizers: What makes them; each starts from the best that those before it found.
        on_done: Called with how many of the plan's runs on val and test are behind, and what is being asked.
    """

    setup: JobSetup
    optimizers: list[Optimizer]
    run: RunFolder
    plan: WorkPlan
    meter: Meter
    on_done: Callable[[int, str], None]

    def __post_init__(self) -> None:
        self.records = Records(self.run.predictions)
        self.ledger = KeptLedger(self.run.judgements, self.setup.judge)
        self.objective = self.setup.task.metrics[0]
        self._done = 0
        self._stopped = ""

    def build(self, candidate: CandidateProgram) -> str:
        """Make a candidate, save it and return its name.

        What an optimizer had found when the budget stopped it has its own name: under a larger budget it is made
        again, from answers that are kept as far as it came, and continues.
        """
        if self.run.state(candidate.name).exists():
            return candidate.name
        self.on_done(self._done, f"building {candidate.name}")
        program = candidate.build()
        limit = re.sub(r"[^0-9a-z.]+", "-", self._stopped.replace(",", "").strip("$"))
        name = f"{candidate.name}-stopped-at-{limit}" if limit else candidate.name
        if not self.run.state(name).exists():
            save_state(program, self.run.state(name), self.provenance(name))
        return name

    def loaded(self, name: str) -> Program[Any]:
        """The program that a candidate's file holds."""
        program = self.setup.new_program()
        apply_state(program, read_state(self.run.state(name)))
        return program

    def ask(self, name: str, split: str) -> None:
        """Ask a candidate the questions of a split that it has not answered."""
        before, questions = self._done, self.setup.posed(split)
        generate(
            self.loaded(name),
            name,
            split,
            questions,
            self.records,
            threads=self.setup.threads,
            on_done=lambda done: self.on_done(before + done, f"{name} on {split}"),
        )
        self._done = before + len(questions)

    def scores(self, name: str, split: str, metrics: tuple[str, ...]) -> list[ItemScore]:
        """Metrics of a candidate's answers."""
        examples = self.setup.asked(split).examples
        # Only a judge that has to be waited for gains from threads.
        threads = self.setup.threads if self.setup.job.judge_lm else 1
        return score(self.records.of(name, split, examples), examples, metrics, self.ledger, threads=threads)

    def value(self, name: str) -> float:
        """A candidate's mean objective on val; a UsageError if it is undefined for every question."""
        found = mean(each.score for each in self.scores(name, "val", (self.objective,))).value
        self.ledger.write()
        if found is None:
            raise UsageError(f"{self.objective} is undefined on val: none of its questions has a gold answer")
        return found

    def answers(self, name: str, split: str) -> MeasuredProgram:
        """A candidate's answers on a split, in the order of its questions."""
        return MeasuredProgram(name, self.records.of(name, split, self.setup.asked(split).examples))

    def provenance(
        self, name: str, scores: Mapping[str, float] | None = None, uncompiled: Mapping[str, float] | None = None
    ) -> Provenance:
        """Where a candidate's state comes from, with its scores by split, and the uncompiled program's."""
        job = self.setup.job
        sizes = {each.name: json.loads(json.dumps(asdict(each))) for each in self.optimizers}
        allowed = {"budget": self.setup.budget.as_dict()} if self.setup.budget else {}
        return Provenance(
            lm=self.setup.lm.model,
            prompt_lm=job.prompt_lm,
            judge=self.ledger.judge.name,
            adapter=type(adapter_for(self.setup.lm)).__name__,
            optimizers=tuple(each.name for each in self.optimizers),
            candidate=name,
            seed=job.seed,
            budget={**sizes, "limit": job.limit, **allowed},
            dataset=self.setup.dataset.name,
            splits=self.setup.split_hashes(),
            scores=dict(scores or {}),
            uncompiled=dict(uncompiled or {}),
            date=datetime.now(UTC).date().isoformat(),
            version=project_version(),
        )

    def choose(self) -> Choice:
        """Try candidates until they or the budget are at an end; an error if the uncompiled program has no answers."""
        values = {UNCOMPILED: self._uncompiled()}
        with suppress(BudgetSpent):
            for optimizer in self.optimizers:
                for candidate in optimizer.candidates(self._compilation(Choice(values).best)):
                    with dspy.context(gate=self._gate(self._n_val + self.plan.reporting)):
                        name = self.build(candidate)
                    self.meter.write()
                    with dspy.context(gate=self._gate(self.plan.reporting)):
                        self.ask(name, "val")
                    self.meter.write()
                    values[name] = self.value(name)
        self.meter.write()
        return Choice(values, self._stopped)

    def _uncompiled(self) -> float:
        """The program that all others have to beat; without it there is no report, so it has to fit into the budget."""
        self.build(CandidateProgram(UNCOMPILED, self.setup.new_program))
        try:
            with dspy.context(gate=self._gate(0)):
                self.ask(UNCOMPILED, "val")
            found = [each for each in self.records if (each.candidate, each.split) == (UNCOMPILED, "val")]
            if len(found) == len(list(self.records)):  # nothing else was asked yet
                self._gate(self.plan.reporting // 2)(self.meter.spent)
        except BudgetSpent as stop:
            raise self._too_small(str(stop)) from None
        self.meter.write()
        if all(each.status == "failed" for each in found):  # what fails is not the prompt
            raise CorroborateError(
                f"the uncompiled program failed on all {len(found)} questions of val: there is nothing to choose "
                f"by. Correct this and continue with --resume. The last time: {found[-1].error}"
            )
        return self.value(UNCOMPILED)

    def _too_small(self, limit: str) -> UsageError:
        spent, asked = self.meter.spent, len(list(self.records))
        runs = self._n_val + self.plan.reporting // 2
        about = f"; it takes about {spent.for_calls(spent.calls * runs // asked)}" if asked else ""
        return UsageError(
            f"a budget of {limit} does not suffice for the uncompiled program's {runs} questions of val and test"
            f"{about}. What was asked is kept; continue with --resume and a larger budget, or start anew with --limit"
        )

    def _gate(self, runs: int) -> Gate:
        """Keeps back what so many questions will take, and remembers what stopped the search."""
        allowance = Allowance(self.setup.budget, runs * self._dearest)

        def gate(spent: Spent) -> None:
            try:
                allowance(spent)
            except BudgetSpent as stop:
                self._stopped = str(stop)
                raise

        return gate

    @property
    def _dearest(self) -> int:
        """Calls of the dearest question of val so far; those that a run may take at most while none has been asked."""
        found = [
            int(each.prediction["metrics"]["lm_calls"])
            for each in self.records
            if each.split == "val" and each.status == "answered"
        ]
        return max(found, default=self.plan.calls.most)

    @property
    def _n_val(self) -> int:
        return self.plan.choosing // self.plan.candidates

    def _compilation(self, start: str) -> Compilation:
        dataset, limit = self.setup.dataset, self.setup.job.limit
        return Compilation(
            task=self.setup.task,
            new_program=partial(self.loaded, start),
            dataset=dataset,
            train=dataset.split("train", limit),
            val=dataset.split("val", limit),
            objective=Objective(self.objective, self.ledger),
            seed=self.setup.job.seed,
            prompt_lm=self.setup.prompt_lm,
            threads=self.setup.threads,
        )
