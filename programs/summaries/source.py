"""What is read of a paper: to summarize it, and in place of a summary that is missing."""

from __future__ import annotations

from programs.ingest.chunking.regions import Region, regions
from programs.ingest.document import Document

OPENING_WORDS = 200
"""About as long as a summary."""


def body(document: Document) -> str:
    """Title and sections under their headings, without references, figures and tables."""
    parts = [part for region in regions(document) for part in (region.heading, _text(document, region))]
    return "\n\n".join(filter(None, [document.title, *parts]))


def opening(document: Document) -> str:
    """The abstract, or the first words of a paper that has none."""
    found = list(regions(document))
    chosen = [region for region in found if region.kind == "abstract"] or found
    return " ".join(" ".join(_text(document, region) for region in chosen).split()[:OPENING_WORDS])


def _text(document: Document, region: Region) -> str:
    return "\n\n".join(document.text[span.start : span.end].strip() for span in region.spans)
