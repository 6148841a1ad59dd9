"""Finds out which blocks of print are headings, and how they are nested.

The headings that name the sections of a paper ("Methods", "Results") are printed alike; what is printed otherwise is a
heading within them. Numbers tell it where the paper numbers its sections.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from programs.ingest.document import SectionKind
from programs.ingest.heading_shapes import numbering_level
from programs.ingest.printed_blocks import Block
from programs.ingest.sections import named_kind, strip_numbering

_MAIN: frozenset[SectionKind] = frozenset(
    {"introduction", "methods", "results", "discussion", "conclusion", "references"}
)
_DEEPEST = 4
_WORD = re.compile(r"[^\W\d_]{3,}")
_ADDRESS = re.compile(r"https?:|www\.|\S@\S|\bdoi\b|\b10\.\d{4,}/", re.IGNORECASE)
# Of the words of a heading this share are words, unlike in the cells of a table.
_LEAST_WORDS = 0.5
_FOLLOWED_BY = 40


@dataclass(frozen=True, slots=True)
class _Print:
    """How a heading is printed; headings of one level are printed alike."""

    size: float
    is_bold: bool
    is_capital: bool


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading: its place among the blocks, text, print, and the kind that it names."""

    place: int
    text: str
    print: _Print
    kind: SectionKind | None


def outlined(found: Sequence[Block], words: Mapping[str, int]) -> list[Block]:
    """The blocks, with a level for each heading, and with what only looks like a heading as text.

    Args:
        found: In reading order.
        words: What ``vocabulary`` counted in the whole document.
    """
    headings = [_heading(place, block, words) for place, block in enumerate(found) if block.kind == "heading"]
    real = [each for each in headings if _is_real(each, found)]
    levels = dict(zip((each.place for each in real), _levels(real), strict=True))
    return [
        block
        if block.kind != "heading"
        else replace(block, level=levels[place])
        if place in levels
        else replace(block, kind="text")
        for place, block in enumerate(found)
    ]


def _heading(place: int, block: Block, words: Mapping[str, int]) -> _Heading:
    text = block.text(words).rstrip(":.")
    letters = "".join(filter(str.isalpha, strip_numbering(text)))
    style = _Print(round(2 * block.size) / 2, block.is_bold, letters.isupper())
    return _Heading(place, text, style, named_kind(text))


def _is_real(heading: _Heading, found: Sequence[Block]) -> bool:
    """Whether a block that stands out is a heading: it names a section, or it reads like one and text follows."""
    if heading.kind is not None:
        return True
    text = strip_numbering(heading.text)
    tokens = text.split()
    if _ADDRESS.search(text) or len(_WORD.findall(text)) < _LEAST_WORDS * len(tokens):
        return False
    if not text[:1].isupper() and numbering_level(heading.text) is None:
        return False
    return _is_followed(heading, found)


def _is_followed(heading: _Heading, found: Sequence[Block]) -> bool:
    """Whether text or another heading stands under a heading, unlike under a label in a figure."""
    behind = next((block for block in found[heading.place + 1 :] if block.kind not in ("caption", "notice")), None)
    if behind is None:
        return False
    return behind.kind == "heading" or sum(len(line.text) for line in behind.lines) >= _FOLLOWED_BY


def _levels(headings: Sequence[_Heading]) -> list[int]:
    """The level of each heading, 1 for a main section."""
    main = _main_print(headings)
    is_numbered = sum(numbering_level(each.text) is not None for each in headings if each.kind in _MAIN) > 1
    inside = _of_abstract(headings)
    levels: list[int] = []
    known: dict[_Print, int] = {}
    for each in headings:
        number = numbering_level(each.text) if is_numbered else None
        if each.place in inside:
            level = 2
        elif number is not None:
            level = number
        elif each.print == main or each.kind is not None:
            level = 1
        else:
            level = known.get(each.print) or min((levels[-1] if levels else 0) + 1, _DEEPEST)
            known[each.print] = level = max(level, 2 if main else 1)
        levels.append(level)
    return levels


def _main_print(headings: Sequence[_Heading]) -> _Print | None:
    """The print in which most kinds of main sections are named, the largest of several."""
    kinds: dict[_Print, set[SectionKind]] = defaultdict(set)
    for each in headings:
        if each.kind in _MAIN and (numbering_level(each.text) or 1) == 1:
            kinds[each.print].add(each.kind)
    return max(kinds, key=lambda style: (len(kinds[style]), style.size), default=None)


def _of_abstract(headings: Sequence[_Heading]) -> frozenset[int]:
    """Places of the headings within a structured abstract: "Methods" that stands there and later again."""
    start = next((index for index, each in enumerate(headings) if each.kind == "abstract"), None)
    inside: list[_Heading] = []
    for index, each in enumerate(headings[start + 1 :] if start is not None else (), start=(start or 0) + 1):
        again = any(later.kind == each.kind for later in headings[index + 1 :])
        alike = bool(inside) and each.print == inside[0].print and each.kind != "introduction"
        if each.kind is None or each.kind not in _MAIN or not (again or alike) or (inside and not alike):
            break
        inside.append(each)
    return frozenset(each.place for each in inside)
