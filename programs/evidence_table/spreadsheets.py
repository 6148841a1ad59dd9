"""A table as CSV and XLSX: one sheet of values, one of cells with their quotes, one that sums up.

A cell that a spreadsheet would take for a formula begins with an apostrophe: papers are written by strangers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from programs.evidence_table.cells import Cell, TablePaper, judged_by, page_of
from programs.evidence_table.columns import Column
from programs.evidence_table.table import Table
from programs.extras import require

Line: TypeAlias = Sequence[str | float | int | None]

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST = 32_000
"""Characters of a cell of XLSX; Excel takes 32,767."""
_WIDTH = 28
_PAPER = ("paper", "title", "year", "doi", "url")
_CELL = (
    "paper", "title", "column", "question", "status", "value", "number", "unit", "sentence", "quote", "section", "page",
    "start", "end", "passage", "verdict", "probability", "judged by", "nearest evidence", "reason", "doi", "url",
)  # fmt: skip


def values(table: Table) -> Iterator[Line]:
    """The sheet of values: a paper a line, and below them what each column sums up to."""
    yield [*_PAPER, *(each.name for each in table.columns)]
    for row in table.rows:
        yield [*_about(row.paper), *(cell.text for cell in row.cells)]
    yield ["all papers", "", None, "", "", *(str(each) for each in table.summary())]


def cells(table: Table) -> Iterator[Line]:
    """The sheet of cells: one a line, with quote, place and judges."""
    yield _CELL
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            yield _cell(row.paper, column, cell)


def as_csv(lines: Iterator[Line]) -> str:
    """Lines as CSV, harmless to spreadsheets."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([harmless(each) for each in line] for line in lines)
    return text.getvalue()


def as_xlsx(table: Table) -> bytes:
    """A workbook of four sheets.

    Raises:
        MissingExtra: What writes it is not installed.
    """
    require("tables", "A table as XLSX")
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book, bold, wrapped = Workbook(write_only=True), Font(bold=True), Alignment(wrap_text=True, vertical="top")
    for name, lines in (
        ("Table", values(table)),
        ("Cells", cells(table)),
        ("Summary", _summary(table)),
        ("Disagreements", _disagreements(table)),
    ):
        sheet = book.create_sheet(name)
        sheet.freeze_panes = "B2"
        for number, line in enumerate(lines):
            if not number:
                for place in range(1, len(line) + 1):
                    sheet.column_dimensions[get_column_letter(place)].width = _WIDTH
            written = [WriteOnlyCell(sheet, _fitting(each)) for each in line]
            for each in written:
                each.alignment = wrapped
                if not number:
                    each.font = bold
            sheet.append(written)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def harmless(value: str | float | None) -> str | float | None:
    """What no spreadsheet takes for a formula; numbers stay numbers."""
    if not isinstance(value, str) or not value.startswith(_FORMULA) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"


def _about(paper: TablePaper) -> list[Any]:
    return [paper.document_id, paper.title, paper.year, paper.doi, paper.url]


def _cell(paper: TablePaper, column: Column, cell: Cell) -> Line:
    value, proof = cell.value, cell.certificate or {}
    return [
        paper.document_id,
        paper.title,
        column.name,
        column.question,
        cell.status,
        value.text if value else "",
        value.number if value else None,
        value.unit if value else "",
        proof.get("sentence", ""),
        proof.get("quote", ""),
        proof.get("section", ""),
        page_of(cell),
        proof.get("start"),
        proof.get("end"),
        proof.get("passage", ""),
        proof.get("verdict", ""),
        proof.get("score"),
        judged_by(cell),
        cell.nearest,
        cell.why,
        paper.doi,
        paper.url,
    ]


def _summary(table: Table) -> Iterator[Line]:
    yield ["column", "question", "papers", "reported", "not reported", "to be asked again", "in all"]
    for column, each in zip(table.columns, table.summary(), strict=True):
        yield [each.column, column.question, each.papers, each.reported, each.not_reported, each.failed, str(each)]


def _disagreements(table: Table) -> Iterator[Line]:
    yield ["column", "says", "papers", "contradicted by", "of papers", "found by"]
    for column in table.summary():
        for each in column.disagreements:
            yield [
                column.column,
                each.says,
                ", ".join(each.papers),
                each.other,
                ", ".join(each.others),
                each.judge or "opposed labels",
            ]


def _fitting(value: str | float | None) -> str | float | None:
    if not isinstance(value, str):
        return value
    return harmless(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)[:_LONGEST])
