"""A report as Markdown, for people; the same text is printed by the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metrics.cost import Cost
from optimize.report import Cell, Report, Row
from optimize.tables import difference, number, p_values, table


def markdown(report: Report) -> str:
    """The whole report."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield from (f"# {report.title}", "", f"**{report.headline}**", "")
    yield from (f"> **Warning.** {warning}\n" for warning in report.warnings)
    yield from _metrics(report.rows)
    yield from _canaries(report)
    yield from _cost(report.cost, report.abstention)
    yield from _failures(report.failures)
    yield from _choice(report.choice, report.objective)
    yield from ("## About", "", *(f"- {name}: {_plain(value)}" for name, value in report.about.items() if value != ""))


def _metrics(rows: Sequence[Row]) -> Iterator[str]:
    if any(row.after for row in rows):
        yield from table(
            ("metric", "uncompiled", "compiled", "difference [95 % interval]", "p", "p (Holm)", "detectable"),
            [
                (
                    _name(row),
                    _cell(row.before),
                    _cell(row.after),
                    difference(row.paired),
                    *p_values(row.paired, row.p_holm),
                )
                for row in rows
            ],
        )
        yield (
            "Differences are paired, over the questions for which both values are defined; intervals and p take "
            "papers, not questions, as what varies. *Detectable* is the smallest true difference that this many papers "
            "would show in 4 of 5 cases. A mean says over how many questions it is defined; failures count as worst."
        )
    else:
        yield from table(("metric", "value"), [(_name(row), _cell(row.before)) for row in rows])
    yield ""


def _canaries(report: Report) -> Iterator[str]:
    if not report.canaries:
        return
    rows = sorted(report.canaries.items(), key=lambda pair: -pair[1])
    yield from ("## Canaries", "", f"Answers that deserve nothing, by {report.objective}:", "")
    yield from table(("canary", report.objective), [(name, f"{value:.3f}") for name, value in rows])
    for name, value in report.skill.items():
        yield f"Skill of {name}, the share of what the best canary leaves: {number(value)}\n"


def _cost(costs: Mapping[str, Cost], abstention: Mapping[str, Mapping[str, float | None]]) -> Iterator[str]:
    yield from ("## Cost and abstention", "")
    header = (
        "program",
        "p50 ms",
        "p95 ms",
        "LM calls",
        "tokens",
        "answers and abstains rightly",
        "over-abstains ↓",
    )
    yield from table(
        header,
        [
            (
                name,
                number(each.latency_p50_ms, 1),
                number(each.latency_p95_ms, 1),
                number(each.lm_calls, 2),
                number(each.tokens, 0),
                *(number(value) for value in abstention[name].values()),
            )
            for name, each in costs.items()
        ],
    )


def _failures(failures: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    rows = [(name, str(count), error) for name, errors in failures.items() for error, count in errors.items()]
    if rows:
        yield from ("## Failures", "", *table(("program", "times", "error"), rows))


def _choice(choice: Mapping[str, float], objective: str) -> Iterator[str]:
    if choice:
        best = max(choice, key=lambda name: choice[name])
        rows = [(f"**{name}**" if name == best else name, f"{value:.3f}") for name, value in choice.items()]
        yield from ("## Candidates on val", "", *table(("candidate", objective), rows))


def _name(row: Row) -> str:
    return row.metric if row.higher_is_better else f"{row.metric} ↓"


def _cell(cell: Cell | None) -> str:
    if cell is None or cell.value is None:
        return "–"
    return f"{cell.value:.3f}" if cell.n == cell.total else f"{cell.value:.3f} ({cell.n}/{cell.total})"


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value)) or "none"
    return str(value)
