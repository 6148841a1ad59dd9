"""What a claim changes that otherwise repeats a passage nearly word for word.

passage  "LPS increased IL-6 by 12 % but did not change TNF."
claim    "LPS decreased IL-6 by 21 % but did change TNF."     three differences, each against the passage
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metrics.support import lexicon
from metrics.support.alignment import Alignment, Gap
from metrics.support.reading import Reading, Token

# A word of doubt stands so near the verb it belongs to ("may also reduce").
DOUBT_REACHES = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that the passage says otherwise, or does not say.

    Attributes:
        opposed: Whether the passage says the opposite; otherwise it only does not say this.
        reason: Both sides in a few words.
    """

    opposed: bool
    reason: str


def differences(alignment: Alignment, elsewhere: frozenset[str]) -> list[Difference]:
    """Every difference that changes what is said: negations first, then in the claim's order.

    Args:
        alignment: A claim against the one sentence that it repeats.
        elsewhere: Keys of everything else that the passages hold: a word from there in a wrong place is a swap.
    """
    edges = [gap for gap in alignment.gaps if gap.edge]
    inner = [gap for gap in alignment.gaps if not gap.edge]
    # "X had no effect on Y" and "Y showed no effect of X": at the edges one negation may answer the other.
    around = Gap(
        claimed=tuple(token for gap in edges for token in gap.claimed),
        given=tuple(token for gap in edges for token in gap.given),
        edge=True,
    )
    negations = [found for gap in (*inner, around) for found in _negations(gap)]
    return [*negations, *exchanged(alignment.gaps)] + [
        found
        for gap in alignment.gaps
        for rule in (_numbers, _directions, _opposites, _names, _swapped_words)
        for found in rule(gap, elsewhere)
    ]


def exchanged(gaps: Sequence[Gap]) -> Iterator[Difference]:
    """Two things that stand in each other's place.

    Args:
        gaps: The gaps of a claim that keeps most of its words in the window's order.
    """
    pairs = {
        (one.key, other.key): (one.text, other.text)
        for gap in gaps
        for one in gap.claimed
        for other in gap.given
        if min(one.weight, other.weight) >= 1 and not one.quantity and not other.quantity
    }
    for (one, other), texts in pairs.items():
        if one < other and (other, one) in pairs:
            yield Difference(False, f"the passage has {texts[0]} and {texts[1]} the other way round")


def _numbers(gap: Gap, _: frozenset[str]) -> Iterator[Difference]:
    given = [token for token in gap.given if token.quantity]
    for token in gap.claimed:
        if token.quantity is None:
            continue
        rivals = [other for other in given if other.quantity and other.quantity.dimension == token.quantity.dimension]
        other = next(iter(rivals or given), None)
        if other is None:
            yield Difference(False, f"the passage does not say {token.text} there")
        else:
            yield Difference(True, f"the passage says {other.text}, the claim {token.text}")


def _negations(gap: Gap) -> Iterator[Difference]:
    claimed = [token.text for token in gap.claimed if _denies(token)]
    given = [token.text for token in gap.given if _denies(token) and not _in_left_out_clause(token, gap)]
    if len(claimed) % 2 != len(given) % 2:
        if len(claimed) > len(given):
            yield Difference(True, f'the claim negates ("{claimed[-1]}"), the passage does not')
        else:
            yield Difference(True, f'the passage negates ("{given[-1]}"), the claim does not')


def _in_left_out_clause(token: Token, gap: Gap) -> bool:
    """Whether a negation belongs to a clause that the claim leaves out: "X [did not change Y, but] lowered Z"."""
    has_content = any(other.weight >= 1 and other.clause == token.clause for other in gap.given)
    return has_content and gap.following is not None and not gap.claimed and gap.following.clause != token.clause


def _denies(token: Token) -> bool:
    return token.cue or token.word in lexicon.NO_EFFECT


def _directions(gap: Gap, _: frozenset[str]) -> Iterator[Difference]:
    given = [token for token in gap.given if token.direction]
    for token in gap.claimed:
        if not token.direction or any(other.direction == token.direction for other in given):
            continue
        if given:
            yield Difference(True, f'the passage says "{given[0].text}", the claim "{token.text}"')
        elif token.weight:
            yield Difference(False, f'the passage does not say "{token.text}" there')


def _opposites(gap: Gap, _: frozenset[str]) -> Iterator[Difference]:
    for token in gap.claimed:
        for other in gap.given:
            if opposed(token, other):
                yield Difference(True, f'the passage says "{other.text}", the claim "{token.text}"')


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


def _names(gap: Gap, _: frozenset[str]) -> Iterator[Difference]:
    given = [token.text for token in gap.given if token.kind == "name"]
    for token in gap.claimed:
        if token.kind == "name":
            instead = f"the passage says {given[0]}, the claim {token.text}" if given else ""
            yield Difference(False, instead or f"the passage does not say {token.text} there")


def lost_doubt(claim: Reading, window: Reading, alignment: Alignment) -> Difference | None:
    """A "may" of the window, right before words that the claim repeats without any doubt."""
    if any(token.text in lexicon.HEDGES for token in claim.tokens):
        return None
    taken_up = {given.start for _, given in alignment.shared}
    for index, token in enumerate(window.tokens):
        following = window.tokens[index + 1 : index + 1 + DOUBT_REACHES]
        if token.text in lexicon.HEDGES and any(other.start in taken_up for other in following):
            return Difference(False, f'the passage only says "{token.text}"')
    return None


def turned_word(claim: Reading, window: Reading) -> Difference | None:
    """The first word of the claim that the window lacks while it holds the opposite: "before" for "after"."""
    stems = {token.stem for token in window.tokens}
    for token in claim.tokens:
        if token.stem in lexicon.OPPOSED and token.stem not in stems and not token.direction:
            for other in window.tokens:
                if (token.stem, other.stem) in lexicon.OPPOSITE:
                    return Difference(True, f'the passage says "{other.text}", the claim "{token.text}"')
    return None


def replaced_name(alignment: Alignment) -> Difference | None:
    """The first name that stands between shared words where the window has another name."""
    missing = {token.key for token in alignment.missing}
    for gap in alignment.gaps:
        if any(token.key in missing for token in gap.claimed if token.kind == "name") and not gap.edge:
            found = next(_names(gap, frozenset()), None)
            if found is not None and any(token.kind == "name" for token in gap.given):
                return found
    return None


def _swapped_words(gap: Gap, elsewhere: frozenset[str]) -> Iterator[Difference]:
    given = [token for token in gap.given if token.kind == "word" and token.weight >= 1]
    for token in gap.claimed:
        plain = token.kind == "word" and token.weight >= 1 and not token.direction
        if plain and given and token.key in elsewhere:
            yield Difference(False, f'the passage says "{given[0].text}", the claim "{token.text}"')
