"""By what the words of a text are found again in another text: stems, meanings, families, directions, short forms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from metrics.support.reading import Reading, Token

# Words of one family that the stemmer leaves apart ("degradation", "degradative") share at least this much.
FAMILY_PREFIX = 6
FAMILY_SHARE = 0.7
# A text with so much of a long form speaks of its short form.
MOST_OF_LONG_FORM = 0.66


def word_keys(window: Reading, acronyms: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Everything by which a claim's word can be found in a window.

    Args:
        window: The sentences.
        acronyms: Acronym → keys of the words it stands for, as the passage defines them.
    """
    keys: set[str] = set()
    for token in window.tokens:
        keys.update((token.key, token.stem, family(token)))
        if token.direction:
            keys.add(direction_key(token.direction))
    for acronym, words in acronyms.items():
        if acronym in keys:
            keys |= words
        elif len(words & keys) >= MOST_OF_LONG_FORM * len(words):
            keys.add(acronym)
    keys.discard("·")
    return frozenset(keys)


def direction_key(direction: int) -> str:
    """The key under which a window says that something rises or falls."""
    return "↑" if direction > 0 else "↓"


def family(token: Token) -> str:
    """The beginning that words of one family share; for names and short words, which nothing stands in for, ``·``."""
    return "·" if token.kind != "word" or token.direction else _family(token.stem)


@lru_cache(maxsize=65_536)
def _family(root: str) -> str:
    if len(root) < FAMILY_PREFIX:
        return "·"
    return "^" + root[: max(FAMILY_PREFIX, round(FAMILY_SHARE * len(root)))]
