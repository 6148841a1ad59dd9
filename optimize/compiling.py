"""Compile a program: make candidates from train, choose one on val, report on test.

    train → optimizer → candidates → val → the best → test → report, compiled.json

The uncompiled program is a candidate too: what does not beat it on val is not chosen. Under a budget

    building a candidate    may spend what val for it and test for two programs leave over
    asking it val           may spend what test for two programs leaves over
    asking test             is what was kept back for

A question of test is taken to cost as many calls as the dearest of val so far, and a call the mean of those so far. So
the report is made whatever stops the search.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import dspy

from metrics.score import mean
from optimize.assess import Measures, assess
from optimize.dataset import leaked
from optimize.generate import Gate, Meter, Records, WorkPlan, generate
from optimize.job import EXTRACTIVE, JobSetup, project_version
from optimize.judging import KeptLedger
from optimize.optimizers import chain_of
from optimize.policy import CandidateProgram, Compilation, Optimizer, Sizes
from optimize.report import MeasuredProgram, Report, ReportHeader
from optimize.run_folder import RunFolder, kept_calls
from optimize.scoring import ItemScore, Objective, score
from optimize.tasks.main_points import BASELINES
from programs.atomic_files import write_file
from programs.budget import STOPPED, Allowance, BudgetSpent, Spent
from programs.compiled_state import UNCOMPILED, Provenance, apply_state, read_state, save_state
from programs.config import settings
from programs.errors import CorroborateError, UsageError
from programs.lm.adapters import adapter_for
from programs.program import Program
from programs.state_choice import SHIPPED


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compilation ends with: the report on test, and the state that is best on val, in the run's folder."""

    report: Report
    state: Path


def plan(setup: JobSetup) -> WorkPlan:
    """What compiling will cost; a UsageError if it cannot be done, or the budget is too small."""
    if setup.job.program in BASELINES:
        raise UsageError(f"{setup.job.program} is a baseline, which has no prompts; use `python -m optimize eval`")
    train, val, test = (len(setup.dataset.split(split, setup.job.limit)) for split in ("train", "val", "test"))
    program, optimizers = setup.bare_program, chain_of(setup.job.optimizer, setup.task, setup.lm, setup.prompt_lm)
    sizes = Sizes(train, val, len(program.predictors()))
    works = [each.work(sizes) for each in optimizers]
    candidates = 1 + sum(each.candidates for each in works)
    planned = WorkPlan(
        candidates,
        building=sum(each.runs for each in works),
        choosing=candidates * val,
        reporting=2 * test,
        calls=setup.calls(program),
        writing=sum(each.writings for each in works),
        seconds=setup.seconds(),
    )
    if setup.job.judge_lm:
        planned = replace(planned, judged=planned.runs)
    _check_budget(setup, planned.uncompiled_calls)
    return planned


def _check_budget(setup: JobSetup, needed: int) -> None:
    calls = setup.budget.calls
    if calls is not None and calls < needed:
        raise UsageError(
            f"a budget of {calls:,} calls does not suffice for the uncompiled program on val and test, which take up "
            f"to {needed:,}; give at least --budget-calls {needed}, or use fewer questions with --limit"
        )
    models = [lm for lm in (setup.lm, setup.prompt_lm) if lm is not None]
    # A model that runs on one of this project's engines has no price.
    unpriced = [lm.model for lm in models if lm.model.partition("/")[0] in ("ollama", EXTRACTIVE)]
    if setup.budget.money is not None and unpriced:
        raise UsageError(
            f"--budget-money cannot be kept: {' and '.join(unpriced)} has no price; use --budget-calls, "
            "--budget-tokens or --budget-minutes"
        )
    if setup.budget and not all(lm.cache for lm in models):
        raise UsageError("a budget counts calls behind the model's cache; make the model with cache=True")


def _warnings(setup: JobSetup, choice: Choice, candidates: int) -> Iterator[str]:
    if setup.job.lm == EXTRACTIVE:
        yield "No language model was used: the extractive LM takes its answers from the text."
    if setup.job.limit is not None:
        yield f"Only {setup.job.limit} questions of each split were used."
    if choice.stopped:
        yield f"{STOPPED} of {choice.stopped} after {len(choice.values)} of {candidates} candidates."


def compile_program(setup: JobSetup, run: RunFolder, on_done: Callable[[int, str], None] = lambda *_: None) -> Compiled:
    """Compile a program in a run's folder; what the folder holds already is not done again.

    ``on_done`` is called with how many of the plan's runs on val and test are behind, and what is being asked.
    """
    planned = plan(setup)
    with kept_calls(run), setup.session(run) as meter:
        optimizers = chain_of(setup.job.optimizer, setup.task, setup.lm, setup.prompt_lm)
        candidates = Candidates(setup, optimizers, run, planned, meter, on_done)
        choice = candidates.choose()
        if found := list(leaked(candidates.loaded(choice.best), setup.dataset.split("test"))):
            raise CorroborateError(
                f"{choice.best} holds text of the test split, so nothing measured there would count: "
                f"{'; '.join(found[:3])}; correct the data set"
            )
        for name in dict.fromkeys((UNCOMPILED, choice.best)):
            candidates.ask(name, "test")
        return _ended(candidates, choice, meter)


def _ended(candidates: Candidates, choice: Choice, meter: Meter) -> Compiled:
    """Judging, scoring and reporting, from the run's files alone."""
    setup, run, best = candidates.setup, candidates.run, choice.best
    validated = [each for name in choice.values for each in candidates.scores(name, "val")]
    candidates.ledger.write()
    run.scores.replace(each.as_dict() for each in validated)
    asked, made = setup.asked("test"), asdict(candidates.provenance(best))
    names = ("lm", "prompt_lm", "judge", "optimizers", "candidate", "seed", "budget", "dataset", "date", "version")
    sizes = {split: len(setup.dataset.split(split, setup.job.limit)) for split in ("train", "val", "test")}
    header = ReportHeader(
        f"{setup.job.program} compiled for {setup.lm.model}",
        {**{name: made[name] for name in names}, "questions": sizes, **setup.dataset.about},
        setup.lm.model,
        choice.values,
        tuple(_warnings(setup, choice, candidates.plan.candidates)),
        setup.job.seed,
    )
    answers = [
        MeasuredProgram(name, candidates.records.of(name, "test", asked.examples)) for name in (UNCOMPILED, best)
    ]
    measures = Measures(setup.judge, threads=candidates.judging_threads)
    report = assess(run, asked, answers, setup.task.metrics, header, measures, meter)
    row = report.row(candidates.objective)
    scores, uncompiled = (
        {split: round(value, 6) for split, value in (("val", choice.values[name]), ("test", test)) if value is not None}
        for name, test in ((best, row.after.value if row.after else None), (UNCOMPILED, row.before.value))
    )
    provenance = candidates.provenance(best, scores, uncompiled)
    return Compiled(report, save_state(candidates.loaded(best), run.path / "compiled.json", provenance))


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

    @property
    def judging_threads(self) -> int:
        """Only a judge that has to be waited for gains from threads."""
        return self.setup.threads if self.setup.job.judge_lm else 1

    def scores(self, name: str, split: str) -> list[ItemScore]:
        """The objective of a candidate's answers."""
        examples = self.setup.asked(split).examples
        records = self.records.of(name, split, examples)
        return score(records, examples, (self.objective,), self.ledger, threads=self.judging_threads)

    def value(self, name: str) -> float:
        """A candidate's mean objective on val; a UsageError if it is undefined for every question."""
        found = mean(each.score for each in self.scores(name, "val")).value
        self.ledger.write()
        if found is None:
            raise UsageError(f"{self.objective} is undefined on val: none of its questions has a gold answer")
        return found

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
                compilation = Compilation(
                    task=self.setup.task,
                    new_program=partial(self.loaded, Choice(values).best),
                    dataset=self.setup.dataset,
                    train=self.setup.dataset.split("train", self.setup.job.limit),
                    val=self.setup.dataset.split("val", self.setup.job.limit),
                    objective=Objective(self.objective, self.ledger),
                    seed=self.setup.job.seed,
                    prompt_lm=self.setup.prompt_lm,
                    threads=self.setup.threads,
                )
                for candidate in optimizer.candidates(compilation):
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
            spent, asked, runs = self.meter.spent, len(list(self.records)), self._n_val + self.plan.reporting // 2
            about = f"; it takes about {spent.for_calls(spent.calls * runs // asked)}" if asked else ""
            raise UsageError(
                f"a budget of {stop} does not suffice for the uncompiled program's {runs} questions of val and test"
                f"{about}. What was asked is kept; continue with --resume and a larger budget, or start anew with "
                "--limit"
            ) from None
        self.meter.write()
        if all(each.status == "failed" for each in found):  # what fails is not the prompt
            raise CorroborateError(
                f"the uncompiled program failed on all {len(found)} questions of val: there is nothing to choose "
                f"by. Correct this and continue with --resume. The last time: {found[-1].error}"
            )
        return self.value(UNCOMPILED)

    def _gate(self, runs: int) -> Gate:
        """Keeps back what so many questions will take, and remembers what stopped the search."""
        asked = (each for each in self.records if (each.split, each.status) == ("val", "answered"))
        dearest = max((int(each.prediction["metrics"]["lm_calls"]) for each in asked), default=self.plan.calls.most)
        allowance = Allowance(self.setup.budget, runs * dearest)

        def gate(spent: Spent) -> None:
            try:
                allowance(spent)
            except BudgetSpent as stop:
                self._stopped = str(stop)
                raise

        return gate

    @property
    def _n_val(self) -> int:
        return self.plan.choosing // self.plan.candidates


def publish(state: Path, folder: Path | None = None, *, ship: bool = False) -> Path:
    """Copy a compiled state to the user's own (CORROBORATE_COMPILED); the same prompts and demos take the same file.

    With ``ship`` it goes to those that come with the package: one for each program and model. A CorroborateError says
    that it cannot be written there; the state that was given is untouched.
    """
    read = read_state(state)
    # A version behind the extractive LM's name is left out.
    model = read.lm.removesuffix("/1") if read.lm.startswith("extractive") else read.lm
    name = f"{read.program}.{re.sub(r'[^A-Za-z0-9-]+', '-', model)}"
    content = hashlib.sha256(json.dumps(read.content, sort_keys=True).encode()).hexdigest()
    path = SHIPPED / f"{name}.json" if ship else (folder or settings().compiled) / f"{name}.{content[:8]}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return write_file(path, read.path.read_bytes())
    except OSError as error:
        raise CorroborateError(
            f"the compiled state is in {read.path}, but cannot be copied to {path} ({error.strerror}); set "
            "CORROBORATE_COMPILED to a folder that can be written, and copy it there"
        ) from error
