"""Whether a name or number stands where the passage has it, or where the passage has another one.

    passage  "CBT changed anxiety whereas PDT did not"   "20 doctors and 35 patients"
    claim    "PDT changed anxiety whereas CBT did not"   "35 doctors and 20 patients"

All words are the passage's; only the places differ. A token is misplaced when the words around it are those around a
rival of its kind rather than those around itself. Where only one text has the passive ("by X"), places
say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from metrics.support.quantities import same
from metrics.support.reading import Reading, Token

# Words looked at on each side; the next one counts most.
REACH = 4
# A word found on the other side counts for less.
OTHER_SIDE = 0.3
# Grammar words tell places apart too, but less.
GRAMMAR = 0.4
# The rival's place must fit better by this much.
MARGIN = 0.35


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A token of the claim that stands in a rival's place."""

    token: Token
    rival: Token


def misplaced(claim: Reading, window: Reading) -> Iterator[Misplaced]:
    """Names and quantities of a claim that stand in another's place.

    Args:
        claim: The claim.
        window: The sentences that hold its words.
    """
    for index, token in enumerate(claim.tokens):
        if token.kind == "word":
            continue
        own = [at for at, other in enumerate(window.tokens) if _is_same(token, other)]
        rivals = [at for at, other in enumerate(window.tokens) if at not in own and _is_rival(token, other)]
        if not own or not rivals or _passive(claim, index) != any(_passive(window, at) for at in own):
            continue
        fit = max(_fit(claim, index, window, at) for at in own)
        best = max(rivals, key=lambda at: _fit(claim, index, window, at))
        if _fit(claim, index, window, best) > fit + MARGIN:
            yield Misplaced(token, window.tokens[best])


def _is_same(token: Token, other: Token) -> bool:
    if token.quantity is not None and other.quantity is not None:
        return same(token.quantity, other.quantity)
    return token.key == other.key


def _is_rival(token: Token, other: Token) -> bool:
    if token.quantity is not None:
        return other.quantity is not None and other.quantity.dimension == token.quantity.dimension
    may_be_name = other.kind == "word" and other.text[0].isupper() and other.weight >= 1  # opens its sentence
    return other.kind == token.kind or may_be_name


def _fit(claim: Reading, index: int, window: Reading, at: int) -> float:
    """How much the words around a claim's token are those around a window's."""
    before, after = _beside(claim, index, -1), _beside(claim, index, 1)
    there_before, there_after = _beside(window, at, -1), _beside(window, at, 1)
    straight = _shared(before, there_before) + _shared(after, there_after)
    crossed = _shared(before, there_after) + _shared(after, there_before)
    return straight + OTHER_SIDE * crossed


def _passive(reading: Reading, index: int) -> bool:
    return any(token.word == "by" for token in reading.tokens[max(0, index - REACH) : index + REACH])


def _beside(reading: Reading, index: int, step: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for distance in range(1, REACH + 1):
        at = index + step * distance
        if 0 <= at < len(reading.tokens):
            token = reading.tokens[at]
            found.setdefault(token.key, (1.0 if token.weight else GRAMMAR) / distance)
    return found


def _shared(one: dict[str, float], other: dict[str, float]) -> float:
    return sum(min(worth, other[key]) for key, worth in one.items() if key in other)
