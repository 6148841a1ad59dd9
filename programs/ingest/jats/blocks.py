"""Blocks as text: lists, definitions, captions, tables. Nothing here knows of documents.

A table becomes lines of cells, so that it can be read, found and quoted like text:

    | Outcome | Placebo | | Drug | |
    | | n | % | n | % |
    | Death | 12 | 3.1 | 8 | 2.0 |

A cell that spans columns or rows is printed once; the others that it covers are empty, so that columns stay in line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from programs.ingest.builder import table_row
from programs.ingest.jats.inline import inline_text, read_paragraph
from programs.ingest.xml_parsing import Element, child, children, name

_ENDS_OPEN = re.compile(r"[\w)\]%’”\"]$")


def list_text(element: Element, indent: str = "") -> str:
    """One line per item, with "- " or its own label or number before it; nested lists are indented."""
    lines = []
    for number, each in enumerate(children(element), start=1):
        if name(each) == "list":
            lines.append(list_text(each, indent + "  "))
        elif name(each) == "list-item":
            lines.append(f"{indent}{_bullet(element, each, number)} {' '.join(_item_texts(each))}".rstrip())
            lines += [list_text(inner, indent + "  ") for inner in _inner_lists(each)]
        else:
            lines.append(f"{indent}{inline_text(each)}")
    return "\n".join(lines)


def definitions_text(element: Element) -> str:
    """One line per term: "CI: confidence interval"; nested lists are flattened."""
    return "\n".join(_definition(each) for each in children(element))


def _definition(element: Element) -> str:
    if name(element) == "def-list":
        return definitions_text(element)
    if name(element) != "def-item":
        return inline_text(element)
    term, definition = (" ".join(map(inline_text, children(element, part))) for part in ("term", "def"))
    return ": ".join(filter(None, (term.rstrip(": "), definition)))


def caption_text(element: Element) -> str:
    """The caption's title and paragraphs as one paragraph; the title gets a full stop if it has none."""
    parts = [inline_text(each) for caption in children(element, "caption") for each in children(caption)]
    return sentences_joined(part for part in parts if part)


def sentences_joined(parts: Iterable[str]) -> str:
    """The parts in one line, each ended before the next starts."""
    text = ""
    for part in parts:
        text = f"{text}. {part}" if _ENDS_OPEN.search(text) else f"{text} {part}".strip()
    return text


def line_of(element: Element, part: str) -> str:
    """The text of a child such as ``label``, or empty."""
    found = child(element, part)
    return "" if found is None else read_paragraph(found).text


def _bullet(element: Element, item: Element, number: int) -> str:
    label = line_of(item, "label")
    return label or (f"{number}." if element.get("list-type") == "order" else "-")


def _item_texts(item: Element) -> Iterator[str]:
    for each in children(item):
        if name(each) == "p":
            paragraph = read_paragraph(each)
            yield from (
                part if isinstance(part, str) else inline_text(part) for part in paragraph.parts if not _is_list(part)
            )
        elif name(each) not in ("label", "list"):
            yield inline_text(each)


def _inner_lists(item: Element) -> Iterator[Element]:
    for each in children(item, "list", "p"):
        if name(each) == "list":
            yield each
        else:
            yield from (part for part in read_paragraph(each).parts if not isinstance(part, str) and _is_list(part))


def _is_list(part: str | Element) -> bool:
    return not isinstance(part, str) and name(part) == "list"


# HTML's own limit for colspan (https://html.spec.whatwg.org/multipage/tables.html); wider ones are mistakes or attacks.
_MAX_SPAN = 1000
_MAX_COLUMNS = 1000


def table_text(table: Element) -> str:
    """One line for each row that has text; empty for a table without any."""
    below: dict[int, int] = {}  # column → rows further down that a cell above it covers
    lines = []
    for row in _rows(table):
        cells = _cells(row, below)
        if any(cells):
            lines.append(table_row(cells))
    return "\n".join(lines)


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
