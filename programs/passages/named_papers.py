"""Papers that a question names, and questions that ask for several papers.

    "What does Figure 2 of PMC1234567 show?"            the paper PMC1234567, where the index has it
    "Did smith-2014 weigh bones?"                       the paper smith-2014: its id, as it stands in the index
    "What did Petrosyan et al. (2018) find?"            among papers that are at hand: that of Petrosyan, 2018
    "Which trials tested herbal medicines?"             each trial that did
    "Do the studies agree on exercise before a meal?"   each study

A search goes by meaning and by words and knows nothing of names, so named papers are searched apart. For several papers
it looks further and takes few passages of each; every paper that bears on the question has one before any a second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from programs.ingest.document import Chunk, Document
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


DEPTH = 200
"""Passages that a search for several papers brings."""
MOST_PAPERS = 30
"""Papers that are looked at for one question."""
PER_PAPER = 2
"""Passages of each that are looked at."""

_PAPERS = (
    r"(?:trials|studies|papers|articles|publications|experiments|investigations"
    r"|ensayos|estudios|artículos|studien|études|essais)"
)
_ASKED = re.compile(
    r"\b(?:which|what|list|name|find|all|how many|qué|cuáles|cuántos|welche|wie viele|quelles|quels|combien)\b"
    rf"(?:\s+[\w’'-]+){{0,4}}?\s+{_PAPERS}\b"
    rf"|\b(?:do|did|are|the|across|between|among)\s+(?:the\s+|these\s+|all\s+)?{_PAPERS}\b[^.?!]*"
    r"\b(?:agree|disagree|differ|conflict|contradict|consistent|compare)",
    re.IGNORECASE,
)


def asks_for_several(question: str) -> bool:
    """Whether a question asks which papers, or what papers say of one another."""
    return _ASKED.search(question) is not None


def spread(chunks: Iterable[Chunk], most: int) -> list[int]:
    """Places of the first passages, few of each paper.

    Args:
        chunks: Best first.
        most: How many at most.
    """
    brought: Counter[str] = Counter()
    kept: list[int] = []
    for place, each in enumerate(chunks):
        is_known = each.document_id in brought
        if brought[each.document_id] < PER_PAPER and (is_known or len(brought) < MOST_PAPERS):
            brought[each.document_id] += 1
            kept.append(place)
    return kept[:most]
