r"""The tables of Markdown: with bars, in a grid, or in columns under dashes, as GitHub and Pandoc write them.

    | Group  | r     |     +-------+------+     Group        r
    |--------|-------|     | Group | r    |     ------- ------
    | Drug   | $|r|$ |     +=======+======+     Drug      0.04
    | A \| B | 0.3   |     | Drug  | 0.04 |
                           +-------+------+

Pandoc also writes dashes over and under a table; then empty lines may part its rows. Rows and cells become tokens of
the parser, so that what is in a cell is read as any other line is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice, pairwise, takewhile
from typing import TypeAlias

from markdown_it.rules_block import StateBlock

Found: TypeAlias = tuple[list[list[str]], int]
"""The rows of a table and its number of lines; no rows where the lines are not a table."""

_COLUMNS = re.compile(r"-{2,}(?:[ \t]+-{2,})+")
_RULE = re.compile(r"-{3,}")
_UNDER_BARS = re.compile(r"(?=.*\|)\|?\s*:?-+:?\s*(?:[|+]\s*:?-+:?\s*)*\|?")
_EDGE = re.compile(r"\+(?:[-=:]+\+)+")
_PART_OF_EDGE = re.compile(r"[-=:+]{2,}")
_BARS = (re.compile(r"\\.|(\|)"), re.compile(r"\\.|`[^`]*`|\$(?=\S)[^$]*(?<=\S)\$(?!\d)|(\|)"))
"""What parts cells, and what does outside of code and formulas."""
_MOST_LINES = 1000
"""Of a grid, or a table under dashes: where nothing closes it, the rest of a file is searched for each of its rules."""
_MOST_COLUMNS = 100
"""Of these; each row has them all, and more are no table of a paper."""
_MOST_OF_HEAD = 12


def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A block rule of the parser: the table that begins at a line, if one does."""
    if start + 1 >= end or state.is_code_block(start):
        return False
    read = _reader(*(next(_lines(state, number, end), "").strip() for number in (start, start + 1)))
    rows, count = read(_lines(state, start, end)) if read else ([], 0)
    if rows and not silent:
        _push(state, rows, start, start + count)
    return bool(rows)


def _lines(state: StateBlock, start: int, end: int) -> Iterator[str]:
    """The lines from one on, up to the end of the list or quotation that they are in."""
    for number in range(start, end):
        if state.sCount[number] < state.blkIndent and not state.isEmpty(number):
            return
        yield state.src[state.bMarks[number] : state.eMarks[number]].expandtabs(4)


def _reader(first: str, second: str) -> Callable[[Iterator[str]], Found] | None:
    """What reads a table that begins with two lines."""
    if _EDGE.fullmatch(first) and second[:1] == "|":
        return _in_grid
    if "|" in first and _UNDER_BARS.fullmatch(second):
        return _with_bars
    is_under_dashes = first and any(map(_COLUMNS.fullmatch, (first, second)))
    return _under_dashes if is_under_dashes or _RULE.fullmatch(first) else None


def _with_bars(lines: Iterator[str]) -> Found:
    first, second = next(lines), next(lines)
    width = len(re.findall("-+", second))
    body = list(takewhile(lambda line: "|" in line, lines))
    return [_cells(line.strip(), width) for line in (first, *body)], 2 + len(body)


def _cells(line: str, width: int) -> list[str]:
    """The cells of a row; bars of formulas and code part them only where so many cells are wanted."""
    line = line.removeprefix("|")
    line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    cells: list[str] = []
    for bars in _BARS:
        cuts = [-1, *(found.start() for found in bars.finditer(line) if found[1]), len(line)]
        cells = [line[left + 1 : right].strip().replace("\\|", "|") for left, right in pairwise(cuts)]
        if len(cells) <= width:
            break
    return cells


def _in_grid(lines: Iterator[str]) -> Found:
    """Rows between edges; a cell that an edge does not reach is in the row that it begins in."""
    drawn = [
        line.strip() for line in takewhile(lambda line: line.strip()[:1] in ("|", "+"), islice(lines, _MOST_LINES))
    ]
    cuts = sorted({at for line in drawn if _EDGE.fullmatch(line) for at, sign in enumerate(line) if sign == "+"})
    if len(cuts) > _MOST_COLUMNS:
        return [], 0
    rows = [[""] * (len(cuts) - 1)]
    begun: dict[int, int] = {}
    for line in drawn[1:]:
        walls = [column for column, at in enumerate(cuts) if line[at : at + 1] in ("|", "+")]
        parts = [(left, right, line[cuts[left] + 1 : cuts[right]]) for left, right in pairwise(walls)]
        if any(_PART_OF_EDGE.fullmatch(text) for *_, text in parts):
            rows.append([""] * (len(cuts) - 1))
        for left, right, text in parts:
            if _PART_OF_EDGE.fullmatch(text):
                for column in range(left, right):
                    begun.pop(column, None)
            else:
                row = rows[begun.setdefault(left, len(rows) - 1)]
                row[left] = f"{row[left]} {text.strip()}".strip()
    return [row for row in rows if any(row)], len(drawn)


def _under_dashes(lines: Iterator[str]) -> Found:
    """Rows in columns that begin where the dashes do; no table where words reach over such a place."""
    held = list(islice(lines, _MOST_LINES))
    is_ruled = _RULE.fullmatch(held[0].strip()) is not None
    head = list(takewhile(lambda line: not _COLUMNS.fullmatch(line.strip()), held[is_ruled:_MOST_OF_HEAD]))
    at = is_ruled + len(head)
    if not all(map(str.strip, head)) or not any(map(_COLUMNS.fullmatch, map(str.strip, held[at : at + 1]))):
        return [], 0
    is_closed = is_ruled or not head
    starts = [found.start() for found in re.finditer("-+", held[at])]

    def goes_on(line: str) -> bool:
        is_rule = _RULE.fullmatch(line.strip()) is not None and len(line) > starts[-1]
        return not is_rule and not _COLUMNS.fullmatch(line.strip()) and (is_closed or bool(line.strip()))

    body = list(takewhile(goes_on, held[at + 1 :]))
    after = "".join(held[at + 1 + len(body) : at + 2 + len(body)]).strip()
    reaches_over = any(
        len(line) > cut and " " not in line[cut - 1 : cut + 1] for line in (*head, *body) for cut in starts[1:]
    )
    if not body or reaches_over or (is_closed and not after) or len(starts) > _MOST_COLUMNS:
        return [], 0
    parted = [list(group) for is_row, group in groupby(body, key=lambda line: bool(line.strip())) if is_row]
    rows = [[line] for line in body] if all(map(str.strip, body)) else parted
    return [_columns(row, starts) for row in ([head] if head else []) + rows], at + 1 + len(body) + bool(after)


def _columns(lines: Sequence[str], starts: Sequence[int]) -> list[str]:
    cuts = pairwise([0, *starts[1:], None])
    return [" ".join(filter(None, (line[left:right].strip() for line in lines))) for left, right in cuts]


def _push(state: StateBlock, rows: Sequence[Sequence[str]], start: int, end: int) -> None:
    state.push("table_open", "table", 1).map = [start, end]
    for cells in rows:
        state.push("tr_open", "tr", 1)
        for cell in cells:
            state.push("td_open", "td", 1)
            inline = state.push("inline", "", 0)
            inline.content, inline.children, inline.map = cell, [], [start, end]
            state.push("td_close", "td", -1)
        state.push("tr_close", "tr", -1)
    state.push("table_close", "table", -1)
    state.line = end
