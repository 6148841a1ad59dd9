"""A document's chunks, in reading order."""

from __future__ import annotations

from collections.abc import Iterator

from metrics.sentences import Span
from programs.ingest.chunking.policy import Chunking
from programs.ingest.chunking.regions import regions, section_of
from programs.ingest.chunking.sentence_groups import sentence_groups
from programs.ingest.chunking.token_windows import token_windows
from programs.ingest.chunking.words import windows, words
from programs.ingest.document import Chunk, Document


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
        for number, region in enumerate(regions(document))
        for position, span in enumerate(cut for left in region.spans for cut in _cut(document.text, left, chunking))
    ]
    return chunks + list(_figures(document))


def _cut(text: str, span: Span, chunking: Chunking) -> Iterator[Span]:
    match chunking.policy:
        case "sentences":
            return sentence_groups(text, span, chunking.size)
        case "words":
            return windows(words(text, span), chunking.size, chunking.overlap)
        case "tokens":
            return token_windows(text, span, chunking.size, chunking.overlap)


def _figures(document: Document) -> Iterator[Chunk]:
    for figure in document.figures:
        text = document.text[figure.start : figure.end]
        if text.strip():
            yield Chunk(
                id=f"{document.id}::{figure.id}",
                document_id=document.id,
                section=section_of(document, figure),
                kind=figure.kind,
                text=text,
                start=figure.start,
                end=figure.end,
                heading=figure.label,
            )
