"""Reads JATS, the XML in which PubMed Central and many publishers keep papers (NISO Z39.96; before that, NLM 2 and 3).

    inline.py      the text of a paragraph: citations, superscripts, formulas
    blocks.py      lists, definitions, captions as text         tables.py   cells as lines
    references.py  an entry of the reference list as a line     images.py   addresses of images
    front.py       title, authors, year, identifiers …
    body.py        writes all that into a document, in reading order

Sub-articles (reviewers' letters, translations) are papers of their own and are left out.
"""

from __future__ import annotations

from pathlib import Path

from programs.errors import IngestError, NoText, UnsupportedFormat
from programs.ingest.builder import DocumentBuilder
from programs.ingest.document import Document
from programs.ingest.jats.body import BodyWriter
from programs.ingest.jats.front import read_front
from programs.ingest.xml_parsing import Element, child, children, name, parse

# What PubMed Central's and Europe PMC's interfaces wrap an article in.
_WRAPPERS = ("pmc-articleset", "OAI-PMH", "GetRecord", "record", "metadata")


def read(path: str | Path) -> Document:
    """The paper in a JATS file. Its id is its PMCID, else the file's name without its ending.

    Raises:
        EmptyFile: The file holds nothing.
        UnsafeFile: It declares entities, or nests too deep.
        UnsupportedFormat: It is XML, but no JATS article.
        NoText: The article has neither abstract nor body.
        IngestError: It cannot be opened or is not well-formed XML.
    """
    path = Path(path)
    article = _article(path, parse(path))
    front = read_front(article)
    builder = DocumentBuilder()
    _write(builder, article, front.pmcid)
    if builder.is_empty:
        raise NoText(path, "neither abstract nor body in this article", "get its full text, or its PDF")
    return builder.build(
        id=front.pmcid or path.stem,
        title=front.title,
        authors=front.authors,
        year=front.year,
        journal=front.journal,
        doi=front.doi,
        pmcid=front.pmcid,
        url=front.url,
        source=path.name,
        metadata=front.metadata,
    )


def _write(builder: DocumentBuilder, article: Element, pmcid: str) -> None:
    meta, body, back = (child(article, part) for part in ("front/article-meta", "body", "back"))
    writer = BodyWriter(builder, pmcid, _floats(article))
    if meta is not None:
        writer.write_abstracts(meta)
    if body is not None:
        writer.write_body(body)
    writer.write_remaining_floats()
    if back is not None:
        writer.write_back(back)


def _floats(article: Element) -> dict[str, Element]:
    """Figures and tables that stand apart from the text, by their id."""
    groups = children(article, "floats-group", "floats-wrap")
    members = (each for group in groups for each in children(group))
    return {each.get("id") or f"#{position}": each for position, each in enumerate(members)}


def _article(path: Path, root: Element) -> Element:
    """The one article of a file."""
    articles = _articles(root)
    if len(articles) > 1:
        raise IngestError(path, f"{len(articles)} articles in one file", "split it into one file an article")
    if not articles:
        raise UnsupportedFormat(
            path,
            f"XML, but no JATS article (its root element is <{name(root)}>)",
            "convert it to JATS, Markdown or text",
        )
    return articles[0]


def _articles(root: Element) -> list[Element]:
    if name(root) == "article":
        return [root] if any(True for _ in children(root, "front", "body")) else []
    if name(root) in _WRAPPERS:
        return [article for each in children(root) for article in _articles(each)]
    return []
