"""Reads JATS, the XML in which PubMed Central and many publishers keep papers (NISO Z39.96; before that, NLM 2 and 3).

    inline.py   the text of a paragraph: citations, superscripts, formulas; of lists, captions and tables
    body.py     writes abstract, body and references into a document, in reading order

Sub-articles (reviewers' letters, translations) are their own papers and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from programs.errors import IngestError, NoText, UnsupportedFormat
from programs.ingest.decoding import Element, child, children, descendants, href, name, parse
from programs.ingest.document import Document, DocumentBuilder, Front, MetadataValue
from programs.ingest.front_matter import pmc_address
from programs.ingest.jats.body import BodyWriter
from programs.ingest.jats.inline import line_of, read_paragraph

_FORWARD = {
    "retraction": "retracted",
    "partial-retraction": "retracted in part",
    **dict.fromkeys(("concern", "expression-of-concern"), "under an expression of concern"),
    **dict.fromkeys(("correction", "corrected", "erratum"), "corrected"),
}
"""What a link from a paper to a later notice says about the paper."""
_NOTICES = ("retraction", "correction", "expression-of-concern", "erratum")
"""Kinds of article that are such a notice: what they link to is the paper, not a notice on them."""
_DOI_ADDRESS = re.compile(r"^https?://(?:dx\.)?doi\.org/", re.IGNORECASE)


def read(path: str | Path) -> Document:
    """The paper in a JATS file; its id is its PMCID, else the file's name without its ending.

    Errors are of the classes that ``formats.read`` names.
    """
    path = Path(path)
    article = _article(path, parse(path))
    front = read_front(article)
    builder = DocumentBuilder()
    apart = (each for group in children(article, "floats-group", "floats-wrap") for each in children(group))
    floats = {each.get("id") or f"#{position}": each for position, each in enumerate(apart)}
    writer = BodyWriter(builder, front.pmcid, floats)
    meta, body, back = (child(article, part) for part in ("front/article-meta", "body", "back"))
    if meta is not None:
        writer.write_abstracts(meta)
    if body is not None:
        writer.write_part(body)
    writer.write_remaining_floats()
    if back is not None:
        writer.write_part(back)
    if builder.is_empty:
        raise NoText(path, "neither abstract nor body in this article", "get its full text, or its PDF")
    return builder.build(id=front.pmcid or path.stem, source=path.name, **front.fields())


def _article(path: Path, root: Element) -> Element:
    articles = _articles(root)
    if len(articles) > 1:
        raise IngestError(path, f"{len(articles)} articles in one file", "split it into one file per article")
    if not articles:
        reason = f"XML, but not a JATS article (its root element is <{name(root)}>)"
        raise UnsupportedFormat(path, reason, "convert it to JATS, Markdown or text")
    return articles[0]


def _articles(root: Element) -> list[Element]:
    if name(root) == "article":
        return [root] if any(True for _ in children(root, "front", "body")) else []
    if name(root) in _WRAPPERS:
        return [article for each in children(root) for article in _articles(each)]
    return []


def _corrections(article: Element, meta: Element) -> list[str]:
    """What notices say of a paper, each in words, with the notice where it is named."""
    # Some publishers put the link into a note at the end of the paper.
    in_notes = (link for back in children(article, "back") for link in descendants(back, "related-article"))
    said: list[str] = []
    for link in [*children(meta, "related-article"), *in_notes]:
        kind = _FORWARD.get(link.get("related-article-type", "").lower().removesuffix("-forward"))
        if kind is not None and article.get("article-type", "") not in _NOTICES:
            said.append(" by ".join(filter(None, (kind, _DOI_ADDRESS.sub("", href(link))))))
    return list(dict.fromkeys(said))


_PMCID = re.compile(r"(?:PMC)?(\d+)(?:\.\d+)?", re.IGNORECASE)
"""With "PMC" or without, and with a version behind it or without."""
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_JOURNAL = ("journal-title-group/journal-title", "journal-title", "journal-id")
_OF_NAME = ("institution", "named-content", "italic", "bold", "sc")
# Dates that are about a paper's deposit, not its publication; taken only when there is no other.
_DEPOSITS = ("pmc-release", "nihms-submitted", "corrected", "retracted", "preprint", "received", "accepted")


def read_front(article: Element) -> Front:
    """The front matter of an ``article``."""
    meta = child(article, "front/article-meta")
    if meta is None:
        return Front()
    own = next(filter(None, (href(each) for each in children(meta, "self-uri"))), "")
    numbered = _PMCID.fullmatch(_article_id(meta, "pmc", "pmcid", "pmcaid"))
    pmcid, doi = f"PMC{numbered[1]}" if numbered else "", _DOI_ADDRESS.sub("", _article_id(meta, "doi"))
    # In printed order; editors, and the members behind a group's name, are not among them.
    contributors = (each for group in children(meta, "contrib-group") for each in children(group, "contrib"))
    authors = (each for each in contributors if each.get("contrib-type", "author") == "author")
    return Front(
        title=line_of(meta, "title-group/article-title"),
        authors=tuple(filter(None, map(_author, authors))),
        year=_year(meta),
        journal=next(filter(None, (line_of(article, f"front/journal-meta/{place}") for place in _JOURNAL)), ""),
        doi=doi,
        pmcid=pmcid,
        url=pmc_address(pmcid) if pmcid else f"https://doi.org/{doi}" if doi else own,
        metadata=_metadata(article, meta),
    )


def _article_id(meta: Element, *kinds: str) -> str:
    ids = (_line(each) for each in children(meta, "article-id") if each.get("pub-id-type") in kinds)
    return next(filter(None, ids), "")


def _author(contributor: Element) -> str:
    for each in children(contributor, "name", "name-alternatives", "string-name", "collab", "collab-alternatives"):
        if name(each).endswith("-alternatives"):
            return _author(each)
        if name(each) == "collab":  # which also holds its members and addresses
            parts = ((_line(part) if name(part) in _OF_NAME else "", part.tail) for part in each)
            own = [each.text, *(text for pair in parts for text in pair)]
            return " ".join(" ".join(filter(None, own)).split()).strip(" ,;")
        surname, given, suffix = (line_of(each, part) for part in ("surname", "given-names", "suffix"))
        return ", ".join(filter(None, (surname, given, suffix))) or _line(each)
    return ""


def _year(meta: Element) -> int | None:
    """The earliest year of publication, online, in print or in a collection; else that of the deposit."""
    published: list[int] = []
    deposited: list[int] = []
    for date in children(meta, "pub-date"):
        kind = date.get("pub-type") or date.get("date-type") or ""
        if found := _YEAR.search(line_of(date, "year") or date.get("iso-8601-date", "")):
            (deposited if kind in _DEPOSITS else published).append(int(found[0]))
    return min(published or deposited, default=None)


def _metadata(article: Element, meta: Element) -> dict[str, MetadataValue]:
    subjects = (each for part in children(meta, "article-categories") for each in descendants(part, "subject"))
    groups = (group for group in children(meta, "kwd-group") if group.get("kwd-group-type") != "abbreviations")
    journal = child(article, "front/journal-meta")
    pages = (line_of(meta, "fpage"), line_of(meta, "lpage"))
    corrections = _corrections(article, meta)
    values: dict[str, MetadataValue] = {
        "article_type": article.get("article-type", ""),
        "keywords": _lines(keyword for group in groups for keyword in descendants(group, "kwd", "compound-kwd-part")),
        "licence": _licence(meta),
        "pmid": _article_id(meta, "pmid"),
        "subjects": _lines(subjects),
        "volume": line_of(meta, "volume"),
        "issue": line_of(meta, "issue"),
        "pages": "–".join(dict.fromkeys(filter(None, pages))) or line_of(meta, "elocation-id"),
        "publisher": line_of(journal, "publisher/publisher-name"),
        "issn": line_of(journal, "issn"),
        "corrections": corrections,
    }
    retracted = any(each.startswith("retracted") and "in part" not in each for each in corrections)
    return {**{key: value for key, value in values.items() if value}, "retracted": retracted}


def _licence(meta: Element) -> str:
    licence = child(meta, "permissions/license")
    if licence is None:
        return ""
    addresses = (href(each) or _line(each) for each in descendants(licence, "license_ref"))
    linked = (href(each) for each in descendants(licence, "ext-link", "uri") if "creativecommons" in href(each))
    candidates = (href(licence), *addresses, *linked, licence.get("license-type", ""), _line(licence))
    return next(filter(None, candidates), "")


def _lines(elements: Iterator[Element]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_line, elements))))


def _line(element: Element) -> str:
    """The element's text in one line, without its footnotes."""
    return read_paragraph(element).text


# What PubMed Central's and Europe PMC's interfaces wrap an article in.
_WRAPPERS = ("pmc-articleset", "OAI-PMH", "GetRecord", "record", "metadata")
