"""Exports chunks in the ``meta.jsonl`` schema of systems that keep an index as vectors and one JSON record per line.

{"id": "PMC12345::fig2", "pmcid": "PMC12345", "title": "…", "type": "figure", "section_title": "Results",
"figure_label": "Figure 2", "figure_caption": "…", "figure_tileshop": "", "figure_image_urls": ["…"], "text": "…"}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from programs.ingest.document import Chunk, Document, Figure


def records(document: Document, chunks: Iterable[Chunk]) -> Iterator[dict[str, Any]]:
    """One record per chunk, in the order of the chunks, with all keys of the schema in its order.

    The schema knows sections and figures; a table's caption is a figure whose label says "Table".

    Args:
        document: The paper.
        chunks: Of that paper.
    """
    figures = {figure.start: figure for figure in document.figures}
    for chunk in chunks:
        figure = None if chunk.kind == "text" else figures.get(chunk.start)
        yield {
            "id": chunk.id,
            "pmcid": document.pmcid,
            "title": document.title,
            "type": "section" if chunk.kind == "text" else "figure",
            "section_title": _section_title(document, chunk),
            **_figure_fields(figure),
            "text": chunk.text,
        }


def _section_title(document: Document, chunk: Chunk) -> str:
    inside = (section.heading for section in document.sections if section.start <= chunk.start < section.end)
    return next(inside, "")


def _figure_fields(figure: Figure | None) -> dict[str, Any]:
    return {
        "figure_label": figure.label if figure else "",
        "figure_caption": figure.caption if figure else "",
        "figure_tileshop": figure.tileshop if figure else "",
        "figure_image_urls": list(figure.image_urls) if figure else [],
    }
