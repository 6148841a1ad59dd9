"""Finds a paper's DOI, PMCID and year in its file name and first page, and recognises web addresses.

Only what is printed counts: the date on which a PDF file was made says nothing about the year of publication.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

# Crossref's own recommendation for modern DOIs, https://www.crossref.org/blog/dois-and-matching-regular-expressions/
_DOI = re.compile(r"\b10\.\d{4,9}/[-._;()/:A-Z0-9]+", re.IGNORECASE)
# "https://doi.org/" and "10.1371/journal." go on in the next line, where that begins with a digit or what ends in one.
_BROKEN_DOI = re.compile(
    r"(\bdoi\.org/|\b10\.\d{4,9}/(?:[-._;()/:A-Z0-9]*[-._/])?)\s*\n\s*([-._;()/:A-Z0-9]*\d)", re.IGNORECASE
)
_PMCID = re.compile(r"(?<![^\W_])PMC\s?(\d{3,9})(?!\d)", re.IGNORECASE)
_YEAR = r"((?:19|20)\d\d)(?!\d)"
_DATE = (
    r"(?:[\s,.:/–-]|\d{1,2}(?:st|nd|rd|th)?\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|on\b|date\b)*"
)
# From the surest sign to the weakest: a publication date, a copyright line, "J Biol 2019, 3:45", "2019;3(4)", a volume.
_YEAR_SIGNS = tuple(
    re.compile(sign, re.IGNORECASE)
    for sign in (
        rf"\b(?:published|publication date|epub)(?:\s+online)?{_DATE}\b{_YEAR}",
        rf"\b(?:published|publication date|epub)\b[^\n]{{0,40}}?\b{_YEAR}",
        rf"(?:©|\(c\)|copyright)[^\n\d]{{0,40}}{_YEAR}",
        rf"\b{_YEAR}\s*[,;:]\s*\d+\s*(?:\(\d+\)\s*)?[:(,]",
        rf"\bvol(?:ume|\.)?\s*\d[^\n]{{0,60}}?\b{_YEAR}",
        rf"[(\s]{_YEAR}\)?,?\s*(?:vol|\d+\s*[:(,])",
        rf"\b\d+\s*\({_YEAR}\)[,:]?\s*e?\d",
        rf"\bcite this[^\n]*(?:\n[^\n]*){{0,3}}?\({_YEAR}\)",
        rf"\baccepted\b[^\n]{{0,30}}?\b{_YEAR}",
        rf"\barXiv:\d[^\n]{{0,40}}?\b{_YEAR}",
    )
)


def find_doi(text: str) -> str:
    """The first DOI of the text, without a resolver's address and trailing punctuation; empty if there is none."""
    return next(find_dois(text), "")


def find_dois(text: str) -> Iterator[str]:
    """All DOIs of the text as ``find_doi`` gives them; one broken across lines is joined."""
    for found in _DOI.finditer(_BROKEN_DOI.sub(r"\1\2", text)):
        doi = found[0].rstrip(".;:,")
        while doi.endswith(")") and doi.count("(") < doi.count(")"):
            doi = doi[:-1].rstrip(".;:,")
        yield doi


def find_pmcid(text: str) -> str:
    """The first PMCID of the text as "PMC2654319"; empty if there is none."""
    found = _PMCID.search(text)
    return f"PMC{found[1]}" if found else ""


def find_year(text: str) -> int | None:
    """The year of publication, from a publication date, copyright line or volume number."""
    for sign in _YEAR_SIGNS:
        if found := sign.search(text):
            return int(found[1])
    return None


def is_web_address(text: str) -> bool:
    """Whether a text is an http or https address with a host, and without white space or control characters."""
    if not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # brackets that close no IPv6 address
        return False
