"""Denials: what a claim affirms and the quotes deny, or the other way round, in other words too.

quote   "There were no treatment-related adverse events."     claim   "Some adverse events were due to treatment."
quote   "11/18 patients completed treatment."                 claim   "Eleven patients did not complete treatment."
quote   "It rose after A but not after B."                    claim   "It rose after B."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.sentences import sentences
from metrics.support import lexicon
from metrics.support.courses import ALIKE, hedged
from metrics.support.reading import Token, normalised, read
from metrics.support.stemming import stem
from metrics.support.veto import Veto
from metrics.support.word_list import words

_DOUBTED = re.compile(
    r"\b(?P<doubt>may|might)\s+(?:(?:not|also|well|thus|even|simply|further)\s+)*(?:be\s+)?(?P<what>[a-z]{4,})\b"
)
_OWN_DOUBT = re.compile(
    r"\b(?:may|might|could|can|possib\w*|perhaps|potential\w*|suggest\w*|seem\w*|appear\w*|likely|probabl\w*|indicat\w*|"
    r"hypothes\w*|suspect\w*|speculat\w*|suppos\w*|caution\w*|if|whether|would)\b",
    re.IGNORECASE,
)
_SAYS_LITTLE = frozenset(words("have show function help play need serve lead make take give include"))
_WORD = re.compile(r"[a-z]{4,}")


def dropped_doubts(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What the quotes only hold for possible and the claim tells as a fact.

    Args:
        claim: One sentence.
        quotes: Sentences that are to prove it.
    """
    text, said = normalised("\n".join(quotes)).lower(), normalised(claim).lower()
    if _OWN_DOUBT.search(said) or any(token.word in lexicon.HEDGES for token in read(claim).tokens):
        return
    told, given = {stem(word) for word in _WORD.findall(said)}, [stem(word) for word in _WORD.findall(text)]
    for found in _DOUBTED.finditer(text):
        what = stem(found["what"])
        says_something = found["what"] not in _SAYS_LITTLE and not found["what"].endswith("ly")
        if says_something and what in told and given.count(what) == 1:
            yield Veto("doubt", f'the quotes only say "{found[0]}"')


SHARED = 0.6
"""Share of a claim's content that a sentence must hold to be about the same."""
MOST_SHARED = 3
"""Words of any weight that a denying sentence must share at least."""
FEWEST = 2
"""Words with content that must be shared at least."""

_BUT_NOT = re.compile(r",?\s+(?:but|and)\s+(?:(?:was|were|did|is|are)\s+)?not\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|when|whenever|unless|until)\b", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|all|than|compared|whereas|while|only|except|unlike|versus|vs|against)\b", re.IGNORECASE)
_FEW = re.compile(
    r"\b(?:all but|except|only|without|few|rare\w*|un\w+ed|in\w+ed|absen\w+|lack\w*|fail\w*|no longer)\b", re.I
)
_ASIDE = re.compile(r"\([^()]*\)")


def wrong_denials(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What one side denies and the other affirms.

    Args:
        claim: One sentence.
        quotes: Sentences that are to prove it.
    """
    if "|" in "".join(quotes) or _CONDITION.search(claim):
        return
    whole = [quote[span.start : span.end] for quote in quotes for span in sentences(quote)]
    texts = [_ASIDE.sub(" ", each) for each in whole]
    yield from _exchanged(claim, texts)
    if not hedged(claim) and not _denies(claim):
        yield from _left_out(claim, [text for text, said in zip(texts, whole, strict=True) if not _given(claim, said)])
        yield from _denied(claim, texts)
    elif _denies(claim):
        yield from _affirmed(claim, texts)


def _exchanged(claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    """Whether it says "after A but not after B" where the quotes say "after B but not after A"."""
    ours = _BUT_NOT.split(claim)
    for text in texts:
        parts = _BUT_NOT.split(text)
        if not len(ours) == len(parts) == 2:
            continue
        (head, tail), (there, left_out) = (
            [_keys(read(f"the {each.strip()}").tokens) for each in side] for side in (ours, parts)
        )
        if tail & there - left_out and left_out & head - tail and not tail & left_out - head:
            yield Veto("denial", f'the quotes say "not{parts[1][:40].rstrip()}"', opposed=True)


def _left_out(claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    """A claim on what a quote takes out: "after A but not after B"."""
    ours = _keys(read(claim).tokens)
    for text in texts:
        parts = _BUT_NOT.split(text)
        if len(parts) != 2 or _BOTH.search(claim):
            continue
        head, tail = (_keys(read(f"the {part.strip()}").tokens) for part in parts)
        if tail - head and tail <= ours and len(ours & head) >= FEWEST:
            yield Veto("denial", f'the quotes say "not{parts[1][:40].rstrip()}"', opposed=True)


def _given(claim: str, text: str) -> bool:
    """Whether a claim tells a number that stands with what the text takes out: "but not with placebo (0.11 %)"."""
    parts = _BUT_NOT.split(text)
    told, there = (
        {abs(token.quantity.printed) for token in read(each).tokens if token.quantity} for each in (claim, parts[-1])
    )
    return len(parts) == 2 and bool(told & there)


def _denied(claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    ours = _keys(read(claim).tokens)
    everything = {token.key for token in read(claim).tokens if token.weight}
    for text in texts:
        shared = [token for token in read(text).tokens if token.key in everything and token.weight]
        keys = {token.key for token in shared}
        negated = {token.key for token in shared if token.negated}
        if len(keys) < max(MOST_SHARED, SHARED * len(everything)) or len(negated) < SHARED * len(keys):
            continue
        others = [each for each in texts if each is not text and len(_keys(read(each).tokens) & ours) >= FEWEST]
        if not others:
            yield Veto("denial", "the quotes deny what it says", opposed=True)


def _affirmed(claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    tokens = read(claim).tokens
    negated = {token.key for token in tokens if token.negated and token.weight >= 1}
    if (
        any(_denies(text) or _FEW.search(text) or ALIKE.search(text) for text in texts)
        or len(negated) < FEWEST
        or _FEW.search(claim)
    ):
        return
    ours = _keys(tokens)
    values = {abs(token.quantity.printed) for token in tokens if token.quantity}
    for text in texts:
        there = read(text).tokens
        theirs = _keys(there)
        if not values <= {abs(token.quantity.printed) for token in there if token.quantity}:
            continue  # "7 of 18 did not" of "11 of 18 did"
        if negated <= theirs and len(ours & theirs) >= SHARED * len(ours):
            yield Veto("denial", "it denies what the quotes say", opposed=True)


def _denies(text: str) -> bool:
    return any(token.cue or token.word in lexicon.NO_EFFECT for token in read(text).tokens)


def _keys(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.key for token in tokens if token.weight >= 1 and token.quantity is None)
