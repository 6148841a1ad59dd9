"""The bundled table: ten columns, and gold cells whose quotes stand in their papers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from programs.evidence_table.columns import read_columns
from programs.ingest.reader import read

FOLDER = Path(__file__).resolve().parents[2] / "datasets" / "space_biology"
CELLS = [json.loads(line) for line in (FOLDER / "table" / "cells.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def papers():
    return {document.id: document for document in map(read, sorted((FOLDER / "papers").iterdir()))}


def test_there_are_ten_columns_and_no_cell_twice(papers):
    columns = {each.name: each.wanted for each in read_columns(FOLDER / "table" / "columns.yaml")}
    keys = [(each["document_id"], each["column"]) for each in CELLS]
    assert len(columns) == 10
    assert {column for _, column in keys} == columns.keys()
    assert {paper for paper, _ in keys} == papers.keys()
    assert len(set(keys)) == len(keys) > 240
    for each in CELLS:
        wanted = columns[each["column"]]
        assert all(wanted.read(value) is not None for value in each["values"]), each


def test_every_value_has_a_quote_that_stands_in_its_paper(papers):
    for each in CELLS:
        assert bool(each["values"]) is bool(each.get("quote")), each
        assert each.get("quote", "") in papers[each["document_id"]].text, each
