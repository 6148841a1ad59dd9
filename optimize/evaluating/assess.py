"""From a run's answers to its report: judge, score, put together. No program runs here.

    predictions.jsonl, questions.jsonl → judgements.jsonl → scores.jsonl → report.json, .md, .html

So another judge or metric takes no new answers; see ``python -m optimize score``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from metrics.answers import Embed
from metrics.catalogue import METRICS
from metrics.judgements import Judge
from metrics.support.judged import GuardedCheck, default_check
from optimize.dataset.example import Example
from optimize.judging import KeptLedger, is_own_judge
from optimize.measuring.scoring import score
from optimize.reporting.finished_run import read_run
from optimize.reporting.page import write_page
from optimize.reporting.report import MeasuredProgram, Report, build_report
from optimize.reporting.report_text import details, markdown
from optimize.running.cost import Meter, spent_in
from optimize.running.generate import Record
from optimize.running.run_folder import RunFolder
from programs.config import settings
from programs.errors import UsageError
from programs.retrieval.embedding.embedder import load_embedder


@dataclass(frozen=True, slots=True)
class Measures:
    """How answers are measured.

    Attributes:
        judge: Who decides whether passages bear a claim out.
        metrics: Names of metrics beside those of the program.
        embed: What metrics that need an embedding model ask; by default the configured model.
        threads: Answers at a time, where the judge has to be waited for.
    """

    judge: Judge = field(default_factory=default_check)
    metrics: tuple[str, ...] = ()
    embed: Embed | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        unknown = [name for name in self.metrics if name not in METRICS]
        if unknown:
            raise UsageError(f"there is no metric {', '.join(unknown)}; there are {', '.join(METRICS)}")

    def names(self, metrics: Sequence[str]) -> tuple[str, ...]:
        """The metrics of a program and those beside them, each once."""
        return tuple(dict.fromkeys((*metrics, *self.metrics)))

    @property
    def is_free(self) -> bool:
        """Whether the judge costs nothing but a moment."""
        return isinstance(self.judge, GuardedCheck)


@dataclass(frozen=True, slots=True)
class AskedExamples:
    """What was asked, and what is known of it.

    Attributes:
        examples: Gold data by id, as the questions were posed.
        clusters: The paper of each by id.
        split: Their split.
    """

    examples: Mapping[str, Example]
    clusters: Mapping[str, str]
    split: str


@dataclass(frozen=True, slots=True)
class Answers:
    """What one program answered, in the order of the questions."""

    name: str
    records: Sequence[Record]


@dataclass(frozen=True, slots=True)
class ReportHeader:
    """What a report says beside its numbers.

    Attributes:
        title: What was done.
        about: What a reader has to know of it.
        model: Name of the model that answered.
        choice: Objective of every candidate on val.
        warnings: What a reader must know.
        seed: Of resampling.
        chosen_by: The judge by which the choice was made, if there was one.
    """

    title: str
    about: Mapping[str, Any]
    model: str
    choice: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    seed: int = 0
    chosen_by: str = ""


@dataclass(frozen=True, slots=True)
class Assessed:
    """A report, and its numbers by name."""

    report: Report

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values: those of the report."""
        return self.report.as_dict()

    def values(self) -> dict[str, float | None]:
        """Every number of the program that the run ends with, by metric; None where it is undefined."""
        cells = {row.metric: row.after or row.before for row in self.report.rows}
        last = list(self.report.aggregates.values())[-1]
        return {**{metric: cell.value for metric, cell in cells.items()}, **last.numbers()}


def assess(
    run: RunFolder,
    asked: AskedExamples,
    answers: Sequence[Answers],
    metrics: Sequence[str],
    header: ReportHeader,
    measures: Measures,
    meter: Meter,
) -> Assessed:
    """Judge, score and report; what the run's judge said before is not asked again.

    Args:
        run: Where judgements are and everything goes.
        asked: The questions.
        answers: Of the uncompiled or only program, then those of the chosen one, which may be the same.
        metrics: Names, the objective first.
        header: What the report says beside its numbers.
        measures: How answers are measured.
        meter: Counts what the judge costs.

    Raises:
        CorroborateError: The judge had no verdict on most claims; everything up to there is kept.
    """
    names, ledger = measures.names(metrics), KeptLedger(run.judgements, measures.judge)
    embed = measures.embed or _embed(names)
    scores = {
        each.name: score(each.records, asked.examples, names, ledger, embed=embed, threads=measures.threads)
        for each in {one.name: one for one in answers}.values()
    }
    measured = [MeasuredProgram(each.name, each.records, scores[each.name]) for each in answers]
    ledger.check_judge()
    meter.write()
    run.write_questions(asked.examples, asked.clusters, asked.split)
    _write_scores(run, asked.split, measured)
    chosen = {"chosen by": header.chosen_by} if header.chosen_by else {}
    about = {**header.about, "judge": measures.judge.name, **chosen, "spent": str(spent_in(run.sessions))}
    report = _report(asked, measured, replace(header, about=about), measures, ledger)
    assessed = Assessed(report)
    ledger.write()
    run.write("report.json", json.dumps(assessed.as_dict(), ensure_ascii=False, indent=1) + "\n")
    finished = read_run(run.path)
    run.write("report.md", markdown(report, details(finished)))
    write_page(finished)
    return assessed


def _embed(metrics: Sequence[str]) -> Embed | None:
    needed = any(METRICS[name].embedded for name in metrics)
    return load_embedder(settings().embedder).embed if needed else None


def _write_scores(run: RunFolder, split: str, measured: Sequence[MeasuredProgram]) -> None:
    """Write scores; those of other candidates and splits stay."""
    new = {(each.name, split) for each in measured}
    kept = [line for line in run.scores.read() if (line["candidate"], line["split"]) not in new]
    distinct = {each.name: each.scores for each in measured}
    run.scores.replace([*kept, *(each.as_dict() for scores in distinct.values() for each in scores)])


def _report(
    asked: AskedExamples,
    measured: Sequence[MeasuredProgram],
    header: ReportHeader,
    measures: Measures,
    ledger: KeptLedger,
) -> Report:
    before, after = measured[0], measured[1] if len(measured) > 1 else None
    # A judge that has to be paid is not asked about worthless answers, of which there are several a question.
    return build_report(
        header.title,
        header.about,
        asked.examples,
        before,
        after,
        ledger,
        clusters=asked.clusters,
        choice=header.choice,
        seed=header.seed,
        warnings=_warnings(header, measures, ledger),
        lasting=header.warnings,
        canaries=measures.is_free,
    )


def _warnings(header: ReportHeader, measures: Measures, ledger: KeptLedger) -> list[str]:
    found = []
    if is_own_judge(measures.judge, header.model):
        found.append(f"The judge is {header.model}, which wrote the answers; models tend to favour their own.")
    if header.chosen_by not in ("", measures.judge.name):
        found.append(f"Candidates were chosen by {header.chosen_by}, and are measured here by another judge.")
    if ledger.failures:
        found.append(f"The judge had no verdict on {ledger.failures} claims; what rests on them counts as failed.")
    return found
