"""The ``sentences`` policy, whole sentences of one paragraph; and ``passages``, whole sentences of one section."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metrics.sentences import Span, sentences
from programs.ingest.chunking.words import windows, words

# A sentence longer than the size stands alone; one of four times the size is a table or a list without full stops.
LONGEST_UNIT = 4

SHORTEST = 5
"""A last passage of less than this part of the size joins the one before."""

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![^\S\n]*\n)[^\n]*)*")


def sentence_groups(text: str, span: Span, size: int) -> Iterator[Span]:
    """Groups of whole sentences of one paragraph, as many as ``size`` words hold."""
    for paragraph in _PARAGRAPH.finditer(text, span.start, span.end):
        group: Span | None = None
        count = 0
        for unit, length in _units(text, Span(*paragraph.span()), size):
            if group and count + length > size:
                yield group
                group, count = None, 0
            group = Span(group.start if group else unit.start, unit.end)
            count += length
        if group:
            yield group


def passage_spans(text: str, span: Span, size: int) -> Iterator[Span]:
    """Whole sentences, as many as ``size`` words hold, of as many paragraphs as it takes."""
    units = [
        unit
        for paragraph in _PARAGRAPH.finditer(text, span.start, span.end)
        for unit in _units(text, Span(*paragraph.span()), size)
    ]
    groups: list[tuple[Span, int]] = []
    for unit, length in units:
        if groups and groups[-1][1] + length <= size:
            groups[-1] = Span(groups[-1][0].start, unit.end), groups[-1][1] + length
        else:
            groups.append((unit, length))
    if len(groups) > 1 and groups[-1][1] < size / SHORTEST:
        last, _ = groups.pop()
        groups[-1] = Span(groups[-1][0].start, last.end), size
    yield from (group for group, _ in groups)


def _units(text: str, paragraph: Span, size: int) -> Iterator[tuple[Span, int]]:
    """Sentences with their numbers of words; pieces of what is too long to be a sentence."""
    for sentence in sentences(text[paragraph.start : paragraph.end]):
        span = Span(paragraph.start + sentence.start, paragraph.start + sentence.end)
        inside = words(text, span)
        if len(inside) <= LONGEST_UNIT * size:
            yield span, len(inside)
        else:
            yield from ((piece, size) for piece in windows(inside, size, 0))
