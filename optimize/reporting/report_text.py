"""A report as Markdown, for people; the same text is printed by the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from metrics.catalogue import METRICS
from optimize.measuring.scoring import Aggregates
from optimize.measuring.statistics import UNDEFINED, Paired, difference, interval_of, number, p_values, signed, table
from optimize.reporting.ablation import ablation
from optimize.reporting.finished_run import FinishedRun
from optimize.reporting.prompts import Prompts, PromptStep, WordingChange, prompts
from optimize.reporting.regressions import Case, regressions
from optimize.reporting.report import MetricRow, Report, shown
from programs.results.rendering import harmless_line as as_markdown
from programs.results.rendering import visible

CHECKER = "corroborate-checker-1@sha256:bdf4e586c02e+guards/9"
"""The judge that is shipped."""

MEASURED = {
    CHECKER: (
        "of 321 claims of SciFact's validation set it judges 45 % rightly (the most frequent verdict: 43 %), and where "
        "it says supported 74 %; it says contradicted of 4 claims only. Of 135 findings of Evidence Inference it puts "
        "the true one above the same turned around in 86 %. Programs correct their answers with this same check, which "
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
        report: What to write.
        details: Lines on single prompts and questions; see ``optimize.reporting.report_text``.
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
    cells = (shown(row.before), shown(row.after), difference(row.paired), _n(row.paired))
    return (_name(row), *cells, *p_values(row.paired, row.p_holm))


def _single(row: MetricRow) -> tuple[str, ...]:
    return _name(row), shown(row.before), interval_of(row.alone), _n(row.alone)


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


def details(run: FinishedRun) -> Iterator[str]:
    """Lines of Markdown."""
    changed = prompts(run)
    if changed is not None and run.after is not None:
        yield from _prompts(changed)
    yield from _signals(run)
    yield from _questions(run)


def _prompts(found: Prompts) -> Iterator[str]:
    yield from ("## Prompts, before and after", "")
    yield from table(("step", "instruction", "demos"), [_step(each) for each in found.steps])
    for step in found.steps:
        if not step.instruction.is_same:
            yield from _verbatim(f"Instruction of {step.name} before", step.instruction.before)
            yield from _verbatim(f"Instruction of {step.name} after", step.instruction.after)
    changed = [each for each in found.parameters if not each.is_same]
    if changed:
        rows = [(as_markdown(each.name), as_markdown(each.before), as_markdown(each.after)) for each in changed]
        yield from table(("parameter", "before", "after"), rows)


def _step(step: PromptStep) -> tuple[str, str, str]:
    instruction = "as it was" if step.instruction.is_same else "changed"
    return as_markdown(step.name), instruction, f"{step.demos_before} → {step.demos_after}"


def _verbatim(title: str, pieces: tuple[WordingChange, ...]) -> Iterator[str]:
    """A text as an indented block, in which Markdown reads nothing."""
    text = visible("".join(piece.text for piece in pieces))
    yield from (f"{as_markdown(title)}:", "", *(f"    {line}" for line in text.splitlines()), "")


def _signals(run: FinishedRun) -> Iterator[str]:
    found = ablation(run)
    if found is None:
        return
    yield from ("## Signals left out", "")
    rows = [
        (
            each.signal,
            number(each.weight),
            f"{each.swapped:.0%}",
            f"{each.led} of {found.questions}",
            difference(each.change),
        )
        for each in found.rows
    ]
    yield from table(("signal", "weight", "pairs swapped", "other first passage", "change of reciprocal rank"), rows)
    yield (
        f"The passages of {found.questions} answers put in order again with one weight at 0; the change is that of 1 / "
        f"rank of the first passage with gold evidence, over the {found.proved} questions that have one. Below 0 the "
        "signal helps. No answer was written again.\n"
    )


def _questions(run: FinishedRun) -> Iterator[str]:
    found = regressions(run)
    if found.is_difference:
        counts = f"{found.better} better, {found.same} the same, {found.worse} worse."
        yield from ("## The worst regressions", "", f"Questions: {counts}", "")
    elif found.cases:
        yield from ("## The worst answers", "")
    if found.cases:
        header = ("question", *map(as_markdown, run.programs), *(("change",) if found.is_difference else ()), "remark")
        yield from table(header, [_case(each, is_difference=found.is_difference) for each in found.cases])
        yield "The page, `report.html`, has their answers claim by claim, with passages and quotes.\n"


def _case(case: Case, *, is_difference: bool) -> tuple[str, ...]:
    values = [number(answer.value) for answer in case.answers]
    change = [signed(case.change)] if is_difference else []
    return as_markdown(case.question), *values, *change, as_markdown(case.answers[-1].remark)
