"""A table as Markdown: values with numbers behind them, and under the table the quote of each."""

from __future__ import annotations

from collections.abc import Iterator

from programs.evidence_table.cells import Cell
from programs.evidence_table.places import page_of
from programs.evidence_table.table import Table
from programs.harmless import as_markdown


def as_markdown_table(table: Table) -> str:
    """The table, its questions, its quotes."""
    return "\n".join([*_table(table), "", *_questions(table), "", *_quotes(table)]) + "\n"


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
