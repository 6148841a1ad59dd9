"""Evaluate a program as it is: ask the questions of a split, judge, score, report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from optimize.generate import Records, generate
from optimize.job import Bench, spent
from optimize.plan import Plan, plan_eval
from optimize.report import Measured, Report, build_report
from optimize.report_text import markdown
from optimize.run_folder import RunFolder, kept_calls
from optimize.scoring import KeptLedger, score
from programs.program import Program
from programs.registry import best_state
from programs.state import apply_state, read_state


def plan(bench: Bench) -> Plan:
    """What evaluating will cost."""
    return plan_eval(bench.task.calls(bench.new_program()), len(bench.dataset.split(bench.job.split, bench.job.limit)))


def evaluate_program(bench: Bench, run: RunFolder, on_done: Callable[[int, str], None] = lambda *_: None) -> Report:
    """Evaluate a program in a run's folder; questions that have an answer there are not asked again.

    Args:
        bench: The job and what it needs.
        run: Where everything goes.
        on_done: Told how many questions are behind, and what is being asked.
    """
    job = bench.job
    questions = bench.posed(job.split)
    examples = {posed.example.id: posed.example for posed in questions}
    ledger, records = KeptLedger(run.judgements), Records(run.predictions)
    with bench.session(run), kept_calls(run):
        program, state = _program(bench)
        name = job.program if state is None else f"{job.program} ({state.name})"
        found = generate(
            program,
            name,
            job.split,
            questions,
            records,
            threads=bench.threads,
            on_done=lambda done: on_done(done, job.split),
        )
    scores = score(found, examples, bench.task.metrics, ledger)
    clusters = {each.id: each.cluster for each in bench.dataset.split(job.split, job.limit)}
    run.write_questions(examples, clusters, job.split)
    run.scores.replace(each.as_dict() for each in scores)
    about: dict[str, Any] = {
        **{key: value for key, value in asdict(job).items() if key in ("program", "dataset", "split", "limit")},
        "lm": bench.lm.model,
        "compiled state": str(state or "none"),
        "judge": ledger.judge.name,
        "questions": len(questions),
        "spent": spent(run, [record.prediction for record in records]),
    }
    title = f"{job.program} on {bench.dataset.name} {job.split}"
    measured = Measured(name, found, scores)
    report = build_report(title, about, examples, measured, None, ledger, clusters=clusters, seed=job.seed)
    ledger.write()
    run.write("report.json", json.dumps(report.as_dict(), ensure_ascii=False, indent=1) + "\n")
    run.write("report.md", markdown(report))
    return report


def _program(bench: Bench) -> tuple[Program[Any], Path | None]:
    """The program with its state, and where that is."""
    program = bench.new_program()
    if bench.job.state == "none":
        return program, None
    state = best_state(program) if bench.job.state == "best" else read_state(bench.job.state)
    if state is not None:
        apply_state(program, state)
    return program, state.path if state else None
