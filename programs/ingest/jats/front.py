"""What a JATS article says about itself: title, authors, year, journal, identifiers, keywords, licence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from programs.ingest.document import Front, MetadataValue
from programs.ingest.jats.inline import read_paragraph
from programs.ingest.xml_parsing import Element, child, children, descendants, href, name

_FORWARD = {
    "retraction-forward": "retracted",
    "partial-retraction-forward": "retracted in part",
    "retraction": "retracted",
    "partial-retraction": "retracted in part",
    "concern-forward": "under an expression of concern",
    "expression-of-concern-forward": "under an expression of concern",
    "expression-of-concern": "under an expression of concern",
    "correction-forward": "corrected",
    "corrected-forward": "corrected",
    "erratum-forward": "corrected",
    "correction": "corrected",
    "erratum": "corrected",
}
"""What a link from a paper to a later notice says of the paper."""
_NOTICES = ("retraction", "correction", "expression-of-concern", "erratum")
"""Kinds of article that are such a notice: what they link to is the paper, not a notice on them."""
_TITLE = re.compile(r"^\W*(?:RETRACTED\b|Retracted(?: [Aa]rticle)?\s*[:\]])")
_DOI_ADDRESS = re.compile(r"^https?://(?:dx\.)?doi\.org/", re.IGNORECASE)


def corrections_of(article: Element, meta: Element, title: str) -> dict[str, MetadataValue]:
    """``retracted``, and ``corrections``: each in words, with the notice where it is named."""
    said = list(dict.fromkeys(_said(article, meta)))
    retracted = any(each.startswith("retracted") and "in part" not in each for each in said)
    if not retracted and _TITLE.match(title):
        retracted, said = True, ["retracted, as its title says", *said]
    return {"retracted": retracted, **({"corrections": said} if said else {})}


def _said(article: Element, meta: Element) -> Iterator[str]:
    if article.get("article-type", "") in _NOTICES:
        return
    for link in [*children(meta, "related-article"), *_in_notes(article)]:
        kind = _FORWARD.get(link.get("related-article-type", "").lower())
        if kind is not None:
            notice = _DOI_ADDRESS.sub("", href(link).strip())
            yield f"{kind} by {notice}" if notice else kind


def _in_notes(article: Element) -> Iterator[Element]:
    """Some publishers put the link into a note at the end of the paper."""
    for back in children(article, "back"):
        yield from descendants(back, "related-article")


_PMCID = re.compile(r"(?:PMC)?(\d+)(?:\.\d+)?", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
# Dates that are about a paper's deposit, not its publication; taken only when there is no other.
_DEPOSITS = ("pmc-release", "nihms-submitted", "corrected", "retracted", "preprint", "received", "accepted")


def read_front(article: Element) -> Front:
    """The front matter of an ``article``."""
    meta = child(article, "front/article-meta")
    if meta is None:
        return Front()
    title = _line(child(meta, "title-group/article-title"))
    pmcid, doi = _pmcid(meta), _article_id(meta, "doi").removeprefix("https://doi.org/")
    return Front(
        title=title,
        authors=tuple(_authors(meta)),
        year=_year(meta),
        journal=_journal(article),
        doi=doi,
        pmcid=pmcid,
        url=_url(meta, pmcid, doi),
        metadata={
            **_metadata(article, meta),
            **_printed(article, meta),
            **corrections_of(article, meta, title),
        },
    )


def _article_id(meta: Element, *kinds: str) -> str:
    ids = (_line(each) for each in children(meta, "article-id") if each.get("pub-id-type") in kinds)
    return next(filter(None, ids), "")


def _pmcid(meta: Element) -> str:
    """The PMCID as "PMC1079844", where the article has it so, without "PMC" or with a version behind it."""
    found = _PMCID.fullmatch(_article_id(meta, "pmc", "pmcid", "pmcaid"))
    return f"PMC{found[1]}" if found else ""


def _authors(meta: Element) -> Iterator[str]:
    """The authors in printed order; editors, and the members behind a group's name, are not among them."""
    for group in children(meta, "contrib-group"):
        for contributor in children(group, "contrib"):
            if contributor.get("contrib-type", "author") == "author" and (author := _author(contributor)):
                yield author


def _author(contributor: Element) -> str:
    for each in children(contributor, "name", "name-alternatives", "string-name", "collab", "collab-alternatives"):
        if name(each).endswith("-alternatives"):
            return _author(each)
        if name(each) == "collab":
            return _group_name(each)
        surname, given, suffix = (_line(child(each, part)) for part in ("surname", "given-names", "suffix"))
        return ", ".join(filter(None, (surname, given, suffix))) or _line(each)
    return ""


def _group_name(collaboration: Element) -> str:
    """The name of a group whose element also holds its members and addresses."""
    own = [collaboration.text, *(text for each in collaboration for text in (_institution(each), each.tail))]
    return " ".join(" ".join(text for text in own if text).split()).strip(" ,;")


def _institution(element: Element) -> str:
    return _line(element) if name(element) in ("institution", "named-content", "italic", "bold", "sc") else ""


def _year(meta: Element) -> int | None:
    """The earliest year of publication: online, in print or in a collection.

    A paper is cited by the year in which it first came out; the year of its deposit counts only when no other is given.
    """
    published: list[int] = []
    deposited: list[int] = []
    for date in children(meta, "pub-date"):
        kind = date.get("pub-type") or date.get("date-type") or ""
        if found := _YEAR.search(_line(child(date, "year")) or date.get("iso-8601-date", "")):
            (deposited if kind in _DEPOSITS else published).append(int(found[0]))
    return min(published or deposited, default=None)


def _journal(article: Element) -> str:
    meta = child(article, "front/journal-meta")
    places = ("journal-title-group/journal-title", "journal-title", "journal-id")
    return next(filter(None, (_line(child(meta, place)) for place in places)), "")


def _url(meta: Element, pmcid: str, doi: str) -> str:
    """Where the paper can be read: PubMed Central, its DOI, else the address that it gives itself."""
    if pmcid:
        return f"https://www.ncbi.nlm.nih.gov/pmc/articles/{pmcid}/"
    if doi:
        return f"https://doi.org/{doi}"
    return next(filter(None, (href(each) for each in children(meta, "self-uri"))), "")


def _metadata(article: Element, meta: Element) -> dict[str, MetadataValue]:
    categories = child(meta, "article-categories")
    subjects = [] if categories is None else _lines(descendants(categories, "subject"))
    groups = (group for group in children(meta, "kwd-group") if group.get("kwd-group-type") != "abbreviations")
    values: dict[str, MetadataValue] = {
        "article_type": article.get("article-type", ""),
        "keywords": _lines(keyword for group in groups for keyword in descendants(group, "kwd", "compound-kwd-part")),
        "licence": _licence(meta),
        "pmid": _article_id(meta, "pmid"),
        "subjects": subjects,
    }
    return {key: value for key, value in values.items() if value}


def _printed(article: Element, meta: Element) -> dict[str, MetadataValue]:
    """Where the paper was printed, as a reference to it says."""
    journal = child(article, "front/journal-meta")
    first, last = _line(child(meta, "fpage")), _line(child(meta, "lpage"))
    values: dict[str, MetadataValue] = {
        "volume": _line(child(meta, "volume")),
        "issue": _line(child(meta, "issue")),
        "pages": "–".join(dict.fromkeys(filter(None, (first, last)))) or _line(child(meta, "elocation-id")),
        "publisher": _line(child(journal, "publisher/publisher-name")),
        "issn": _line(child(journal, "issn")),
    }
    return {key: value for key, value in values.items() if value}


def _licence(meta: Element) -> str:
    """The licence's address, else its type, else its text."""
    licence = child(meta, "permissions/license")
    if licence is None:
        return ""
    addresses = (href(each) or _line(each) for each in descendants(licence, "license_ref"))
    linked = (href(each) for each in descendants(licence, "ext-link", "uri") if "creativecommons" in href(each))
    candidates = (href(licence), *addresses, *linked, licence.get("license-type", ""), _line(licence))
    return next(filter(None, candidates), "")


def _lines(elements: Iterator[Element]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_line, elements))))


def _line(element: Element | None) -> str:
    """The element's text in one line, without its footnotes."""
    return "" if element is None else read_paragraph(element).text
