"""Writes a finished table beside its cells.

table/
  table.json     everything, for `verify`
  table.csv      a paper a line;  cells.csv  a cell a line, with its quote
  table.xlsx     the same as sheets, with the extra `tables`
  table.md       for a manuscript's supplement;  table.html  to sort, filter and read quotes in their passages
  cells.jsonl    every cell as it came, from which a stopped run goes on
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from programs.errors import UsageError
from programs.evidence_table.cells import Cell, page_of
from programs.evidence_table.html_page import as_html
from programs.evidence_table.spreadsheets import as_csv, as_xlsx, cells, values
from programs.evidence_table.table import Table
from programs.extras import lacking
from programs.files import write_file
from programs.results.harmless import as_markdown

RECORD = "table.json"


def write_table(table: Table, folder: Path) -> list[Path]:
    """Write all forms of a table, each whole or not at all.

    Returns:
        The files.

    Raises:
        UsageError: The folder cannot be written to, or a link stands in a file's place.
    """
    contents: dict[str, str | bytes] = {
        RECORD: json.dumps(table.as_dict(), ensure_ascii=False, indent=1) + "\n",
        "table.csv": as_csv(values(table)),
        "cells.csv": as_csv(cells(table)),
        "table.md": as_markdown_table(table),
        "table.html": as_html(table),
    }
    if not lacking("tables"):
        contents["table.xlsx"] = as_xlsx(table)
    try:
        return [write_file(folder / name, content) for name, content in contents.items()]
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written to ({error.strerror}); the cells are kept: make room, and go on with --resume"
        ) from error


def as_markdown_table(table: Table) -> str:
    """A table as Markdown: values with numbers behind them, its questions, and the quote of each value."""
    parts = [list(_table(table)), list(_questions(table)), list(_disagreements(table)), list(_quotes(table))]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _table(table: Table) -> Iterator[str]:
    yield _line(["Paper", *(_text(each.name) for each in table.columns)])
    yield _line(["---"] * (len(table.columns) + 1))
    number = 0
    for row in table.rows:
        shown = []
        for cell in row.cells:
            number += cell.certificate is not None
            shown.append(f"{_text(cell.text)} ({number})" if cell.certificate else _text(cell.text))
        yield _line([f"{_text(row.paper.name)} ({_text(row.paper.document_id)})", *shown])
    yield _line(["All papers", *(_text(str(each)) for each in table.summary())])


def _questions(table: Table) -> Iterator[str]:
    yield from (f"- {_text(each.name)}: {_text(each.question)}" for each in table.columns)
    yield from (f"- {_text(note)}" for note in table.notes)


def _disagreements(table: Table) -> Iterator[str]:
    """What papers contradict each other with, word for word."""
    for column in table.summary():
        for each in column.disagreements:
            one, other = _side(each.says, each.papers), _side(each.other, each.others)
            yield f"- Papers disagree on {_text(column.column)}: {one}; {other}"


def _side(says: str, papers: Sequence[str]) -> str:
    return f"“{_text(says)}” ({_text(', '.join(papers))})"


def _quotes(table: Table) -> Iterator[str]:
    found = ((row.paper.document_id, cell) for row in table.rows for cell in row.cells if cell.certificate)
    for number, (paper, cell) in enumerate(found, start=1):
        yield f"{number}. {_text(paper)}, {_place(cell)}: “{_text((cell.certificate or {})['quote'])}”"


def _place(cell: Cell) -> str:
    page = page_of(cell)
    return f"{(cell.certificate or {})['section']}{f', page {page}' if page else ''}"


def _line(parts: list[str]) -> str:
    return f"| {' | '.join(parts)} |"


def _text(text: str) -> str:
    return as_markdown(text).replace("|", "\\|")
