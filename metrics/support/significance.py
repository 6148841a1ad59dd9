"""Whether something is called significant, or a trend an effect, against what the quotes say of it.

quote   "Acuity improved, but not to a significant degree."      claim   "Acuity improved significantly."
quote   "Time was alike (p = 0.52)."                             claim   "Time differed significantly (p = 0.52)."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.support.directions import statements
from metrics.support.languages import DENYING, is_foreign
from metrics.support.sentence_features import normalised
from metrics.support.verdict import Veto

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
