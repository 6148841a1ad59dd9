"""Whether a saved table says in all its parts what its cells prove.

Each cell with a result is replayed by itself, as an answer is. Here the rest is compared with that: that a value is one
of its column's type and stands in the quotes that prove its sentence, that a cell without a value claims nothing, that
rows name the papers that their passages come from, and that the last row is what the cells add up to. A label (yes,
increased) is what was read from its quotes: that they mean it no replay can prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from programs.errors import UsageError
from programs.evidence_table.cells import Cell, Status, TableRow, proved_sentences, quoted_by
from programs.evidence_table.columns import Column, checked
from programs.evidence_table.table import FORM, Table
from programs.ingest.document import Document
from programs.replay.saved import Fault, differences

KIND = "table"
"""The name that only a table has."""
_NAMES = {KIND, "program", "lm", "columns", "rows", "summary", "notes"}
_OF_THE_PAPER = ("title", "year", "doi", "url")


def read_cells(saved: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The results of a saved table, by row and column, each to be replayed by itself.

    Raises:
        UsageError: It is not of the form that ``table`` writes.
    """
    return {_named(row, column): cell.result for row, column, cell in _cells(_table(saved)) if cell.result}


def table_faults(saved: Mapping[str, Any], document: Callable[[str], Document]) -> Iterator[Fault]:
    """What the parts of a table say beside its cells' results.

    Args:
        saved: As ``read_cells`` accepted it, with results in which ``replay`` found no fault.
        document: As for ``replay``.
    """
    table = _table(saved)
    for row in table.rows:
        yield from _row_faults(row, document)
    for row, column, cell in _cells(table):
        for problem in _problems(row, column, cell):
            yield Fault(_named(row, column), problem)
    for said in table.warnings():
        if said not in table.notes:
            yield Fault("notes", f"they do not say {said!r}")
    made = table.as_dict()["summary"]
    if not isinstance(saved["summary"], list) or len(made) != len(saved["summary"]):
        yield Fault("summary", f"the table has {len(made)} columns, the summary another number")
        return
    for expected, found in zip(made, saved["summary"], strict=True):
        if expected != found:
            yield Fault(f"summary of {expected['column']}", _summed_otherwise(expected, found))


def _summed_otherwise(expected: Mapping[str, Any], found: Any) -> str:  # noqa: ANN401 - as a file has it
    """Why a column sums up to something else: another checker may find other disagreements."""
    try:
        judges = {each["judge"] for each in found["disagreements"] if each["judge"]}
    except (KeyError, TypeError):
        judges = set()
    present = {each["judge"] for each in expected["disagreements"] if each["judge"]}
    if judges and judges != present:
        return (
            f"its disagreements were found by {', '.join(sorted(judges))}; this version's checker finds: "
            f"{expected['text']!r}. `table … --resume` in its folder summarises it again without asking a model"
        )
    return f"the cells add up to {expected['text']!r}"


def _table(saved: Mapping[str, Any]) -> Table:
    if saved.get(KIND) == 1:
        raise UsageError(
            "this table is of an older version, which named no papers that disagree; `table … --resume` in its folder "
            "asks nothing again and writes it as this version does"
        )
    if saved.keys() != _NAMES or saved[KIND] != FORM:
        differing = ", ".join(sorted(map(repr, saved.keys() ^ _NAMES))) or f"its form, {saved[KIND]!r}"
        raise _of_another_shape(f"it differs in {differing}")
    try:
        table = Table.from_dict(saved)
        columns = checked(table.columns)
        _ = [cell.value for _, _, cell in _cells(table)]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _of_another_shape(f"{type(error).__name__}: {error}") from error
    if any(len(row.cells) != len(columns) for row in table.rows):
        raise _of_another_shape("a row has another number of cells than there are columns")
    papers = [row.paper.document_id for row in table.rows]
    if not all(isinstance(each, str) for each in (*papers, table.lm, *table.notes)):
        raise _of_another_shape("ids, lm or notes are not texts")
    if len(set(papers)) < len(papers):
        raise _of_another_shape("two rows have one paper")
    if saved["columns"] != [each.as_dict() for each in columns]:
        raise _of_another_shape("a column has more than its name, question, type, unit and choices, or less")
    if any(cell.status not in get_args(Status) or not isinstance(cell.error, str) for _, _, cell in _cells(table)):
        raise _of_another_shape("a cell's status or error is not a valid one")
    if not all(isinstance(cell.result, dict) for _, _, cell in _cells(table)):
        raise _of_another_shape("a cell's result is not an object")
    return table


def _of_another_shape(why: str) -> UsageError:
    return UsageError(f"this table is not as `table` writes it ({why}); give the table.json of its folder")


def _cells(table: Table) -> Iterator[tuple[TableRow, Column, Cell]]:
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            yield row, column, cell


def _named(row: TableRow, column: Column) -> str:
    return f"{row.paper.document_id}, {column.name}"


def _row_faults(row: TableRow, document: Callable[[str], Document]) -> Iterator[Fault]:
    try:
        paper = document(row.paper.document_id)
    except UsageError as error:
        yield Fault(f"row {row.paper.document_id}", str(error))
        return
    what = f"row {row.paper.document_id}"
    yield from differences(
        what,
        {name: getattr(paper, name) for name in _OF_THE_PAPER},
        {name: getattr(row.paper, name) for name in _OF_THE_PAPER},
    )
    if paper.content_hash != row.paper.content:
        yield Fault(what, "the paper is not the one that was asked: its content differs")


def _problems(row: TableRow, column: Column, cell: Cell) -> Iterator[str]:
    """What is wrong with a cell whose result replays."""
    value = cell.value
    if (cell.status == "reported") is not (value is not None):
        yield f"it is {cell.status!r} and its value is {cell.result.get('value')!r}"
    if bool(cell.result) is not (cell.status in {"reported", "not reported"}):
        yield f"it is {cell.status!r} and {'has a' if cell.result else 'has no'} result"
    if cell.error and cell.status != "failed":
        yield f"it is {cell.status!r} and says why it failed"
    if not cell.result:
        return
    if cell.result.get("question") != column.question:
        yield "it answers another question than its column asks"
    if any(each["document_id"] != row.paper.document_id for each in cell.result["passages"]):
        yield "it rests on a passage of another paper"
    if value is None:
        if cell.result["answer"]:
            yield "it reports nothing, and holds an answer"
        return
    certificates = cell.result["citations"]
    read = column.wanted.read(value.text)
    is_sentence = column.wanted.kind == "text" and value.text in proved_sentences(certificates)
    if not is_sentence and (read != value or not column.wanted.borne_out(value, quoted_by(certificates))):
        yield f"its value {value.text!r} is not a {column.wanted.kind} that its quotes bear out"
    label = value.text if column.wanted.labels else ""
    if cell.result.get("label") != label:
        yield f"its label is {cell.result.get('label')!r}, its value {value.text!r}"
