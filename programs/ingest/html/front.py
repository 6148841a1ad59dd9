"""What the head of a page says about its paper: the tags that Google Scholar and Dublin Core define."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from programs.ingest.author_names import family_first, split_authors
from programs.ingest.identifiers import find_doi
from programs.ingest.xml_parsing import Element, descendants, raw_text

_TITLES = ("citation_title", "dc.title", "dcterms.title", "og:title")
_AUTHORS = ("citation_author", "dc.creator", "dcterms.creator")
_DATES = ("citation_publication_date", "citation_online_date", "citation_date", "dc.date", "dcterms.issued", "date")
_JOURNALS = ("citation_journal_title", "prism.publicationname", "dc.source")
_DOIS = ("citation_doi", "prism.doi", "dc.identifier", "doi")
_YEAR = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)(?!\d)")
# "Cold and yeast | Journal of Cold", "… - PMC", "… – PLOS ONE": what a site adds to the title of its page.
_SITE = re.compile(r"\s+[|–—]\s+[^|–—]{1,60}$|\s+-\s+[^-]{1,40}$")


@dataclass(frozen=True, slots=True)
class Front:
    """What a page says about its paper; empty where it says nothing. ``page_title`` is the title of its window."""

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
