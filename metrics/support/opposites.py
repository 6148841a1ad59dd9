"""Words that say the opposite of each other."""

from __future__ import annotations

from metrics.support import lexicon
from metrics.support.reading import Token


def opposed(one: Token, other: Token) -> bool:
    """Whether two words are opposites: "early" and "late", "inflammatory" and "anti-inflammatory"."""
    if (one.stem, other.stem) in lexicon.OPPOSITE:
        return True
    return one.kind == other.kind == "word" and any(
        _prefixed(one.stem, other.stem, first, second) or _prefixed(other.stem, one.stem, first, second)
        for first, second in lexicon.OPPOSITE_PREFIXES
    )


def _prefixed(one: str, other: str, first: str, second: str) -> bool:
    return (
        one.startswith(first)
        and other.startswith(second)
        and len(one) > len(first) + 3
        and one[len(first) :] == other[len(second) :]
    )
