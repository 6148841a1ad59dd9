"""A table of evidence: rows are papers, columns are questions, and a cell holds what its paper says, with the proof.

    {"table": 2, "program": "evidence_table", "lm": "extractive", "columns": [{"name": "dose", "question": …}],
     "rows": [{"document_id": "PMC1", "title": …, "cells": [{"status": "reported", "error": "", "result": {…}}]}],
     "summary": [{"column": "dose", "reported": 61, …}], "notes": []}

``result`` is the same that `ask` writes, with the cell's value: so a cell is verified as an answer is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from programs.evidence_table.cells import Cell, Status, TablePaper, TableRow
from programs.evidence_table.columns import Column
from programs.evidence_table.summing_up import ColumnSummary, summed_up

FORM = 2
"""Of tables in files; 1 named no papers that disagree."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        columns: What was asked.
        rows: Papers, in the order of their ids or as they were found.
        lm: The model that filled it.
        notes: What a reader has to know of it.
    """

    columns: Sequence[Column]
    rows: Sequence[TableRow]
    lm: str = ""
    notes: Sequence[str] = ()

    def column(self, place: int) -> list[tuple[TablePaper, Cell]]:
        """The cells of a column, with their papers."""
        return [(row.paper, row.cells[place]) for row in self.rows]

    def count(self, *statuses: Status) -> int:
        """How many cells are of some status."""
        return sum(cell.status in statuses for row in self.rows for cell in row.cells)

    def warnings(self) -> list[str]:
        """That papers of the table were retracted or corrected, each once."""
        return list(dict.fromkeys(said for row in self.rows for cell in row.cells for said in cell.warnings))

    def summary(self) -> list[ColumnSummary]:
        """Every column in one line: the last row."""
        return [summed_up(each, self.column(place)) for place, each in enumerate(self.columns)]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values; see the module."""
        return {
            "table": FORM,
            "program": "evidence_table",
            "lm": self.lm,
            "columns": [each.as_dict() for each in self.columns],
            "rows": [each.as_dict() for each in self.rows],
            "summary": [each.as_dict() for each in self.summary()],
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Table:
        """Read what ``as_dict`` wrote.

        Raises:
            KeyError, TypeError, ValueError: It is of another form.
        """
        return cls(
            tuple(Column.from_dict(each) for each in values["columns"]),
            tuple(_row(each) for each in values["rows"]),
            values["lm"],
            tuple(values["notes"]),
        )


def _row(values: Mapping[str, Any]) -> TableRow:
    rest = dict(values)
    cells = tuple(Cell(**each) for each in rest.pop("cells"))
    return TableRow(TablePaper(**rest), cells)
