"""A report as Markdown, for people; the same text is printed by the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from metrics.catalogue import METRICS
from optimize.measuring.aggregates import Aggregates
from optimize.measuring.statistics import Paired
from optimize.measuring.tables import UNDEFINED, difference, number, p_values, table
from optimize.reporting.report import MetricRow, Report, ReportCell
from programs.results.harmless import as_markdown

CHECKER = "corroborate-checker-1@sha256:523ebe159528+guards/8"
"""The judge that is shipped."""

MEASURED = {
    CHECKER: (
        "of 321 claims of SciFact's validation set it judges 46 % rightly (the most frequent verdict: 43 %), and where "
        "it says supported 68 %; it says contradicted of 7 claims only. Of 224 findings of Evidence Inference it puts "
        "the true one above the same turned around in 82 %. Programs correct their answers with this same check, which "
        "flatters groundedness and citations"
    )
}
"""By name and version of the judge; from ``python -m bench.support``, on data that it was not tuned on."""


def accuracy_of(judge: str) -> str:
    """What is known of a judge's accuracy."""
    return MEASURED.get(judge, "its accuracy is not known here; `python -m optimize calibrate` measures it")


JUDGED = "†"
"""Stands at the name of a metric that rests on the judge."""


def markdown(report: Report, details: Iterable[str] = ()) -> str:
    """The whole report.

    Args:
        report: It.
        details: Lines on single prompts and questions; see ``optimize.reporting.text``.
    """
    return "\n".join(_lines(report, details)) + "\n"


def _lines(report: Report, details: Iterable[str]) -> Iterator[str]:
    yield from (f"# {as_markdown(report.title)}", "", f"**{as_markdown(report.headline)}**", "")
    if report.about.get("spent"):
        yield from (f"Cost of {_of_what(report)}: {as_markdown(str(report.about['spent']))}.", "")
    yield from (f"> **Warning.** {as_markdown(warning)}\n" for warning in report.warnings)
    yield from _metrics(report)
    yield from _canaries(report)
    yield from _together(report)
    yield from _failures(report.failures)
    yield from _choice(report.choice, report.objective)
    yield from details
    about = {name: plain(value) for name, value in report.about.items() if value != ""}
    yield from ("## About", "", *(f"- {as_markdown(name)}: {as_markdown(value)}" for name, value in about.items()))


def plain(value: object) -> str:
    """A value of a run's description in words."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or "none"
    return "none" if value is None else str(value)


def _of_what(report: Report) -> str:
    return "compiling, with the choice on val and this report" if report.choice else "the run"


def _metrics(report: Report) -> Iterator[str]:
    if report.is_difference:
        header = ("metric", "uncompiled", "compiled", "difference [95 % interval]", "n", "p", "p (Holm)", "detectable")
        yield from table(header, list(map(_compared, report.rows)))
        yield (
            "Differences are compiled − uncompiled, paired, over the n questions for which both values are defined. "
            "*Detectable* is the smallest true difference that this many papers would show in 4 of 5 cases; *none*: "
            "not even the largest possible."
        )
    else:
        yield from table(("metric", "value", "95 % interval", "n"), list(map(_single, report.rows)))
    yield (
        "Intervals and p take papers, not questions, as what varies. (35/49) stands by a mean to which 35 of 49 "
        "questions gave a value of their own: failures count as worst, and where a metric is undefined it does not "
        "count."
    )
    if any(METRICS[row.metric].judged for row in report.rows):
        judge = str(report.about.get("judge", "the judge"))
        yield f"\n{JUDGED} rests on {as_markdown(judge)}: {accuracy_of(judge)}."
    yield ""


def _compared(row: MetricRow) -> tuple[str, ...]:
    cells = (mean_of(row.before), mean_of(row.after), difference(row.paired), _n(row.paired))
    return (_name(row), *cells, *p_values(row.paired, row.p_holm))


def _single(row: MetricRow) -> tuple[str, ...]:
    return _name(row), mean_of(row.before), interval_of(row.alone), _n(row.alone)


def interval_of(paired: Paired | None) -> str:
    """A mean's interval: "0.312 to 0.590", or a dash."""
    if paired is None or paired.low is None or paired.high is None:
        return UNDEFINED
    return f"{number(paired.low)} to {number(paired.high)}"


def _n(paired: Paired | None) -> str:
    return UNDEFINED if paired is None else f"{paired.n:,}"


def _canaries(report: Report) -> Iterator[str]:
    if not report.canaries:
        return
    rows = sorted(report.canaries.items(), key=lambda pair: -pair[1])
    yield from ("## Canaries", "", f"Answers that deserve nothing, by {report.objective}:", "")
    yield from table(("canary", report.objective), [(name, number(value)) for name, value in rows])
    for name, value in report.skill.items():
        yield f"Skill of {as_markdown(name)}, the share of what the best canary leaves: {number(value)}\n"


def _together(report: Report) -> Iterator[str]:
    """A row for each number of all answers together that is known of a program."""
    programs = report.aggregates
    header = ("all answers together", *map(as_markdown, programs))
    numbers = {**_COSTS, **(_ANSWERS if report.has_answers else {})}
    rows = [(name, *map(of, programs.values())) for name, of in numbers.items()]
    known = [row for row in rows if set(row[1:]) != {UNDEFINED}]
    failed = {name: sum(report.failures.get(name, {}).values()) for name in programs}
    asked = ("questions", *(f"{programs[name].cost.n_questions + failed[name]:,}" for name in programs))
    title = "Cost and abstention" if report.has_answers else "Cost"
    yield from (f"## {title}", "", *table(header, [asked, ("failed", *map(str, failed.values())), *known]))
    yield "Costs are of a question; times leave out questions of which the run had kept an answer of the model."
    if report.has_answers:
        yield (
            "*Answers and abstains rightly* is the mean of two shares: answerable questions answered, and others "
            "abstained from; 0.5 is a guess. *AURC* is the mean error, 1 − objective, as answers are added, the surest "
            "first."
        )
    yield ""
    for name, each in programs.items():
        if each.sections:
            yield f"Passages that {as_markdown(name)} cites, by section: {as_markdown(plain(each.sections))}.\n"


_COSTS: Mapping[str, Callable[[Aggregates], str]] = {
    "median ms": lambda each: number(each.cost.latency_p50_ms, 1),
    "95th percentile ms": lambda each: number(each.cost.latency_p95_ms, 1),
    "LM calls": lambda each: number(each.cost.lm_calls, 2),
    "tokens": lambda each: number(each.cost.tokens, 0),
    "US dollars": lambda each: number(each.cost.money, 4),
}

_ANSWERS: Mapping[str, Callable[[Aggregates], str]] = {
    "answers and abstains rightly": lambda each: number(each.answerability_balanced_accuracy),
    "over-abstains ↓": lambda each: number(each.over_abstention),
    "AURC ↓": lambda each: number(each.risk_coverage.aurc if each.risk_coverage else None),
    "macro F1 of labels": lambda each: number(each.macro_f1),
}


def _failures(failures: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    rows = [
        (as_markdown(name), str(count), as_markdown(error))
        for name, errors in failures.items()
        for error, count in errors.items()
    ]
    if rows:
        yield from ("## Failures", "", *table(("program", "times", "error"), rows))


def _choice(choice: Mapping[str, float], objective: str) -> Iterator[str]:
    if choice:
        best = max(choice, key=lambda name: choice[name])
        names = {name: f"**{as_markdown(name)}**" if name == best else as_markdown(name) for name in choice}
        rows = [(names[name], number(value)) for name, value in choice.items()]
        yield from ("## Candidates on val", "", *table(("candidate", objective), rows))
        yield "The best of many on val owes some of its value to luck; what counts is the result above.\n"


def _name(row: MetricRow) -> str:
    mark = JUDGED if METRICS[row.metric].judged else ""
    return f"{row.metric}{mark}" if row.higher_is_better else f"{row.metric}{mark} ↓"


def mean_of(cell: ReportCell | None) -> str:
    """A mean, with the questions it rests on where not all have a value: "0.512 (35/49)"."""
    if cell is None or cell.value is None:
        return UNDEFINED
    return number(cell.value) if cell.n == cell.total else f"{number(cell.value)} ({cell.n}/{cell.total})"
