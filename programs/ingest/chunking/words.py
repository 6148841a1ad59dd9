"""Words as spans, and windows of words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from metrics.sentences import Span

# Japanese and Chinese put no spaces between words; two characters make a word on average. A run of more than 200
# characters is not a word but a sequence or encoded data, which would not fit into any chunk.
_UNSPACED = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]{{1,200}}")


def words(text: str, span: Span) -> list[Span]:
    """The words inside a span; every character outside them is white space."""
    return [Span(*match.span()) for match in _WORD.finditer(text, span.start, span.end)]


def joined(words: list[Span], first: int, end: int) -> Span:
    """From the first character of ``words[first]`` to the last of ``words[end - 1]``."""
    return Span(words[first].start, words[end - 1].end)


def index_at(words: list[Span], offset: int) -> int:
    """Index of the first word that starts at an offset or behind it."""
    return bisect_left(words, offset, key=lambda word: word.start)


def index_around(words: list[Span], offset: int) -> int:
    """Index of the word that holds the character at an offset, else of the next one."""
    return bisect_right(words, offset, key=lambda word: word.end)


def windows(words: list[Span], size: int, overlap: int) -> Iterator[Span]:
    """Windows of ``size`` words, each ``overlap`` words into the one before; the last may be shorter.

    No window lies wholly inside the one before: the last one ends with the last word and is the first to do so.
    """
    for first in range(0, max(len(words) - overlap, min(len(words), 1)), size - overlap):
        yield joined(words, first, min(first + size, len(words)))
