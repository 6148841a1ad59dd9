"""Reciprocal rank fusion: many ranked lists become one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

RRF_K = 60
"""Damping of the first ranks, the value of Cormack, Clarke & Büttcher (SIGIR 2009); Qdrant's own RRF counts
``1 / (k + rank)``, so its k is ours plus 1."""


@dataclass(frozen=True, slots=True)
class Fused:
    """One item of a fused list.

    Attributes:
        score: Sum over the lists that hold it of ``1 / (60 + rank + 1)``, rank from 0; higher is better.
        ranks: Its rank from 0 in each list, in the order of the lists; None where the list does not hold it.
    """

    id: str
    score: float
    ranks: tuple[int | None, ...]


def reciprocal_rank_fusion(lists: Sequence[Iterable[str]], limit: int | None = None) -> list[Fused]:
    """Fuse ranked lists of ids (Cormack, Clarke & Büttcher, SIGIR 2009).

    Args:
        lists: Ids, best first. An id that is twice in a list counts at its first place only.
        limit: How many to return at most, at least 1; all by default.

    Returns:
        Every id once, best first; equal scores in the order of their best rank, then of the id.
    """
    places = [{item: rank for rank, item in enumerate(dict.fromkeys(ids))} for ids in lists]
    scores: dict[str, float] = {}
    for ranks in places:
        for item, rank in ranks.items():
            scores[item] = scores.get(item, 0.0) + 1 / (RRF_K + rank + 1)
    fused = [Fused(item, score, tuple(ranks.get(item) for ranks in places)) for item, score in scores.items()]
    return sorted(fused, key=lambda one: (-one.score, min(r for r in one.ranks if r is not None), one.id))[:limit]
