"""Whether a passage is of a length that can be read and says something."""

from __future__ import annotations

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
