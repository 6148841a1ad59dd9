"""How many cells of the bundled table are right: ten questions to the 26 bundled papers, against gold cells.

    python -m bench.evidence_table_gold                     # the extractive LM
    python -m bench.evidence_table_gold --lm ollama/gpt-oss

A cell is right if it says one of the gold values, or "not reported" where the paper does not report it. Numbers are
compared as quantities, labels as labels, texts by the words of a gold value that they hold. Cells that several readings
would fill differently have no gold and are not judged.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import dspy

from metrics.answers import tokens
from programs.evidence_table import EvidenceTable
from programs.evidence_table.columns import Column, read_columns
from programs.evidence_table.filling import Cells, chosen_papers, fill
from programs.evidence_table.table import Cell, Table
from programs.ingest.reader import read
from programs.lm import LM
from programs.registry import load
from programs.replay import replay_parts
from programs.retrieval.index import Index

BUNDLED = Path(__file__).resolve().parents[1] / "datasets" / "space_biology"
GOLD = BUNDLED / "table" / "cells.jsonl"


def gold() -> dict[tuple[str, str], tuple[str, ...]]:
    """Values by paper and column; none for "not reported"."""
    lines = map(json.loads, GOLD.read_text(encoding="utf-8").splitlines())
    return {(each["document_id"], each["column"]): tuple(each["values"]) for each in lines}


def is_right(column: Column, cell: Cell, values: tuple[str, ...]) -> bool:
    if cell.value is None or not values:
        return cell.value is None and not values
    if column.wanted.kind == "number":
        return column.wanted.borne_out(cell.value, values)
    if column.wanted.labels:
        return cell.value.text in values
    held = set(tokens(cell.value.text))
    return any(held.issuperset(tokens(each)) for each in values)


def judged(table: Table, known: Mapping[tuple[str, str], tuple[str, ...]]) -> Iterator[tuple[str, bool, bool, bool]]:
    """Column, whether the paper reports it, whether the cell does, whether it is right."""
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            values = known.get((row.paper.document_id, column.name))
            if values is not None:
                yield column.name, bool(values), cell.value is not None, is_right(column, cell, values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lm", default="extractive")
    lm = parser.parse_args().lm
    columns = read_columns(BUNDLED / "table" / "columns.yaml")
    with tempfile.TemporaryDirectory() as folder, Index.open(Path(folder) / "papers.idx", create=True) as index:
        index.add(map(read, sorted((BUNDLED / "papers").iterdir())))
        with dspy.context(lm=LM(lm)):
            program = load("evidence_table", index=index)
            assert isinstance(program, EvidenceTable)
            table = fill(program, columns, chosen_papers(index), Cells(lm), threads=2)
        faults = replay_parts(json.loads(json.dumps(table.as_dict())), index.document)
    found = list(judged(table, gold()))
    counts = Counter((name, right) for name, _, _, right in found)
    for name in (each.name for each in columns):
        print(f"{name:12} {counts[name, True]:3} of {counts[name, True] + counts[name, False]}")
    reported = [right for _, there, said, right in found if there and said]
    print(f"{len(found)} cells: right {sum(right for *_, right in found) / len(found):.3f}")
    print(f"  a value where the paper has one: {len(reported)}, right {sum(reported) / max(len(reported), 1):.3f}")
    print(f"  none where it has one: {sum(there and not said for _, there, said, _ in found)}")
    print(f"  one where it has none: {sum(said and not there for _, there, said, _ in found)}")
    print(f"  always “not reported” would be right in {sum(not there for _, there, *_ in found) / len(found):.3f}")
    print(f"cells that do not replay: {len(faults)}")


if __name__ == "__main__":
    main()
