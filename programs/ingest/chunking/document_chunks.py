"""A document's chunks, in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.sentences import Span, sentences
from programs.ingest.chunking.policy import Chunking
from programs.ingest.chunking.regions import Region, is_apparatus, regions, section_of
from programs.ingest.chunking.tables import table_parts, table_span
from programs.ingest.chunking.token_windows import token_windows
from programs.ingest.chunking.words import windows, words
from programs.ingest.document import Chunk, Document, Figure

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


def chunk(document: Document, chunking: Chunking) -> list[Chunk]:
    """Cut a document into chunks.

    Every chunk is ``document.text[start:end]``, inside one section. Together the chunks hold everything but white
    space, headings, references and notices. Sections that yield chunks are numbered from 0, chunks within each section
    too.

    Args:
        document: As a reader made it; without sections its text is one section of kind ``other``.
        chunking: The policy.

    Returns:
        The chunks of text in reading order, then one chunk a figure or table. Empty for an empty document.
    """
    figures = [_span(document, figure, chunking) for figure in document.figures]
    chunks = [
        Chunk(
            id=f"{document.id}::sec{number}::chunk{position}",
            document_id=document.id,
            section=region.kind,
            kind="text",
            text=document.text[span.start : span.end],
            start=span.start,
            end=span.end,
            heading=region.heading,
        )
        for number, region in enumerate(_regions(document, figures, chunking))
        for position, span in enumerate(cut for left in region.spans for cut in _cut(document.text, left, chunking))
    ]
    return chunks + list(_figures(document, figures, chunking))


def _span(document: Document, figure: Figure, chunking: Chunking) -> Span:
    """What is cut out of the text for a figure: its caption, or by the policy ``passages`` a whole table."""
    return table_span(document, figure) if chunking.policy == "passages" else Span(figure.start, figure.end)


def _regions(document: Document, figures: Sequence[Span], chunking: Chunking) -> Iterator[Region]:
    for region in regions(document, figures):
        if chunking.policy != "passages" or not is_apparatus(region, document.text):
            yield region


def _cut(text: str, span: Span, chunking: Chunking) -> Iterator[Span]:
    match chunking.policy:
        case "passages":
            return passage_spans(text, span, chunking.size)
        case "sentences":
            return sentence_groups(text, span, chunking.size)
        case "words":
            return windows(words(text, span), chunking.size, chunking.overlap)
        case "tokens":
            return token_windows(text, span, chunking.size, chunking.overlap)


def _figures(document: Document, spans: Sequence[Span], chunking: Chunking) -> Iterator[Chunk]:
    for figure, whole in zip(document.figures, spans, strict=True):
        is_cut = chunking.policy == "passages"
        parts = table_parts(document.text, figure, whole, chunking.size) if is_cut else [(whole, figure.label)]
        for number, (span, heading) in enumerate(parts):
            text = document.text[span.start : span.end]
            if text.strip():
                yield Chunk(
                    id=f"{document.id}::{figure.id}" + (f"::part{number}" if number else ""),
                    document_id=document.id,
                    section=section_of(document, figure),
                    kind=figure.kind,
                    text=text,
                    start=span.start,
                    end=span.end,
                    heading=heading,
                )
