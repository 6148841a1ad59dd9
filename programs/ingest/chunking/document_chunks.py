"""A document's chunks, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metrics.sentences import Span
from programs.ingest.chunking.policy import Chunking
from programs.ingest.chunking.regions import Region, is_apparatus, regions, section_of
from programs.ingest.chunking.sentence_groups import passage_spans, sentence_groups
from programs.ingest.chunking.tables import table_parts, table_span
from programs.ingest.chunking.token_windows import token_windows
from programs.ingest.chunking.words import windows, words
from programs.ingest.document import Chunk, Document, Figure


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
