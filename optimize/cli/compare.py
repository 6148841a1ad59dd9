"""``python -m optimize compare``: which of two runs is better, and whether that is more than chance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from programs.cli.console import Format, print_json
from programs.cli.options import FormatOption

if TYPE_CHECKING:
    from optimize.evaluating.compare import Compared, Side


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="Folder of a finished run.")],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="Folder of another, on the same questions.")],
    metric: Annotated[list[str] | None, typer.Option(help="Only this metric; repeat it for more.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of resampling.", min=0)] = 0,
    output_format: FormatOption = Format.text,
) -> None:
    """Compare two runs question by question; of a compilation the chosen program is compared."""
    from optimize.evaluating.compare import compare_runs, doubts, read_side

    one, other = read_side(first), read_side(second)
    rows, warnings = compare_runs(one, other, metric or (), seed), doubts(one, other)
    if output_format is Format.json:
        metrics = [row.as_dict() for row in rows]
        print_json({"first": str(first), "second": str(second), "metrics": metrics, "warnings": warnings})
    else:
        typer.echo(_text(one, other, rows, warnings))


def _text(first: Side, second: Side, rows: list[Compared], warnings: list[str]) -> str:
    from optimize.measuring.tables import table

    header = ("metric", first.candidate, second.candidate, "difference [95 % interval]", "p", "p (Holm)", "detectable")
    sizes = f"{len(first.clusters)} questions on {len(set(first.clusters.values()))} papers"
    lines = [f"# {first.path.name} and {second.path.name}, on {first.split} of {first.data[0]}: {sizes}", ""]
    noted = [f"> **Warning.** {each}\n" for each in warnings]
    return "\n".join([*lines, *noted, *table(header, [_cells(row) for row in rows])])


def _cells(row: Compared) -> tuple[str, ...]:
    from optimize.measuring.tables import difference, p_values

    name = row.metric if row.higher_is_better else f"{row.metric} ↓"
    means = _mean(row.first, row.n_first, row.n), _mean(row.second, row.n_second, row.n)
    return name, *means, difference(row.paired), *p_values(row.paired, row.p_holm)


def _mean(value: float | None, scored: int, total: int) -> str:
    from optimize.measuring.tables import number

    return number(value) if scored == total else f"{number(value)} ({scored}/{total})"
