"""Names of a claim that stand in nothing it was written from: invented, or brought along.

    passages  "Fresh parts were collected from the Botanical Garden of the University of Pretoria."
    claim     "The plants came from the garden of the University of Cape Town."     nothing names Cape Town

Looked for in everything that was given, not in the quotes alone, and by its first letters: "Chinese" of "China" is not
a new name. Of claims that people labelled in every detail, 405 of the 414 that name something new are not supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from metrics.support.premise import COMMON
from metrics.support.veto import Veto

SHARED = 4
"""Letters at the beginning that two forms of a name share."""
ENGLISH = 0.15
"""Share of English grammar words from which on a claim's capitals are taken for names."""

_NAME = re.compile(rf"(?<![\w-])[A-Z][a-z]{{{SHARED - 1},}}(?!\w)")
_SENTENCE_OPENS = re.compile(r"(?:^|[.:!?;])[\s\"'“”‘’(\[]*$")
_WORD = re.compile(rf"[^\W\d_]{{{SHARED},}}")
_NO_NAME = re.compile(
    r"(?:Tables?|Figures?|Phase|Stage|Section|Appendix|Supplementary|United|States|Kingdom|Bayesian)$"
)
_OF_A_PLACE = re.compile(r"(?:ish|ese|ian|ean|can|French|Dutch|German|Swiss|Greek)$")
"""Adjectives of places that a reader knows from a city or a name."""


def unheld_names(claim: str, given: Sequence[str]) -> Iterator[Veto]:
    """Names that nothing given holds.

    Args:
        claim: One sentence without citations.
        given: All texts that it may rest on: passages and titles. Without any nothing is said.
    """
    words = claim.lower().split()
    if not given or sum(word.strip(",.;()") in COMMON for word in words) < ENGLISH * len(words):
        return
    held = _beginnings(tuple(given))
    for match in _NAME.finditer(claim):
        name = match.group()
        if _NO_NAME.match(name) or _OF_A_PLACE.search(name) or _SENTENCE_OPENS.search(claim[: match.start()]):
            continue
        if name.lower()[:SHARED] not in held:
            yield Veto("name", f'no passage names "{name}"')


@lru_cache(maxsize=16)
def _beginnings(given: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word.lower()[:SHARED] for text in given for word in _WORD.findall(text))
