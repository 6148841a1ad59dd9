"""What a claim affirms and the quotes deny, or the other way round, in other words too.

quote   "There were no treatment-related adverse events."     claim   "Some adverse events were due to treatment."
quote   "It rose after A but not after B."                    claim   "It rose after B."
quote   "11/18 patients completed treatment."                 claim   "Eleven patients did not complete treatment."
quote   "All but the deep one did better."                    claim   "All did better."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.directions import ALIKE, hedged
from metrics.support.sentence_features import content, read
from metrics.support.verdict import Veto

SHARED = 0.6
"""Share of a claim's content that a sentence must hold to be about the same."""
MOST = 0.8
"""Share from which on what it denies of the rest is denied of the claim."""
FEWEST = 2
"""Words with content that must be shared at least."""

_BUT_NOT = re.compile(r"\b(?:but|and) (?:(?:was|were|did|is|are) )?not\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|when|whenever|unless|until)\b", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|all|than|compared|whereas|while|only|except|unlike|versus|vs|against)\b", re.IGNORECASE)
_FEW = re.compile(
    r"\b(?:all but|except|only|without|few|rare\w*|un\w+ed|in\w+ed|absen\w+|lack\w*|fail\w*|no longer)\b", re.I
)
_ASIDE = re.compile(r"\((?!\s*(?:but|and) not\b)[^()]*\)")
_EXCEPT = re.compile(r"\b(?:except(?:ing|ions?)?|apart from|other than)\b", re.IGNORECASE)
_ALL = re.compile(r"(?<!\bin )(?<!\bat )\b(?:all|every)\b(?!-)", re.IGNORECASE)


def wrong_denials(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What one side denies and the other affirms."""
    if "|" in "".join(quotes) or _CONDITION.search(claim):
        return
    texts = [_ASIDE.sub(" ", each) for each in sentence_texts(*quotes)]
    excepted = _EXCEPT.search("\n".join(texts))
    if excepted and _ALL.search(claim) and not _EXCEPT.search(claim) and " but " not in claim:
        yield Veto("denial", f'it says it of all, the quotes say "{excepted[0]}"')
    affirmed, denied = _polarity(claim)
    if denied or not (hedged(claim) or _denies(claim)):
        yield from _turned(affirmed, denied, claim, texts)
    if _denies(claim):
        yield from _affirmed(denied, claim, texts)


def _turned(affirmed: frozenset[str], denied: frozenset[str], claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    """A claim that affirms what its sentence only denies, or that has both the other way round; all else is there."""
    ours = affirmed | denied
    for text in texts:
        there, not_there = _polarity(text)
        elsewhere = content("\n".join(each for each in texts if each is not text), numbers=False)
        turned = (affirmed & not_there) - elsewhere
        exchanged = not denied or (denied & there - elsewhere and _BUT_NOT.search(claim) and _BUT_NOT.search(text))
        is_same = len(ours & (there | not_there)) >= max(FEWEST, MOST * len(ours))
        if is_same and turned and exchanged and not _BOTH.search(claim):
            yield Veto("denial", "the quotes deny what it says", opposed=True)


def _affirmed(denied: frozenset[str], claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    """A claim that denies what the quotes affirm; "7 of 18 did not" and "11 of 18 did" say the same."""
    if len(denied) < FEWEST or any(_denies(each) or _FEW.search(each) or ALIKE.search(each) for each in texts):
        return
    ours = content(claim, numbers=False)
    for text in () if _FEW.search(claim) else texts:
        theirs = content(text, numbers=False)
        if _values(claim) <= _values(text) and denied <= theirs and len(ours & theirs) >= SHARED * len(ours):
            yield Veto("denial", "it denies what the quotes say", opposed=True)


def _polarity(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Keys of words that a text affirms, and of those that it only denies."""
    said = [each for each in read(text).tokens if each.weight >= 1 and each.quantity is None]
    affirmed = frozenset(each.key for each in said if not each.negated)
    return affirmed, frozenset(each.key for each in said) - affirmed


def _denies(text: str) -> bool:
    return any(token.cue or token.word in lexicon.NO_EFFECT for token in read(text).tokens)


def _values(text: str) -> set[float]:
    return {abs(quantity.printed) for quantity in read(text).quantities}
