"""Denials: what a claim affirms and the quotes deny, or the other way round, in other words too.

quote   "There were no treatment-related adverse events."     claim   "Some adverse events were due to treatment."
quote   "11/18 patients completed treatment."                 claim   "Eleven patients did not complete treatment."
quote   "It rose after A but not after B."                    claim   "It rose after B."
quote   "Acuity improved, but not to a significant degree."      claim   "Acuity improved significantly."
quote   "It may be due to diet."                                 claim   "It is due to diet."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.directions import ALIKE, hedged, statements
from metrics.support.languages import DENYING, is_foreign
from metrics.support.lexicon import stem, word_set
from metrics.support.sentence_features import content, normalised, read
from metrics.support.verdict import Veto

_DOUBTED = re.compile(
    r"\b(?P<doubt>may|might)\s+(?:(?:not|also|well|thus|even|simply|further)\s+)*(?:be\s+)?(?P<what>[a-z]{4,})\b"
)
_OWN_DOUBT = re.compile(
    r"\b(?:may|might|could|can|possib\w*|perhaps|potential\w*|suggest\w*|seem\w*|appear\w*|likely|probabl\w*|indicat\w*|"
    r"hypothes\w*|suspect\w*|speculat\w*|suppos\w*|caution\w*|if|whether|would)\b",
    re.IGNORECASE,
)
_SAYS_LITTLE = word_set("have show function help play need serve lead make take give include")
_WORD = re.compile(r"[a-z]{4,}")


def dropped_doubts(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What the quotes only hold for possible and the claim tells as a fact."""
    text, said = normalised("\n".join(quotes)).lower(), normalised(claim).lower()
    if _OWN_DOUBT.search(said) or any(token.word in lexicon.HEDGES for token in read(claim).tokens):
        return
    claimed, given = {stem(word) for word in _WORD.findall(said)}, [stem(word) for word in _WORD.findall(text)]
    for found in _DOUBTED.finditer(text):
        what = stem(found["what"])
        says_something = found["what"] not in _SAYS_LITTLE and not found["what"].endswith("ly")
        if says_something and what in claimed and given.count(what) == 1:
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
_ASIDE = re.compile(r"\((?!\s*(?:but|and) not\b)[^()]*\)")
_NO_EFFECT_ON = re.compile(
    r"\bno (?:\w+ ){0,2}?(?:effect|impact|influence|change|difference|improvement|reduction|decrease|increase)s? "
    r"(?:on|in|of) (?P<what>[^,;:.()]+?)"
    r"(?= (?:between|among|compared|when|after|during|at|with|for|was|were)\b|[,;:.()]|$)",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except(?:ing|ions?)?|apart from|other than)\b", re.IGNORECASE)
_ALL = re.compile(r"(?<!\bin )(?<!\bat )\b(?:all|every)\b(?!-)", re.IGNORECASE)


def wrong_denials(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What one side denies and the other affirms."""
    if "|" in "".join(quotes) or _CONDITION.search(claim):
        return
    whole = sentence_texts(*quotes)
    texts = [_ASIDE.sub(" ", each) for each in whole]
    yield from _exchanged(claim, texts)
    yield from _without_exception(claim, texts)
    if not hedged(claim) and not _denies(claim):
        yield from _without_effect(claim, texts)
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
            [content(f"the {each.strip()}", numbers=False) for each in side] for side in (ours, parts)
        )
        if tail & there - left_out and left_out & head - tail and not tail & left_out - head:
            yield Veto("denial", f'the quotes say "not{parts[1][:40].rstrip()}"', opposed=True)


def _without_exception(claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    """A claim on all, where the quotes except some."""
    found = _EXCEPT.search("\n".join(texts))
    if found and _ALL.search(claim) and not _EXCEPT.search(claim) and " but " not in claim:
        yield Veto("denial", f'it says it of all, the quotes say "{found[0]}"')


def _without_effect(claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    """A claim that something changed, which the quotes name only where they say that there was no effect on it."""
    ours = content(claim, numbers=False)
    for text in texts if any(each.sign for each in statements(claim)) else ():
        for found in _NO_EFFECT_ON.finditer(text):
            what = content(f"the {found['what']}", numbers=False)
            rest = text[: found.start()] + text[found.end() :]
            elsewhere = [rest, *(each for each in texts if each is not text)]
            if what and what <= ours and not any(what <= content(each, numbers=False) for each in elsewhere):
                yield Veto("denial", f'the quotes say "{found[0].strip()}"', opposed=True)


def _left_out(claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    """A claim on what a quote takes out: "after A but not after B"."""
    ours = content(claim, numbers=False)
    for text in texts:
        parts = _BUT_NOT.split(text)
        if len(parts) != 2 or _BOTH.search(claim):
            continue
        head, tail = (content(f"the {part.strip()}", numbers=False) for part in parts)
        if tail - head and tail <= ours and len(ours & head) >= FEWEST:
            yield Veto("denial", f'the quotes say "not{parts[1][:40].rstrip()}"', opposed=True)


def _given(claim: str, text: str) -> bool:
    """Whether a claim tells a number that goes with what the text takes out: "but not with placebo (0.11 %)"."""
    parts = _BUT_NOT.split(text)
    return len(parts) == 2 and bool(_values(claim) & _values(parts[1]))


def _denied(claim: str, texts: Sequence[str]) -> Iterator[Veto]:
    ours = content(claim, numbers=False)
    everything = {token.key for token in read(claim).tokens if token.weight}
    for text in texts:
        shared = [token for token in read(text).tokens if token.key in everything and token.weight]
        keys = {token.key for token in shared}
        negated = {token.key for token in shared if token.negated}
        if len(keys) < max(MOST_SHARED, SHARED * len(everything)) or len(negated) < SHARED * len(keys):
            continue
        others = [each for each in texts if each is not text and len(content(each, numbers=False) & ours) >= FEWEST]
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
    ours = content(claim, numbers=False)
    for text in texts:
        theirs = content(text, numbers=False)
        if not _values(claim) <= _values(text):
            continue  # "7 of 18 did not" of "11 of 18 did"
        if negated <= theirs and len(ours & theirs) >= SHARED * len(ours):
            yield Veto("denial", "it denies what the quotes say", opposed=True)


def _denies(text: str) -> bool:
    return any(token.cue or token.word in lexicon.NO_EFFECT for token in read(text).tokens)


def _values(text: str) -> set[float]:
    return {abs(quantity.printed) for quantity in read(text).quantities}


_NOT_FOUND = re.compile(
    r"\b(?:no|not|nor|neither|never|without|fail\w*|cannot|\w+n't)\s(?:[\w-]+\s){0,4}?significan\w*|\bin-?significan\w*"
    r"|\bnon-?significan\w*|\b(?:lack|absence|short) of (?:\w+ )?significan\w*"
    r"|\b(?:lack|miss)\w* (?:statistical )?significan\w*"
    r"|\b(?:not|\w+n't)\s(?:[\w-]+\s){1,8}?to (?:a|any) (?:statistically )?significan\w*"
    r"|\bp(?:[\s-]value)?\s?[=>≥]\s?0?[.·](?:0[6-9]|[1-9])\d*|\bNS\b",
    re.IGNORECASE,
)
_NOT_SAID = re.compile(
    r"\b(?:not|never|neither|cannot|\w+n't)\s(?:(?!(?:but|while|whereas|although|and|only)\b)[\w-]+\s){0,12}?significan\w*",
    re.IGNORECASE,
)
"""What a claim says not to be significant, however far off: "did not relieve pain in acute flares significantly"."""
_IN_BRACKETS = re.compile(r"\s?\([^()]*\)")
_FOUND = re.compile(r"\bsignifican|\bp(?:[\s-]value)?\s?[<=≤]\s?0?[.·]0[0-4]", re.IGNORECASE)
_TREND = re.compile(
    r"(?<!for )(?<!p-)(?<!p )\b(?:(?:non-?significant|statistical|slight|weak)\s)?trend\b(?!\stests?\b)|\btended to\b",
    re.IGNORECASE,
)
"""A result that nearly is one; no "P for trend", which tests whether more goes with more."""
_ADMITTED = re.compile(
    r"\btrend|\btend|\bsignifican|\bnon-?signific|\bnumerical|\bmay\b|\bmight\b|\bp\s?=", re.IGNORECASE
)

_PROBABILITY = re.compile(r"\bp(?:[\s-]values?)?\s?(?P<sign>[<>=≤≥])\s?(?P<value>0?[.·]\d+|1\b)", re.IGNORECASE)
_SIGNIFICANT = re.compile(r"\bsigni(?:fican|ficativ|fikant)", re.IGNORECASE)
_DENIES = re.compile(
    rf"\b(?:{DENYING}|lack\w*|miss\w*|in-?signif\w*|non-?signif\w*|but|whereas|while|although)\b", re.IGNORECASE
)
"""Words by which a sentence may speak of what was not significant too."""
_NEARLY = re.compile(
    r"\b(?:near\w*|approach\w*|border\w*|almost|toward\w*|marginal\w*|close to|short of|trend\w*|tend\w*)\b",
    re.IGNORECASE,
)
"""Words by which a sentence says itself that something is not quite significant."""
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
    """Significance that is asserted against the quotes, and a trend that is called an effect.

    Where one sentence of the quotes finds something significant nothing is said: it may be what the claim is about.
    """
    text, said = normalised("\n".join(quotes)), normalised(claim)
    called = _SIGNIFICANT.search(said) and not _DENIES.search(said) and not _NEARLY.search(said)
    own = list(_PROBABILITY.finditer(said)) if called else []
    if own and not any(map(_is_significant, own)):
        yield Veto("effect", f'it calls "{own[0][0]}" significant', opposed=True)
    if _FOUND.search(_NOT_FOUND.sub(" ", text)):
        return
    denied = _NOT_FOUND.search(text)
    says_so = "significan" in _NOT_SAID.sub(" ", _NOT_FOUND.sub(" ", _IN_BRACKETS.sub("", said))).lower()
    if denied and says_so and not (is_foreign(claim) and _DENIES.search(said)):
        yield Veto("effect", f'the quotes say "{denied[0].strip()}"', opposed=True)
    trend = _TREND.search(text)
    if trend and not _ADMITTED.search(said) and any(each.sign for each in statements(claim)):
        yield Veto("doubt", f'the quotes only tell of a "{trend[0].strip()}"')
