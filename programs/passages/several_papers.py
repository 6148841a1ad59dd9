"""Questions that ask for several papers, which want all of them and not the best passages of the best.

    "Which trials tested herbal medicines against placebo?"      each trial that did
    "Do the studies agree on exercise before a meal?"            each study

For these a search looks further, takes few passages of each paper, and every paper that bears on the question is shown
before any has a second passage.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from programs.ingest.document import Chunk

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
