"""Candidates in the order of the weighted sum of their signals; no language model is called.

ranked = rerank(candidates, Keywords.of(question, expansion.added), now=2026)
ranked[0].final, ranked[0].signals      # 0.74, {"sim": 0.82, "bm25": 1.0, …}

final = 0.36·sim + 0.18·bm25 + 0.14·keyword_overlap + 0.12·sec_boost + 0.08·recency + 0.07·authority
+ 0.05·length_fit − 0.10·duplicate_penalty (+ w·cross_encoder: 4 in `multi_signal`, 0 in its preset `seed`)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from typing import Literal, TypeAlias

from programs.errors import UsageError
from programs.retrieval.records import Hit
from programs.retrieval.reranking.signals import (
    SAME_MEANING,
    Keywords,
    authority,
    bm25_shares,
    duplicates,
    keyword_overlap,
    length_fit,
    recency,
    section_boost,
    similarities,
    stems,
)
from programs.retrieval.retriever import SearchCandidates


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """One factor per signal: any finite number; a negative one makes the signal a penalty."""

    sim: float = 0.36
    bm25: float = 0.18
    keyword_overlap: float = 0.14
    sec_boost: float = 0.12
    recency: float = 0.08
    authority: float = 0.07
    length_fit: float = 0.05
    duplicate_penalty: float = -0.10
    cross_encoder: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < math.inf:
                raise UsageError(f"the weight of {each.name} must be a finite number, got {value!r}")

    def final(self, signals: Mapping[str, float]) -> float:
        """The weighted sum of signals by name; signals that are not given count as 0."""
        return math.fsum(float(getattr(self, name)) * value for name, value in signals.items())


Mode: TypeAlias = Literal["scaled", "raw"]
"""Whether section and authority boosts are shares of the largest one, or as their tables have them."""

SEED_WEIGHTS = SignalWeights()


@dataclass(frozen=True, slots=True)
class Reranked:
    """A candidate with its signals.

    Attributes:
        hit: The passage.
        signals: By the names that ``SignalWeights`` has.
        final: Their weighted sum.
    """

    hit: Hit
    signals: Mapping[str, float]
    final: float

    @property
    def is_duplicate(self) -> bool:
        """Whether a better candidate says the same."""
        return self.signals.get("duplicate_penalty", 0.0) > 0

    @property
    def document_id(self) -> str:
        """The paper it stands in."""
        return self.hit.chunk.document_id

    @property
    def reason(self) -> str:
        """The signals in words, "Sim: 0.823 | Sec: 0.100 | …"."""
        named = [f"{label}: {self.signals.get(name, 0.0):.3f}" for name, label in _SHOWN_FIRST]
        others = [f"{label}: {self.signals[name]:.3f}" for name, label in _SHOWN_LAST if name in self.signals]
        return " | ".join([*named, f"Final: {self.final:.3f}", *others])

    def with_signal(self, name: str, value: float, weights: SignalWeights) -> Reranked:
        """The same with one more signal, and its final score with it."""
        signals = {**self.signals, name: value}
        return replace(self, signals=signals, final=weights.final(signals))


_SHOWN_FIRST = (("sim", "Sim"), ("sec_boost", "Sec"), ("keyword_overlap", "Keyword"), ("authority", "Authority"))
_SHOWN_LAST = (
    ("bm25", "BM25"),
    ("recency", "Recency"),
    ("length_fit", "Length"),
    ("duplicate_penalty", "Duplicate"),
    ("cross_encoder", "Cross-encoder"),
)


def rerank(
    candidates: SearchCandidates,
    keywords: Keywords,
    *,
    now: int,
    weights: SignalWeights = SEED_WEIGHTS,
    mode: Mode = "scaled",
    same_meaning: float = SAME_MEANING,
) -> list[Reranked]:
    """Order candidates by eight signals.

    Args:
        candidates: Passages with vectors; similarity is that to the first of the queries.
        keywords: Words of the question and of its expansion.
        now: The year that recency is counted from.
        weights: One factor a signal.
        mode: See ``Mode``.
        same_meaning: As for ``duplicates``.

    Returns:
        All candidates, best first; equal scores in the order of the search.
    """
    if not candidates.hits:
        return []
    words = [stems(hit.chunk.text) for hit in candidates.hits]
    signals = _signals(candidates, words, keywords, now, raw=mode == "raw")
    scores = [weights.final(each) for each in signals]
    marked = duplicates(scores, candidates.vectors, words, same_meaning)
    ranked = [
        Reranked(hit, each, score).with_signal("duplicate_penalty", float(is_copy), weights)
        for hit, each, score, is_copy in zip(candidates.hits, signals, scores, marked, strict=True)
    ]
    return in_order(ranked)


def in_order(ranked: Sequence[Reranked]) -> list[Reranked]:
    """Best first; equal scores stay as they stand."""
    return sorted(ranked, key=lambda each: -each.final)


def _signals(
    candidates: SearchCandidates, words: Sequence[Set[int]], keywords: Keywords, now: int, *, raw: bool
) -> list[dict[str, float]]:
    """All signals but the duplicate's, in the order of the hits."""
    hits = candidates.hits
    sims = similarities(candidates.query, candidates.vectors)
    shares = bm25_shares(candidates.bm25)
    return [
        {"sim": sim, "bm25": share, **_own_signals(hit, held, keywords, now, raw=raw)}
        for hit, sim, share, held in zip(hits, sims, shares, words, strict=True)
    ]


def _own_signals(hit: Hit, words: Set[int], keywords: Keywords, now: int, *, raw: bool) -> dict[str, float]:
    """Signals that look at one passage alone; its words are read with its paper's title, as the search reads them."""
    chunk, known = hit.chunk, hit.metadata or {}
    year = known.get("year")
    titled = words | stems(str(known.get("title", "")))
    return {
        "keyword_overlap": keyword_overlap(keywords, titled),
        "sec_boost": section_boost(chunk.section, raw=raw),
        "recency": recency(year if isinstance(year, int) else None, now),
        "authority": authority(*(str(known.get(name, "")) for name in ("url", "doi", "journal", "pmcid")), raw=raw),
        "length_fit": length_fit(len(chunk.text.split())),
    }
