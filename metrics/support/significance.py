"""Significance that a claim asserts and its quotes deny.

    quote   "Acuity improved slightly, but not to a statistically significant degree."
    claim   "Acuity improved significantly."          the quotes find it not significant
    quote   "A non-significant trend was found for an improvement of mood."
    claim   "The drug improved mood."                 the quotes only see a trend

Where one sentence of the quotes finds something significant nothing is said: it may be what the claim is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.support.courses import statements
from metrics.support.reading import normalised
from metrics.support.veto import Veto

_NOT_FOUND = re.compile(
    r"\b(?:no|not|nor|neither|never|without|fail\w*|cannot|\w+n't)\s(?:[\w-]+\s){0,4}?significan\w*|\bin-?significan\w*"
    r"|\bnon-?significan\w*|\b(?:lack|absence) of (?:\w+ )?significan\w*"
    r"|\bp(?:[\s-]value)?\s?[=>≥]\s?0?[.·](?:0[6-9]|[1-9])\d*|\bNS\b",
    re.IGNORECASE,
)
_FOUND = re.compile(r"\bsignifican|\bp(?:[\s-]value)?\s?[<=≤]\s?0?[.·]0[0-4]", re.IGNORECASE)
_TREND = re.compile(r"\b(?:non-?significant|statistical|slight|weak)?\s?trend\b|\btended to\b", re.IGNORECASE)
_ADMITTED = re.compile(
    r"\btrend|\btend|\bsignifican|\bnon-?signific|\bnumerical|\bmay\b|\bmight\b|\bp\s?=", re.IGNORECASE
)

_PROBABILITY = re.compile(r"\bp(?:[\s-]values?)?\s?(?P<sign>[<>=≤≥])\s?(?P<value>0?[.·]\d+|1\b)", re.IGNORECASE)
_SIGNIFICANT = re.compile(r"\bsigni(?:fican|ficativ|fikant)", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:no|not|nor|non|neither|without|lack\w*|in-?signif\w*|non-?signif\w*|\w+n't|sin|ni|ningun\w*|nicht|kein\w*|pas|ne"
    r"|but|whereas|while|although)\b",
    re.IGNORECASE,
)
"""Words by which a sentence may speak of what was not significant too."""
_LEVEL = 0.05
_CLAUSE = 3
"""Words of which a clause of its own has at least; a lone "significantly" is an addition."""


def follows_from_probability(said: str, quotes: Sequence[str]) -> bool:
    """Whether words say that something is, or is not, significant, and every probability in the quotes says the same.

    Args:
        said: Words that a claim adds to the quotes: "which was not a significant difference".
        quotes: Sentences that are to prove the claim.
    """
    denied = _NOT_FOUND.search(said) is not None
    if len(said.split()) < _CLAUSE or not (denied or _FOUND.search(said)):
        return False
    found = list(_PROBABILITY.finditer(normalised("\n".join(quotes))))
    return bool(found) and all(_is_significant(each) is not denied for each in found)


def _is_significant(probability: re.Match[str]) -> bool:
    value = float(probability["value"].replace("·", "."))
    return value < _LEVEL or (value == _LEVEL and probability["sign"] in "<≤")


def wrong_significance(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Significance that is asserted against the quotes, and a trend that is told as an effect.

    Args:
        claim: One sentence.
        quotes: Sentences that are to prove it.
    """
    text, said = normalised("\n".join(quotes)), normalised(claim)
    own = list(_PROBABILITY.finditer(said)) if _SIGNIFICANT.search(said) and not _DENIES.search(said) else []
    if own and not any(map(_is_significant, own)):
        yield Veto("effect", f'it calls "{own[0][0]}" significant', opposed=True)
    if _FOUND.search(_NOT_FOUND.sub(" ", text)):
        return
    denied = _NOT_FOUND.search(text)
    if denied and "significan" in _NOT_FOUND.sub(" ", said).lower():
        yield Veto("effect", f'the quotes say "{denied[0].strip()}"', opposed=True)
    trend = _TREND.search(text)
    if trend and not _ADMITTED.search(said) and any(each.sign for each in statements(claim)):
        yield Veto("doubt", f'the quotes only tell of a "{trend[0].strip()}"')
