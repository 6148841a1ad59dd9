"""Writes a finished table beside its cells.

table/
  table.json     everything, for `verify`
  table.csv      a paper a line;  cells.csv  a cell a line, with its quote
  table.xlsx     the same as sheets, with the extra `tables`
  table.md       for a manuscript's supplement;  table.html  to sort, filter and read quotes in their passages
  cells.jsonl    every cell as it came, from which a stopped run continues
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from programs.atomic_files import write_file
from programs.certificate import by_model_alone
from programs.errors import UsageError
from programs.evidence_table.table import Cell, Table
from programs.extras import lacking, require
from programs.results.exports import CSV, MARKDOWN, Form, Line, as_csv, harmless
from programs.results.finds import QUOTED, verdict_of
from programs.results.rendering import clipped, harmless_line, templates

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST = 32_000
"""Characters of a cell of XLSX; Excel takes 32,767."""
_WIDTH = 28
_PAPER = ("paper", "key", "title", "authors", "year", "journal", "doi", "url")
_CELL = (
    "paper", "key", "title", "column", "question", "status", "value", "number", "unit", "sentence", "quote", "section",
    "page", "start", "end", "passage", "verdict", "probability", "judged by", "nearest evidence", "reason", "doi",
    "url",
)  # fmt: skip


def values(table: Table) -> Iterator[Line]:
    """The sheet of values: a paper a line, and below them what each column sums up to."""
    yield [*_PAPER, *(each.name for each in table.columns)]
    for row in table.rows:
        paper = row.paper
        about = (paper.title, "; ".join(paper.authors), paper.year, paper.journal, paper.doi, paper.url)
        yield [paper.document_id, paper.cited_as, *about, *(cell.text for cell in row.cells)]
    yield ["all papers", "", "", "", None, "", "", "", *(str(each) for each in table.summary())]


def cells(table: Table) -> Iterator[Line]:
    """The sheet of cells: one a line, with quote, place and judges."""
    yield _CELL
    for paper, column, cell in table.cells():
        value, proof, found = cell.value, cell.certificate or {}, _judgement(cell)
        yield [
            *(paper.document_id, paper.cited_as, paper.title, column.name, column.question, cell.status),
            *((value.text, value.number, value.unit) if value else ("", None, "")),
            *(proof.get(name, "") for name in ("sentence", "quote", "section")),
            *(cell.page, proof.get("start"), proof.get("end"), proof.get("passage", "")),
            *(found["verdict"], found["score"], found["judge"]),
            *(cell.nearest, cell.why, paper.doi, paper.url),
        ]


def as_xlsx(table: Table) -> bytes:
    """A workbook of four sheets."""
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
        ("Disagreements", _disagreement_lines(table)),
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


def _judgement(cell: Cell) -> dict[str, Any]:
    """Verdict, score and judge of what proves a cell; a copy is quoted, which is nothing to judge."""
    found: dict[str, Any] = {"verdict": "", "score": None, "judge": ""}
    if (proof := cell.certificate) is None:
        return found
    found["verdict"] = verdict_of(proof)
    if found["verdict"] != QUOTED:
        model = next((each["name"] for each in proof["judges"] if each["by"] == "model"), "")
        is_alone = by_model_alone(proof["verdict"], proof["judges"])
        found |= {"score": proof["score"], "judge": f"{model} alone" if is_alone else str(proof["check"])}
    return found


def _summary(table: Table) -> Iterator[Line]:
    yield ["column", "question", "papers", "reported", "not reported", "to be asked again", "in all"]
    for column, each in zip(table.columns, table.summary(), strict=True):
        yield [each.column, column.question, each.papers, each.reported, each.not_reported, each.failed, str(each)]


def _disagreement_lines(table: Table) -> Iterator[Line]:
    yield ["column", "says", "papers", "contradicted by", "of papers", "found by"]
    for column in table.summary():
        for each in column.disagreements:
            papers, others = ", ".join(each.papers), ", ".join(each.others)
            yield [column.column, each.says, papers, each.other, others, each.judge or "opposed labels"]


def _fitting(value: str | float | None) -> str | float | None:
    if not isinstance(value, str):
        return value
    return harmless(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)[:_LONGEST])


RECORD = "table.json"


def forms() -> Mapping[str, Form[Table]]:
    """The forms of a table by the names of their files; XLSX where its extra is there."""
    found: dict[str, Form[Table]] = {
        "table.csv": Form(CSV, lambda table: as_csv(values(table))),
        "cells.csv": Form(CSV, lambda table: as_csv(cells(table))),
        "table.md": Form(MARKDOWN, as_markdown_table),
        "table.html": Form("text/html; charset=utf-8", as_html),
    }
    if not lacking("tables"):
        found["table.xlsx"] = Form("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_xlsx)
    return found


def write_table(table: Table, folder: Path) -> list[Path]:
    """Write all forms of a table, each whole or not at all.

    Raises:
        UsageError: The folder cannot be written to, or a link is in a file's place.
    """
    contents: dict[str, str | bytes] = {
        RECORD: json.dumps(table.as_dict(), ensure_ascii=False, indent=1) + "\n",
        **{name: form.write(table) for name, form in forms().items()},
    }
    try:
        return [write_file(folder / name, content) for name, content in contents.items()]
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written to ({error.strerror}); the cells are kept: make room, then use --resume"
        ) from error


def as_markdown_table(table: Table) -> str:
    """A table as Markdown: values with numbers behind them, its questions, and the quote of each value."""
    questions = [f"- {_text(each.name)}: {_text(each.question)}" for each in table.columns]
    questions += [f"- {_text(note)}" for note in table.notes]
    parts = [list(_table(table)), questions, list(_disagreements(table)), list(_quotes(table))]
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
        yield _line([f"{_text(row.paper.name)} ({_text(row.paper.cited_as)})", *shown])
    yield _line(["All papers", *(_text(str(each)) for each in table.summary())])


def _disagreements(table: Table) -> Iterator[str]:
    """What papers contradict each other with, word for word."""
    for column in table.summary():
        for each in column.disagreements:
            sides = ((each.says, each.papers), (each.other, each.others))
            said = "; ".join(f"“{_text(says)}” ({_text(', '.join(papers))})" for says, papers in sides)
            yield f"- Papers disagree on {_text(column.column)}: {said}"


def _quotes(table: Table) -> Iterator[str]:
    found = ((paper.cited_as, cell) for paper, _, cell in table.cells() if cell.certificate)
    for number, (paper, cell) in enumerate(found, start=1):
        proof = cell.certificate or {}
        place = f"{proof['section']}{f', page {cell.page}' if cell.page else ''}"
        yield f"{number}. {_text(paper)}, {place}: “{_text(proof['quote'])}”"


def _line(parts: list[str]) -> str:
    return f"| {' | '.join(parts)} |"


def _text(text: str) -> str:
    return harmless_line(text).replace("|", "\\|")


# The page makes no outside request. Style sheet and script are in it, and its security policy names both by their
# hashes; texts of papers are escaped.

_LONGEST_VALUE = 300
_CLASSES = {"reported": "reported", "not reported": "silent", "failed": "failed", "not asked": "failed"}


def as_html(table: Table) -> str:
    """The page."""
    style, script = (
        files("programs.evidence_table").joinpath("page", name).read_text(encoding="utf-8")
        for name in ("table.css", "table.js")
    )
    environment = templates("programs.evidence_table", "page")
    environment.filters |= {
        "cut": partial(clipped, most=_LONGEST_VALUE),
        "judgement": _judgement,
        "place": _place,
        "parts": _parts,
    }
    return environment.get_template("table.html").render(
        table=table,
        summary=table.summary(),
        classes=_CLASSES,
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
    )


def _place(passage: Mapping[str, Any], cell: Cell) -> str:
    """Where a passage is: section, heading, and the page of a proof."""
    page = f"page {cell.page}" if cell.page else ""
    return ", ".join(filter(None, (passage["section"], passage["heading"], page)))


def _parts(passage: Mapping[str, Any], cell: Cell) -> Iterator[tuple[str, bool]]:
    """The text of a passage in parts, each with whether it is one of the quotes that prove the cell."""
    text, at = passage["text"], 0
    quotes = {
        (quote["start"] - passage["start"], quote["end"] - passage["start"])
        for each in cell.result.get("citations", ())
        if each["verdict"] == "supported"
        for quote in each["quotes"]
        if quote["passage"] == passage["id"] and quote["start"] >= passage["start"]  # not a header that it repeats
    }
    for start, end in sorted(quotes):
        if start >= at:
            yield text[at:start], False
            yield text[start:end], True
            at = end
    yield text[at:], False


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
