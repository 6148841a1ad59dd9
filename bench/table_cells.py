"""How often the cell that a question asks for is shown in one passage with its caption and the header of its column.

    python -m bench.table_cells           # minutes; the first run indexes the trials
    python -m bench.table_cells --lost    # names the questions whose cell is not shown

``table_cells.jsonl`` holds 60 questions on tables of 20 trials, each with the row, the header and the beginning of the
cell that answers it. ``main_points`` is asked of the paper, ``multi_signal`` of all 80 trials. No language model is
asked. Intervals resample papers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dspy

from bench.evidence_shown import PLACE, interval
from bench.gates import load
from bench.paper_retrieval import indexed
from bench.retrieval_tasks import trials
from programs.ingest.chunking import PASSAGES, chunk
from programs.ingest.document import Document
from programs.lm import LM
from programs.main_points import MainPoints
from programs.multi_signal import MultiSignal
from programs.passages import Passage, shown
from programs.retrieval.index import Index
from tests.benchmarks import BENCHMARKS

QUESTIONS = Path(__file__).with_suffix(".jsonl")
_CAPTION_WORDS = 6


@dataclass(frozen=True)
class Cell:
    """A question and the place in a table that answers it; ``cell`` is what stands at its beginning."""

    paper: str
    table: str
    question: str
    header: str
    row: str
    cell: str

    def is_in(self, text: str, paper: Document) -> bool:
        """Whether a text holds the cell in its row, under the header and the caption."""
        lines, wanted = [line.strip() for line in text.splitlines()], (_letters(self.row), _letters(self.cell))
        has_cell = any(_holds(line.split("|"), *wanted) for line in lines if line.startswith("|"))
        return has_cell and _letters(self.header) in _letters(text) and _letters(self.caption(paper)) in _letters(text)

    def caption(self, paper: Document) -> str:
        """The first words of its table's caption."""
        captions = (each.caption for each in paper.figures if each.label == self.table)
        return " ".join(next(captions).split()[:_CAPTION_WORDS])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lost", action="store_true")
    names_lost = parser.parse_args().lost
    if not BENCHMARKS.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        return
    print(load(), flush=True)
    asked = cells()
    with dspy.context(lm=LM("extractive")), indexed(trials(), PLACE, PASSAGES) as index:
        papers = {each["id"]: index.document(each["id"]) for each in index.documents()}
        whole = [place_of(each, papers[each.paper], passages_of(papers[each.paper])) is not None for each in asked]
        print(
            f"\n{len(asked)} questions on {len({each.paper for each in asked})} trials; the cell of {sum(whole)} stands"
        )
        print("with caption and header in one of the passages that its paper is cut into\n")
        print("| | the cell with header and caption in one passage | among three |\n|---|---:|---:|")
        for name, way in ways(index, papers).items():
            found = [place_of(each, papers[each.paper], way(each)) for each in asked]
            names = [each.paper for each in asked]
            shares = [interval([place is not None and place < most for place in found], names) for most in (999, 3)]
            print(f"| {name} | {' | '.join(shares)} |", flush=True)
            if names_lost:
                lost = (each for each, place in zip(asked, found, strict=True) if place is None)
                print(
                    "\n".join(f"    {each.paper} {each.table} {each.row}: {each.question}" for each in lost), flush=True
                )


def cells() -> list[Cell]:
    return [Cell(**json.loads(line)) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def passages_of(paper: Document) -> list[str]:
    return [f"{each.heading}\n{each.text}" for each in chunk(paper, PASSAGES)]


def ways(index: Index, papers: Mapping[str, Document]) -> dict[str, Callable[[Cell], Sequence[str]]]:
    """What shows texts of the question's paper, best first."""
    points, signals = MainPoints(index.embedder), MultiSignal(index)
    return {
        "`main_points`": lambda cell: _of(cell, points(question=cell.question, paper=papers[cell.paper]).passages),
        "`multi_signal`": lambda cell: _of(cell, signals(question=cell.question, answer=False).passages),
    }


def place_of(cell: Cell, paper: Document, texts: Sequence[str]) -> int | None:
    """Which of the texts, from 0, holds the cell first."""
    return next((place for place, text in enumerate(texts) if cell.is_in(text, paper)), None)


def _of(cell: Cell, passages: Iterable[Passage]) -> list[str]:
    return [shown([each]) if each.document_id == cell.paper else "" for each in passages]


def _holds(line: Sequence[str], row: str, cell: str) -> bool:
    letters = [_letters(each) for each in line]
    return any(row in each for each in letters) and any(each.startswith(cell) for each in letters)


def _letters(text: str) -> str:
    return "".join(each for each in text if each.isalnum() or each in ".<-−").casefold()


if __name__ == "__main__":
    main()
