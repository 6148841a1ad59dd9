"""How much of a language model's time a table uses: it waits 200 ms a call, 16 cells are asked at a time.

    python -m bench.evidence_table                  # 1,000 cells: 100 papers × 10 questions
    python -m bench.evidence_table --papers 20      # quicker

The ideal is that 16 calls are under way all the time; searching, proving and writing down are the rest. The papers are
of three sentences, so that the model's time is what is measured; with real papers the learned order reads up to 24
passages a cell, some 0.1 s of a core. Then the same run is broken off in the middle and gone on with: nothing may be
asked twice, and the table must be the same.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import dspy

from bench.evaluation_throughput import AT_ONCE, SECONDS, SleepingEngine
from bench.gates import Gate, load, report
from programs.evidence_table import EvidenceTable
from programs.evidence_table.columns import Column
from programs.evidence_table.filling import TableFolder, chosen_papers, fill, maker
from programs.evidence_table.table import Table
from programs.retrieval.index import Index
from tests.counting_lm import PowerCut
from tests.papers import paper

LEAST_SHARE = 0.8
QUESTIONS = 10
FINDING = "Femur density fell by 12 percent in flight."
REPLIES: dict[str, dict[str, Any]] = {
    "value": {
        "answerable": True,
        "answer": f"{FINDING[:-1]} [1].",
        "quotes": [{"passage": "1", "quote": FINDING}],
        "value": "12 percent",
    }
}


def made(place: Path, papers: int) -> Index:
    """An index of papers that differ."""
    index = Index.open(place, create=True)
    texts = ((f"P{number:04}", f"Mouse {number} flew for thirty days.") for number in range(papers))
    index.add(paper(name, FINDING, text, title=f"Flight {name}") for name, text in texts)
    return index


def filled(index: Index, engine: SleepingEngine, folder: Path, limit: int | None = None) -> tuple[float, Table]:
    """Seconds, and the table."""
    columns = [Column(f"c{number}", f"How did femur density change on day {number}?") for number in range(QUESTIONS)]
    with dspy.context(lm=engine.lm().copy(cache=False)):
        program = EvidenceTable(index)
        kept = TableFolder(folder, maker(program), "sleeping", resume=True)
        papers = chosen_papers(index, limit=limit)
        started = time.perf_counter()
        table = fill(program, columns, papers, kept, threads=AT_ONCE)
        return time.perf_counter() - started, table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=100)
    asked = parser.parse_args().papers
    with tempfile.TemporaryDirectory() as folder, made(Path(folder) / "papers.idx", asked) as index:
        filled(index, SleepingEngine(replies=REPLIES), Path(folder) / "warm", limit=1)
        engine = SleepingEngine(replies=REPLIES)
        seconds, whole = filled(index, engine, Path(folder) / "whole")
        ideal = len(engine.asked) * SECONDS / AT_ONCE
        cut = SleepingEngine(stop_after=len(engine.asked) // 2, replies=REPLIES)
        rest = SleepingEngine(replies=REPLIES)
        try:
            filled(index, cut, Path(folder) / "cut")
        except PowerCut:
            print(f"broken off after {len(cut.asked)} of {len(engine.asked)} calls")
        known = sum(1 for _ in (Path(folder) / "cut" / "cells.jsonl").open(encoding="utf-8"))
        _, resumed = filled(index, rest, Path(folder) / "cut")
    cells = asked * QUESTIONS
    print(f"{cells} cells, {len(engine.asked)} calls in {seconds:.1f} s, ideally {ideal:.1f} s; {load()}")
    holds = report(
        [
            Gate("cells proved", whole.count("reported"), at_least=cells),
            Gate("share of the ideal throughput", ideal / seconds, at_least=LEAST_SHARE),
            Gate("cells asked again that were written down", len(rest.asked) - (cells - known), at_most=0),
            Gate("tables that differ after going on", int(whole.as_dict() != resumed.as_dict()), at_most=0),
        ]
    )
    sys.exit(not holds)


if __name__ == "__main__":
    main()
