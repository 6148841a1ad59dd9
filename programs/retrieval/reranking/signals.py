"""Signals of a passage: similarity, keywords, length, recency and section, each a share from 0 to 1."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from programs.ingest.document import SectionKind
from programs.retrieval.bm25 import Bm25
from programs.retrieval.store import Vector

_BM25 = Bm25()
"""Also cuts texts into stems without stop words, as both the index and these signals count them."""


INSTEAD = 0.25
"""What an added term counts against a stem of the question. On 250 training claims of SciFact and half of Evidence
Inference nDCG@10 is 0.727 and 0.529; 0.732 and 0.527 with 0, 0.706 and 0.524 with 1."""


def stems(text: str) -> frozenset[int]:
    """The distinct stems of a text, stop words left out, each as a number."""
    return frozenset(_BM25.query(text).indices)


@dataclass(frozen=True, slots=True)
class Keywords:
    """What to look for.

    Attributes:
        question: Stems of the question.
        added: Stems of each term that the expansion added.
    """

    question: frozenset[int]
    added: tuple[frozenset[int], ...] = ()

    @classmethod
    def of(cls, question: str, added: Collection[str] = ()) -> Keywords:
        """Cut a question and added terms into stems."""
        return cls(stems(question), tuple(found for term in added if (found := stems(term))))


def keyword_overlap(keywords: Keywords, passage: Set[int]) -> float:
    """Share of the question's stems that a passage holds.

    An added term that stands in the passage with all its stems makes up for a part of a stem that does not: a passage
    on "murine" bones need not say "mouse".

    Returns:
        A value in [0, 1]; 0 for a question of stop words.
    """
    if not keywords.question:
        return 0.0
    held = len(keywords.question & passage)
    instead = sum(term <= passage and not term <= keywords.question for term in keywords.added)
    return min(1.0, (held + INSTEAD * instead) / len(keywords.question))


SECTION_BOOSTS: Mapping[SectionKind, float] = {
    "abstract": 0.10,
    "results": 0.10,
    "discussion": 0.07,
    "conclusion": 0.07,
    "methods": 0.03,
    "introduction": 0.03,
    "appendix": 0.0,
    "references": 0.0,
    "other": 0.0,
    "notice": 0.0,
}
LARGEST = max(SECTION_BOOSTS.values())


def section_boost(section: SectionKind, *, raw: bool = False) -> float:
    """The boost of a section, as a share of the largest one; ``raw`` gives it as the table has it."""
    boost = SECTION_BOOSTS[section]
    return boost if raw else boost / LARGEST


HALF_LIFE = 10
"""Years in which the signal falls to a half; the cited half-life of biomedical journals is six to ten."""

UNKNOWN = 0.5
"""A paper without a year counts as one of ten years ago: neither favoured nor punished."""


def recency(year: int | None, now: int) -> float:
    """``0.5 ** (age / 10)``: 1 for a paper of this year or later, 0.5 after ten years, 0.25 after twenty.

    Args:
        year: Of publication, or None when it is not known, which counts as ten years ago.
        now: The year to count from.
    """
    if year is None:
        return UNKNOWN
    value: float = 0.5 ** (max(0, now - year) / HALF_LIFE)
    return value


SHORTEST, LONGEST = 40, 300
"""Words between which a passage fits: two sentences, and a long paragraph."""


def length_fit(words: int) -> float:
    """1 for 40 to 300 words; below in proportion to the words, above to their inverse (600 words: 0.5).

    Args:
        words: Number of words of the passage, at least 0.
    """
    if words < SHORTEST:
        return words / SHORTEST
    return min(1.0, LONGEST / words)


def similarities(query: Vector, passages: Vector) -> list[float]:
    """Cosine similarity of each passage to the query; opposite directions count as unrelated.

    Args:
        query: Unit vector [dimension].
        passages: Unit vectors [n, dimension].

    Returns:
        n values in [0, 1].
    """
    found: list[float] = np.clip(passages @ query, 0.0, 1.0).tolist()
    return found


def bm25_shares(scores: Sequence[float | None]) -> list[float]:
    """BM25 scores as shares of the best one among the candidates.

    BM25 has no upper bound, and only the ratio of two scores of one query says anything. The lowest score is not
    stretched to 0: a candidate that the words alone would have found last is still found by words.

    Args:
        scores: One a candidate; None where BM25 did not find it.

    Returns:
        Values in [0, 1], in the order of the scores; 0 for None, and for all when the best is not above 0.
    """
    best = max((score for score in scores if score is not None), default=0.0)
    return [max(score, 0.0) / best if score is not None and best > 0 else 0.0 for score in scores]
