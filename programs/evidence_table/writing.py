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
from pathlib import Path

from programs.errors import UsageError
from programs.evidence_table.html_page import as_html
from programs.evidence_table.markdown import as_markdown_table
from programs.evidence_table.spreadsheets import as_csv, as_xlsx, cells, values
from programs.evidence_table.table import Table
from programs.extras import lacking
from programs.files.written_file import write_file

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
