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
