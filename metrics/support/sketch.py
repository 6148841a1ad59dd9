"""A quick look at a text: the set of words it holds, enough to choose what to read closely."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from metrics.support import lexicon
from metrics.support.reading import Reading, normalised
from metrics.support.stemming import stem

_WORD = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*")
_PARTS = re.compile(r"[.-]")


@lru_cache(maxsize=65_536)
def _keys(word: str) -> tuple[str, ...]:
    parts = [part for part in _PARTS.split(word) if part]
    roots = [stem(part) for part in parts]
    joined = [word.replace("-", "")] if len(parts) > 1 else []
    return (*roots, *parts, *joined, *(lexicon.MEANING[root] for root in roots if root in lexicon.MEANING))


@lru_cache(maxsize=16_384)
def sketch(text: str) -> frozenset[str]:
    """Stems, meanings and bare names of a text."""
    words = set(_WORD.findall(normalised(text).lower()))
    return frozenset(chain.from_iterable(map(_keys, words)))


def sketched_coverage(claim: Reading, text: str) -> float:
    """About how much of a claim's weight a text holds, in [0, 1]; for choosing, not for judging."""
    keys = sketch(text)
    total = claim.weight
    found = sum(
        token.weight for token in claim.tokens if token.weight and not keys.isdisjoint(_names(token.text, token.key))
    )
    return found / total if total else 0.0


@lru_cache(maxsize=65_536)
def _names(text: str, key: str) -> frozenset[str]:
    return frozenset((key, *_keys(text.lower())))
