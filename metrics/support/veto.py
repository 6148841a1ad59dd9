"""One thing that is certainly wrong with a claim against the quotes that are to prove it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Rule: TypeAlias = Literal[
    "numbers",
    "measure",
    "place",
    "course",
    "effect",
    "denial",
    "negation",
    "direction",
    "opposite",
    "name",
    "exchange",
    "doubt",
    "units",
    "clipped",
    "length",
    "unrelated",
    "addition",
    "quotation",
    "disguise",
]


@dataclass(frozen=True, slots=True)
class Veto:
    """One thing that is wrong.

    Attributes:
        rule: Which guard speaks.
        reason: Both sides in a few words.
        opposed: Whether the quotes say the opposite; otherwise they only do not say it.
    """

    rule: Rule
    reason: str
    opposed: bool = False


IN_OTHER_WORDS: frozenset[Rule] = frozenset({"course", "effect", "denial"})
"""Rules on paraphrases. What they object to is wrong; that it is the opposite is certain only of quotes that were given
to prove the claim (17 of 17 in development), not of quotes that were merely found (18 of 25)."""
