"""Papers that a question names, and passages of them.

    "What does Figure 2 of PMC1234567 show?"     the paper PMC1234567, where the index has it
    "Did smith-2014 weigh bones?"                the paper smith-2014: its id, as it stands in the index
    "What did Petrosyan et al. (2018) find?"     among papers that are at hand: that of Petrosyan, 2018

A search goes by meaning and by words and knows nothing of such names, so the papers are searched apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from programs.ingest.document import Document
from programs.retrieval.retriever import KnowsItsPapers, SearchCandidates

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.records import Hit
    from programs.retrieval.retriever import Retriever

MOST = 5
"""Papers of one question that are searched apart; each takes a search."""

_PMCID = re.compile(r"PMC\d+", re.IGNORECASE)
# An id is told from a word or a number by having both: "bone.pdf" must not turn every question on bone to itself.
_ID = re.compile(r"(?=[^\s,;?!()\[\]\"“”]*[^\W\d_])(?=[^\s,;?!()\[\]\"“”]*\d)[^\s,;?!()\[\]\"“”]+")
# What may stand between an author's name and the year: "et al. (", "and colleagues, ".
_TO_THE_YEAR = r"[^?!\d]{0,40}?\(?"

T = TypeVar("T")


def ids_in(question: str) -> list[str]:
    """Everything in a question that may be the id of a paper, each once, PMCIDs in capitals."""
    printed = [match.group().strip(".:'’") for match in _ID.finditer(question)]
    # "PMC123's", "PMC123–PMC125" and "図PMC123の" hold PMCIDs too.
    found = [match.group().upper() for match in _PMCID.finditer(question)]
    return list(dict.fromkeys([*found, *(each for each in printed if each and each.upper() not in found)]))


def named_in(question: str, retriever: Retriever, filters: Filters | None) -> list[str]:
    """Ids of the papers that a question names, in its order; only an index is asked, and knows which it has.

    None where the filters choose papers already: a question does not widen them.
    """
    if not isinstance(retriever, KnowsItsPapers) or "document" in (filters or {}):
        return []
    asked = ids_in(question)
    known = retriever.content_hashes(asked) if asked else {}
    return [each for each in asked if each in known][:MOST]


def meant_by(question: str, documents: Mapping[str, Document]) -> list[Document]:
    """Those of the given papers that a question names, by id or by first author and year."""
    asked = set(ids_in(question))
    return [
        document
        for document in documents.values()
        if asked & {document.id, document.pmcid.upper()} - {""} or _is_cited(document, question)
    ]


def within(filters: Filters | None, document_id: str) -> Filters:
    """Filters that one paper alone can pass."""
    return {**(filters or {}), "document": [document_id]}


def first_of_each(everything: Sequence[Hit], of_papers: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """The passages of the named papers, and behind them the best of all.

    Each paper brings ``k // (papers + 1)`` passages, at least one; what is left of ``k`` is for the best of all papers.

    Args:
        everything: Found in the whole index, best first.
        of_papers: Found in each named paper, best first.
        k: How many passages there are to be at most.
    """
    share = max(1, k // (len(of_papers) + 1))
    named = [hit for hits in of_papers for hit in hits[:share]]
    return _once([*named, *everything], lambda hit: hit.chunk.id)[:k]


def joined(found: Sequence[SearchCandidates]) -> SearchCandidates:
    """Candidates of several searches for the same queries, each passage once."""
    rows = [(source, row) for source in found for row in range(len(source.hits))]
    kept = _once(rows, lambda place: place[0].hits[place[1]].chunk.id)
    return SearchCandidates(
        [source.hits[row] for source, row in kept],
        np.stack([source.vectors[row] for source, row in kept]) if kept else found[0].vectors,
        found[0].query,
        [source.bm25[row] for source, row in kept],
    )


def _once(items: Iterable[T], name: Callable[[T], str]) -> list[T]:
    first: dict[str, T] = {}
    for item in items:
        first.setdefault(name(item), item)
    return list(first.values())


def _is_cited(document: Document, question: str) -> bool:
    """Whether a question has the first author's family name with the year behind it."""
    family = document.authors[0].partition(",")[0].strip() if document.authors else ""
    if not family or not document.year:
        return False
    named = rf"(?<!\w){re.escape(family)}(?!\w){_TO_THE_YEAR}{document.year}(?!\d)"
    return re.search(named, question, re.IGNORECASE) is not None
