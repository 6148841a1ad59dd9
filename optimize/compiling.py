"""Compile a program: make candidates from train, choose one on val, report on test.

    train → optimizer → candidates → val → the best → test → report, compiled.json

The uncompiled program is a candidate too: what does not beat it on val is not chosen.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from optimize.assess import Measures, assess
from optimize.choosing import Candidates, Choice
from optimize.dataset import leaked
from optimize.generate import WorkPlan
from optimize.job import EXTRACTIVE, JobSetup
from optimize.optimizers import chain_of
from optimize.policy import Optimizer, Sizes
from optimize.report import Report, ReportHeader
from optimize.run_folder import RunFolder, kept_calls
from optimize.tasks.main_points import BASELINES
from programs.atomic_files import write_file
from programs.budget import STOPPED
from programs.compiled_state import UNCOMPILED, read_state, save_state
from programs.config import settings
from programs.errors import CorroborateError, UsageError
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
    program, optimizers = setup.bare_program, _optimizers(setup)
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


def compile_program(setup: JobSetup, run: RunFolder, on_done: Callable[[int, str], None] = lambda *_: None) -> Compiled:
    """Compile a program in a run's folder; what the folder holds already is not done again.

    ``on_done`` is called with how many of the plan's runs on val and test are behind, and what is being asked.
    """
    planned = plan(setup)
    with kept_calls(run), setup.session(run) as meter:
        candidates = Candidates(setup, _optimizers(setup), run, planned, meter, on_done)
        choice = candidates.choose()
        if found := list(leaked(candidates.loaded(choice.best), setup.dataset.split("test"))):
            raise CorroborateError(
                f"{choice.best} holds text of the test split, so nothing measured there would count: "
                f"{'; '.join(found[:3])}; correct the data set"
            )
        for name in dict.fromkeys((UNCOMPILED, choice.best)):
            candidates.ask(name, "test")
        return _ended(candidates, choice)


def _ended(candidates: Candidates, choice: Choice) -> Compiled:
    """Judging, scoring and reporting, from the run's files alone."""
    metric = (candidates.objective,)
    validated = [each for name in choice.values for each in candidates.scores(name, "val", metric)]
    candidates.ledger.write()
    candidates.run.scores.replace(each.as_dict() for each in validated)
    report = _assessed(candidates, choice)
    row = report.row(candidates.objective)
    scores, uncompiled = (
        {split: round(value, 6) for split, value in (("val", choice.values[name]), ("test", test)) if value is not None}
        for name, test in ((choice.best, row.after.value if row.after else None), (UNCOMPILED, row.before.value))
    )
    provenance = candidates.provenance(choice.best, scores, uncompiled)
    return Compiled(
        report, save_state(candidates.loaded(choice.best), candidates.run.path / "compiled.json", provenance)
    )


def _assessed(candidates: Candidates, choice: Choice) -> Report:
    setup, made = candidates.setup, asdict(candidates.provenance(choice.best))
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
    measures = Measures(setup.judge, threads=setup.threads if setup.job.judge_lm else 1)
    answers = [candidates.answers(name, "test") for name in (UNCOMPILED, choice.best)]
    asked, metrics = setup.asked("test"), setup.task.metrics
    return assess(candidates.run, asked, answers, metrics, header, measures, candidates.meter)


def _optimizers(setup: JobSetup) -> list[Optimizer]:
    return chain_of(setup.job.optimizer, setup.task, setup.lm, setup.prompt_lm)


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
