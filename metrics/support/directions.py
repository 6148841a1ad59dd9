"""What a claim lets rise, fall or stay, affirms or denies, against quotes that say otherwise, in free wording too.

    quote   "Scores were lower with the drug than with placebo."
    claim   "Placebo lowered scores more than the drug."         the sides are exchanged
    claim   "Scores were higher with the drug."                  the other direction
    quote   "Relapses did not differ between the groups."
    claim   "The drug reduced relapses."                         the quotes find none
    quote   "It rose after A but not after B."
    claim   "It rose after B."                                   the quotes deny it
    quote   "Time was alike (p = 0.52)."
    claim   "Time differed significantly (p = 0.52)."            0.52 is not significant

A sentence is taken apart into statements: a word of direction, or the denial of any, with the words around it and
what is compared with what. A claim's statement is laid against the statements of the quotes that speak of the same; if
one of them agrees, or it is not plain what is compared, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import TypeAlias

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.languages import DENYING, is_foreign
from metrics.support.lexicon import WORDS, stem, stem_set, word_set, words
from metrics.support.sentence_features import Reading, Token, content, normalised, read
from metrics.support.verdict import Veto

Kind: TypeAlias = str
"""size, worth (better, worse), pace (earlier, longer), how large a change is, or another comparative: "thicker"."""

NEAR = 4  # words with content on each side of a word of direction that tell what rises or falls
SAME_MATTER = 0.5  # share of those words that a statement of the quotes must hold to speak of the same
WELL_COVERED = 0.6
"""Share of a claim's words that quotes without any denial must hold before a denying claim is refused."""
AS_NEAR = 0.9  # statements of the quotes that are nearly as close as the closest count too
DENIED_WITHIN = 4  # so near a denial is to what it denies, in words
ARM, BASE = 2, 3  # words that tell what is compared, and with what


def _signs(kind: Kind, more: str, less: str) -> dict[str, tuple[Kind, int]]:
    return {stem(word): (kind, sign) for text, sign in ((more, 1), (less, -1)) for word in words(text)}


DIRECTION_STEMS = {
    **_signs(
        "size",
        "increase increased rise rose risen raise raised elevated elevation higher greater more larger gained grew",
        """decrease decreased reduce reduced reduction decline declined drop dropped fell fallen falling lower lowered
        fewer less smaller lost lose rarer diminish diminished shrank halved cut""",
    ),
    **_signs(
        "worth",
        "improve improved improvement better superior",
        "worsen worsened worse worsening poorer inferior deteriorate deteriorated deterioration",
    ),
    **_signs(
        "pace",
        "longer later slower prolong prolonged delayed",
        "shorter earlier sooner faster quicker shorten shortened",
    ),
}
"""Stems of words of direction."""
_KINDS = frozenset({"size", "worth", "pace", "change"})
_DEGREES = word_set("more less greater larger smaller higher lower")
_GOOD = stem_set("effective efficacious successful beneficial favorable favourable acceptable")
_CHANGE = stem_set("change difference")
_TIME = stem_set("time duration interval days hours")
_EMPTY = stem_set(WORDS["how often"])
"""Words that tell how often or when, not what: two texts that share them need not be about the same."""
_CLAUSES = re.compile(
    r"[;:]\s|\.\s|\s[-–—]\s|,?\s(?:but|whereas|while|although|however|though|yet)\b|,\s(?=although|whereas|while)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_TIMES_AS = re.compile(r"\b(times|-?fold|twice|half|thrice) as (\w+) as\b", re.IGNORECASE)
_COMPARATIVE = re.compile(r"(?!(?:after|other|another|n?either|under|number|whether|never|rather)$)[a-z]{3,}er$")
_BASE = re.compile(
    r"\b(?:than|versus|vs\.?|compared (?:to|with)|relative to|in comparison (?:to|with))\s", re.IGNORECASE
)
ALIKE = re.compile(r"\b(?:equal\w*|similar\w*|comparabl\w+|same|alike|likewise)\b", re.IGNORECASE)
"""Words that deny a difference."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One course of something."""

    kind: Kind
    sign: int  # +1, -1, or 0 for a denial of any difference
    near: frozenset[str]  # what rises or falls: the words around
    words: frozenset[str]  # all words of its clause but for what it is compared with
    arm: frozenset[str]  # the last words before what it is compared with
    base: tuple[str, ...]  # what it is compared with
    text: str  # the word of direction


def wrong_directions(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """The other direction, exchanged sides, a difference that the quotes deny, or a denial of one that they report."""
    given = [each for quote in quotes for each in statements(quote)]
    ours = statements(claim)
    both = {each.kind for each in ours if each.sign > 0} & {each.kind for each in ours if each.sign < 0}
    for own in ours:
        found = _turned(own, given) if own.sign and own.kind not in both else None
        if found is not None and own.base and found.base and own.text.lower() == found.text.lower():
            yield Veto("exchange", f'the quotes have the sides of "{own.text}" the other way round', opposed=True)
        if found is not None:
            alike = found.text.lower() == own.text.lower()
            other = "with the sides exchanged" if alike else f'of it, it says "{own.text}"'
            yield Veto("course", f'the quotes say "{found.text}" {other}', opposed=True)
        elif own.kind not in _KINDS:
            continue
        elif own.sign and not hedged(claim) and (denial := _denial(own, given)):
            yield Veto("effect", f'the quotes deny it ("{denial.text}"), it says "{own.text}"', opposed=True)
        elif not own.sign and (affirmed := _affirmed(own, given, claim, quotes)):
            yield Veto("effect", f'it denies what the quotes say ("{affirmed.text}")', opposed=True)


def hedged(claim: str) -> bool:
    """Whether a claim denies something, or takes back part of what it says."""
    return bool(ALIKE.search(claim)) or any(token.cue for token in read(claim).tokens)


def _turned(own: Statement, given: Sequence[Statement]) -> Statement | None:
    """The quotes' statement on the same matter, if all of them go the other way."""
    rated = []
    for each in given:
        beside, everything = own.near & each.near, own.near & each.words.union(each.base)
        if each.sign and each.kind == own.kind:  # words further away count half
            rated.append(((len(beside) + len(everything)) / 2 / max(1, len(own.near)), each))
    best = max((near for near, _ in rated), default=0.0)
    if best < SAME_MATTER:
        return None
    same = [each for near, each in rated if near >= AS_NEAR * best]
    if any(_orientation(own, each) * each.sign * own.sign != -1 for each in same):
        return None
    return same[0]


def _orientation(own: Statement, other: Statement) -> int:
    """1 if both compare the same with the same, -1 with the sides exchanged, 0 where that is not plain."""
    there, here = set(other.base) - other.words, other.words - set(other.base)
    if not other.base:
        return 0 if set(own.base) & other.words else 1
    if own.base:
        base, head = set(own.base) - own.words, own.words - set(own.base)
        straight, crossed = len(base & there) + len(head & other.arm & here), len(head & there) + len(base & here)
        return (straight > crossed) - (straight < crossed)
    if not own.words & there:
        return 1
    return 0 if own.words & other.arm & here or other.base[0] not in own.words & there else -1


def _denial(own: Statement, given: Sequence[Statement]) -> Statement | None:
    """What denies any difference in the matter, if nothing else of the quotes speaks of it."""
    everything = own.words.union(own.base)
    best, found = 0.0, None
    for each in given:
        theirs = each.words.union(each.base)
        share = len(everything & theirs) / max(1, len(everything))
        if not each.sign:
            said = len(own.near & each.words) / max(1, len(each.words))
            share = max(share, said if said >= WELL_COVERED else 0.0)
        if not each.sign and share > best:
            best, found = share, each
    others = (len(everything & each.words.union(each.base)) / max(1, len(everything)) for each in given if each.sign)
    return None if best < SAME_MATTER or any(share >= WELL_COVERED * best for share in others) else found


def _affirmed(own: Statement, given: Sequence[Statement], claim: str, quotes: Sequence[str]) -> Statement | None:
    """What goes up or down although the claim denies it, if the quotes deny nothing at all."""
    text = "\n".join(quotes)
    denied = any(not each.sign for each in given) or any(token.cue for token in read(text).tokens)
    if denied or ALIKE.search(text):
        return None
    covered = [(len(own.words & each.words.union(each.base)) / max(1, len(own.words)), each) for each in given]
    share, best = max(covered, key=lambda each: each[0], default=(0.0, None))
    return best if share >= WELL_COVERED else None


@lru_cache(maxsize=4096)
def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a text in order."""
    plain = _TIMES_AS.sub(r"more \2 than", _ASIDE.sub(" ", text))
    return tuple(each for clause in _CLAUSES.split(plain) if clause for each in _of_clause(clause.strip()))


def _of_clause(clause: str) -> Iterator[Statement]:
    base = _BASE.search(clause)
    start = base.start() if base else len(clause)
    head, tail = read(clause[:start]), read(clause[start:].split(",", maxsplit=1)[0])
    own = frozenset(_content(head.tokens))
    for sign, kind, at in (*_directions(head), *_comparatives(head, clause[start:])):
        before, behind = _content(head.tokens[:at]), _content(head.tokens[at + 1 :])
        near = frozenset([*before[-NEAR:], *behind[:NEAR]])
        arm = frozenset((behind or before)[-ARM:]) if base else frozenset()
        pace = kind == "size" and near & _TIME
        yield Statement(
            "pace" if pace else kind, sign, near, own, arm, tuple(_content(tail.tokens)[:BASE]), head.tokens[at].text
        )


def _directions(reading: Reading) -> Iterator[tuple[int, Kind, int]]:
    """Sign, kind and position of each word of direction or denial."""
    found: list[tuple[int, Kind, int]] = []
    for at, token in enumerate(reading.tokens):
        denied = token.negated and any(each.cue for each in reading.tokens[max(0, at - DENIED_WITHIN) : at])
        if token.word in lexicon.NO_EFFECT or (
            denied and (token.word in lexicon.EFFECT or token.word in lexicon.PROVEN)
        ):
            found.append((0, "size", at))
        elif token.key in DIRECTION_STEMS and token.word not in ("gain", "gains"):
            kind, sign = _kind(reading, at)
            found += [] if token.negated and not denied else [(0 if denied else sign, kind, at)]
    for (sign, kind, at), following in zip_longest(found, found[1:]):
        one, other = reading.tokens[at], reading.tokens[following[2]] if following else None
        if other and _DEGREES & {one.word, other.word} and not reading.text[one.end : other.start].strip():
            yield sign * following[0], following[1] if one.word in _DEGREES else kind, at  # "fell less" is one
            return
        ends = at + 1 == len(reading.tokens) and one.word in lexicon.ADVERBS_OF_DEGREE
        before = reading.tokens[max(0, at - NEAR) : at]
        if not (ends and any(each.word.endswith(("ed", "ing")) and each.key not in DIRECTION_STEMS for each in before)):
            yield sign, kind, at  # not "hampered growth more", whose verb tells no direction


def _comparatives(reading: Reading, rest: str) -> Iterator[tuple[int, Kind, int]]:
    """The comparative before "than", unless it is a word of direction or is denied: "thicker than"."""
    found = [at for at, each in enumerate(reading.tokens) if _COMPARATIVE.match(each.word)]
    last = reading.tokens[found[-1]] if found and rest.startswith("than") else None
    if last and not last.negated and last.key not in DIRECTION_STEMS:
        yield 1, last.word, found[-1]


def _kind(reading: Reading, at: int) -> tuple[Kind, int]:
    """Kind and sign of a word of direction by what is around it."""
    token, following = reading.tokens[at], reading.tokens[at + 1 : at + 2]
    kind, sign = DIRECTION_STEMS[token.key]
    if token.word in lexicon.ADVERBS_OF_DEGREE and any(each.key in _GOOD for each in following):
        kind = "worth"  # "more effective"
    if token.word in _DEGREES and any(each.key in _CHANGE for each in (*reading.tokens[:at], *following)):
        kind = "change"  # "the change in LDL-C was larger"
    return kind, sign


def _content(tokens: Sequence[Token]) -> list[str]:
    """Keys of the words that tell what is said to rise or fall; none that tells a direction."""
    said = [each for each in tokens if each.weight >= 1 and each.quantity is None]
    return [each.key for each in said if each.key not in DIRECTION_STEMS and each.key not in _EMPTY]


# What is affirmed on one side and denied on the other, whether it has a direction or not.

MOST = 0.8  # share of a claim's words with content that a sentence must hold for what it denies of them to be denied
FEWEST = 2  # words with content that must be shared at least

_CONDITION = re.compile(r"\b(?:if|when|whenever|unless|until)\b", re.IGNORECASE)
_BUT_NOT = re.compile(r"\b(?:but|and) (?:(?:was|were|did|is|are) )?not\b", re.IGNORECASE)
_EXCEPT = re.compile(r"\b(?:except(?:ing|ions?)?|apart from|other than)\b", re.IGNORECASE)
_ALL = re.compile(r"(?<!\bin )(?<!\bat )\b(?:all|every)\b(?!-)", re.IGNORECASE)


def wrong_denials(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What a claim affirms and the quotes only deny, or denies and they affirm, where they hold all the rest of it."""
    if "|" in "".join(quotes) or _CONDITION.search(claim):
        return
    texts = [re.sub(r"\((?!\s*(?:but|and) not\b)[^()]*\)", " ", each) for each in sentence_texts(*quotes)]
    excepted = _EXCEPT.search("\n".join(texts))
    if excepted and _ALL.search(claim) and not _EXCEPT.search(claim) and " but " not in claim:
        yield Veto("denial", f'it says it of all, the quotes say "{excepted[0]}"')
    affirmed, denied = _polarity(claim)
    ours = affirmed | denied
    are_denied = [
        text for text in texts if any(each.cue or each.word in lexicon.NO_EFFECT for each in read(text).tokens)
    ]
    for text in are_denied if denied or not hedged(claim) else ():
        there, not_there = _polarity(text)
        elsewhere = content("\n".join(each for each in texts if each is not text), numbers=False)
        is_exchanged = denied & there - elsewhere and _BUT_NOT.search(claim) and _BUT_NOT.search(text)
        is_turned = affirmed & not_there - elsewhere and (not denied or is_exchanged)
        if is_turned and len(ours & (there | not_there)) >= max(FEWEST, MOST * len(ours)):
            yield Veto("denial", "the quotes deny what it says", opposed=True)
    if len(denied) < FEWEST or are_denied or any(map(ALIKE.search, texts)):
        return
    values = _values(claim)
    for text in texts:
        theirs = content(text, numbers=False)
        if values <= _values(text) and denied <= theirs and len(ours & theirs) >= WELL_COVERED * len(ours):
            yield Veto("denial", "it denies what the quotes say", opposed=True)


def _polarity(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Keys of words that a text affirms, and of those that it only denies."""
    said = [each for each in read(text).tokens if each.weight >= 1 and each.quantity is None]
    affirmed = frozenset(each.key for each in said if not each.negated)
    return affirmed, frozenset(each.key for each in said) - affirmed


def _values(text: str) -> set[float]:
    return {abs(quantity.printed) for quantity in read(text).quantities}


# Significance.

_NOT_FOUND = re.compile(
    r"\b(?:no|not|nor|neither|never|without|fail\w*|cannot|\w+n't)\s(?:[\w-]+\s){0,4}?significan\w*"
    r"|\b(?:in|non)-?significan\w*|\b(?:lack\w*|miss\w*|absence|short)(?: of)? (?:\w+ )?significan\w*"
    r"|\b(?:not|\w+n't)\s(?:[\w-]+\s){1,8}?to (?:a|any) (?:statistically )?significan\w*"
    r"|\bp(?:[\s-]value)?\s?[=>≥]\s?0?[.·](?:0[6-9]|[1-9])\d*|\bNS\b",
    re.IGNORECASE,
)
_NOT_SAID = re.compile(
    r"\b(?:not|never|neither|cannot|\w+n't)\s(?:(?!(?:but|while|whereas|although|and|only)\b)[\w-]+\s){0,12}?significan\w*",
    re.IGNORECASE,
)
"""What a claim says not to be significant, however far off: "did not relieve pain in acute flares significantly"."""
_FOUND = re.compile(r"\bsignifican|\bp(?:[\s-]value)?\s?[<=≤]\s?0?[.·]0[0-4]", re.IGNORECASE)
_PROBABILITY = re.compile(r"\bp(?:[\s-]values?)?\s?(?P<sign>[<>=≤≥])\s?(?P<value>0?[.·]\d+|1\b)", re.IGNORECASE)
_CALLED = re.compile(r"\bsigni(?:fican|ficativ|fikant)", re.IGNORECASE)
_OR_NOT = re.compile(
    rf"\b(?:{DENYING}|lack\w*|miss\w*|(?:in|non)-?signif\w*|but|whereas|while|although|near\w*|approach\w*|border\w*|almost|"
    r"toward\w*|marginal\w*|close to|short of|trend\w*|tend\w*)\b",
    re.IGNORECASE,
)
"""Words by which a sentence may speak of what was not significant too, or not quite."""
_TREND = re.compile(r"\b(?:non-?significant |slight |weak )?trend (?:toward|to\b|\()|\btended to\b", re.IGNORECASE)
_ADMITTED = re.compile(r"\btrend|\btend|\bsignifican|\bnumerical|\b(?:may|might)\b|\bp\s?=", re.IGNORECASE)
_LEVEL = 0.05
_CLAUSE = 3
"""Words that a separate clause has at least; a lone "significantly" is an addition."""


def follows_from_probability(said: str, quotes: Sequence[str]) -> bool:
    """Whether added words say that something is, or is not, significant, as every probability in the quotes does."""
    denied = _NOT_FOUND.search(said) is not None
    if len(said.split()) < _CLAUSE or not (denied or _FOUND.search(said)):
        return False
    found = list(_PROBABILITY.finditer(normalised("\n".join(quotes))))
    return bool(found) and all(_is_significant(each) is not denied for each in found)


def _is_significant(probability: re.Match[str]) -> bool:
    value = float(probability["value"].replace("·", "."))
    return value < _LEVEL or (value == _LEVEL and probability["sign"] in "<≤")


def wrong_significance(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Significance that is asserted against the quotes, or against the probability beside it.

    Where one sentence of the quotes finds something significant nothing is said: it may be what the claim is about.
    """
    text, said = normalised("\n".join(quotes)), normalised(claim)
    own = list(_PROBABILITY.finditer(said)) if _CALLED.search(said) and not _OR_NOT.search(said) else []
    if own and not any(map(_is_significant, own)):
        yield Veto("effect", f'it calls "{own[0][0]}" significant', opposed=True)
    if _FOUND.search(_NOT_FOUND.sub(" ", text)):
        return
    denied, trend = _NOT_FOUND.search(text), _TREND.search(text)
    bare = _NOT_SAID.sub(" ", _NOT_FOUND.sub(" ", re.sub(r"\s?\([^()]*\)", "", said)))
    if denied and "significan" in bare.lower() and not (is_foreign(claim) and _OR_NOT.search(said)):
        yield Veto("effect", f'the quotes say "{denied[0].strip()}"', opposed=True)
    if trend and not _ADMITTED.search(said) and any(each.sign for each in statements(claim)):
        yield Veto("doubt", f'the quotes only tell of a "{trend[0]}"')
