"""Reads HTML: papers saved from a publisher's page, and what other programs write as HTML.

    parsing.py   bytes to a tree, within limits       shown.py     takes out what is not shown or not the paper
    front.py     title, authors, year … of the head   as_jats.py   the rest as JATS, which its own reader writes

A page is never trusted: scripts, styles, hidden text, navigation, forms and frames are not evidence, and nothing that
it points to is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from programs.errors import NoText
from programs.ingest.builder import DocumentBuilder
from programs.ingest.document import Document
from programs.ingest.html.as_jats import HtmlBlock, blocks_of, body_of
from programs.ingest.html.front import Front, read_front
from programs.ingest.html.parsing import parse_html
from programs.ingest.html.shown import shown_paper
from programs.ingest.identifiers import find_doi, find_pmcid, find_year
from programs.ingest.jats.body import BodyWriter
from programs.ingest.opening import split_authors_below, texts, title_place
from programs.ingest.xml_parsing import Element

_FRONT = 4000


def read(path: str | Path) -> Document:
    """Read an HTML file.

    Raises:
        EmptyFile: It holds nothing.
        UnsafeFile: It nests too deep, or has more elements than a paper.
        NoText: Nothing of it is shown.
        IngestError: It cannot be opened, is too large, or is in another encoding than it says.
    """
    path = Path(path)
    return document_of(path, parse_html(path))


def document_of(path: Path, root: Element) -> Document:
    """The document of a parsed page, which is changed on the way."""
    stated = read_front(root)
    blocks = blocks_of(shown_paper(root))
    place = _place_of(stated.title, blocks)
    above = blocks[:place] if stated.title and place is not None else []
    title = stated.title or ("" if place is None else blocks[place].text)
    if place is not None:
        blocks = blocks[len(above) : place] + blocks[place + 1 :]
    authors, around, blocks = split_authors_below(blocks)
    around = [*above, *around]
    builder = DocumentBuilder()
    if around:
        builder.add_section("", kind="notice")
        for text in texts(around):
            builder.add_paragraph(text)
    BodyWriter(builder, "", {}).write_body(body_of(blocks))
    if not any(block.text for block in blocks):
        raise NoText(
            path, "no text that a reader of this page would see", "save the page again, or get the paper as PDF"
        )
    return _built(builder, path, stated, title, authors, " ".join(texts([*around, *blocks]))[:_FRONT])


def _place_of(stated: str, blocks: Sequence[HtmlBlock]) -> int | None:
    """Where the title stands that the page's head states, else where one seems to."""
    wanted = "".join(stated.casefold().split())
    same = (place for place, block in enumerate(blocks) if "".join(block.text.casefold().split()) == wanted)
    found = next(same, None) if wanted else None
    return title_place(blocks) if found is None else found


def _built(
    builder: DocumentBuilder, path: Path, stated: Front, title: str, authors: tuple[str, ...], opening: str
) -> Document:
    pmcid = find_pmcid(path.stem) or find_pmcid(stated.url)
    return builder.build(
        id=pmcid or path.stem,
        title=title or stated.page_title,
        authors=stated.authors or authors,
        year=stated.year or find_year(opening),
        journal=stated.journal,
        doi=stated.doi or find_doi(opening),
        pmcid=pmcid,
        url=stated.url,
        source=path.name,
    )


__all__ = ["HtmlBlock", "document_of", "read"]
