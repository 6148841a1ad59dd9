"""A report as Markdown, for people; the same text is printed by the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metrics.cost import Cost
from optimize.report import Cell, Report, Row
from optimize.statistics import Paired


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
        yield from _table(
            ("metric", "uncompiled", "compiled", "difference [95 % interval]", "p", "p (Holm)", "detectable"),
            [
                (_name(row), _cell(row.before), _cell(row.after), _difference(row.paired), *_p_values(row))
                for row in rows
            ],
        )
        yield (
            "Differences are paired, over the questions for which both values are defined; intervals and p take "
            "papers, not questions, as what varies. *Detectable* is the smallest true difference that this many papers "
            "would show in 4 of 5 cases. A mean says over how many questions it is defined; failures count as worst."
        )
    else:
        yield from _table(("metric", "value"), [(_name(row), _cell(row.before)) for row in rows])
    yield ""


def _canaries(report: Report) -> Iterator[str]:
    if not report.canaries:
        return
    rows = sorted(report.canaries.items(), key=lambda pair: -pair[1])
    yield from ("## Canaries", "", f"Answers that deserve nothing, by {report.objective}:", "")
    yield from _table(("canary", report.objective), [(name, f"{value:.3f}") for name, value in rows])
    for name, value in report.skill.items():
        yield f"Skill of {name}, the share of what the best canary leaves: {_number(value)}\n"


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
    yield from _table(
        header,
        [
            (
                name,
                _number(each.latency_p50_ms, 1),
                _number(each.latency_p95_ms, 1),
                _number(each.lm_calls, 2),
                _number(each.tokens, 0),
                *(_number(value) for value in abstention[name].values()),
            )
            for name, each in costs.items()
        ],
    )


def _failures(failures: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    rows = [(name, str(count), error) for name, errors in failures.items() for error, count in errors.items()]
    if rows:
        yield from ("## Failures", "", *_table(("program", "times", "error"), rows))


def _choice(choice: Mapping[str, float], objective: str) -> Iterator[str]:
    if choice:
        best = max(choice, key=lambda name: choice[name])
        rows = [(f"**{name}**" if name == best else name, f"{value:.3f}") for name, value in choice.items()]
        yield from ("## Candidates on val", "", *_table(("candidate", objective), rows))


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from (_row(header), _row(["---", *("---:" for _ in header[1:])]))
    yield from (_row(row) for row in rows)
    yield ""


def _row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _name(row: Row) -> str:
    return row.metric if row.higher_is_better else f"{row.metric} ↓"


def _cell(cell: Cell | None) -> str:
    if cell is None or cell.value is None:
        return "–"
    return f"{cell.value:.3f}" if cell.n == cell.total else f"{cell.value:.3f} ({cell.n}/{cell.total})"


def _difference(paired: Paired | None) -> str:
    if paired is None:
        return "–"
    interval = "" if paired.low is None else f" [{paired.low:+.3f}, {paired.high:+.3f}]"
    return f"{paired.difference:+.3f}{interval}"


def _p_values(row: Row) -> tuple[str, str, str]:
    if row.paired is None:
        return "–", "–", "–"
    return _number(row.paired.p), _number(row.p_holm), _number(row.paired.detectable)


def _number(value: float | None, decimals: int = 3) -> str:
    return "–" if value is None else f"{value:,.{decimals}f}"


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value)) or "none"
    return str(value)
