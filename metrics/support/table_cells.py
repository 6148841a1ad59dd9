"""Numbers of a table that a claim gives to another column or row than the table does, or compares the other way round.

    quote   "| Outcome | Drug (n = 40) | Placebo (n = 41) |"
            "| Relapse | 12 (30) | 20 (49) |"
    claim   "Relapse was seen in 20 patients on the drug and in 12 on placebo."     20: the column of placebo
    claim   "Relapse was more frequent with the drug than with placebo."            12 is less than 20

A number that is in one cell belongs to the words of its column that another column has not, and to those of its row
that another row has not. Columns of statistics (P values, ratios) are not compared with those of groups. Where a table,
or what a claim says of a number, is not plain nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from metrics.support.assigned_numbers import Assigned, assigned_numbers, content_keys
from metrics.support.attributions import CHANGES, are_sides, names_other
from metrics.support.directions import Statement, statements
from metrics.support.languages import is_english
from metrics.support.sentence_features import read
from metrics.support.verdict import Veto

_IS_VALUE = re.compile(r"\W{0,3}\d")
_ASIDE = re.compile(r"\([^()]*\)|\^\w+")
"""Units, sizes of groups and marks of footnotes."""
_STATISTIC = re.compile(
    r"\b(?:p|values?|ratio|odds|risk|OR|RR|HR|CI|interval|differences?|effect|cohen\S*|total|all|overall|test|statistics?|"
    r"contrast|GLM|reference|between)\b|[χηβ]|^(?:B|b|SE|t|F|z|r|d|M|SD|N|n|%)$",
    re.IGNORECASE,
)
"""What is written over columns that hold no group's values, or those of all groups."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell with a value: where it is, its numbers, and what its row and its column are called.

    A column of statistics has no name here, and one without a name has none.
    """

    row: int
    column: tuple[int, int]  # of which table, and which column
    values: tuple[float, ...]
    of_row: str
    of_column: str


def wrong_cells(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Numbers that the claim gives to another column or row, and comparisons of these that it turns around."""
    lines = [line.strip() for quote in quotes for line in quote.splitlines()]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    cells = _cells(rows) if is_english(claim) else []
    if not cells:
        return
    prose = [line for line in lines if not line.startswith("|")]
    names = [each for row in rows for each in row if not _IS_VALUE.match(each)]
    elsewhere = {abs(each.printed) for text in [*prose, *names] for each in read(text).quantities}
    for own in assigned_numbers(claim):
        value = abs(own.value.printed)
        holding = [each for each in cells if value in map(abs, each.values)]
        is_length = own.value.dimension == "time"  # as of a treatment, which no cell has
        if len(holding) == 1 and value not in elsewhere and not is_length:
            yield from _misplaced(own, holding[0], cells)
    for said in statements(claim):
        signs = set(_orders(said, cells)) if said.sign and said.base and said.kind == "size" else set()
        if signs == {-said.sign}:
            yield Veto("course", f'the numbers of the table are the other way round than "{said.text}"', opposed=True)


def _misplaced(own: Assigned, cell: _Cell, cells: Sequence[_Cell]) -> Iterator[Veto]:
    """That a number of a cell is given to another column of its row, or to another row of its column."""
    beside = [(cell.of_column, other.of_column) for other in cells if other.row == cell.row]
    below = [(cell.of_row, other.of_row) for other in cells if other.column == cell.column]
    for mine, theirs in [*beside, *below]:
        if bool(CHANGES.search(mine)) is not bool(CHANGES.search(theirs)):
            continue  # "fell by 3.4 from baseline" names both
        if names_other(own.words | own.further, content_keys(mine), content_keys(theirs)):
            yield Veto("place", f'the table has {own.token.text} under "{mine}", not under "{theirs}"')
            return


def _orders(said: Statement, cells: Sequence[_Cell]) -> Iterator[int]:
    """1 where a table has more under the one name than under the other of what a claim compares, -1 for less."""
    lines: dict[object, list[tuple[str, str, Sequence[float]]]] = {}
    for cell in cells:
        lines.setdefault(cell.row, []).append((cell.of_row, cell.of_column, cell.values))
        lines.setdefault(cell.column, []).append((cell.of_column, cell.of_row, cell.values))
    for line in lines.values():
        spoken = [
            (content_keys(name), name, values) for matter, name, values in line if said.near & content_keys(matter)
        ]
        for (one, first_name, first), (other, second_name, second) in permutations(spoken, 2):
            names = f"{first_name} {second_name}"
            is_plain = not CHANGES.search(f"{names} {line[0][0]}") and said.text.lower() not in names.lower()
            if is_plain and are_sides(said, one, other):
                yield _order(first, second)


def _order(first: Sequence[float], second: Sequence[float]) -> int:
    """Which of two cells has more, by counts and shares alike: 12 (30 %) and 20 (49 %); 0 where that is not plain.

    Counts alone may be of groups of other sizes.
    """
    if len(first) == len(second) == 1 and first[0].is_integer() and second[0].is_integer():
        return 0
    signs = {(one > other) - (one < other) for one, other in zip(first[:2], second[:2], strict=False)}
    return signs.pop() if len(signs) == 1 and min(*first, *second) >= 0 else 0


def _cells(rows: Sequence[Sequence[str]]) -> list[_Cell]:
    """The cells with values of tables' rows, of which some name columns and come before those with values."""
    heads: list[Sequence[str]] = []
    found: list[_Cell] = []
    table, is_open = 0, True  # whether lines that name columns belong to those before them
    for number, row in enumerate(rows):
        if not any(map(_IS_VALUE.match, row[1:])):
            if sum(map(bool, row[1:])) > 1:
                heads, table = ([*heads, row], table) if is_open else ([row], table + 1)
                is_open = True
            continue
        is_open = False
        label = _ASIDE.sub("", " ".join(each for each in row if not _IS_VALUE.match(each))).strip()
        for column, text in enumerate(row[1:], start=1):
            if _IS_VALUE.match(text):
                sign = -1 if "↓" in text else 1
                values = tuple(sign * each.printed for each in read(text).quantities)
                found.append(_Cell(number, (table, column), values, label, _over(heads, column)))
    return found


def _over(heads: Sequence[Sequence[str]], column: int) -> str:
    """What is written over a column; a name that spans columns is over the first of them."""
    over = [next((each for each in reversed(head[1 : column + 1]) if each), "") for head in heads]
    lowest = next(filter(None, reversed(over)), "")
    return "" if _STATISTIC.search(lowest) else _ASIDE.sub("", " ".join(over)).strip()
