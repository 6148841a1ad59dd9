"""A finished run for people: its report as Markdown, and one file of HTML without script or anything from elsewhere.

The style sheet stands in the page; the page's own security policy names it by its hash, and allows nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment

from metrics.answers import risk_coverage
from metrics.catalogue import METRICS
from metrics.score import Cost
from metrics.statements import outcome
from optimize.changes import Prompts, PromptStep, WordingChange, ablation, prompts
from optimize.finished_run import FinishedRun, effects, headline, interval_of, rivals
from optimize.plots import ChartPoint, Curve, Drawing, Tone, risk_plot, scatter
from optimize.regressions import MOST, Case, regressions
from optimize.report import MetricRow, Report, accuracy_of, plain, shown
from optimize.scoring import Aggregates, confidence, cost_of
from optimize.statistics import UNDEFINED, Paired, difference, number, p_values, signed, table
from programs.atomic_files import write_file
from programs.compiled_state import UNCOMPILED
from programs.results.rendering import clipped, templates, visible
from programs.results.rendering import harmless_line as as_markdown


@dataclass(frozen=True, slots=True)
class Tried:
    """One candidate: its mean objective on val, and what a question of val cost that the run had not kept already."""

    name: str
    val: float
    cost: Cost
    tone: Tone


@dataclass(frozen=True, slots=True)
class TriedCandidates:
    """Candidates in the order in which they were tried, drawn by quality over ``cost`` as far as that is known."""

    tried: tuple[Tried, ...]
    drawing: Drawing | None
    cost: str
    left_out: int = 0


_DRAWN_COSTS: tuple[tuple[str, Callable[[Cost], float | None]], ...] = (
    ("tokens a question", lambda cost: cost.tokens),
    ("median milliseconds a question", lambda cost: cost.latency_p50_ms),
)
"""What a question costs: the first that is known of several candidates and not the same of all.

Not money, of which an answer that the run had kept already costs nothing.
"""


def candidates(run: FinishedRun) -> TriedCandidates:
    """The candidates of a run; an evaluation has none."""
    tried = tuple(
        Tried(
            name,
            val,
            cost_of(
                [
                    each
                    for each in run.answers(name, "val").values()
                    if not each.prediction.get("metrics", {}).get("cached_calls")
                ]
            ),
            _tone(run, name),
        )
        for name, val in run.report.choice.items()
    )
    for meaning, of in _DRAWN_COSTS:
        costs = {each: cost for each in tried if (cost := of(each.cost)) is not None}
        if len(set(costs.values())) > 1:
            points = _points(list(costs), list(costs.values()))
            drawing = scatter(points, meaning, f"{run.report.objective} on val")
            return TriedCandidates(tried, drawing, meaning, len(tried) - len(points))
    return TriedCandidates(tried, None, "")


def _points(tried: Sequence[Tried], costs: Sequence[float]) -> list[ChartPoint]:
    marks = {"after": "chosen", "before": UNCOMPILED}
    return [
        ChartPoint(each.name, cost, each.val, each.tone, marks.get(each.tone, ""))
        for each, cost in zip(tried, costs, strict=True)
    ]


def _tone(run: FinishedRun, name: str) -> Tone:
    if name == run.reported:
        return "after"
    return "before" if name == run.before else "other"


@dataclass(frozen=True, slots=True)
class Risk:
    """Curves of the programs that answer something; without an order by sureness they are flat by construction."""

    curves: tuple[Curve, ...]
    drawing: Drawing | None
    is_ordered: bool


def risk(run: FinishedRun) -> Risk:
    """Risk over coverage, by the objective."""
    curves, is_ordered = [], False
    for name in run.programs:
        sure = _answers(run, name)
        found = risk_coverage([each for each, _ in sure], [value for _, value in sure])
        if found is not None:
            tone: Tone = "after" if name == run.reported else "before"
            curves.append(Curve(name, found.risks, len(run.answers(name)), found.aurc, tone))
            is_ordered = is_ordered or len({each for each, _ in sure}) > 1
    drawing = risk_plot(curves, f"1 − {run.report.objective}") if curves else None
    return Risk(tuple(curves), drawing, is_ordered)


def _answers(run: FinishedRun, program: str) -> list[tuple[float, float]]:
    """Confidence and objective of everything that was answered: an abstention has no answer to be sure of."""
    values = run.values(program, run.report.objective)
    return [
        (confidence(record.prediction), value)
        for name, record in run.answers(program).items()
        if outcome(record.as_scored) == "answered" and name in values and (value := values[name].value) is not None
    ]


NAME = "report.html"
LONGEST = 2_000
"""Characters of a warning, an error or a line of the run's description."""


def write_page(run: FinishedRun, output: Path | None = None) -> Path:
    """Write the page of a finished run, by default as ``report.html`` in its folder.

    Raises:
        UsageError: A symbolic link stands in its place.
    """
    return write_file(output or run.folder.path / NAME, html(run))


def html(run: FinishedRun) -> str:
    """The page."""
    style = files("optimize").joinpath("templates", "report.css").read_text(encoding="utf-8")
    return (
        _environment()
        .get_template("report.html")
        .render(
            style=style,
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            run=run,
            report=run.report,
            headline=headline(run),
            effects=effects(run),
            candidates=candidates(run),
            risk=risk(run),
            rivals=rivals(run),
            ablation=ablation(run),
            prompts=prompts(run),
            regressions=regressions(run),
            most_cases=MOST,
            judge=str(run.report.about.get("judge") or "the judge"),
            accuracy_of=accuracy_of,
            meanings=_meanings(run),
            missing=_missing(run),
        )
    )


@cache
def _environment() -> Environment:
    environment = templates("optimize", "templates")
    environment.filters.update(
        number=number, signed=signed, difference=difference, plain=plain, cut=partial(clipped, most=LONGEST)
    )
    return environment


def _meanings(run: FinishedRun) -> dict[str, str]:
    """What each metric of the run is: the first line of its documentation."""
    documented = {row.metric: METRICS[row.metric].score.__doc__ or "" for row in run.report.rows}
    return {metric: text.strip().partition("\n")[0].replace("``", "") for metric, text in documented.items()}


def _missing(run: FinishedRun) -> list[str]:
    """Files that an older version did not write, with what can therefore not be shown."""
    needed: dict[str, Any] = {
        "questions.jsonl": (run.examples, "questions with their gold data"),
        "predictions.jsonl": (run.records, "answers"),
        "judgements.jsonl": (
            run.judgements or not any(METRICS[row.metric].judged for row in run.report.rows),
            "what the judge said; verdicts are those of the answers' certificates",
        ),
    }
    return [f"The run holds no {name}: {what}." for name, (found, what) in needed.items() if not found]


JUDGED = "†"
"""Stands at the name of a metric that rests on the judge."""


def markdown(report: Report, details: Iterable[str] = ()) -> str:
    """The whole report, with the lines of ``details`` on single prompts and questions."""
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


def _of_what(report: Report) -> str:
    return "compiling, with the choice on val and this report" if report.choice else "the run"


def _metrics(report: Report) -> Iterator[str]:
    if report.is_difference:
        header = ("metric", "uncompiled", "compiled", "difference [95 % interval]", "n", "p", "p (Holm)", "detectable")
        yield from table(header, [_compared(row) for row in report.rows])
        yield (
            "Differences are compiled − uncompiled, paired, over the n questions for which both values are defined. "
            "*Detectable* is the smallest true difference that this many papers would show in 4 of 5 cases; *none*: "
            "not even the largest possible."
        )
    else:
        yield from table(("metric", "value", "95 % interval", "n"), [_single(row) for row in report.rows])
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
    return number(paired.n if paired else None, 0)


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
    yield from _signals_left_out(run)
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


def _signals_left_out(run: FinishedRun) -> Iterator[str]:
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
