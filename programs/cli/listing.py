"""``python -m programs list``: the programs of the suite."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table

from programs.cli.console import Format, print_json, stdout
from programs.cli.options import FormatOption
from programs.registry import PROGRAMS


def listing(output_format: FormatOption = Format.text) -> None:
    """List the programs, and whether this version can run them."""
    if output_format is Format.json:
        print_json([asdict(entry) for entry in PROGRAMS])
        return
    table = Table(box=None, pad_edge=False)
    for column in ("program", "what it does", "in this version"):
        table.add_column(column)
    for entry in PROGRAMS:
        table.add_row(entry.name, entry.summary, "yes" if entry.available else "not yet")
    stdout().print(table)
