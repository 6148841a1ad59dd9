"""Whether a saved draft or table says in all its parts what its sections or cells prove.

Each section, and each cell with a result, is replayed by itself, as an answer is; here the rest is compared with that.
Of a draft: its texts, the list of citations that are not supported, and the papers that it cites. Of a table: that a
value is one of its column's type and is in the quotes that prove its sentence, that a cell without a value claims
nothing, that rows name the papers of their passages, and that the last row is what the cells add up to. A label (yes,
increased) is what was read from its quotes: that they mean it no replay can prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, get_args

from programs.errors import UsageError
from programs.evidence_table.columns import Column, checked
from programs.evidence_table.table import FORM, Cell, Status, Table, TableRow, proved_sentences, quoted_by
from programs.ingest.document import Document
from programs.paper_writer.draft import PaperDraft, of_cited_keys
from programs.paper_writer.evidence import CitedPaper, PaperSection
from programs.replay.saved_answer import Fault, differences, is_key_of
from programs.results.citation_keys import Named, citation_key

DRAFT = "draft"
"""The name that only a draft has."""
_DRAFT_NAMES = {"program", DRAFT, "sections", "unsupported", "papers", "notes"}


def read_sections(draft: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The sections of a saved draft by name, each to be replayed by itself.

    Raises:
        UsageError: It is not of the form that ``write`` writes: other names, other sections, one of them twice.
    """
    if draft.keys() != _DRAFT_NAMES:
        differing = ", ".join(sorted(map(repr, draft.keys() ^ _DRAFT_NAMES)))
        raise _no_draft(f"its names differ in {differing}")
    texts, sections = draft[DRAFT], draft["sections"]
    if not isinstance(texts, dict) or texts.keys() != PaperDraft.model_fields.keys():
        raise _no_draft("draft does not hold a title and the texts of its sections")
    if not all(isinstance(draft[name], list) for name in ("sections", "unsupported", "papers", "notes")):
        raise _no_draft("sections, unsupported, papers or notes are not lists")
    names = [str(each.get("section")) if isinstance(each, dict) else "no object" for each in sections]
    if sorted(names) != sorted(each.value for each in PaperSection):
        raise _no_draft(f"its sections are {', '.join(names)}")
    return dict(zip(names, sections, strict=True))


def _no_draft(why: str) -> UsageError:
    return UsageError(f"this draft is not as `write` writes it ({why}); give the draft.json of its folder")


def draft_faults(draft: Mapping[str, Any], document: Callable[[str], Document]) -> Iterator[Fault]:
    """What the parts of a draft say beside its sections, in which `replay` found no fault."""
    sections = read_sections(draft)
    for name, section in sections.items():
        if draft[DRAFT][name] != section["answer"]:
            yield Fault("draft", f"its {name} is not the text of the section {name}")
    citations = [each for section in draft["sections"] for each in section["citations"]]
    weak = [each for each in citations if each["verdict"] != "supported"]
    yield from _compared("unsupported", weak, draft["unsupported"])
    keys = {each["key"]: each["document_id"] for section in draft["sections"] for each in section["passages"]}
    known = {key: CitedPaper.of(document(name), key) for key, name in keys.items()}
    cited = of_cited_keys(known, {each["marker"] for each in citations})
    papers = [each.model_dump(mode="json") for each in cited]
    kept = {name for each in draft["papers"] if isinstance(each, Mapping) for name in each}  # earlier versions: fewer
    listed = [{name: value for name, value in each.items() if name in kept} for each in papers]
    yield from _compared("papers", listed, draft["papers"])


def _compared(what: str, made: Sequence[Mapping[str, Any]], stored: Sequence[Any]) -> Iterator[Fault]:
    if len(made) != len(stored) or not all(isinstance(each, Mapping) for each in stored):
        yield Fault(what, f"the sections make {len(made)}, the file holds {len(stored)}")
        return
    for number, (expected, found) in enumerate(zip(made, stored, strict=True), start=1):
        yield from differences(f"{what} {number}", expected, found)


TABLE = "table"
"""The name that only a table has."""
_TABLE_NAMES = {TABLE, "program", "lm", "columns", "rows", "summary", "notes"}
_BESIDE = ("document_id", "content", "key")


def read_cells(saved: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The results of a saved table, by row and column, each to be replayed by itself.

    Raises:
        UsageError: It is not of the form that ``table`` writes.
    """
    return {_named(row, column): cell.result for row, column, cell in _cells(_table(saved)) if cell.result}


def table_faults(saved: Mapping[str, Any], document: Callable[[str], Document]) -> Iterator[Fault]:
    """What the parts of a table say beside its cells' results, in which ``replay`` found no fault."""
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
    if saved.keys() != _TABLE_NAMES or saved[TABLE] != FORM:
        differing = ", ".join(sorted(map(repr, saved.keys() ^ _TABLE_NAMES))) or f"its form, {saved[TABLE]!r}"
        raise _no_table(f"it differs in {differing}")
    try:
        table = Table.from_dict(saved)
        columns = checked(table.columns)
        _ = [cell.value for _, _, cell in _cells(table)]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _no_table(f"{type(error).__name__}: {error}") from error
    if any(len(row.cells) != len(columns) for row in table.rows):
        raise _no_table("a row has another number of cells than there are columns")
    papers = [row.paper.document_id for row in table.rows]
    if not all(isinstance(each, str) for each in (*papers, table.lm, *table.notes)):
        raise _no_table("ids, lm or notes are not texts")
    if len(set(papers)) < len(papers):
        raise _no_table("two rows have one paper")
    if saved["columns"] != [each.as_dict() for each in columns]:
        raise _no_table("a column has more than its name, question, type, unit and choices, or less")
    if any(cell.status not in get_args(Status) or not isinstance(cell.error, str) for _, _, cell in _cells(table)):
        raise _no_table("a cell's status or error is not a valid one")
    if not all(isinstance(cell.result, dict) for _, _, cell in _cells(table)):
        raise _no_table("a cell's result is not an object")
    return table


def _no_table(why: str) -> UsageError:
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
    what, key = f"row {row.paper.document_id}", citation_key(Named.of(paper))
    found = {name: value for name, value in asdict(row.paper).items() if name not in _BESIDE}
    yield from differences(what, {name: getattr(paper, name) for name in found}, found)
    if not is_key_of(str(row.paper.key), key):
        yield Fault(what, f"its key is {row.paper.key!r}, replayed it is {key!r}")
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
        yield f"its value {value.text!r} is not a {column.wanted.kind} that its quotes support"
    label = value.text if column.wanted.labels else ""
    if cell.result.get("label") != label:
        yield f"its label is {cell.result.get('label')!r}, its value {value.text!r}"
