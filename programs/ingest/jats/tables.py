"""A table as lines of cells, so that it can be read, found and quoted like text.

    | Outcome | Placebo | | Drug | |
    | | n | % | n | % |
    | Death | 12 | 3.1 | 8 | 2.0 |

A cell that spans columns or rows is printed once; the others that it covers are empty, so that columns stay in line.
"""

from __future__ import annotations

from collections.abc import Iterator

from programs.ingest.jats.inline import inline_text
from programs.ingest.xml_parsing import Element, children, name

# HTML's own limit for colspan (https://html.spec.whatwg.org/multipage/tables.html); a wider one is a slip or an attack.
_MAX_SPAN = 1000
_MAX_COLUMNS = 1000


def table_text(table: Element) -> str:
    """One line for each row that has text; empty for a table without any."""
    below: dict[int, int] = {}  # column → rows further down that a cell above it covers
    lines = []
    for row in _rows(table):
        cells = _cells(row, below)
        if any(cells):
            lines.append("| " + " | ".join(_without_empty_end(cells)) + " |")
    return "\n".join(line.replace("|  |", "| |").replace("|  |", "| |") for line in lines)


def _rows(table: Element) -> Iterator[Element]:
    """The table's own rows, not those of a table inside a cell."""
    for part in children(table, "thead", "tbody", "tfoot", "tr", "table"):
        if name(part) == "tr":
            yield part
        else:
            yield from _rows(part)


def _cells(row: Element, below: dict[int, int]) -> list[str]:
    """The row's texts by column; takes away from and adds to the columns that are covered by cells above."""
    cells: list[str] = []
    _skip_covered(cells, below)
    for cell in children(row, "td", "th"):
        columns, rows = _span(cell, "colspan"), _span(cell, "rowspan")
        for offset in range(min(columns, _MAX_COLUMNS - len(cells))):
            if rows > 1:
                below[len(cells)] = rows - 1
            cells.append("" if offset else inline_text(cell))
        _skip_covered(cells, below)
    return cells


def _skip_covered(cells: list[str], below: dict[int, int]) -> None:
    while below.get(len(cells), 0) > 0:
        below[len(cells)] -= 1
        cells.append("")


def _span(cell: Element, attribute: str) -> int:
    value = cell.get(attribute, "1").strip()
    return max(1, min(int(value), _MAX_SPAN)) if value.isdecimal() else 1


def _without_empty_end(cells: list[str]) -> list[str]:
    last = max(place for place, cell in enumerate(cells) if cell)
    return cells[: last + 1]
