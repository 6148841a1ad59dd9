"""Evidence tables: of 26 bundled papers against gold cells, and of 80 trials against the labels of Evidence Inference.

    python -m bench.evidence_tables                              # all, some ten minutes on two cores
    python -m bench.evidence_tables --only effect                # the labels alone, two minutes; or gold, or whole
    python -m bench.evidence_tables --only gold --lm ollama/gpt-oss

A gold cell is right if it says one of the gold values, or "not reported" where the paper does not report it. Numbers
are compared as quantities, labels as labels, texts by the words of a gold value that they hold. Cells that several
readings would fill differently have no gold and are not judged.

The table of 80 trials × 6 questions is filled by a process that is killed when half of its cells are written down, is
continued, and is compared with one that was filled without interruption.

The effect column is asked as the published setting of Evidence Inference 2.0 asks (DeYoung et al. 2020,
arXiv:2005.04177): intervention, comparator and outcome of a prompt are given, the evidence is to be found in the whole
article, and the label is one of three. There a model was trained on the prompts of other articles and scored by
macro-F1 on some 1,200 prompts of their test split; nothing is trained here, and the papers are 80 of all splits, so
figures are beside the majority of these, not beside theirs. A cell that reports nothing is wrong. Intervals resample
papers.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import dspy
from sklearn.metrics import f1_score

from bench.corpora import QUESTION, TRIALS, needs_benchmarks, rows
from bench.evidence_shown import interval
from bench.gates import Gate, load, report
from metrics.answers import tokens
from programs.evidence_table import EvidenceTable
from programs.evidence_table.cell_values import DIRECTIONS, ValueType
from programs.evidence_table.columns import Column, read_columns
from programs.evidence_table.filling import CELLS, Cells, TableFolder, chosen_papers, fill, maker
from programs.evidence_table.table import Cell, Table
from programs.ingest.formats import read
from programs.lm import LM
from programs.registry import load as load_program
from programs.replay import replay_parts
from programs.retrieval.index import Index

COLUMNS = (
    Column("patients", "How many patients were randomised?", ValueType("number")),
    Column("blinded", "Was the trial double-blind?", ValueType("yes/no")),
    Column("design", "How was the study designed?", ValueType("choices", ("parallel", "crossover", "cluster"))),
    Column("followed", "How long were the patients followed up?", ValueType("number")),
    Column("outcome", "What was the primary outcome?"),
    Column("effect", "What was the effect of the treatment on the primary outcome?", ValueType("direction")),
)
THREADS = 2
BUNDLED = Path(__file__).resolve().parents[1] / "datasets" / "space_biology"
GOLD = BUNDLED / "table" / "cells.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("gold", "effect", "whole"))
    parser.add_argument("--lm", default="extractive", help="of the gold cells")
    parser.add_argument("--fill", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        filled(*options.fill)
        return
    print(load(), flush=True)
    if options.only in (None, "gold"):
        report_gold(options.lm)
    if options.only == "gold":
        return
    needs_benchmarks()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "papers.idx")
        with Index.open(place, create=True) as index:
            index.add(map(read, sorted(Path(TRIALS, "nxml").glob("*.nxml"))))
            if options.only != "whole":
                effects(index)
        sys.exit(not (options.only == "effect" or table(place, Path(folder))))


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


def report_gold(lm: str) -> None:
    columns = read_columns(BUNDLED / "table" / "columns.yaml")
    with tempfile.TemporaryDirectory() as folder, Index.open(Path(folder) / "papers.idx", create=True) as index:
        index.add(map(read, sorted((BUNDLED / "papers").iterdir())))
        with dspy.context(lm=LM(lm)):
            program = load_program("evidence_table", index=index)
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


def effects(index: Index) -> None:
    """The labels of prompts, as a cell each."""
    found: list[tuple[str, str, str]] = []
    with dspy.context(lm=LM("extractive")):
        program = EvidenceTable(index)
        for prompt in rows("evidence_inference/prompts.jsonl"):
            texts = {name: " ".join(html.unescape(prompt[name]).split()) for name in _PARTS}
            cell = program(question=QUESTION.format(**texts), paper=prompt["pmcid"], wanted=ValueType("direction"))
            found.append((prompt["pmcid"], prompt["label"].removeprefix("significantly "), cell.label))
    papers, gold, said = zip(*found, strict=True)
    usual = Counter(gold).most_common(1)[0][0]
    print(f"\n{len(gold)} prompts on {len(set(papers))} trials; {sum(map(bool, said))} cells report an effect")
    print("| | accuracy | macro-F1 |\n|---|---:|---:|")
    for name, answers in (("effect column", said), (f"always “{usual}”", [usual] * len(gold))):
        right = interval([one == other for one, other in zip(gold, answers, strict=True)], papers)
        macro = f1_score(gold, answers, labels=DIRECTIONS, average="macro", zero_division=0.0)
        print(f"| {name} | {right} | {macro:.3f} |", flush=True)
    reported = [(paper, one == other) for paper, one, other in found if other]
    print(f"of the cells that report one: right {interval([right for _, right in reported], [p for p, _ in reported])}")


_PARTS = ("intervention", "comparator", "outcome")


def table(place: Path, folder: Path) -> bool:
    """The whole table at once, and in two parts with a killed process between them."""
    started = time.monotonic()
    whole = filled(place, folder / "whole")
    seconds = time.monotonic() - started
    cells = len(whole.rows) * len(COLUMNS)
    known = killed_at(cells // 2, place, folder / "parts")
    resumed = filled(place, folder / "parts")
    keys = [(each["paper"], each["column"]) for each in map(json.loads, lines(folder / "parts"))]
    with Index.open(place) as index:
        faults = replay_parts(json.loads(json.dumps(resumed.as_dict())), index.document)
    proved = sum(cell.certificate is not None for row in whole.rows for cell in row.cells)
    print(f"\n{len(whole.rows)} papers × {len(COLUMNS)} questions in {seconds:.0f} s; {load()}")
    print(f"{whole.count('reported')} cells are reported, {proved} with a certificate; killed at {known} cells")
    for each in whole.summary():
        print(f"  {each.column}: {each}")
    return report(
        [
            Gate("reported cells without a certificate", whole.count("reported") - proved, at_most=0),
            Gate("parts that do not replay", len(faults), at_most=0),
            Gate("cells asked twice", len(keys) - len(set(keys)), at_most=0),
            Gate("tables that differ after continuing", int(whole.as_dict() != resumed.as_dict()), at_most=0),
        ]
    )


def filled(place: Path, folder: Path) -> Table:
    with Index.open(place) as index, dspy.context(lm=LM("extractive")):
        program = EvidenceTable(index)
        kept = TableFolder(folder, maker(program), "extractive", resume=True)
        return fill(program, COLUMNS, chosen_papers(index), kept, threads=THREADS)


def killed_at(count: int, place: Path, folder: Path) -> int:
    """Fill a table in another process, and kill it when so many cells are written down."""
    command = [sys.executable, "-m", "bench.evidence_tables", "--fill", str(place), str(folder)]
    with subprocess.Popen(command) as filling:
        while filling.poll() is None and len(list(lines(folder))) < count:
            time.sleep(0.2)
        os.kill(filling.pid, signal.SIGKILL)
    return len(list(lines(folder)))


def lines(folder: Path) -> Iterable[str]:
    """The cells that are written down, without one that was cut off."""
    path = folder / CELLS
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [line for line in text.split("\n")[:-1] if line]


if __name__ == "__main__":
    main()
