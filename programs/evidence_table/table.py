"""A table of evidence: rows are papers, columns are questions, and a cell holds what its paper says, with the proof.

    {"table": 2, "program": "evidence_table", "lm": "extractive", "columns": [{"name": "dose", "question": …}],
     "rows": [{"document_id": "PMC1", "title": …, "cells": [{"status": "reported", "error": "", "result": {…}}]}],
     "summary": [{"column": "dose", "reported": 61, …}], "notes": []}

``result`` is the same that `ask` writes, with the cell's value: so a cell is verified as an answer is.
"""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from metrics.support.quantities import UNITS
from metrics.words import words
from programs.evidence_table.cell_values import Value
from programs.evidence_table.columns import Column
from programs.models.checker import shipped_judge
from signatures import citation_markers

Status: TypeAlias = Literal["reported", "not reported", "failed", "not asked"]

NOT_FOUND = "not found without a model"
"""What a cell without a value says where no model read the paper: that says nothing of what the paper reports."""


@dataclass(frozen=True, slots=True)
class TablePaper:
    """A row's paper, by its id in the index and the hash of its content; what is not known of it is empty."""

    document_id: str
    content: str
    title: str = ""
    year: int | None = None
    doi: str = ""
    url: str = ""
    key: str = ""
    authors: Sequence[str] = ()
    journal: str = ""

    @property
    def cited_as(self) -> str:
        """What it is cited by; tables of earlier versions have ids alone."""
        return self.key or self.document_id

    @property
    def name(self) -> str:
        """What a reader calls it."""
        return self.title or self.document_id


@dataclass(frozen=True, slots=True)
class Cell:
    """One paper's answer to one question.

    Attributes:
        error: Why it failed; else empty.
        result: As ``programs.results.rendering.as_json`` gives it; empty for a cell that failed or was not asked.
    """

    status: Status
    error: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> Value | None:
        """What it says."""
        value = self.result.get("value")
        return Value(**value) if value else None

    @property
    def text(self) -> str:
        """The value, or that there is none."""
        if self.value:
            return self.value.text
        calls = self.result.get("metrics", {}).get("lm_calls")
        return NOT_FOUND if self.status == "not reported" and calls == 0 else self.status

    @property
    def certificate(self) -> Mapping[str, Any] | None:
        """The first certificate that proves it."""
        found = self.result.get("citations", ())
        return next((each for each in found if each["verdict"] == "supported" and each["quote"]), None)

    @property
    def page(self) -> int | None:
        """The page on which its quote begins, of a paper with pages."""
        quotes = self.certificate["quotes"] if self.certificate else []
        return next((place["page"] for quote in quotes for place in quote.get("places", ())), None)

    @property
    def why(self) -> str:
        """Why there is no value."""
        return self.error or " ".join(self.result.get("notes", ()))

    @property
    def warnings(self) -> Sequence[str]:
        """What a reader of the value has to know: that its paper was retracted or corrected."""
        return tuple(self.result.get("notes", ())) if self.value else ()

    @property
    def nearest(self) -> str:
        """The nearest evidence of a cell that reports nothing."""
        return "" if self.value else next((str(each["text"]) for each in self.result.get("passages", ())), "")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One paper and its cells, in the order of the columns."""

    paper: TablePaper
    cells: Sequence[Cell]


def quoted_by(certificates: Iterable[Mapping[str, Any]]) -> list[str]:
    """The quotes of all certificates that prove something, each once."""
    proving = (quote["quote"] for each in _proving(certificates) for quote in each["quotes"])
    return list(dict.fromkeys(proving))


def proved_sentences(certificates: Iterable[Mapping[str, Any]]) -> list[str]:
    """The sentences that are proved, without their citations, each once."""
    return list(dict.fromkeys(citation_markers.strip(each["sentence"]) for each in _proving(certificates)))


def _proving(certificates: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    return (each for each in certificates if each["verdict"] == "supported")


OPPOSED = (("increased", "decreased"), ("yes", "no"))
"""Labels of which two papers cannot both be right."""
MOST_COMPARED = 100
"""Pairs of sentences of a column that the checker reads, the most alike first: some 40 ms a pair."""
_ALIKE = 0.3
"""Share of all words of two sentences that both hold, from which on they may speak of the same."""
_TOLD = 3
"""Papers of a side, disagreements of a column and units of its ranges that a line tells; the fields have all."""
_NUMBER = re.compile(r"\(?\s*[<>=≤≥±~≈]?\s*[-+−]?\d[\d.,]*\s*%?\s*\)?")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What papers say, a label or a sentence, and what others say against it.

    ``judge`` is who found it, by name and hash of its weights; empty for labels, which are opposed by name.
    """

    says: str
    papers: Sequence[str]
    other: str
    others: Sequence[str]
    judge: str = ""

    def __str__(self) -> str:
        if self.judge:
            return f"{_first(self.papers)} against {_first(self.others)}"
        return f"{self.says} ({_first(self.papers)}) against {self.other} ({_first(self.others)})"


def opposed_labels(labelled: Mapping[str, Sequence[str]]) -> list[Disagreement]:
    """Disagreements of a column with labels, from the ids of papers by label."""
    found = ((one, labelled.get(one), other, labelled.get(other)) for one, other in OPPOSED)
    return [Disagreement(one, list(those), other, list(these)) for one, those, other, these in found if those and these]


def opposed_texts(said: Sequence[tuple[str, str]]) -> tuple[list[Disagreement], int]:
    """Disagreements of a column of texts, given as ids of papers with the sentences that are proved of them.

    Beside them comes how many pairs that speak of the like were not compared because there are too many.
    """
    held = [frozenset(words(_without_numbers(text))) for _, text in said]
    shares = [
        (len(held[one] & held[other]) / len(held[one] | held[other]), one, other)
        for one, other in itertools.combinations(range(len(said)), 2)
        if held[one] and held[other]
    ]
    ordered = sorted((each for each in shares if each[0] >= _ALIKE), key=lambda each: (-each[0], each[1:]))
    pairs = [(said[one], said[other]) for _, one, other in ordered]
    return list(_contradicting(tuple(pairs[:MOST_COMPARED]))), max(len(pairs) - MOST_COMPARED, 0)


@lru_cache(maxsize=256)
def _contradicting(pairs: tuple[tuple[tuple[str, str], tuple[str, str]], ...]) -> tuple[Disagreement, ...]:
    if not pairs:
        return ()
    check = shipped_judge()

    def denies(claim: str, text: str) -> bool:
        return check.check(_without_numbers(claim), [_without_numbers(text)]).verdict == "contradicted"

    return tuple(
        Disagreement(text, [paper], other_text, [other], check.name)
        for (paper, text), (other, other_text) in pairs
        if denies(text, other_text) and denies(other_text, text)
    )


def _without_numbers(text: str) -> str:
    return " ".join(_NUMBER.sub(" ", text).split())


def _first(items: Iterable[str], more: str = "more") -> str:
    listed = list(items)
    left = len(listed) - _TOLD
    return ", ".join([*listed[:_TOLD], *([f"{left} {more}"] if left > 0 else [])])


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers of one unit, as printed, and how many papers have one."""

    unit: str
    count: int
    least: float
    median: float
    most: float

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        spread = f"{self.least:g} to {self.most:g}{unit}, median {self.median:g}"
        papers = f"{self.count} paper{'s' if self.count > 1 else ''}"
        return f"{spread if self.least != self.most else f'{self.least:g}{unit}'} ({papers})"


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """A column summed up.

    Attributes:
        failed: Cells that failed or were not asked.
        counts: Papers by label, in the order of the labels; empty for text and numbers.
        ranges: Of numbers, the unit with most papers first; numbers of different units are not mixed or converted.
        disagreements: Of papers, each with both sides.
        not_compared: Pairs of papers that speak of the like and were not compared, because there are too many.
    """

    column: str
    papers: int
    reported: int
    not_reported: int
    failed: int
    counts: Mapping[str, int]
    ranges: Sequence[Range]
    disagreements: Sequence[Disagreement]
    not_compared: int = 0

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {**asdict(self), "text": str(self)}

    def __str__(self) -> str:
        parts = [f"reported {self.reported} of {self.papers}"]
        parts += [", ".join(f"{label} {count}" for label, count in self.counts.items())] if self.counts else []
        parts += [str(each) for each in self.ranges[:_TOLD]]
        parts += [f"{left} more units"] if (left := len(self.ranges) - _TOLD) > 0 else []
        parts += (
            [f"papers disagree: {_first(map(str, self.disagreements), 'more pairs')}"] if self.disagreements else []
        )
        parts += [f"{self.not_compared} pairs of papers were not compared"] if self.not_compared else []
        parts += [f"{self.failed} to be asked again"] if self.failed else []
        return "; ".join(parts)


def summed_up(column: Column, cells: Sequence[tuple[TablePaper, Cell]]) -> ColumnSummary:
    """A column in one line."""
    statuses = Counter(cell.status for _, cell in cells)
    labelled: dict[str, list[str]] = {label: [] for label in column.wanted.labels}
    for paper, cell in cells:
        if cell.value and cell.value.text in labelled:
            labelled[cell.value.text].append(paper.document_id)
    found, not_compared = opposed_labels(labelled), 0
    if column.wanted.kind == "text":
        said = {
            paper.document_id: " ".join(proved_sentences(cell.result["citations"]))
            for paper, cell in cells
            if cell.value
        }
        found, not_compared = opposed_texts([each for each in said.items() if each[1]])
    return ColumnSummary(
        column.name,
        len(cells),
        statuses["reported"],
        statuses["not reported"],
        statuses["failed"] + statuses["not asked"],
        {label: len(papers) for label, papers in labelled.items()},
        list(_ranges([cell for _, cell in cells])) if column.wanted.kind == "number" else [],
        found,
        not_compared,
    )


def _ranges(cells: Sequence[Cell]) -> Iterator[Range]:
    """Ranges by unit; "year" and "years" are one, "years" and "months" are not."""
    by_unit: dict[Any, list[Value]] = {}
    for cell in cells:
        if cell.value and cell.value.number is not None:
            by_unit.setdefault(UNITS.get(cell.value.unit, cell.value.unit), []).append(cell.value)
    for found in sorted(by_unit.values(), key=lambda each: (-len(each), each[0].unit)):
        numbers = [each.number or 0.0 for each in found]
        unit = Counter(each.unit for each in found).most_common(1)[0][0]
        yield Range(unit, len(numbers), min(numbers), statistics.median(numbers), max(numbers))


FORM = 2
"""Of tables in files; 1 named no papers that disagree."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what was asked, its rows in the order of papers' ids or as they were found, and notes for its reader."""

    columns: Sequence[Column]
    rows: Sequence[TableRow]
    lm: str = ""
    notes: Sequence[str] = ()

    def column(self, place: int) -> list[tuple[TablePaper, Cell]]:
        """The cells of a column, with their papers."""
        return [(row.paper, row.cells[place]) for row in self.rows]

    def cells(self) -> Iterator[tuple[TablePaper, Column, Cell]]:
        """All cells with their papers and columns, row by row."""
        for row in self.rows:
            for column, cell in zip(self.columns, row.cells, strict=True):
                yield row.paper, column, cell

    def count(self, *statuses: Status) -> int:
        """How many cells are of some status."""
        return sum(cell.status in statuses for _, _, cell in self.cells())

    def warnings(self) -> list[str]:
        """That papers of the table were retracted or corrected, each once."""
        return list(dict.fromkeys(said for _, _, cell in self.cells() for said in cell.warnings))

    def summary(self) -> list[ColumnSummary]:
        """Every column in one line: the last row."""
        return [summed_up(each, self.column(place)) for place, each in enumerate(self.columns)]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values; see the module."""
        return {
            "table": FORM,
            "program": "evidence_table",
            "lm": self.lm,
            "columns": [each.as_dict() for each in self.columns],
            "rows": [{**asdict(row.paper), "cells": list(map(asdict, row.cells))} for row in self.rows],
            "summary": [each.as_dict() for each in self.summary()],
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Table:
        """Read what ``as_dict`` wrote.

        Raises:
            KeyError, TypeError, ValueError: It is of another form.
        """
        rows = []
        for each in values["rows"]:
            paper = TablePaper(**{name: value for name, value in each.items() if name != "cells"})
            rows.append(TableRow(paper, tuple(Cell(**cell) for cell in each["cells"])))
        columns = tuple(map(Column.from_dict, values["columns"]))
        return cls(columns, tuple(rows), values["lm"], tuple(values["notes"]))
