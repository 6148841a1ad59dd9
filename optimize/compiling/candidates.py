"""The candidates of one compilation, over the files of its run: saved, loaded again, asked, scored.

Every candidate is saved and loaded again before it is asked anything, so what is measured is what its file holds. What
a file holds already is not done again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from metrics.score import mean
from optimize.evaluating.assess import Answers
from optimize.job import JobSetup, project_version
from optimize.judging.ledger import KeptLedger
from optimize.measuring.scoring import ItemScore, score
from optimize.optimizers.policy import CandidateProgram, Optimizer
from optimize.running.generate import Records, generate
from optimize.running.run_folder import RunFolder
from programs.errors import UsageError
from programs.lm.layout import layout
from programs.program import Program
from programs.state import Provenance, apply_state, read_state, save_state


class Candidates:
    """See the module.

    Args:
        setup: The job and what it needs.
        optimizers: What makes them.
        run: Where everything is.
        on_done: Told how many of the plan's runs on val and test are behind, and what is being asked.

    Attributes:
        records: What they answered.
        ledger: What the judge said.
        objective: Name of the metric that is maximised.
    """

    def __init__(
        self, setup: JobSetup, optimizers: list[Optimizer], run: RunFolder, on_done: Callable[[int, str], None]
    ) -> None:
        self.records = Records(run.predictions)
        self.ledger = KeptLedger(run.judgements, setup.judge)
        self.objective = setup.task.metrics[0]
        self._setup = setup
        self._optimizers = optimizers
        self._run = run
        self._on_done = on_done
        self._done = 0

    def build(self, candidate: CandidateProgram, stopped: Callable[[], str] = lambda: "") -> str:
        """Make a candidate and save it.

        What an optimizer had found when the budget stopped it has a name of its own: under a larger budget it is made
        again, from answers that are kept as far as it came, and goes on.

        Args:
            candidate: It.
            stopped: Tells the limit that stopped its making; empty if none did.

        Returns:
            Its name.
        """
        if self._run.state(candidate.name).exists():
            return candidate.name
        self._on_done(self._done, f"building {candidate.name}")
        program = candidate.build()
        name = f"{candidate.name}{_slug(stopped())}"
        if not self._run.state(name).exists():
            save_state(program, self._run.state(name), self.provenance(name))
        return name

    def loaded(self, name: str) -> Program[Any]:
        """The program that a candidate's file holds."""
        program = self._setup.new_program()
        apply_state(program, read_state(self._run.state(name)))
        return program

    def ask(self, name: str, split: str) -> None:
        """Ask a candidate the questions of a split that it has not answered."""
        before, questions = self._done, self._setup.posed(split)
        generate(
            self.loaded(name),
            name,
            split,
            questions,
            self.records,
            threads=self._setup.threads,
            on_done=lambda done: self._on_done(before + done, f"{name} on {split}"),
        )
        self._done = before + len(questions)

    def scores(self, name: str, split: str, metrics: tuple[str, ...]) -> list[ItemScore]:
        """Metrics of a candidate's answers."""
        examples = {posed.example.id: posed.example for posed in self._setup.posed(split)}
        # Only a judge that has to be waited for gains from threads.
        threads = self._setup.threads if self._setup.job.judge_lm else 1
        return score(self.records.of(name, split, examples), examples, metrics, self.ledger, threads=threads)

    def value(self, name: str) -> float:
        """A candidate's mean objective on val.

        Raises:
            UsageError: It is undefined for every question.
        """
        found = mean(each.score for each in self.scores(name, "val", (self.objective,))).value
        self.ledger.write()
        if found is None:
            raise UsageError(f"{self.objective} is undefined on val: none of its questions has a gold answer")
        return found

    def answers(self, name: str, split: str) -> Answers:
        """A candidate's answers on a split, in the order of its questions."""
        ids = [posed.example.id for posed in self._setup.posed(split)]
        return Answers(name, self.records.of(name, split, ids))

    def provenance(
        self, name: str, scores: Mapping[str, float] | None = None, uncompiled: Mapping[str, float] | None = None
    ) -> Provenance:
        """Where a candidate's state comes from, with its scores by split, and the uncompiled program's."""
        job = self._setup.job
        sizes = {each.name: dict(each.budget) for each in self._optimizers}
        allowed = {"budget": self._setup.budget.as_dict()} if self._setup.budget else {}
        return Provenance(
            lm=self._setup.lm.model,
            prompt_lm=job.prompt_lm,
            judge=self.ledger.judge.name,
            adapter=type(layout(self._setup.lm)).__name__,
            optimizers=tuple(each.name for each in self._optimizers),
            candidate=name,
            seed=job.seed,
            budget={**sizes, "limit": job.limit, **allowed},
            dataset=self._setup.dataset.name,
            splits=self._setup.split_hashes(),
            scores=dict(scores or {}),
            uncompiled=dict(uncompiled or {}),
            date=datetime.now(UTC).date().isoformat(),
            version=project_version(),
        )


def _slug(limit: str) -> str:
    return f"-stopped-at-{re.sub(r'[^0-9a-z.]+', '-', limit.replace(',', '').strip('$'))}" if limit else ""
