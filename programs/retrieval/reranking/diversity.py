"""Chooses passages of several papers out of a ranking.

1. The first ``shortlist`` of the ranking are looked at, best first; a paper may bring ``max_per_document`` of them.
2. If the chosen come from fewer than ``min_sources`` papers though the ranking has more, the best passage of each
   further paper is taken in, from the shortlist first and then from behind it. It takes a free place, or the place of
   the lowest-ranked passage whose paper brings another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from programs.retrieval.reranking.rerank import Reranked, in_order


def diversified(
    ranked: Sequence[Reranked], *, count: int, shortlist: int, max_per_document: int, min_sources: int
) -> list[Reranked]:
    """Choose passages.

    Args:
        ranked: Best first.
        count: How many to choose at most.
        shortlist: How many of the ranking to choose from, unless papers are missing.
        max_per_document: Passages a paper may bring, at least 1.
        min_sources: Papers that the chosen come from, where the ranking has so many and ``count`` allows it.

    Returns:
        At most ``count`` passages, best first.
    """
    chosen = _best(ranked[: max(shortlist, count)], count, max_per_document)
    missing = min(min_sources, count) - len(_sources(chosen))
    for newcomer in _of_other_papers(ranked, chosen)[: max(missing, 0)]:
        if len(chosen) >= count:
            chosen.remove(_dispensable(chosen))
        chosen.append(newcomer)
    return in_order(chosen)


def _best(ranked: Sequence[Reranked], count: int, max_per_document: int) -> list[Reranked]:
    chosen: list[Reranked] = []
    taken: Counter[str] = Counter()
    for each in ranked:
        if len(chosen) < count and taken[each.document_id] < max_per_document:
            chosen.append(each)
            taken[each.document_id] += 1
    return chosen


def _of_other_papers(ranked: Sequence[Reranked], chosen: Sequence[Reranked]) -> list[Reranked]:
    """The best passage of each paper that brings none, best first."""
    best: dict[str, Reranked] = {}
    for each in ranked:
        best.setdefault(each.document_id, each)
    return [each for name, each in best.items() if name not in _sources(chosen)]


def _dispensable(chosen: Sequence[Reranked]) -> Reranked:
    """The lowest-ranked passage whose paper brings another one; with fewer papers than places there is one."""
    taken = Counter(each.document_id for each in chosen)
    return min((each for each in chosen if taken[each.document_id] > 1), key=lambda each: each.final)


def _sources(chosen: Sequence[Reranked]) -> set[str]:
    return {each.document_id for each in chosen}
