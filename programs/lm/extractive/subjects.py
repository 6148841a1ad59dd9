"""What a sentence says something of: the words before its first word of direction or effect, and its object.

"Axolotl liver weight decreased after 14 days in orbit"     →  axolotl, liver, weight
"Flight reduced soleus mass in mice"                        →  flight, soleus, mass
"Serum CTX did not differ between groups"                   →  serum, CTX
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from metrics.support import lexicon
from metrics.support.reading import Token, read
from metrics.support.word_list import words
from programs.lm.extractive.signals import Course, Signal, signals

_PREPOSITIONS = frozenset(
    words(
        """
        after among as at because before between by compared during for from in on than to under versus when while
        with within without
        """
    )
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A sentence's words as keys of the guards, without those of direction, effect and number.

    Attributes:
        named: What it speaks of; empty where it states no direction and no effect.
        words: All its content words.
        course: What it says of it: more, less, none or some; None where it says nothing.
    """

    named: frozenset[str]
    words: frozenset[str]
    course: Course | None


def subject_of(text: str) -> Subject:
    """Read a sentence."""
    tokens = read(text).tokens
    found = signals(read(text))
    strong = next((each for each in found if each.course != "some"), found[0] if found else None)
    return Subject(_keys(_around(tokens, strong) if strong else ()), _keys(tokens), strong.course if strong else None)


def _around(tokens: tuple[Token, ...], signal: Signal) -> tuple[Token, ...]:
    """The words before a signal in its clause, and those after it up to a preposition or a number."""
    clause = tokens[signal.position].clause
    before = [token for token in tokens[: signal.position] if token.clause == clause]
    after = takewhile(
        lambda token: token.clause == clause and token.quantity is None and token.word not in _PREPOSITIONS,
        tokens[signal.position + 1 :],
    )
    return (*before, *after)


def _keys(tokens: tuple[Token, ...]) -> frozenset[str]:
    return frozenset(token.key for token in tokens if _is_content(token))


def _is_content(token: Token) -> bool:
    is_effect = token.word in lexicon.EFFECT or token.word in lexicon.NO_EFFECT
    return token.weight >= 1 and token.quantity is None and not token.direction and not is_effect
