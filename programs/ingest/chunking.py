"""Cuts a document into the passages that are indexed.

chunking = Chunking.parse("passages:200:0")
chunk(document, chunking)[0].id                      # "PMC12345::sec0::chunk0"
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias, get_args

from metrics.sentences import Span, sentences
from programs.errors import UsageError
from programs.ingest.document import Chunk, ChunkKind, Document
from programs.ingest.line_shapes import SectionKind
from programs.ingest.regions import (
    index_around,
    index_at,
    is_apparatus,
    joined,
    packed,
    regions,
    section_of,
    windows,
    words,
)
from programs.ingest.table_parts import table_parts, table_span

Policy: TypeAlias = Literal["passages", "sentences", "words", "tokens"]


@dataclass(frozen=True, slots=True)
class Chunking:
    """A chunking policy with its sizes; ``str()`` gives the form that an index manifest holds.

    ``passages``
        Whole sentences of one section, up to ``size`` words, short paragraphs together; a table is one passage with its
        caption, rows and notes. Lists of abbreviations, thanks and the like are left out.
    ``sentences``
        Whole sentences of one paragraph, up to ``size`` words.
    ``words``
        Windows of exactly ``size`` words, each starting ``overlap`` words before the end of the one before.
    ``tokens``
        From three fifths of ``size`` up to ``size`` tokens, ending with a sentence where one ends there, with code
        blocks and equations whole, ``overlap`` tokens shared with the chunk before. A token is 3/4 of a word.

    Attributes:
        policy: One of the four above.
        size: In words, for ``tokens`` in tokens; at least 1.
        overlap: In the same unit; 0 for ``passages`` and ``sentences``, at most half the size otherwise.

    Raises:
        UsageError: The policy is unknown or the numbers do not fit together.
    """

    policy: Policy
    size: int
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.policy not in get_args(Policy):
            raise UsageError(f"Unknown chunking policy {self.policy!r}; choose one of {', '.join(get_args(Policy))}")
        if self.size < 1:
            raise UsageError(f"A chunk must hold at least 1 word, got {self.size}; the default is {PASSAGES}")
        if self.policy in ("passages", "sentences") and self.overlap:
            raise UsageError(
                f"Chunks of whole sentences do not overlap, got {self.overlap}; use {self.policy}:{self.size}:0"
            )
        if not 0 <= 2 * self.overlap <= self.size:
            raise UsageError(f"The overlap must be between 0 and half of {self.size}, got {self.overlap}")

    def __str__(self) -> str:
        return f"{self.policy}:{self.size}:{self.overlap}"

    @classmethod
    def parse(cls, text: str) -> Chunking:
        """Read what ``str()`` wrote, such as ``passages:200:0``.

        Raises:
            UsageError: The text is not of the form policy:size:overlap.
        """
        policy, _, sizes = text.partition(":")
        size, _, overlap = sizes.partition(":")
        if not (size.isdecimal() and overlap.isdecimal()):
            raise UsageError(f"Cannot read the chunking {text!r}; write policy:size:overlap, such as {PASSAGES}")
        return cls(policy, int(size), int(overlap))  # type: ignore[arg-type]  # checked by the class itself


PASSAGES = Chunking("passages", 200)
"""The default of a new index."""
SENTENCES = Chunking("sentences", 100)
WORDS = Chunking("words", 220, 40)
TOKENS = Chunking("tokens", 500, 100)

# A sentence longer than the size stands alone; one of four times the size is a table or a list without full stops.
_LONGEST_SENTENCE = 4

_SHORTEST_PASSAGE = 5
"""A last passage of less than this part of the size joins the one before."""

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![^\S\n]*\n)[^\n]*)*")


def _sentences(text: str, paragraph: Span, size: int) -> Iterator[tuple[Span, int]]:
    """Sentences and rows of tables with their numbers of words; pieces of what is too long for one.

    A row is one, whatever full stops it has ("| Melaleuca sp. 2.5% |").
    """
    found: list[Span] = []
    for sentence in sentences(text[paragraph.start : paragraph.end]):
        span = Span(paragraph.start + sentence.start, paragraph.start + sentence.end)
        line = max(text.rfind("\n", paragraph.start, span.start) + 1, paragraph.start)
        if found and text[line] == "|" and line <= found[-1].start:
            found[-1] = Span(found[-1].start, span.end)
        else:
            found.append(span)
    for span in found:
        inside = words(text, span)
        if len(inside) <= _LONGEST_SENTENCE * size:
            yield span, len(inside)
        else:
            yield from ((piece, size) for piece in windows(inside, size, 0))


def chunk(document: Document, chunking: Chunking) -> list[Chunk]:
    """Cut a document into chunks.

    Every chunk is ``document.text[start:end]``, inside one section; a document without sections is one of kind
    ``other``. Together the chunks hold everything but white space, headings, references and notices. Sections that
    yield chunks are numbered from 0, chunks within each section too.

    Returns:
        The chunks of text in reading order, then one chunk per figure or table; none for an empty document.
    """
    is_whole = chunking.policy == "passages"  # tables are; else only their captions are cut out of the text
    figures = [table_span(document, each) if is_whole else Span(each.start, each.end) for each in document.figures]
    found = (each for each in regions(document, figures) if not (is_whole and is_apparatus(each, document.text)))
    chunks = [
        _chunk(document, span, f"sec{number}::chunk{position}", region.kind, "text", region.heading)
        for number, region in enumerate(found)
        for position, span in enumerate(cut for left in region.spans for cut in _cut(document.text, left, chunking))
    ]
    for figure, span in zip(document.figures, figures, strict=True):
        parts = table_parts(document.text, figure, span, chunking.size) if is_whole else [(span, figure.label)]
        for number, (part, heading) in enumerate(parts):
            if document.text[part.start : part.end].strip():
                name = f"{figure.id}::part{number}" if number else figure.id
                chunks.append(_chunk(document, part, name, section_of(document, figure), figure.kind, heading))
    return chunks


def _chunk(document: Document, span: Span, name: str, section: SectionKind, kind: ChunkKind, heading: str) -> Chunk:
    text = document.text[span.start : span.end]
    return Chunk(f"{document.id}::{name}", document.id, section, kind, text, span.start, span.end, heading)


def _cut(text: str, span: Span, chunking: Chunking) -> Iterator[Span]:
    size = chunking.size
    if chunking.policy == "words":
        return windows(words(text, span), size, chunking.overlap)
    if chunking.policy == "tokens":
        return _token_windows(text, span, size, chunking.overlap)
    paragraphs = (Span(*found.span()) for found in _PARAGRAPH.finditer(text, span.start, span.end))
    units = (_sentences(text, paragraph, size) for paragraph in paragraphs)
    if chunking.policy == "sentences":
        return (group for inside in units for group, _ in packed(inside, size))
    groups = packed(chain.from_iterable(units), size)
    if len(groups) > 1 and groups[-1][1] < size / _SHORTEST_PASSAGE:
        last, _ = groups.pop()
        groups[-1] = Span(groups[-1][0].start, last.end), size
    return (group for group, _ in groups)


WORDS_PER_TOKEN = 0.75
_SHORTEST_WINDOW = 0.6  # of the size: 300 of 500 tokens
_LONGEST_UNIT = 4  # times the size: a longer code block is cut like text, since no model reads it as one passage

# The limits on length keep the search linear when a block is opened and never closed.
_UNIT = re.compile(
    r"^[ \t]*(?P<fence>```|~~~).*?^[ \t]*(?P=fence)[^\n]*"  # fenced code
    r"|(?:^(?: {4}|\t)[^\n]*\S[^\n]*(?:\n|\Z))+"  # indented code
    r"|\$\$.{1,2000}?\$\$"
    r"|\\\[.{1,2000}?\\\]"
    r"|\\begin\{(?P<name>(?:equation|align|gather|multline|eqnarray|displaymath)\*?)\}.{1,2000}?\\end\{(?P=name)\}"
    r"|(?<![\\\w$])\$(?=[^\s$])[^$\n]{1,300}(?<=[^\s\\])\$(?![\d$])",  # inline: Pandoc's rule for dollar signs
    re.DOTALL | re.MULTILINE,
)


def _token_windows(text: str, span: Span, size: int, overlap: int) -> Iterator[Span]:
    """Windows of up to ``size`` tokens, ``overlap`` of them shared with the window before.

    A window ends with the last sentence that fits, or within a sentence when none ends past three fifths of the size.
    A tail that would be shorter than that is merged backwards. Only code blocks and equations change overlap and size:
    none is cut, so the overlap starts before or after it.
    """
    inside = words(text, span)
    ends = [index_at(inside, span.start + sentence.end) for sentence in sentences(text[span.start : span.end])]
    most, shared = max(1, round(size * WORDS_PER_TOKEN)), round(overlap * WORDS_PER_TOKEN)
    least = max(shared + 1, round(most * _SHORTEST_WINDOW))
    found = (match.span() for match in _UNIT.finditer(text, span.start, span.end))  # code blocks and equations
    whole = (Span(index_around(inside, start), index_at(inside, end)) for start, end in found)
    units = [unit for unit in whole if 1 < unit.end - unit.start <= _LONGEST_UNIT * most]
    first, end = 0, 0
    while end < len(inside):
        end = _end(first, len(inside), ends, units, least, most)
        inner = _around(end - shared, units)
        following = max(inner.end if inner else end - shared, first + 1)
        if len(inside) - following < least:
            end = len(inside)
        yield joined(inside, first, end)
        first = min(following, end)


def _end(first: int, count: int, ends: list[int], units: list[Span], least: int, most: int) -> int:
    """Where the window that starts at word ``first`` ends."""
    limit = first + most
    if limit >= count:
        return count
    fitting = bisect_right(ends, limit)
    end = ends[fitting - 1] if fitting and ends[fitting - 1] >= first + least else limit
    unit = _around(end, units)
    if unit is None:
        return end
    return unit.start if unit.start >= first + least else unit.end


def _around(position: int, units: list[Span]) -> Span | None:
    """The unit that a cut before word ``position`` would cut."""
    index = bisect_right(units, position, key=lambda unit: unit.start) - 1
    return units[index] if index >= 0 and units[index].start < position < units[index].end else None
