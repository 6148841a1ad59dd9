"""Evaluate a program: ask, judge, score, report; or measure a finished run again without asking its program."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import dspy

from optimize.evaluating.assess import Answers, AskedExamples, Assessed, Measures, ReportHeader, assess
from optimize.job import JobSetup
from optimize.reporting.finished_run import FinishedRun, read_run
from optimize.reporting.report import Report
from optimize.running.cost import Meter, WorkPlan, plan_eval
from optimize.running.generate import Record, Records, generate
from optimize.running.run_folder import RunFolder, kept_calls
from programs.errors import UsageError
from programs.program import Program
from programs.registry import best_state, state_path
from programs.state import apply_state, read_state


def plan(setup: JobSetup, *, judged: bool = False) -> WorkPlan:
    """What evaluating will cost; ``judged`` when another model judges the answers.

    Raises:
        UsageError: The data lack the split, or the named state is not there or does not fit.
    """
    _with_state(setup, setup.bare_program.deepcopy())
    questions = len(setup.dataset.split(setup.job.split, setup.job.limit))
    return plan_eval(setup.task.calls(setup.bare_program, setup.dataset), questions, judged=judged)


def evaluate_program(setup: JobSetup, run: RunFolder, on_done: Callable[[int, str], None] = lambda *_: None) -> Report:
    """Evaluate a program by the shipped checker; see ``evaluate``."""
    return evaluate(setup, run, Measures(), on_done).report


def evaluate(
    setup: JobSetup, run: RunFolder, measures: Measures, on_done: Callable[[int, str], None] = lambda *_: None
) -> Assessed:
    """Evaluate a program in a run's folder; questions that have an answer there are not asked again.

    The judge is not a setting of the run: it changes no answer, and a run that is resumed may have another.

    Args:
        setup: The job and what it needs.
        run: Where everything goes.
        measures: How answers are measured.
        on_done: Told how many questions are behind, and what is being asked.
    """
    job = setup.job
    questions = setup.posed(job.split)
    clusters = {each.id: each.cluster for each in setup.dataset.split(job.split, job.limit)}
    asked = AskedExamples({posed.example.id: posed.example for posed in questions}, clusters, job.split)
    with kept_calls(run), setup.session(run) as meter:
        records = Records(run.predictions)
        program, state = _program(setup)
        _check_state(run, state)
        name = job.program if state is None else f"{job.program} ({state.name})"
        found = generate(
            program,
            name,
            job.split,
            questions,
            records,
            threads=setup.threads,
            on_done=lambda done: on_done(done, job.split),
        )
        return assess(run, asked, [Answers(name, found)], setup.task.metrics, _header(setup, state), measures, meter)


def _header(setup: JobSetup, state: Path | None) -> ReportHeader:
    job = setup.job
    about: dict[str, Any] = {
        **{key: value for key, value in asdict(job).items() if key in ("program", "dataset", "split", "limit")},
        "lm": setup.lm.model,
        "compiled state": str(state or "none"),
        "questions": len(setup.dataset.split(job.split, job.limit)),
        **setup.dataset.about,
    }
    return ReportHeader(f"{job.program} on {setup.dataset.name} {job.split}", about, setup.lm.model, seed=job.seed)


def _program(setup: JobSetup) -> tuple[Program[Any], Path | None]:
    """The program with its state, and where that is."""
    program = setup.new_program()
    return program, _with_state(setup, program)


def _check_state(run: RunFolder, state: Path | None) -> None:
    """Refuse a state file that is another one by now: the run's answers are known by the file's name.

    Raises:
        UsageError: The run has answers of a file of that name with other prompts or parameters.
    """
    if state is None:
        return
    place = run.path / "states.json"
    known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    content = json.dumps(read_state(state).content, sort_keys=True)
    found = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    if known.setdefault(state.name, found) != found:
        raise UsageError(f"{state} was changed since the run in {run.path} was started; name another --output")
    run.write("states.json", json.dumps(known) + "\n")


def _with_state(setup: JobSetup, program: Program[Any]) -> Path | None:
    """Give a program the state that the job names; its path."""
    named = setup.job.state
    if named == "none":
        return None
    state = best_state(program) if named == "best" else read_state(state_path(named))
    if state is not None:
        apply_state(program, state)
    return state.path if state else None


def rescore(path: Path, measures: Measures) -> Assessed:
    """Judge, score and report a finished run anew; what this judge said of it before is not asked again.

    Of a compilation, both programs of its report are measured; its choice among candidates stays as it was made.

    Args:
        path: The run's folder.
        measures: How answers are measured.

    Raises:
        UsageError: The folder holds no finished run.
    """
    with kept_calls(read_run(path).folder):
        run = read_run(path)
        meter = Meter(run.folder.sessions, counts_time=False)
        try:
            with dspy.context(meter=meter):
                return assess(
                    run.folder, _asked(run), _answers(run), _metrics(run), _rescored_header(run), measures, meter
                )
        finally:
            meter.write()


def measured_in(path: Path) -> tuple[str, ...]:
    """Names of the metrics of a finished run, the objective first; raises as ``rescore``."""
    return _metrics(read_run(path))


def _asked(run: FinishedRun) -> AskedExamples:
    if not run.examples:
        raise UsageError(
            f"{run.folder.path} does not hold its questions; run its command again with --resume, which asks nothing "
            "again and writes them down"
        )
    return AskedExamples(run.examples, run.clusters, run.split)


def _answers(run: FinishedRun) -> list[Answers]:
    """The answers of the report's programs: of a compilation always two, though it may have come out unchanged."""
    names = (run.before, run.reported) if run.is_compilation else (run.reported,)
    return [Answers(name, _records(run, name)) for name in names]


def _records(run: FinishedRun, name: str) -> list[Record]:
    found = run.answers(name)
    missing = [each for each in run.examples if each not in found]
    if missing:
        raise UsageError(
            f"{run.folder.path} holds no answer of {name} to {', '.join(missing[:5])}; run its command again with "
            "--resume"
        )
    return [found[each] for each in run.examples]


def _metrics(run: FinishedRun) -> tuple[str, ...]:
    scored = (line["metric"] for line in run.folder.scores.read() if line["split"] == run.split)
    return tuple(dict.fromkeys((run.report.objective, *scored)))


def _rescored_header(run: FinishedRun) -> ReportHeader:
    report = run.report
    return ReportHeader(
        title=report.title,
        about=report.about,
        model=str(run.manifest.get("model", "")),
        choice=report.choice,
        warnings=report.lasting,
        seed=int(run.manifest.get("seed", 0)),
        chosen_by=str(report.about.get("chosen by", report.about["judge"])) if report.choice else "",
    )
