"""A table of evidence: rows are papers, columns are questions, and a cell holds what its paper says, with the proof.

    {"table": 1, "program": "evidence_table", "lm": "extractive", "columns": [{"name": "dose", "question": …}],
     "rows": [{"document_id": "PMC1", "title": …, "cells": [{"status": "reported", "error": "", "result": {…}}]}],
     "summary": [{"column": "dose", "reported": 61, …}], "notes": []}

``result`` is the same that `ask` writes, with the cell's value: so a cell is verified as an answer is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from programs.evidence_table.columns import Column
from programs.evidence_table.values import Value

FORM = 1
"""Of tables in files."""

Status: TypeAlias = Literal["reported", "not reported", "failed", "not asked"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A row's paper.

    Attributes:
        document_id: In the index.
        content: Hash of its content.
        title: Of the paper, or empty; as are those that follow.
        year: None where it is not known.
        doi: Its DOI.
        url: Its address.
    """

    document_id: str
    content: str
    title: str = ""
    year: int | None = None
    doi: str = ""
    url: str = ""

    @property
    def name(self) -> str:
        """What a reader calls it."""
        return self.title or self.document_id


@dataclass(frozen=True, slots=True)
class Cell:
    """One paper's answer to one question.

    Attributes:
        status: Whether there is a value.
        error: Why it failed; else empty.
        result: As ``programs.result.as_json`` gives it; empty for a cell that failed or was not asked.
    """

    status: Status
    error: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> Value | None:
        """What it says."""
        value = self.result.get("value")
        return Value(**value) if value else None

    @property
    def text(self) -> str:
        """The value, or that there is none."""
        return self.value.text if self.value else self.status

    @property
    def certificate(self) -> Mapping[str, Any] | None:
        """The first certificate that proves it."""
        found = self.result.get("citations", ())
        return next((each for each in found if each["verdict"] == "supported" and each["quote"]), None)

    @property
    def why(self) -> str:
        """Why there is no value."""
        return self.error or " ".join(self.result.get("notes", ()))

    @property
    def nearest(self) -> str:
        """The nearest evidence of a cell that reports nothing."""
        return "" if self.value else next((str(each["text"]) for each in self.result.get("passages", ())), "")


@dataclass(frozen=True, slots=True)
class Row:
    """One paper and its cells, in the order of the columns."""

    paper: Paper
    cells: Sequence[Cell]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {**asdict(self.paper), "cells": [asdict(each) for each in self.cells]}


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
    rows: Sequence[Row]
    lm: str = ""
    notes: Sequence[str] = ()

    def column(self, place: int) -> list[tuple[Paper, Cell]]:
        """The cells of a column, with their papers."""
        return [(row.paper, row.cells[place]) for row in self.rows]

    def count(self, *statuses: Status) -> int:
        """How many cells are of some status."""
        return sum(cell.status in statuses for row in self.rows for cell in row.cells)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values; see the module."""
        from programs.evidence_table.summing_up import summed_up

        return {
            "table": FORM,
            "program": "evidence_table",
            "lm": self.lm,
            "columns": [each.as_dict() for each in self.columns],
            "rows": [each.as_dict() for each in self.rows],
            "summary": [each.as_dict() for each in summed_up(self)],
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


def _row(values: Mapping[str, Any]) -> Row:
    rest = dict(values)
    cells = tuple(Cell(**each) for each in rest.pop("cells"))
    return Row(Paper(**rest), cells)
