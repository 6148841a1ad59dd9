"""The papers that a draft cites: as BibTeX, and as the list at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from programs.ingest.document import Document
from programs.paper_writer.evidence import CitedPaper, Evidence
from programs.references.files import bibtex as as_bibtex
from programs.references.items import Item, item_of

_FEW = 3
"""Authors who are all named in the list; of more, the first."""


def cited_papers(evidence: Iterable[Evidence], keys: Iterable[str]) -> tuple[CitedPaper, ...]:
    """The papers of the evidence that have one of the keys, by key."""
    return of_cited_keys({each.key: each.chunk.paper for each in evidence}, keys)


def of_cited_keys(papers: Mapping[str, CitedPaper], keys: Iterable[str]) -> tuple[CitedPaper, ...]:
    """Those of the papers whose key is cited, by key."""
    return tuple(papers[key] for key in sorted(papers.keys() & set(keys)))


def bibtex(papers: Iterable[CitedPaper]) -> str:
    """A BibTeX database of the papers; empty without papers."""
    return as_bibtex([_item(paper) for paper in papers])


def reference(paper: CitedPaper) -> str:
    """A paper as one line of a reference list, in plain text."""
    names = [name.partition(",")[0] for name in paper.authors]
    authors = ", ".join(paper.authors) if len(names) <= _FEW else f"{paper.authors[0]} et al."
    who = f"{authors or 'Anonymous'} ({paper.year or 'n.d.'})"
    where = f"https://doi.org/{paper.doi}" if paper.doi else paper.url
    parts = (who, paper.title or paper.paper_id, paper.journal, where)
    return ". ".join(part.rstrip(".") for part in parts if part)


def _item(paper: CitedPaper) -> Item:
    """A paper as the reference lists of all exports are made of, under the draft's own key."""
    known = Document(
        paper.paper_id,
        "",
        title=paper.title,
        authors=paper.authors,
        year=paper.year,
        journal=paper.journal,
        doi=paper.doi,
        url=paper.url,
    )
    return {**item_of(known), "id": paper.citation_key}
