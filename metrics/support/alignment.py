"""Which words of a claim stand in a window of a passage, in order and out of order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from metrics.support import lexicon
from metrics.support.quantities import same
from metrics.support.reading import Reading, Token

# Words of one family that the stemmer leaves apart ("degradation", "degradative") share at least this much.
FAMILY_PREFIX = 6
FAMILY_SHARE = 0.7
FAMILY_CREDIT = 0.8
# A window with so much of a long form speaks of its short form.
MOST_OF_LONG_FORM = 0.66
# A pair of different words that stand in for each other still marks the place, worth less than any real match.
PLACE = 0.05


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch where claim and window differ, between two words that they share.

    Attributes:
        claimed: Tokens that only the claim has here.
        given: Tokens that only the window has here.
        following: The window's next shared token.
        edge: Whether it lies before the first or after the last shared word.
    """

    claimed: tuple[Token, ...]
    given: tuple[Token, ...]
    edge: bool
    following: Token | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """A claim laid against a window.

    Attributes:
        coverage: Share of the claim's weight that the window holds, in [0, 1].
        order: Share of the claim's weight that the window holds in the same order, in [0, 1].
        shared: Pairs of tokens in the same order.
        missing: Tokens of the claim that the window holds nowhere.
        gaps: The differences between the shared tokens, in order; the window's ends are left out.
    """

    coverage: float
    order: float
    shared: tuple[tuple[Token, Token], ...]
    missing: tuple[Token, ...]
    gaps: tuple[Gap, ...]


def counts(token: Token) -> bool:
    """Whether a token takes part in the alignment."""
    return token.weight > 0 or token.cue or token.key in lexicon.OPPOSED


def coverage(claim: Reading, keys: frozenset[str], values: tuple[Token, ...]) -> float:
    """Share of the claim's weight that a window holds in any order, in [0, 1].

    Args:
        claim: The claim.
        keys: What the window holds: keys, prefixes of keys and meanings that acronyms add.
        values: The window's quantities.
    """
    total = claim.weight
    return sum(token.weight * _credit(token, keys, values) for token in claim.tokens) / total if total else 0.0


def _credit(token: Token, keys: frozenset[str], values: tuple[Token, ...]) -> float:
    if token.quantity is not None:
        return float(any(same(token.quantity, value.quantity) for value in values if value.quantity is not None))
    if token.key in keys or token.stem in keys:
        return 1.0
    if token.direction:
        return float(direction_key(token.direction) in keys)
    return FAMILY_CREDIT if family(token) in keys else 0.0


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


def window_keys(window: Reading, acronyms: Mapping[str, frozenset[str]]) -> frozenset[str]:
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


def align(claim: Reading, window: Reading, keys: frozenset[str]) -> Alignment:
    """Lay a claim against a window.

    Args:
        claim: The claim.
        window: One to three sentences.
        keys: ``window_keys`` of that window.
    """
    claimed = [token for token in claim.tokens if counts(token)]
    given = [token for token in window.tokens if counts(token)]
    values = tuple(token for token in window.tokens if token.quantity is not None)
    pairs = _longest_common(claimed, given)
    total = claim.weight or 1.0
    return Alignment(
        coverage=coverage(claim, keys, values),
        order=sum(claimed[one].weight for one, _ in pairs) / total,
        shared=tuple((claimed[one], given[other]) for one, other in pairs),
        missing=tuple(token for token in claim.tokens if token.weight > 0 and not _credit(token, keys, values)),
        gaps=tuple(_gaps(claimed, given, pairs)),
    )


def _marks(token: Token) -> tuple[str, str]:
    """What two tokens must share, one or the other, to be equal."""
    if token.direction:
        return f"→{token.stem}", f"→{token.stem}"
    return token.key, family(token)


def _equal_pairs(claimed: list[Token], given: list[Token]) -> list[set[int]]:
    """For every token of the claim the positions in the window that say the same."""
    places: dict[str, set[int]] = {}
    for column, token in enumerate(given):
        for mark in _marks(token):
            places.setdefault(mark, set()).add(column)
    places.pop("·", None)
    equal = [set[int]().union(*(places.get(mark, ()) for mark in _marks(token))) for token in claimed]
    values = [(column, token.quantity) for column, token in enumerate(given) if token.quantity is not None]
    for row, token in enumerate(claimed):
        if token.quantity is not None:
            equal[row] = {column for column, value in values if same(token.quantity, value)}
    return equal


def _longest_common(claimed: list[Token], given: list[Token]) -> list[tuple[int, int]]:
    """Pairs of equal tokens in order, of the greatest weight together (weighted longest common subsequence)."""
    rows, columns = len(claimed), len(given)
    equal = _equal_pairs(claimed, given)
    worth = [max(token.weight, PLACE) for token in claimed]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        line, below = best[row], best[row + 1]
        if not equal[row]:
            line[:] = below
            continue
        for column in range(columns - 1, -1, -1):
            value = max(below[column], line[column + 1])
            line[column] = max(value, below[column + 1] + worth[row]) if column in equal[row] else value
    return _traced(best, equal, worth)


def _traced(best: list[list[float]], equal: list[set[int]], worth: list[float]) -> list[tuple[int, int]]:
    """The pairs that make up the best sum."""
    pairs, row, column = [], 0, 0
    while row < len(equal) and column < len(best[0]) - 1:
        if column in equal[row] and best[row][column] == best[row + 1][column + 1] + worth[row]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            row += 1
    return pairs


def _gaps(claimed: list[Token], given: list[Token], pairs: list[tuple[int, int]]) -> Iterator[Gap]:
    bounds = [(-1, -1), *pairs, (len(claimed), len(given))]
    for (one, other), (next_one, next_other) in pairwise(bounds):
        before, after = claimed[one + 1 : next_one], given[other + 1 : next_other]
        if one < 0:
            after = _same_clause(after, given, next_other, whole=bool(before))
        elif next_one == len(claimed):
            after = _same_clause(after, given, other, whole=bool(before))
        next_token = given[next_other] if next_other < len(given) else None
        if before or after:
            yield Gap(tuple(before), tuple(after), edge=one < 0 or next_one == len(claimed), following=next_token)


def _same_clause(after: list[Token], given: list[Token], anchor: int, *, whole: bool) -> list[Token]:
    """At its ends the window may say more; of that only a negation in the clause that the claim takes up matters."""
    if not 0 <= anchor < len(given):
        return after
    clause = [token for token in after if token.clause == given[anchor].clause]
    return clause if whole else [token for token in clause if token.cue]
