"""From a run's answers to its report: judge, score, put together; and two finished runs compared. No program runs here.

    predictions.jsonl, questions.jsonl → judgements.jsonl → scores.jsonl → report.json, .md, .html

So another judge or metric takes no new answers; see ``python -m optimize score``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from metrics.answers import Embed
from metrics.catalogue import METRICS
from metrics.support.claim_check import GuardedCheck
from metrics.support.verdict import Judge
from optimize.finished_run import FinishedRun, read_run
from optimize.generate import Meter, spent_in
from optimize.judging import KeptLedger, is_own_judge
from optimize.report import (
    AskedExamples,
    MeasuredProgram,
    MetricRow,
    Report,
    ReportHeader,
    adjusted,
    build_report,
    few_papers,
    metric_row,
)
from optimize.report_rendering import markdown, write_page
from optimize.run_folder import RunFolder
from optimize.scoring import score
from programs.config import settings
from programs.errors import UsageError
from programs.models.checker import shipped_judge
from programs.retrieval.embedder import load_embedder


@dataclass(frozen=True, slots=True)
class Measures:
    """How answers are measured: the judge, and metrics beside those of the program.

    ``embed`` is for metrics that need an embedding model, by default the configured one; ``threads`` are answers at a
    time, where the judge has to be waited for.
    """

    judge: Judge = field(default_factory=shipped_judge)
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


def assess(
    run: RunFolder,
    asked: AskedExamples,
    answers: Sequence[MeasuredProgram],
    metrics: Sequence[str],
    header: ReportHeader,
    measures: Measures,
    meter: Meter,
) -> Report:
    """Judge, score and report; what the run's judge said before is not asked again.

    ``answers``, without scores, are those of the uncompiled or only program, then of the chosen one, which may be the
    same. A CorroborateError says that the judge had no verdict on most claims; everything up to there is kept.
    """
    names, ledger = measures.names(metrics), KeptLedger(run.judgements, measures.judge)
    embed = measures.embed
    if embed is None and any(METRICS[name].embedded for name in names):
        embed = load_embedder(settings().embedder).embed
    scores = {
        each.name: score(each.records, asked.examples, names, ledger, embed=embed, threads=measures.threads)
        for each in {one.name: one for one in answers}.values()
    }
    measured = [replace(each, scores=scores[each.name]) for each in answers]
    ledger.check_judge()
    meter.write()
    run.write_questions(asked.examples, asked.clusters, asked.split)
    new = {(each.name, asked.split) for each in measured}
    kept = [line for line in run.scores.read() if (line["candidate"], line["split"]) not in new]
    run.scores.replace([*kept, *(each.as_dict() for found in scores.values() for each in found)])
    chosen = {"chosen by": header.chosen_by} if header.chosen_by else {}
    warnings = []
    if is_own_judge(measures.judge, header.model):
        warnings.append(f"The judge is {header.model}, which wrote the answers; models tend to favour their own.")
    if header.chosen_by not in ("", measures.judge.name):
        warnings.append(f"Candidates were chosen by {header.chosen_by}, and are measured here by another judge.")
    if ledger.failures:
        warnings.append(f"The judge had no verdict on {ledger.failures} claims; what rests on them counts as failed.")
    about = {**header.about, "judge": measures.judge.name, **chosen, "spent": str(spent_in(run.sessions))}
    report = build_report(
        replace(header, about=about),
        asked,
        measured,
        ledger,
        warnings=warnings,
        # A judge that has to be paid is not asked about worthless answers, of which there are several a question.
        canaries=isinstance(measures.judge, GuardedCheck),
    )
    ledger.write()
    run.write("report.json", json.dumps(report.as_dict(), ensure_ascii=False, indent=1) + "\n")
    finished = read_run(run.path)
    run.write("report.md", markdown(report, finished))
    write_page(finished)
    return report


def doubts(first: FinishedRun, second: FinishedRun) -> list[str]:
    """What a reader of the comparison must know."""
    found = list(few_papers(first.asked.clusters))
    one, other = first.folder.path, second.folder.path
    if one.resolve() == other.resolve():
        found.append("Both are the same run.")
    if first.judge != second.judge:
        found.append(
            f"{one} was judged by {first.judge or 'an unnamed judge'}, {other} by "
            f"{second.judge or 'an unnamed judge'}: that alone changes metrics that rest on judgements. Measure "
            "one by the judge of the other with `python -m optimize score`."
        )
    return found


def compare_runs(
    first: FinishedRun, second: FinishedRun, metrics: Sequence[str] = (), seed: int = 0
) -> list[MetricRow]:
    """Compare two runs by some metrics, or by all that both have a value of: before is the first, after the second.

    A UsageError says that they were asked other questions.
    """
    one, other = first.asked, second.asked
    if one.clusters.keys() != other.clusters.keys() or first.data[1] != second.data[1]:
        raise UsageError(
            f"{first.folder.path} is on {one.split} of {first.data[0]} ({len(one.clusters)} questions), "
            f"{second.folder.path} on {other.split} of {second.data[0]} ({len(other.clusters)}); "
            "compare runs on the same questions"
        )
    shared = [each for each in first.metrics if all(run.values(run.reported, each) for run in (first, second))]
    if unknown := [metric for metric in metrics if metric not in shared]:
        raise UsageError(f"not both runs have {', '.join(unknown)}; both have {', '.join(shared)}")
    rows = (
        metric_row(each, one.clusters, first.values(first.reported, each), second.values(second.reported, each), seed)
        for each in metrics or shared
    )
    return adjusted(row for row in rows if row.is_defined)
