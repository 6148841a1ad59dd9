"""The papers that a draft cites: as BibTeX, and as the list at its end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from programs.paper_writer.evidence import Evidence, Paper

if TYPE_CHECKING:
    from pybtex.database import Entry, Person

_BRACES = re.compile(r"[{}\\]")
_FEW = 3
"""Authors who are all named in the list; of more, the first."""


def cited_papers(evidence: Iterable[Evidence], keys: Iterable[str]) -> tuple[Paper, ...]:
    """The papers of the evidence that have one of the keys, by key."""
    return of_cited_keys({each.key: each.chunk.paper for each in evidence}, keys)


def of_cited_keys(papers: Mapping[str, Paper], keys: Iterable[str]) -> tuple[Paper, ...]:
    """Those of the papers whose key is cited, by key."""
    return tuple(papers[key] for key in sorted(papers.keys() & set(keys)))


def bibtex(papers: Iterable[Paper]) -> str:
    """A BibTeX database of the papers; empty without papers."""
    from pybtex.database import BibliographyData

    entries = {paper.citation_key: _entry(paper) for paper in papers}
    return str(BibliographyData(entries).to_string("bibtex")) if entries else ""


def reference(paper: Paper) -> str:
    """A paper as one line of a reference list, in plain text."""
    names = [name.partition(",")[0] for name in paper.authors]
    authors = ", ".join(paper.authors) if len(names) <= _FEW else f"{paper.authors[0]} et al."
    who = f"{authors or 'Anonymous'} ({paper.year or 'n.d.'})"
    where = f"https://doi.org/{paper.doi}" if paper.doi else paper.url
    parts = (who, paper.title or paper.paper_id, paper.journal, where)
    return ". ".join(part.rstrip(".") for part in parts if part)


def _entry(paper: Paper) -> Entry:
    from pybtex.database import Entry

    known = {
        "title": paper.title or paper.paper_id,
        "journal": paper.journal,
        "year": str(paper.year or ""),
        "doi": paper.doi,
        "url": paper.url,
    }
    fields = {name: _plain(value) for name, value in known.items() if value}
    return Entry(
        "article" if paper.journal else "misc", fields=fields, persons={"author": [*map(_person, paper.authors)]}
    )


def _person(name: str) -> Person:
    from pybtex.database import Person

    family, comma, given = _plain(name).partition(",")
    # BibTeX parts names at the word "and", and names without a comma at their spaces, as those of organisations are.
    whole = " and " in f" {family} " or (not comma and " " in family.strip())
    family = f"{{{family.strip()}}}" if whole else family.strip()
    return Person(last=family, first=given.strip())


def _plain(text: str) -> str:
    """Text without braces, backslashes and a lonely dollar sign, which would part a field or never end."""
    bare = " ".join(_BRACES.sub("", text).split())
    return bare if bare.count("$") % 2 == 0 else bare.replace("$", "")
