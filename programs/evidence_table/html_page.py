"""A table as one file of HTML: sorted and filtered in the browser, each cell opened at its quote, no outside request.

Style sheet and script stand in the page, whose own security policy names both by their hashes and allows nothing else;
texts of papers are escaped, and in the data no ``<`` is left that could end the element they stand in.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from programs.evidence_table.cells import Cell, Status, TableRow, judged_by, page_of
from programs.evidence_table.table import Table
from programs.results.harmless import clipped, visible

_LONGEST_VALUE = 300
_CLASSES: Mapping[Status, str] = {
    "reported": "reported",
    "not reported": "silent",
    "failed": "failed",
    "not asked": "failed",
}


def as_html(table: Table) -> str:
    """The page."""
    style, script = _file("table.css"), _file("table.js")
    return (
        _environment()
        .get_template("table.html")
        .render(
            table=table,
            summary=table.summary(),
            classes=_CLASSES,
            style=style,
            style_hash=_hash(style),
            script=script,
            script_hash=_hash(script),
            data=_data(table),
        )
    )


def _data(table: Table) -> str:
    columns = [{"name": each.name, "question": each.question, "type": each.wanted.kind} for each in table.columns]
    found = {"columns": columns, "rows": [_row(each) for each in table.rows]}
    return json.dumps(_harmless_values(found), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _row(row: TableRow) -> dict[str, Any]:
    paper = row.paper
    about = {"id": paper.document_id, "title": paper.title, "year": paper.year, "doi": paper.doi}
    return {**about, "cells": [_cell(each) for each in row.cells]}


def _cell(cell: Cell) -> dict[str, Any]:
    proof = cell.certificate
    found: dict[str, Any] = {"status": cell.status, "text": cell.text, "why": cell.why}
    found["passages"] = [_passage(each, cell) for each in cell.result.get("passages", ())]
    if proof is None:
        return found
    number = cell.value.number if cell.value else None
    told = {"sentence": proof["sentence"], "verdict": proof["verdict"], "score": proof["score"]}
    return {**found, **told, "number": number, "judge": judged_by(cell)}


def _passage(passage: Mapping[str, Any], cell: Cell) -> dict[str, Any]:
    """A passage with the places of its quotes, counted from its start."""
    quotes = {
        (quote["start"] - passage["start"], quote["end"] - passage["start"])
        for each in cell.result.get("citations", ())
        if each["verdict"] == "supported"
        for quote in each["quotes"]
        if quote["passage"] == passage["id"]
    }
    marks: list[tuple[int, int]] = []
    for start, end in sorted(quotes):
        if not marks or start >= marks[-1][1]:
            marks.append((start, end))
    page = page_of(cell) if marks else None
    about = {name: passage[name] for name in ("section", "heading", "text")}
    return {**about, "marks": marks, "page": page}


def _harmless_values(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The same with every text harmless, at its length: offsets stay."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {name: _harmless_values(each) for name, each in value.items()}
    return [_harmless_values(each) for each in value] if isinstance(value, list | tuple) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("programs.evidence_table", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_harmless,
    )
    environment.filters["cut"] = _cut
    return environment


def _cut(text: str) -> str:
    return clipped(text, _LONGEST_VALUE)


def _harmless(value: object) -> object:
    """What the template writes, before it is escaped."""
    return visible(str(value)) if not isinstance(value, Markup) and value is not None else value


def _file(name: str) -> str:
    return files("programs.evidence_table").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
