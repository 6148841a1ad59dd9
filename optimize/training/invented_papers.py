"""Short papers on all subjects, invented for training, with questions in readers' own words on their sentences.

{"title": "…", "sections": [["Results", ["Survival rose.", "…"]], ["Table 2. Fish", ["Diet: T3; FCR: 1.73"]]],
 "questions": [["Did more fish live?", [3, 17]]]}

``invented_papers.jsonl`` beside this file holds our own words (CC0); no figure in it was ever measured. A question
names the sentences that answer it by their numbers, from 1 through the paper, the plainest first. Each paper holds
sentences with the questions' words that do not answer: aims, cited results, other species, controls, captions. A line
under a table's heading is a row with the names of its columns, and is read as programs read a row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from optimize.dataset.splits import fraction

APART, APART_SHARE = "invented dev", 0.08
"""Papers that are kept apart, to look at."""


@dataclass(frozen=True)
class InventedPaper:
    """A paper; ``sections`` are headings with sentences, ``questions`` come with the numbers of what answers them."""

    title: str
    sections: Sequence[tuple[str, Sequence[str]]]
    questions: Sequence[tuple[str, Sequence[int]]]

    @cached_property
    def numbered(self) -> list[tuple[str, str]]:
        """Heading and text of each sentence; a table's row is under the caption and the columns' names."""
        return [pair for heading, lines in self.sections for pair in _read(heading, lines)]

    @property
    def is_apart(self) -> bool:
        """Whether it is kept apart from training."""
        return fraction(APART + self.title) < APART_SHARE


def invented_papers() -> list[InventedPaper]:
    """All of them, those that are kept apart too."""
    lines = (files("optimize.training") / "invented_papers.jsonl").read_text(encoding="utf-8").splitlines()
    return [InventedPaper(**json.loads(line)) for line in lines]


def _read(heading: str, lines: Sequence[str]) -> list[tuple[str, str]]:
    rows = [[cell.partition(": ") for cell in line.split("; ")] for line in lines]
    if not heading.startswith("Table ") or not all(colon for row in rows for _, colon, _ in row):
        return [(heading, line) for line in lines]
    columns = " | ".join(name for name, _, _ in rows[0])
    return [("Results", f"{heading} | {columns} | | {' | '.join(value for _, _, value in row)} |") for row in rows]
