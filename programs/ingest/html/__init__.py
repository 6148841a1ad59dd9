"""Reads HTML: papers saved from a publisher's page, and what other programs write as HTML.

    page.py      bytes to a tree, within limits, without what is not shown or not part of the paper
    as_jats.py   its blocks as JATS, which the JATS reader writes into a document

What the page's head says about the paper (the tags that Google Scholar and Dublin Core define) is read here. A page is
never trusted: scripts, styles, hidden text, navigation, forms and frames are not evidence, and nothing that it points
to is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from programs.errors import NoText
from programs.ingest.authors import family_first, split_authors, split_authors_below, title_place
from programs.ingest.builder import DocumentBuilder
from programs.ingest.document import Document
from programs.ingest.html.as_jats import HtmlBlock, blocks_of, body_of
from programs.ingest.html.page import parse_html, shown_paper
from programs.ingest.identifiers import find_doi, find_pmcid, find_year
from programs.ingest.jats.body import BodyWriter
from programs.ingest.xml_parsing import Element, descendants, raw_text

_TITLES = ("citation_title", "dc.title", "dcterms.title", "og:title")
_AUTHORS = ("citation_author", "dc.creator", "dcterms.creator")
_DATES = ("citation_publication_date", "citation_online_date", "citation_date", "dc.date", "dcterms.issued", "date")
_JOURNALS = ("citation_journal_title", "prism.publicationname", "dc.source")
_DOIS = ("citation_doi", "prism.doi", "dc.identifier", "doi")
_YEAR = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)(?!\d)")
# "Cold and yeast | Journal of Cold", "… - PMC", "… – PLOS ONE": what a site adds to the title of its page.
_SITE = re.compile(r"\s+[|–—]\s+[^|–—]{1,60}$|\s+-\s+[^-]{1,40}$")


def read(path: str | Path) -> Document:
    """Read an HTML file.

    Raises:
        EmptyFile: It holds nothing.
        UnsafeFile: It nests too deeply, or has more elements than a paper.
        NoText: Nothing of it is shown.
        IngestError: It cannot be opened, is too large, or is in another encoding than it says.
    """
    path = Path(path)
    return document_of(path, parse_html(path))


def document_of(path: Path, root: Element) -> Document:
    """The document of a parsed page; the page's tree is modified."""
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
        for block in around:
            builder.add_paragraph(block.text)
    BodyWriter(builder, "", {}).write_body(body_of(blocks))
    if not any(block.text for block in blocks):
        raise NoText(
            path, "no text that a reader of this page would see", "save the page again, or get the paper as PDF"
        )
    return _built(builder, path, stated, title, authors, " ".join(block.text for block in [*around, *blocks])[:_FRONT])


def _place_of(stated: str, blocks: Sequence[HtmlBlock]) -> int | None:
    """Index of the title that the page's head states, else of what looks like one."""
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


@dataclass(frozen=True, slots=True)
class Front:
    """What a page says about its paper; empty where it says nothing. ``page_title`` is that of the browser window."""

    title: str = ""
    page_title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    journal: str = ""
    doi: str = ""
    url: str = ""


def read_front(root: Element) -> Front:
    """What the page's ``meta``, ``title`` and ``link`` elements say."""
    said: dict[str, list[str]] = {}
    for meta in descendants(root, "meta"):
        key = (meta.get("name") or meta.get("property") or "").lower()
        if value := " ".join((meta.get("content") or "").split()):
            said.setdefault(key, []).append(value)
    year = next((found for date in _values(said, *_DATES) if (found := _YEAR.search(date))), None)
    return Front(
        title=next(_values(said, *_TITLES[:3]), ""),
        page_title=next(_values(said, "og:title"), "") or _window_title(root),
        authors=_authors(said),
        year=int(year[1]) if year else None,
        journal=next(_values(said, *_JOURNALS), ""),
        doi=next(filter(None, map(find_doi, _values(said, *_DOIS))), ""),
        url=_address(root),
    )


def _values(said: dict[str, list[str]], *keys: str) -> Iterator[str]:
    return (value for key in keys for value in said.get(key, ()))


def _authors(said: dict[str, list[str]]) -> tuple[str, ...]:
    for key in _AUTHORS:
        if key in said:
            names = (name for value in said[key] for name in (value.split(";") if ";" in value else [value]))
            return tuple(family_first(name.strip()) for name in names if name.strip())
    joined = said.get("citation_authors") or said.get("author") or []
    return tuple(name for value in joined for name in split_authors(value))


def _window_title(root: Element) -> str:
    title = next(descendants(root, "title"), None)
    return _SITE.sub("", " ".join(raw_text(title).split())) if title is not None else ""


def _address(root: Element) -> str:
    """The page's own address as it states it."""
    links = (each for each in descendants(root, "link") if (each.get("rel") or "").lower() == "canonical")
    address = next((each.get("href") or "" for each in links), "").strip()
    return address if re.match(r"https?://", address) else ""


_FRONT = 4000


__all__ = ["HtmlBlock", "document_of", "read"]
