"""What quotes of tables cannot prove: a row under the head of another table, or a head alone.

    | Group | Zinc | Placebo |     of table 2
    | Men   | 14   | 28      |     of table 1, where the columns are placebo and zinc

Each quote may be in its paper, and the two say nothing together. Where a head is quoted, each table of the quotes
has a row and a head among them; a row that names columns is not a proof by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, Protocol, TypeAlias

from programs.ingest.table_parts import has_values, header, heads_again
from programs.passages import Passage

_Kind: TypeAlias = Literal["caption", "columns", "row"]


class Quoted(Protocol):
    """Where a quote is: in a passage of this id, at these offsets of its paper."""

    @property
    def passage(self) -> str: ...  # noqa: D102
    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def end(self) -> int: ...  # noqa: D102


OTHER_HEAD = "its quotes put a row under the head of another table"
ONLY_COLUMNS = "a row that names columns proves nothing alone"


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of a table: which table it is of, what it is, and where it is in the paper.

    A table whose header comes again under other labels has parts, numbered from 0.
    """

    table: tuple[str, int]
    part: int
    kind: _Kind
    start: int
    end: int


def wrong_tables(quotes: Sequence[Quoted], passages: Sequence[Passage]) -> str:
    """Why quotes of tables prove nothing together; empty where nothing is wrong with them.

    Args:
        quotes: As they were placed.
        passages: In which they are.
    """
    named = {each.passage for each in quotes}
    lines = [line for passage in passages if passage.id in named for line in table_lines(passage)]
    quoted = [line for line in lines if any(line.start < each.end and each.start < line.end for each in quotes)]
    rows = {line.table for line in quoted if line.kind == "row"}
    heads = {line.table for line in quoted if line.kind != "row"}
    under = {(line.table, line.part) for line in quoted if line.kind == "row"}
    named_by = {(line.table, line.part) for line in quoted if line.kind == "columns"}
    if heads and rows and (heads != rows or (named_by and not under <= named_by)):
        return OTHER_HEAD
    columns = [line for line in lines if line.kind == "columns"]
    if quotes and all(any(line.start <= each.start and each.end <= line.end for line in columns) for each in quotes):
        return ONLY_COLUMNS
    return ""


def table_lines(passage: Passage) -> Iterator[TableLine]:
    """The lines of a passage's tables, those that are shown before a later part of one too.

    Rows with values behind a blank line continue a table that ran over a page; other rows there begin another one.
    """
    name, _, _ = passage.id.partition("::part")
    for each in passage.repeated:
        yield TableLine((name, 0), 0, "columns" if each.text.startswith("|") else "caption", each.start, each.end)
    at, before, number, part = passage.whole_start, "", -1, 0
    head = [each.text for each in passage.repeated if each.text.startswith("|")]
    printed = passage.whole.splitlines(keepends=True)
    for is_table, group in groupby(printed, key=lambda line: line.startswith("|")):
        block = list(group)
        if is_table:
            goes_on = bool(passage.repeated) if number < 0 else "::table" in name and has_values(block[0])
            if number < 0 or not goes_on:
                number += 1
            if not goes_on:
                head, part = header([each.rstrip("\n") for each in block]), 0
            if before and passage.heading and before.startswith(passage.heading):
                yield TableLine((name, number), 0, "caption", at - len(before), at)
            named = 0 if goes_on else len(head)
            for place, line in enumerate(block):
                is_again = place >= named and bool(head) and heads_again(line.rstrip("\n"), head[-1])
                part += is_again
                kind: _Kind = "columns" if place < named or is_again else "row"
                yield TableLine((name, number), part, kind, at, at + len(line.rstrip("\n")))
                at += len(line)
            before = ""
            continue
        at += sum(map(len, block))
        before = "".join(block) if number < 0 else ""
