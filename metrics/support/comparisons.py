"""What a sentence compares with what, and whether another one has the sides the other way round.

quote   "Pain was lower with zinc than with placebo."
claim   "Pain was lower with placebo than with zinc."      exchanged
claim   "Pain was higher with placebo than with zinc."     says the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from metrics.sentences import sentence_texts
from metrics.support.lexicon import STOP_WORDS, words
from metrics.support.sentence_features import content, normalised, read
from metrics.support.verdict import Veto

_COMPARES = (
    re.compile(r"\b(?P<by>(?:times|-?fold|twice|half|thrice)\sas\s[a-z]+)(?P<one>)\sas\s(?P<other>.+)", re.IGNORECASE),
    re.compile(
        r"\b(?P<by>(?:(?:times|-?fold)\s)?(?!(?:after|other|another|n?either|over|under|number|whether|never|rather)\b)"
        r"(?:more|less|fewer|worse|[a-z]{2,}er)(?:\s[a-z-]+){0,3}?)"
        r"(?:\s(?:with|in|among|for|on|after|at|of|by|during|under|to)\s(?P<one>[^,;:()]*?))?\sthan\s(?P<other>.+)",
        re.IGNORECASE,
    ),
)
_ENDS = re.compile(r"[;:()]|,\s|\b(?:and|but|whereas|while|although|because|since|when|if)\b", re.IGNORECASE)
_CONVERSES = [
    set(pair.split("/"))
    for pair in words(
        "higher/lower greater/smaller larger/smaller greater/lower longer/shorter more/less more/fewer better/worse "
        "earlier/later faster/slower"
    )
]
"""Comparatives that say the same once the sides are exchanged."""


class _Comparison(NamedTuple):
    """What is compared with what, by stems, and the words by which it is."""

    by: str
    one: frozenset[str]
    other: frozenset[str]


def exchanged_sides(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Comparisons of the quotes that the claim turns around: "X-rays were 2.9 times as effective as carbon ions".

    Both sentences must compare by the same word and deny nothing. "As effective as" without a number says the same
    both ways.
    """
    own = _comparison(claim)
    given = [each for text in sentence_texts(*quotes) if own and (each := _comparison(text)) and each.by == own.by]
    if own and given and all(_crossed(own, each) for each in given):
        yield Veto("exchange", f'the quotes have the sides of "{own.by}" the other way round', opposed=True)


def is_converse(claim: str, original: str) -> bool:
    """Whether "lower in A than in B" is said as "higher in B than in A"."""
    own, given = _comparison(claim), _comparison(original)
    if own is None or given is None or not _crossed(own, given):
        return False
    (ours, *what), (theirs, *same) = own.by.split(), given.by.split()
    return {ours, theirs} in _CONVERSES and what == same


def _crossed(own: _Comparison, given: _Comparison) -> bool:
    turned = own.one <= given.other and own.other <= given.one
    return turned and not own.one & given.one and not own.other & given.other


def _comparison(sentence: str) -> _Comparison | None:
    """The only one that a sentence makes, if it denies nothing."""
    plain = normalised(sentence)
    found = [match for pattern in _COMPARES if (match := pattern.search(plain))]
    if len(found) != 1 or any(pattern.search(found[0]["other"]) for pattern in _COMPARES):
        return None
    before = _ENDS.split(plain[: found[0].start()])[-1]
    sides = (found[0]["one"] or before, _ENDS.split(found[0]["other"], maxsplit=1)[0])
    # A sentence's first word is a name behind "the".
    one, other = (content(f"the {text.strip()}", numbers=False) - STOP_WORDS for text in sides)
    is_denied = any(token.cue for token in read(plain).tokens)
    return _Comparison(found[0]["by"].lower(), one, other) if one and other and not is_denied else None
