"""Compile a program: make candidates from train, choose one on val, report on test.

    train → optimizer → candidates → val → the best → test → report, compiled.json

The uncompiled program is a candidate too: what does not beat it on val is not chosen.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from optimize.compiling.choosing import Candidates, Choice, Chooser
from optimize.dataset.near_duplicates import leaked
from optimize.evaluating.assess import AskedExamples, Assessed, Measures, ReportHeader, assess
from optimize.job import EXTRACTIVE, JobSetup
from optimize.optimizers import chain_of
from optimize.optimizers.policy import Optimizer, Sizes
from optimize.reporting.report import Report, ReportCell
from optimize.running.cost import Meter, WorkPlan
from optimize.running.run_folder import RunFolder, kept_calls
from optimize.tasks.baselines import BASELINES
from optimize.tasks.task import CallCount
from programs.budget import STOPPED
from programs.config import settings
from programs.errors import CorroborateError, UsageError
from programs.files import write_file
from programs.registry import SHIPPED
from programs.state import UNCOMPILED, State, read_state, save_state


def plan_compile(
    optimizers: Sequence[Optimizer], calls: CallCount, sizes: Sizes, n_test: int, *, judged: bool = False
) -> WorkPlan:
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
    planned = WorkPlan(candidates, building, candidates * sizes.val, 2 * n_test, calls, writing)
    return replace(planned, judged=planned.runs) if judged else planned


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compilation ends with.

    Attributes:
        report: On the test split.
        state: The chosen program's state, in the run's folder.
    """

    report: Report
    state: Path


def plan(setup: JobSetup, seeds: int = 1) -> WorkPlan:
    """What compiling will cost, with one seed.

    Args:
        setup: The job; its budget is for all seeds together.
        seeds: How many there are.

    Raises:
        UsageError: The data lack a split, an optimizer cannot do anything here, or the budget is too small to begin.
    """
    if setup.job.program in BASELINES:
        raise UsageError(f"{setup.job.program} is a baseline, which has no prompts; use `python -m optimize eval`")
    train, val, test = (len(setup.dataset.split(split, setup.job.limit)) for split in ("train", "val", "test"))
    program = setup.bare_program
    sizes = Sizes(train, val, len(program.predictors()))
    calls, judged = setup.task.calls(program, setup.dataset), bool(setup.job.judge_lm)
    planned = plan_compile(_optimizers(setup), calls, sizes, test, judged=judged)
    _check_budget(setup, planned.uncompiled_calls * seeds)
    return planned


def compile_program(setup: JobSetup, run: RunFolder, on_done: Callable[[int, str], None] = lambda *_: None) -> Compiled:
    """Compile a program in a run's folder; what the folder holds already is not done again.

    Args:
        setup: The job and what it needs.
        run: Where everything goes.
        on_done: Told how many of the plan's runs on val and test are behind, and what is being asked.
    """
    planned, optimizers = plan(setup), _optimizers(setup)
    with kept_calls(run), setup.session(run) as meter:
        candidates = Candidates(setup, optimizers, run, on_done)
        choice = Chooser(setup, optimizers, candidates, planned, meter).choose()
        _check_leaks(setup, candidates, choice.best)
        for name in dict.fromkeys((UNCOMPILED, choice.best)):
            candidates.ask(name, "test")
        return _Ending(setup, run, planned, candidates, choice, meter).compiled()


@dataclass(frozen=True, slots=True)
class _Ending:
    """Judging, scoring and reporting, from the run's files alone."""

    setup: JobSetup
    run: RunFolder
    plan: WorkPlan
    candidates: Candidates
    choice: Choice
    meter: Meter

    def compiled(self) -> Compiled:
        metric = (self.candidates.objective,)
        validated = [each for name in self.choice.values for each in self.candidates.scores(name, "val", metric)]
        self.candidates.ledger.write()
        self.run.scores.replace(each.as_dict() for each in validated)
        report = self._assessed().report
        return Compiled(report, self._save(report))

    def _assessed(self) -> Assessed:
        setup = self.setup
        examples = {posed.example.id: posed.example for posed in setup.posed("test")}
        clusters = {each.id: each.cluster for each in setup.dataset.split("test", setup.job.limit)}
        header = ReportHeader(
            f"{setup.job.program} compiled for {setup.lm.model}",
            self._about(),
            setup.lm.model,
            self.choice.values,
            tuple(_warnings(setup, self.choice, self.plan.candidates)),
            setup.job.seed,
        )
        measures = Measures(setup.judge, threads=setup.threads if setup.job.judge_lm else 1)
        answers = [self.candidates.answers(name, "test") for name in (UNCOMPILED, self.choice.best)]
        asked = AskedExamples(examples, clusters, "test")
        return assess(self.run, asked, answers, setup.task.metrics, header, measures, self.meter)

    def _about(self) -> dict[str, Any]:
        made = asdict(self.candidates.provenance(self.choice.best))
        names = ("lm", "prompt_lm", "judge", "optimizers", "candidate", "seed", "budget", "dataset", "date", "version")
        used = ("train", "val", "test")
        sizes = {split: len(self.setup.dataset.split(split, self.setup.job.limit)) for split in used}
        return {**{name: made[name] for name in names}, "questions": sizes, **self.setup.dataset.about}

    def _save(self, report: Report) -> Path:
        row = report.row(self.candidates.objective)
        best, place = self.choice.best, self.run.path / "compiled.json"
        scores, before = self._scores(best, row.after), self._scores(UNCOMPILED, row.before)
        return save_state(self.candidates.loaded(best), place, self.candidates.provenance(best, scores, before))

    def _scores(self, name: str, test: ReportCell | None) -> dict[str, float]:
        """By split, to six decimals."""
        known = {"val": self.choice.values[name], "test": test.value if test else None}
        return {split: round(value, 6) for split, value in known.items() if value is not None}


def _optimizers(setup: JobSetup) -> list[Optimizer]:
    return chain_of(setup.job.optimizer, setup.task, setup.lm, setup.prompt_lm)


def _check_budget(setup: JobSetup, needed: int) -> None:
    calls = setup.budget.calls
    if calls is not None and calls < needed:
        raise UsageError(
            f"a budget of {calls:,} calls does not suffice for the uncompiled program on val and test, which take up "
            f"to {needed:,}; give at least --budget-calls {needed}, or use fewer questions with --limit"
        )
    unpriced = [lm.model for lm in (setup.lm, setup.prompt_lm) if lm is not None and _has_no_price(lm.model)]
    if setup.budget.money is not None and unpriced:
        raise UsageError(
            f"--budget-money cannot be kept: {' and '.join(unpriced)} has no price; use --budget-calls, "
            "--budget-tokens or --budget-minutes"
        )
    if setup.budget and not all(lm.cache for lm in (setup.lm, setup.prompt_lm) if lm is not None):
        raise UsageError("a budget counts calls behind the model's cache; make the model with cache=True")


def _has_no_price(model: str) -> bool:
    """Whether a model runs on one of this project's engines, which have no price."""
    return model.partition("/")[0] in ("ollama", EXTRACTIVE)


def _check_leaks(setup: JobSetup, candidates: Candidates, best: str) -> None:
    found = list(leaked(candidates.loaded(best), setup.dataset.split("test")))
    if found:
        raise CorroborateError(
            f"{best} holds text of the test split, so nothing measured there would count: {'; '.join(found[:3])}; "
            "correct the data set"
        )


def _warnings(setup: JobSetup, choice: Choice, candidates: int) -> Iterator[str]:
    if setup.job.lm == EXTRACTIVE:
        yield "No language model was used: the extractive LM takes its answers from the text."
    if setup.job.limit is not None:
        yield f"Only {setup.job.limit} questions of each split were used."
    if choice.stopped:
        yield f"{STOPPED} of {choice.stopped} after {len(choice.values)} of {candidates} candidates."


def publish(state: Path, folder: Path | None = None) -> Path:
    """Copy a compiled state to the user's own; the same prompts and demos take the same file.

    Args:
        state: A state file.
        folder: By default the user's (CORROBORATE_COMPILED).

    Returns:
        The copy.

    Raises:
        CorroborateError: It cannot be written there; the state that was given is untouched.
    """
    read = read_state(state)
    content = hashlib.sha256(json.dumps(read.content, sort_keys=True).encode()).hexdigest()
    return _copied(read, (folder or settings().compiled) / f"{_name(read)}.{content[:8]}.json")


def ship(state: Path) -> Path:
    """Copy a compiled state to those that come with the package: one for each program and model."""
    read = read_state(state)
    return _copied(read, SHIPPED / f"{_name(read)}.json")


def _name(state: State) -> str:
    """Program and model, fit for a file's name; a version behind the extractive LM's name is left out."""
    model = state.lm.removesuffix("/1") if state.lm.startswith("extractive") else state.lm
    return f"{state.program}.{re.sub(r'[^A-Za-z0-9-]+', '-', model)}"


def _copied(state: State, path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return write_file(path, state.path.read_bytes())
    except OSError as error:
        raise CorroborateError(
            f"the compiled state is in {state.path}, but cannot be copied to {path} ({error.strerror}); set "
            "CORROBORATE_COMPILED to a folder that can be written, and copy it there"
        ) from error
