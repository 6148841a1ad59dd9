"""What the changes of a near copy have made wrong: negations, directions, numbers, names, doubts, order.

quote   "Femur density did not fall by more than 12 % in flight mice."
claim   "Femur density did fall by more than 12 % in flight mice."       the quote negates
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.alignment import CLAUSE_END, FEWEST_WORDS, Alignment, Change, alignments, nearest, words_of
from metrics.support.clipped import FINITE, doubtful
from metrics.support.directions import is_converse
from metrics.support.lexicon import word_set
from metrics.support.quantities import same
from metrics.support.sentence_features import Token, content, read
from metrics.support.significance import follows_from_probability
from metrics.support.verdict import Veto

FEWEST_JOINED = 3
"""Words from which on a short claim may be joined from two clauses."""
FEWEST_IN_ORDER = 3
"""Numbers that a copy has at least which are in its sentence in this order, so that none has another one's place."""

_QUALIFIES = re.compile(
    r"(?:but|and|though)?\s*(?:not(?! shown)|no|non|none|neither|except|excluding|without|unless|only|n\.?s\b)"
    r"|.*\b(?:in-?|non-?)?significan|.*\b(?:which|who|that) (?:was|were|is|are|did|do|does) not\b",
    re.IGNORECASE | re.DOTALL,
)
"""What in brackets turns the sentence around them: "(but not in women)", "(the difference was not significant)"."""
_NAME = re.compile(r"[A-Z]|\d")
_DENIES_ALL = word_set("nor neither")
_LEAVES_OUT = re.compile(r"\b(?:exclud\w+|exclusion|omit\w*|remov\w+|(?:leaving|left|leave) out)\b", re.IGNORECASE)
"""What is done to get "without" it."""
_WHATEVER = word_set("regardless irrespective")
"""They deny that something matters to a statement, not the statement."""
_CERTAIN = word_set("will does do did is are was were must shall")


def altered(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What a copy's changes have made wrong; of a claim in other words, only numbers and names in another order."""
    copied = nearest(claim, quotes)
    if copied and copied.is_near:
        yield from _changed(copied, quotes)
        return
    for each in alignments(claim, quotes):
        if len(each.ours) >= FEWEST_WORDS and set(each.ours).issubset(each.theirs):
            yield from _moved(each.claim, each.text)
        elif FEWEST_JOINED <= len(each.ours) == each.repeated < FEWEST_WORDS:
            yield from _spliced(each)


def permuted(claim: str, texts: Sequence[str]) -> bool:
    """Whether a claim has the words of a sentence in another order, but for a part put first and for adverbs.

    "A than B" as "B than A"; where both sides may be exchanged, as in "as good as", it may be true all the same.
    """
    ours, *others = (
        [word for word in words_of(text) if not word.endswith("ly")] for text in (claim, *sentence_texts(*texts))
    )
    return any(
        sorted(ours) == sorted(theirs) and not any(theirs[at:] + theirs[:at] == ours for at in range(len(ours)))
        for theirs in others
    )


def _changed(copied: Alignment, quotes: Sequence[str]) -> Iterator[Veto]:
    denied_alike = _denies_first(copied)
    converse = is_converse(copied.claim, copied.text)
    in_order = _all_in_order(copied)
    for change in copied.changes:
        follows = denied_alike or follows_from_probability(change.claimed, quotes)
        yield from () if follows else _negated(change)
        yield from () if converse else (each for each in _turned(change) if not (in_order and each.rule == "numbers"))
        yield from _renamed(change)
        yield from _assured(change, copied.claim)
    if not converse:
        yield from _moved(copied.claim, copied.text)
    yield from _strange(copied, [quote for quote in quotes if copied.text not in quote])
    yield from _spliced(copied)


def _denies_first(copied: Alignment) -> bool:
    """Whether the only denial of both has become the claim's first word: "Nor did it add" of "it did not add"."""
    ours, theirs = ([token.word for token in read(text).tokens if token.denies] for text in (copied.claim, copied.text))
    return len(ours) == len(theirs) == 1 and ours[0] in _DENIES_ALL and copied.claim.lower().startswith(ours[0])


def _negated(change: Change) -> Iterator[Veto]:
    if change.is_aside and not change.claimed and (change.given == "NO" or not _QUALIFIES.match(change.given)):
        return
    ours, theirs = (
        [token.text for token in side if token.denies and token.word not in _WHATEVER] for side in change.tokens
    )
    is_left_out = ours[-1:] in (["without"], ["Without"]) and _LEAVES_OUT.search(change.given)
    if len(ours) % 2 == len(theirs) % 2 or is_left_out:
        return
    if len(ours) > len(theirs):
        yield Veto("negation", f'it says "{ours[-1]}", the quotes do not', opposed=True)
    elif not CLAUSE_END.search(change.given, change.given.rfind(theirs[-1]) + 1):
        yield Veto("negation", f'the quotes say "{theirs[-1]}", it does not', opposed=True)


def _turned(change: Change) -> Iterator[Veto]:
    """Opposite directions, opposite words and other numbers in each other's place."""
    ours, theirs = change.tokens
    numbers = [[token for token in side if token.quantity is not None] for side in (ours, theirs)]
    for one in ours:
        for other in theirs:
            if one.direction and other.direction and one.direction != other.direction:
                yield Veto("direction", f'the quotes say "{other.text}", it says "{one.text}"', opposed=True)
            elif _are_opposite(one, other) and one.negated == other.negated:
                yield Veto("opposite", f'the quotes say "{other.text}", it says "{one.text}"', opposed=True)
            elif numbers == [[one], [other]] and one.quantity and other.quantity:
                alike = one.quantity.dimension == other.quantity.dimension
                if alike and not same(one.quantity, other.quantity):
                    yield Veto("numbers", f"the quotes say {other.text} there, it says {one.text}", opposed=True)


def _are_opposite(one: Token, other: Token) -> bool:
    """Whether two words are opposites: "early" and "late", "inflammatory" and "anti-inflammatory"."""
    if (one.key, other.key) in lexicon.OPPOSITE:
        return True
    return one.kind == other.kind == "word" and any(
        this.startswith(first)
        and that.startswith(second)
        and len(this) > len(first) + 3
        and this[len(first) :] == that[len(second) :]
        for first, second in lexicon.OPPOSITE_PREFIXES
        for this, that in ((one.key, other.key), (other.key, one.key))
    )


def _renamed(change: Change) -> Iterator[Veto]:
    """One name in the place of another: "IL-10" for "IL-6"; a short form of the same thing is none."""
    ours, theirs = change.claimed.strip(), change.given.strip()
    if not (_is_name(ours) and _is_name(theirs)):
        return
    one, other = (re.sub(r"\W", "", each).lower() for each in (ours, theirs))
    if one not in other and other not in one:
        yield Veto("name", f"the quotes say {theirs}, it says {ours}")


def _is_name(text: str) -> bool:
    tokens = read(f"x {text}").tokens
    return " " not in text and any(token.kind == "name" for token in tokens) and bool(_NAME.search(text[1:]))


def _assured(change: Change, claim: str) -> Iterator[Veto]:
    """A doubt of the original in whose place the copy has a word without doubt, or that it has nowhere at all."""
    ours, theirs = change.tokens
    doubts = [token.text for token in theirs if doubtful(token)]
    elsewhere = () if _CERTAIN.intersection(token.word for token in ours) else read(claim).tokens
    if doubts and not any(token.word in lexicon.HEDGES for token in (*ours, *elsewhere)):
        yield Veto("doubt", f'the quotes only say "{doubts[0]}"')


def _strange(copied: Alignment, others: Sequence[str]) -> Iterator[Veto]:
    """A number of the copy that the original has in another unit, or not at all and no other quote with its word."""
    given = read(copied.text).quantities
    for token in read(copied.claim).tokens:
        quantity = token.quantity
        if quantity is None or not any(map(str.isdigit, token.text)) or any(same(quantity, each) for each in given):
            continue
        rivals = [each for each in given if math.isclose(abs(each.printed), abs(quantity.printed))]
        if quantity.dimension and any(each.dimension for each in rivals):
            yield Veto("units", f"the quotes do not hold {token.text}", opposed=True)
        elif not rivals and not _is_counted(copied.claim, token, others):
            yield Veto("numbers", f"the sentence that it copies does not hold {token.text}")


def _is_counted(claim: str, token: Token, quotes: Sequence[str]) -> bool:
    """Whether a quote has a number with the word that follows it: "32 participants"."""
    following = re.match(r"\s?[^\W\d_]{3,}", claim[token.end :])
    phrase = f"{token.text}{following[0]}" if following else ""
    return bool(phrase) and any(re.search(rf"(?<![\w.]){re.escape(phrase)}\b", quote) for quote in quotes)


def _spliced(copied: Alignment) -> Iterator[Veto]:
    """A verb or a count of one clause given to the subject of another.

    "Zinc was taken by ten, but copper was stopped." as "Zinc was stopped.", "Ten left, four patients died." as "Ten
    patients died."
    """
    keys = {token.key for token in read(copied.claim).tokens}
    for change in copied.changes:
        *clauses, subject = CLAUSE_END.split(change.given)
        said = {word for clause in clauses for word in words_of(clause)}
        if change.claimed or not said & FINITE:
            continue
        tokens = read(f"the {subject}").tokens
        if change.after.lower() in FINITE and not content(f"the {subject}", numbers=False) <= keys:
            yield Veto("exchange", f'the quotes say "{change.after}" of something else')
        elif len(tokens) > 1 and tokens[-1].quantity is not None and read(f"the {change.before}").quantities:
            yield Veto("exchange", f"the quotes say {tokens[-1].text} there, it says {change.before}")


def _moved(claim: str, original: str) -> Iterator[Veto]:
    """Numbers or names of the original in another order."""
    for kind in ("quantity", "name"):
        own, given = ([token for token in read(text).tokens if token.kind == kind] for text in (claim, original))
        runs = _runs(given, original)
        ours, theirs = (
            [key for key, _ in groupby(runs.get(_name_or_number(each), _name_or_number(each)) for each in side)]
            for side in (own, given)
        )
        if len(set(ours)) > 1 and set(ours) <= set(theirs) and not _in_order(ours, theirs):
            yield Veto("exchange", "the quotes have its numbers or names in another order")


def _runs(names: Sequence[Token], text: str) -> dict[str, str]:
    """By name the first one of those it is side by side with: "Lunar Prodigy DXA" is one, in whatever order."""
    first: dict[str, str] = {}
    for before, each in pairwise(names):
        if before.kind == "name" and not text[before.end : each.start].strip(" -"):
            first[_name_or_number(each)] = first.setdefault(_name_or_number(before), _name_or_number(before))
    return first


def _name_or_number(token: Token) -> str:
    """A name, or a number whatever its unit: of "25 through 64 years" only the last one has one."""
    return token.key if token.quantity is None else f"{abs(token.quantity.printed):g}"


def _all_in_order(copied: Alignment) -> bool:
    """Whether all numbers of a copy, several, are in the sentence in their order, with others left out."""
    ours, theirs = (
        [_name_or_number(each) for each in read(text).tokens if each.quantity] for text in (copied.claim, copied.text)
    )
    of_names = sum(word[0].isdigit() for word in copied.ours) > len(ours)  # "IL-10"
    return len(ours) >= FEWEST_IN_ORDER and not of_names and _in_order(ours, theirs)


def _in_order(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether one list is the other with some left out."""
    rest = iter(theirs)
    return all(each in rest for each in ours)
