"""From a search to what is shown: candidates, a ranking of them, passages within limits.

Programs differ in what they search for and how they rank it; how far they look, what is taken of each paper, and how a
ranking becomes passages is the same for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from dspy.utils.exceptions import ContextWindowExceededError

from programs.ingest.document import Chunk, Document
from programs.passages import Passage
from programs.passages.passage_selection import Limits, RankedPassage, chosen, shown_passages
from programs.progress import report_step
from programs.retrieval.retriever import SearchCandidates

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.records import Hit

NO_EVIDENCE = "Could not retrieve supporting evidence: the index holds no passage that matches."
"""Said where nothing was retrieved; the model is then not asked to answer."""
DEPTH = 200
"""Passages that a search for several papers brings."""
MOST_PAPERS = 30
"""Papers that are looked at for one question."""
PER_PAPER = 2
"""Passages of each that come before any further ones."""

T = TypeVar("T")


def hits_of_several(search: Callable[[int], Sequence[Hit]], count: int) -> list[Hit]:
    """So many hits of a deep search, the best of each of many papers first."""
    hits = search(max(count, DEPTH))
    return [hits[place] for place in spread((hit.chunk for hit in hits), count)]


def within(filters: Filters | None, document_id: str) -> Filters:
    """Filters that one paper alone can pass."""
    return {**(filters or {}), "document": [document_id]}


def spread(chunks: Iterable[Chunk], most: int) -> list[int]:
    """Places of so many passages of a list with the best first: few of each paper, and behind them what else it has."""
    brought: Counter[str] = Counter()
    few: list[int] = []
    further: list[int] = []
    for place, each in enumerate(chunks):
        is_known = each.document_id in brought
        if is_known or len(brought) < MOST_PAPERS:
            (few if brought[each.document_id] < PER_PAPER else further).append(place)
            brought[each.document_id] += 1
    return [*few, *further][:most]


def first_of_each(everything: Sequence[Hit], of_papers: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """At most k passages: those of the named papers, and behind them the best of all; each list is best first.

    Each paper brings ``k // (papers + 1)`` passages, at least one; what is left of ``k`` is for the best of all papers.
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is shown of a ranking.

    Attributes:
        passages: In the order of their numbers.
        documents: Their papers, by id.
        chunks: Ids of the ranked chunks that the passages are made of.
    """

    passages: list[Passage]
    documents: Mapping[str, Document]
    chunks: frozenset[str]

    @classmethod
    def of(
        cls,
        ranked: Sequence[RankedPassage],
        limits: Limits,
        document: Callable[[str], Document],
        keys: Mapping[str, str] | None = None,
    ) -> Evidence:
        """Choose passages of a ranking, best first; ``keys`` are what papers are cited by, where not by numbers."""
        stretches = chosen(ranked, limits)
        documents = {name: document(name) for name in dict.fromkeys(each.best.document_id for each in stretches)}
        chunks = frozenset(member.chunk.id for each in stretches for member in each.members)
        return cls(shown_passages(stretches, documents, limits, keys), documents, chunks)


def within_window(limits: Limits, answer: Callable[[Limits], T]) -> tuple[T, list[str]]:
    """What is answered from as many passages as the model can read, and a note where the limits would allow more.

    Raises:
        ContextWindowExceededError: The model cannot read a passage or two.
    """
    fitting = limits
    while True:
        try:
            answered = answer(fitting)
        except ContextWindowExceededError:
            if (half := fitting.halved()) is None:
                raise
            fitting = half
            report_step(
                "note", f"The passages exceed the model's window; trying {half.context_tokens:,} tokens of them"
            )
            continue
        if fitting is limits:
            return answered, []
        return answered, [
            f"The model read {fitting.context_tokens:,} tokens of passages instead of {limits.context_tokens:,}, "
            "as more exceeds its window. Use a model with a larger one, or ask of fewer papers."
        ]
