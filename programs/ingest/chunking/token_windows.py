"""The ``tokens`` policy: overlapping windows that keep sentences together, and code blocks and equations whole."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from metrics.sentences import Span, sentences
from programs.ingest.chunking.words import index_around, index_at, joined, words

WORDS_PER_TOKEN = 0.75
SHORTEST = 0.6  # of the size: 300 of 500 tokens
LONGEST_UNIT = 4  # times the size: a longer code block is cut like text, since no model reads it as one passage

# The bounds on lengths keep the search linear when a block is opened and never closed.
_UNIT = re.compile(
    r"^[ \t]*(?P<fence>```|~~~).*?^[ \t]*(?P=fence)[^\n]*"  # fenced code
    r"|(?:^(?: {4}|\t)[^\n]*\S[^\n]*(?:\n|\Z))+"  # indented code
    r"|\$\$.{1,2000}?\$\$"
    r"|\\\[.{1,2000}?\\\]"
    r"|\\begin\{(?P<name>(?:equation|align|gather|multline|eqnarray|displaymath)\*?)\}.{1,2000}?\\end\{(?P=name)\}"
    r"|(?<![\\\w$])\$(?=[^\s$])[^$\n]{1,300}(?<=[^\s\\])\$(?![\d$])",  # inline: Pandoc's rule for dollar signs
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Unit:
    """Words ``first`` to ``end - 1``, which stay together."""

    first: int
    end: int


def token_windows(text: str, span: Span, size: int, overlap: int) -> Iterator[Span]:
    """Windows of up to ``size`` tokens, ``overlap`` of them shared with the window before.

    A window ends with the last sentence that fits, or amid a sentence when none ends past three fifths of the size.
    A tail that would be shorter than that is merged backwards. Only code blocks and equations change overlap and size:
    none is cut, so that the overlap starts before or behind it.

    Args:
        text: The document's text.
        span: The part of it that is cut.
        size: In tokens.
        overlap: In tokens, at most half the size.
    """
    inside = words(text, span)
    ends = [index_at(inside, span.start + sentence.end) for sentence in sentences(text[span.start : span.end])]
    most, shared = max(1, round(size * WORDS_PER_TOKEN)), round(overlap * WORDS_PER_TOKEN)
    least = max(shared + 1, round(most * SHORTEST))
    units = _units(text, span, inside, LONGEST_UNIT * most)
    first, end = 0, 0
    while end < len(inside):
        end = _end(first, len(inside), ends, units, least, most)
        following = max(_start(end - shared, units), first + 1)
        if len(inside) - following < least:
            end = len(inside)
        yield joined(inside, first, end)
        first = min(following, end)


def _units(text: str, span: Span, inside: list[Span], longest: int) -> list[_Unit]:
    found = (match.span() for match in _UNIT.finditer(text, span.start, span.end))
    units = (_Unit(index_around(inside, start), index_at(inside, end)) for start, end in found)
    return [unit for unit in units if 1 < unit.end - unit.first <= longest]


def _end(first: int, count: int, ends: list[int], units: list[_Unit], least: int, most: int) -> int:
    """Where the window that starts at word ``first`` ends."""
    limit = first + most
    if limit >= count:
        return count
    fitting = bisect_right(ends, limit)
    end = ends[fitting - 1] if fitting and ends[fitting - 1] >= first + least else limit
    unit = _around(end, units)
    if unit is None:
        return end
    return unit.first if unit.first >= first + least else unit.end


def _start(start: int, units: list[_Unit]) -> int:
    unit = _around(start, units)
    return start if unit is None else unit.end


def _around(position: int, units: list[_Unit]) -> _Unit | None:
    """The unit that a cut before word ``position`` would cut."""
    index = bisect_right(units, position, key=lambda unit: unit.first) - 1
    return units[index] if index >= 0 and units[index].first < position < units[index].end else None
