"""Near copies: a claim that repeats one sentence of the quotes word by word, but for some.

    quote   "Femur density did not fall by more than 12 % in flight mice."
    claim   "Femur density did fall by more than 12 % in flight mice."       the quote negates

Every change is looked at: negations, directions, numbers, names, doubts, what was exchanged and what was cut off.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import combinations, groupby, pairwise

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.clauses import CLAUSE_END, MOST_JUMPING, WORD, doubtful, turning_words, turns, words_of
from metrics.support.denials import follows_from_probability
from metrics.support.lexicon import word_set
from metrics.support.quantities import same
from metrics.support.rewordings import denies_same, exchanged_comparison, is_converse, readings
from metrics.support.sentence_features import Token, content, normalised, read
from metrics.support.verdict import Veto

NEAR_COPY = 0.8
"""Share of a claim's words, in the order of one sentence of the quotes, from which on it is a copy with changes."""

FEWEST_WORDS = 6
"""Words below which a claim is a copy only of a sentence that is as short."""

FEWEST_JOINED = 3
"""Words from which on a short claim may be joined from two clauses."""

SHORT_SHARE = 0.7
"""Share of the longer one's words that it then repeats."""

_QUALIFIES = re.compile(
    r"(?:but|and|though)?\s*(?:not(?! shown)|no|non|none|neither|except|excluding|without|unless|only|n\.?s\b)"
    r"|.*\b(?:in-?|non-?)?significan|.*\b(?:which|who|that) (?:was|were|is|are|did|do|does) not\b",
    re.IGNORECASE | re.DOTALL,
)
"""What in brackets turns the sentence around them: "(but not in women)", "(the difference was not significant)"."""
_NAME = re.compile(r"[A-Z]|\d")
_PROBABILITY = re.compile(r"\bp\s?[<>=≤≥]\s?0?\.\d+$", re.IGNORECASE)
_SHARE_BEHIND = re.compile(r"(?P<count>\d[\d,]*)\s?\((?P<share>\d[\d.]*\s?(?:%|per ?cent))\)")
"""A count with its share, which may be in either order: "12 (40 %)", "40 % (12)"."""
_BETWEEN = re.compile(r"[\s,)\]}%\"'”’]*(?:\w+ly\s+)?")
_DENIES_ALL = word_set("nor neither")
_LEAVES_OUT = re.compile(r"\b(?:exclud\w+|exclusion|omit\w*|remov\w+|(?:leaving|left|leave) out)\b", re.IGNORECASE)
"""What is done to get "without" it."""
_WHATEVER = word_set("regardless irrespective")
"""They deny that something matters to a statement, not the statement."""
_CERTAIN = word_set("will does do did is are was were must shall")
_FINITE = word_set(
    "is are was were be been has have had do does did can could may might will would shall should must shows showed "
    "suggests suggested indicates indicated found appears appeared remained became led resulted increased decreased "
    "reduced improved rose fell declined differed occurred received"
)


def altered(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What a copy's changes have made wrong; of a claim in other words, only numbers and names in another order."""
    copied = nearest(claim, quotes)
    if copied:
        yield from _changes(copied, quotes)
    else:
        yield from _rearranged(claim, quotes)
        yield from _joined(claim, quotes)


def permuted(claim: str, texts: Sequence[str]) -> bool:
    """Whether a claim has the words of a sentence in another order, but for a part put first and for adverbs.

    "A than B" as "B than A"; where both sides may be exchanged, as in "as good as", it may be true all the same.
    """
    ours = _in_sequence(claim)
    each = map(_in_sequence, sentence_texts(*texts))
    return any(
        sorted(ours) == sorted(theirs) and not any(theirs[at:] + theirs[:at] == ours for at in range(len(ours)))
        for theirs in each
    )


@dataclass(frozen=True, slots=True)
class _Change:
    """Where a copy differs: its words, and those that the original has in their place."""

    claimed: str
    given: str
    is_aside: bool = False  # whether the original has these words in brackets, and nothing else there
    before: str = ""  # the copy's last repeated word before
    after: str = ""  # the copy's next repeated word

    @property
    def tokens(self) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
        return read(self.claimed).tokens, read(self.given).tokens


@dataclass(frozen=True, slots=True)
class Copy:
    """A sentence of the quotes that a claim repeats with changes."""

    claim: str  # the claim
    text: str  # the sentence
    start: int  # offset of its first repeated word
    end: int  # offset after its last
    changes: tuple[_Change, ...]  # what lies between
    ends: bool  # whether the claim's last word is repeated, so that the claim stops there
    # whether its last words are repeated from another clause than those before: "the groups" of "did not differ, so
    # that the groups were alike"
    jumps: bool


def nearest(claim: str, quotes: Sequence[str]) -> Copy | None:
    """The sentence that a claim copies; None for a paraphrase."""
    claim = normalised(claim)
    ours = words_of(claim)
    best, most = None, 0.0
    for text in readings(ours, quotes) if ours else ():
        theirs = words_of(text)
        if len(set(ours).intersection(theirs)) < 0.7 * len(set(ours)):
            continue
        matcher = SequenceMatcher(None, theirs, ours, autojunk=False)
        share = sum(block.size for block in matcher.get_matching_blocks()) / len(ours)
        near = share >= (NEAR_COPY if len(ours) >= FEWEST_WORDS else SHORT_SHARE * max(1.0, len(theirs) / len(ours)))
        if near and share >= most:
            best, most = _copy(claim, text, matcher), share
    return best


def _copy(claim: str, text: str, matcher: SequenceMatcher[str]) -> Copy:
    claimed, given = (list(WORD.finditer(each)) for each in (claim, text))
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    changes = [
        _Change(
            _between(claim, claimed, one.b + one.size, other.b),
            _between(text, given, one.a + one.size, other.a),
            _in_brackets(text, given, one.a + one.size, other.a),
            claimed[one.b + one.size - 1].group(),
            claimed[other.b].group(),
        )
        for one, other in pairwise(blocks)
    ]
    first, last = blocks[0], blocks[-1]
    head = CLAUSE_END.split(text[: given[first.a].start()])[-1].strip()
    changes += [_Change(_between(claim, claimed, 0, first.b), head)] if first.b else []
    ends = last.b + last.size == len(claimed)
    end = given[last.a + last.size - 1].end()
    tail = CLAUSE_END.split(text[end:], maxsplit=1)[0].strip()
    changes += [] if ends else [_Change(_between(claim, claimed, last.b + last.size, len(claimed)), tail)]
    return Copy(claim, text, given[first.a].start(), end, tuple(changes), ends, _jumps(text, given, blocks))


def _jumps(text: str, given: Sequence[re.Match[str]], blocks: Sequence[Match]) -> bool:
    if len(blocks) < 2 or blocks[-1].size > MOST_JUMPING:
        return False
    before, last = blocks[-2:]
    return CLAUSE_END.search(text, given[before.a + before.size - 1].end(), given[last.a].start()) is not None


def _between(text: str, found: Sequence[re.Match[str]], first: int, last: int) -> str:
    return text[found[first].start() : found[last - 1].end()] if first < last else ""


def _in_brackets(text: str, found: Sequence[re.Match[str]], first: int, last: int) -> bool:
    """Whether words are all that a pair of brackets holds."""
    inside = _between(text, found, first, last)
    return (
        bool(inside)
        and not set("()") & set(inside)
        and text[: found[first].start()].rstrip().endswith("(")
        and text[found[last - 1].end() :].lstrip().startswith(")")
    )


def _changes(copied: Copy, quotes: Sequence[str]) -> Iterator[Veto]:
    denied_alike = _denies_first(copied) or denies_same(copied.claim, copied.text)
    converse = is_converse(copied.claim, copied.text)
    in_order = _all_in_order(copied)
    for change in copied.changes:
        follows = denied_alike or follows_from_probability(change.claimed, quotes)
        yield from () if follows else _negated(change)
        yield from () if converse else (each for each in _turned(change) if not (in_order and each.rule == "numbers"))
        yield from _renamed(change)
        yield from _assured(change, copied.claim)
    if not converse:
        yield from _exchanged(copied.changes)
        yield from _moved(copied.claim, copied.text)
    yield from _strange(copied, [quote for quote in quotes if copied.text not in quote])
    yield from _spliced(copied)
    if sides := exchanged_comparison(copied.claim, copied.text):
        yield Veto("exchange", f'the quotes have the sides of "{sides} … than" the other way round', opposed=True)
    left_out = turning_words(copied.text, copied.start, copied.end, 0, len(copied.text))
    if left_out and not turns(copied.claim):
        yield Veto("clipped", f'it leaves out "{left_out}"')
    elif copied.ends and not copied.jumps and not _has_own_verb(copied) and (verb := _cut_off(copied)):
        yield Veto("clipped", f'it stops where the paper continues "{verb}"')


FEWEST_IN_ORDER = 3
"""Numbers that a copy has at least which are in its sentence in this order, so that none has another one's place."""


def _all_in_order(copied: Copy) -> bool:
    """Whether all numbers of a copy, several, are in the sentence in their order, with others left out."""
    ours, theirs = (
        [_name_or_number(each) for each in read(text).tokens if each.quantity] for text in (copied.claim, copied.text)
    )
    of_names = sum(word[0].isdigit() for word in words_of(copied.claim)) > len(ours)  # "IL-10"
    return len(ours) >= FEWEST_IN_ORDER and not of_names and _in_order(ours, theirs)


def _denies_first(copied: Copy) -> bool:
    """Whether the only denial of both has become the claim's first word: "Nor did it add" of "it did not add"."""
    ours, theirs = ([token.word for token in read(text).tokens if token.denies] for text in (copied.claim, copied.text))
    return len(ours) == len(theirs) == 1 and ours[0] in _DENIES_ALL and copied.claim.lower().startswith(ours[0])


def _negated(change: _Change) -> Iterator[Veto]:
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


def _turned(change: _Change) -> Iterator[Veto]:
    """Opposite directions and opposite words in each other's place."""
    ours, theirs = change.tokens
    for one in ours:
        for other in theirs:
            if one.direction and other.direction and one.direction != other.direction:
                yield Veto("direction", f'the quotes say "{other.text}", it says "{one.text}"', opposed=True)
            elif opposed(one, other) and one.negated == other.negated:
                yield Veto("opposite", f'the quotes say "{other.text}", it says "{one.text}"', opposed=True)
            elif _other_number(one, ours, other, theirs):
                yield Veto("numbers", f"the quotes say {other.text} there, it says {one.text}", opposed=True)


def _other_number(one: Token, ours: Sequence[Token], other: Token, theirs: Sequence[Token]) -> bool:
    """Whether the only number of one side is in the place of the only one of the other, and differs."""
    sides = [[token for token in side if token.quantity is not None] for side in (ours, theirs)]
    if one.quantity is None or other.quantity is None or [len(side) for side in sides] != [1, 1]:
        return False
    return one.quantity.dimension == other.quantity.dimension and not same(one.quantity, other.quantity)


def _renamed(change: _Change) -> Iterator[Veto]:
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


def _assured(change: _Change, claim: str) -> Iterator[Veto]:
    """A doubt of the original in whose place the copy has a word without doubt, or that it has nowhere at all."""
    ours, theirs = change.tokens
    doubts = [token.text for token in theirs if doubtful(token)]
    elsewhere = () if _CERTAIN.intersection(token.word for token in ours) else read(claim).tokens
    if doubts and not any(token.word in lexicon.HEDGES for token in (*ours, *elsewhere)):
        yield Veto("doubt", f'the quotes only say "{doubts[0]}"')


def _strange(copied: Copy, others: Sequence[str]) -> Iterator[Veto]:
    """A number of the copy that the original has in another unit, or not at all and no other quote with its word."""
    given = read(copied.text).quantities
    for token in read(copied.claim).tokens:
        quantity = token.quantity
        if quantity is None or not any(map(str.isdigit, token.text)) or any(same(quantity, each) for each in given):
            continue
        rivals = [each for each in given if math.isclose(abs(each.printed), abs(quantity.printed))]
        if quantity.dimension and any(each.dimension for each in rivals):
            yield Veto("units", f"the quotes do not hold {token.text}", opposed=True)
        elif not rivals and not _counted(copied.claim, token, others):
            yield Veto("numbers", f"the sentence that it copies does not hold {token.text}")


def _counted(claim: str, token: Token, quotes: Sequence[str]) -> bool:
    """Whether a quote has a number with the word that follows it: "32 participants"; or as a probability, "P < .05"."""
    if (tested := _PROBABILITY.search(claim[: token.end])) is not None:
        said = re.sub(r"\s", "", tested[0]).lower().replace("0.", ".")
        return any(said in re.sub(r"\s", "", quote).lower().replace("0.", ".") for quote in quotes)
    following = re.match(r"\s?[^\W\d_]{3,}", claim[token.end :])
    phrase = f"{token.text}{following[0]}" if following else ""
    return bool(phrase) and any(re.search(rf"(?<![\w.]){re.escape(phrase)}\b", quote) for quote in quotes)


def _spliced(copied: Copy) -> Iterator[Veto]:
    """A verb or a count of one clause given to the subject of another.

    "Zinc was taken by ten, but copper was stopped." as "Zinc was stopped.", "Ten left, four patients died." as "Ten
    patients died."
    """
    keys = {token.key for token in read(copied.claim).tokens}
    for change in copied.changes:
        *clauses, subject = CLAUSE_END.split(change.given)
        said = {word for clause in clauses for word in words_of(clause)}
        if change.claimed or not said & _FINITE:
            continue
        tokens = read(f"the {subject}").tokens
        if change.after.lower() in _FINITE and not content(f"the {subject}", numbers=False) <= keys:
            yield Veto("exchange", f'the quotes say "{change.after}" of something else')
        elif len(tokens) > 1 and tokens[-1].quantity is not None and read(f"the {change.before}").quantities:
            yield Veto("exchange", f"the quotes say {tokens[-1].text} there, it says {change.before}")


def _joined(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """A claim too short for a copy, of which every word is in one sentence in this order, from several clauses."""
    claim = normalised(claim)
    ours = words_of(claim)
    for text in sentence_texts(*map(normalised, quotes)) if FEWEST_JOINED <= len(ours) < FEWEST_WORDS else ():
        matcher = SequenceMatcher(None, words_of(text), ours, autojunk=False)
        if sum(block.size for block in matcher.get_matching_blocks()) == len(ours):
            yield from _spliced(_copy(claim, text, matcher))


def _rearranged(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """A claim of which every word is in one sentence, with its numbers or names in another order."""
    ours = words_of(normalised(claim))
    for text in sentence_texts(*map(normalised, quotes)) if len(ours) >= FEWEST_WORDS else ():
        if set(ours).issubset(words_of(text)):
            yield from _moved(claim, text)


def _in_sequence(text: str) -> list[str]:
    return [each for each in words_of(normalised(text)) if not each.endswith("ly")]


def _moved(claim: str, original: str) -> Iterator[Veto]:
    """Numbers or names of the original in another order."""
    claim, original = (_SHARE_BEHIND.sub(r"\g<share> (\g<count>)", normalised(text)) for text in (claim, original))
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


def _in_order(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether one list is the other with some left out."""
    rest = iter(theirs)
    return all(each in rest for each in ours)


def _exchanged(changes: Sequence[_Change]) -> Iterator[Veto]:
    """Two things that are in each other's place."""
    for one, other in combinations([each for each in changes if each.claimed and each.given], 2):
        if (one.claimed.lower(), one.given.lower()) == (other.given.lower(), other.claimed.lower()):
            yield Veto("exchange", f"the quotes have {one.claimed} and {other.claimed} the other way round")


def _has_own_verb(copied: Copy) -> bool:
    """Whether a claim says something by a verb that it does not repeat: "they were A and B" of "(A, B) was summed"."""
    return any(not _FINITE.isdisjoint(words_of(change.claimed)) for change in copied.changes)


def _cut_off(copied: Copy) -> str:
    """The verb before which a copy stops: "VE against HPV 31 [was 39.7 %]"; empty if it does not."""
    gap = _BETWEEN.match(copied.text, copied.end)
    following = WORD.match(copied.text, gap.end() if gap else copied.end)
    if following is None or following.group().lower() not in _FINITE:
        return ""
    return " ".join(copied.text[following.start() :].split()[:3])


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
