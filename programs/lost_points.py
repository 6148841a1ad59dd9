"""Points that no chunk is near by its vector: looked for again, by their numbers and by the learned order.

point   "Pain scored 3.2 with the drug and 5.9 with placebo."
chunk   "Table 2. … | VAS, mean | 3.2 | 5.9 |"        a table holds the numbers, and has no vector near the point
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from programs.ingest.document import Chunk
from programs.retrieval.reranking.cross_encoder import CrossEncoder
from programs.retrieval.reranking.signals.keywords import stems

LEAST = 0.2
"""Probability, by the order, that a chunk says what a point says."""
NEAREST = 20
"""Chunks with most of a point's words that the order reads."""
_NUMBER = re.compile(r"\d+(?:[.,·]\d+)*")
_FEWEST_NUMBERS = 2
"""A single number stands in many chunks by chance."""


def searched_again(
    points: Mapping[int, str], chunks: Sequence[Chunk], about: Sequence[str], encoder: CrossEncoder
) -> dict[int, int]:
    """The place of the chunk that a point stands in, by the point's place, for those for which one is found.

    Args:
        points: By their places, those that match no chunk.
        chunks: The paper's.
        about: Title and heading of each.
        encoder: The order.
    """
    words = [stems(each.text) for each in chunks] if points else []
    found = {}
    for number, point in points.items():
        place = _by_numbers(point, chunks, words)
        if place is None:
            place = _by_order(point, chunks, words, about, encoder)
        if place is not None:
            found[number] = place
    return found


def _by_numbers(point: str, chunks: Sequence[Chunk], words: Sequence[frozenset[int]]) -> int | None:
    """The chunk with all the numbers of a point; of several, that with most of its words."""
    wanted = set(_NUMBER.findall(point))
    if len(wanted) < _FEWEST_NUMBERS:
        return None
    holders = [place for place, each in enumerate(chunks) if wanted <= set(_NUMBER.findall(each.text))]
    return max(holders, key=lambda place: len(words[place] & stems(point)), default=None)


def _by_order(
    point: str, chunks: Sequence[Chunk], words: Sequence[frozenset[int]], about: Sequence[str], encoder: CrossEncoder
) -> int | None:
    asked = stems(point)
    nearest = sorted(range(len(chunks)), key=lambda place: -len(words[place] & asked))[:NEAREST]
    scores = encoder.scores(point, [chunks[place].text for place in nearest], [about[place] for place in nearest])
    best = max(range(len(nearest)), key=lambda at: scores[at], default=None)
    return None if best is None or scores[best] < LEAST else nearest[best]
