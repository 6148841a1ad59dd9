"""The numbers of a sentence with the words that belong to each.

    "Cure was seen in 12 % of the drug group and in 18 % of controls."      12 %: drug       18 %: controls
    "Mortality was alike (54 % CVVH; 55 % CVVHD)."                          54 %: CVVH       55 %: CVVHD

Where words or places are not plain a number has none, and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from metrics.support.quantities import LABELS, Quantity
from metrics.support.sentence_features import Token, normalised, read

BESIDE = 3
"""Words with content that belong to a number at most."""
PARALLEL = 5
"""Words at most between numbers of things that are counted beside each other: "5 men and 7 women"."""

_SURE = r"(?:95\s?%|CI\b|confidence interval|range\b|IQR\b|p\s?[<>=≤]|SD\b|SEM?\b|Figure|Fig\.|Table|Tab\.)"
_ASIDE = re.compile(
    r"(?<=\()\d+\s?/\s?\d+[,;]\s(?=[\d.]+\s?%)"
    rf"|\(\s?{_SURE}[^();]*\)|\(?\b{_SURE}[^);]*"
    r"|(?<=%)[;,]\s\d+\s?/\s?\d+(?=\s?[);])"
    r"|(?!\(\s?[\d.,]+\s?%[;,]\s\d+\s?/)\(\s?[-+]?[\d.,]+\s?%?\s?(?:[-–]|to|,|;|(?:out )?of)\s?[-+]?[\d.,]+[^()]*\)"
    r"|(?<=[\d%])\s?\(\s?[\d.,]+\s?(?:/\s?[\d.,]+\s?)?\)|±\s?[\d.]+|(?<=\d)/\d+(?:,\d{3})*(?![\d/])"
    r"|\bn\s?=\s?|\b[zt]\s?=\s?[-−]?[\d.]+",
    re.IGNORECASE,
)
"""What is beside a number and tells how sure it is, or of how many."""
_PERCENT = re.compile(r"(?<=\d)\s?per\s?cent\b", re.IGNORECASE)
_CHANGE = "decrease|increase|reduction|rise|drop|decline|fall|improvement|change"
_OPENS_PLACE = re.compile(
    rf"[\s)%]*(?:(?:(?:{_CHANGE})\s)?(?:in|of|for|with|among|on|after|under|at|bei|im|nach|mit|von|zu|à|chez|avec|dans|con|"
    r"en|tras|przy|w|u)\b|(?:an?|any)\s(?!(?:hour|day|night|week|month|year|time|dose)\b))",
    re.IGNORECASE,
)
"""A place, or what is counted: "12 % of controls", "a 59 % decrease in pain", "1.7 % a typeable type"."""
_OPENS_REST = re.compile(
    r"[\s)%]*(?:without|in neither|(?:in|with|for|among) (?:the )?(?:others?|rest|those|it)\b)", re.I
)
"""A place that is named by what it is not: "283 days with the intervention and 239 days without it"."""
_NAME_IN_BRACKETS = re.compile(r"\s?%?\s?\((?P<name>[A-Za-z][^()\d]*)\)")
"""Whose a number is: "12 % (drug) against 18 % (placebo)"."""
_NAME_BEHIND = re.compile(
    r"\s(?P<name>(?!(?:to|of|in|and|or|vs?|versus|per|lower|higher|more|less|greater|fewer|smaller|larger|longer|shorter|better|worse|"
    r"reduction|increase|decrease|change|points?|respectively|each|both|overall|total)\b)[A-Za-z][\w+/-]+)\s*"
    r"(?:[;,.)]|(?:and|vs?\.?|versus)\s)"
)
"""And without brackets: "54 % CVVH; 55 % CVVHD", "54 % drug vs 65 % placebo"."""
_OPENS_ITEM = re.compile(r"[:;]\s*(?:and\s)?$")
_NAME_OF_ITEM = re.compile(r",\s(?P<name>[A-Za-z][^;:,.]*)")
"""An item of a list: "three groups: 21, placebo; 23, low dose; and 22, high dose"."""
_SEPARATOR = re.compile(r"\s*(?:,|;|and|or|vs?\.?|versus|against|,\s?and|to|[-–])\s*[-+–−]?\s*", re.IGNORECASE)
_BOUND = re.compile(r"(?:\b(?:from|to|between|over|above|below|under)|/)\s*$", re.IGNORECASE)
"""What is before the end of a range, or a bound."""
_STOP = re.compile(
    r"[;:.(]|,|\b(?:whereas|while|but|respectively|versus|vs|compared|than|and|was|had|reported|received|showed|"
    r"experienced|completed|did|als|dan|que|niż)\b",
    re.IGNORECASE,
)
_COUNTS_TIME = re.compile(
    r"\b(?:(?:week|day|month|year|hour|visit|phase|stage|period|session)s?|post|pre|baseline|grade)[\s-]*$",
    re.IGNORECASE,
)
"""What a number behind it names: "at week 8"."""
_TELLS_WHEN = frozenset({"after", "befor"})
"""Keys of words that say of no number what it counts: "1.6 after 10 minutes"."""
_COUNT_WITH_SHARE = re.compile(r"(?P<count>\d[\d.,]*)\s?\(\s?(?P<share>\d[\d.]*\s?%)\s?\)")
_COUNTED = re.compile(r"\s(?:were\s)?(?!(?:and|but|versus|against|compared|while|whereas)\b)[a-zA-Z]{3,}")


@dataclass(frozen=True, slots=True)
class Assigned:
    """A number with the words that belong to it, and on which side of it they are."""

    token: Token
    words: frozenset[str]
    side: str
    further: frozenset[str] = frozenset()  # words of that side that are further away

    @property
    def value(self) -> Quantity:
        """What it tells."""
        return cast("Quantity", self.token.quantity)


def assigned_numbers(text: str) -> list[Assigned]:
    """The numbers of a sentence that have their own words, with these."""
    plain = re.sub(
        r"\s*\(\s*\)|\s+(?=[,;.)])", "", re.sub(r"\s+", " ", _ASIDE.sub("", _PERCENT.sub("%", normalised(text))))
    )
    found = _placed(_COUNT_WITH_SHARE.sub(r"\g<count>", plain))
    return [*found, *_shares(plain, found)]


def _shares(plain: str, counts: Sequence[Assigned]) -> Iterator[Assigned]:
    """Shares behind counts, "12 (40 %) patients": they belong where the count does."""
    by_value = {each.value.printed: each for each in counts}
    for match in _COUNT_WITH_SHARE.finditer(plain):
        count, share = read(match["count"]).quantities[0], read(match["share"]).tokens[0]
        if own := by_value.get(count.printed):
            yield Assigned(share, own.words, own.side)


def _placed(plain: str) -> list[Assigned]:
    """Numbers by themselves; what belongs to those of a list or a range is not plain."""
    tokens = measured(plain)
    starts = [*(each.start for each in tokens[1:]), len(plain)]
    found, before = [], 0
    for at, (token, after) in enumerate(zip(tokens, starts, strict=False)):
        follows = (at and _SEPARATOR.fullmatch(plain, before, token.start)) or _BOUND.search(plain, 0, token.start)
        if not follows and not (after < len(plain) and _SEPARATOR.fullmatch(plain, token.end, after)):
            found.append(_of_one(plain, token, before, after))
        before = token.end
    return [each for each in found if each.words]


def measured(text: str) -> list[Token]:
    """The numbers of a text that tell a value and name no point of time."""
    plain = normalised(text)
    return [each for each in read(text).tokens if _measures(each) and not _COUNTS_TIME.search(plain, 0, each.start)]


def _measures(token: Token) -> bool:
    """Whether a number tells a value: no bound, no name, no dose."""
    value = token.quantity
    if value is None or value.dimension in LABELS or value.comparator:
        return False
    return not (value.dimension == "mass" and abs(value.value) < abs(value.printed))


def _of_one(plain: str, token: Token, before: int, after: int) -> Assigned:
    """A number with the words after it ("12 % of controls", "5 men"), else those before it ("controls 12 %")."""
    following = plain[token.end : after]
    if _OPENS_REST.match(following):
        return Assigned(token, frozenset(), "after")
    stop = _STOP.search(following, 2)
    place = following[: stop.start() if stop else None]
    if named := _NAME_IN_BRACKETS.match(following) or _NAME_BEHIND.match(following):
        return Assigned(token, _words(named["name"], last=False), "after")
    if _OPENS_ITEM.search(plain, before, token.start) and (named := _NAME_OF_ITEM.match(following)):
        return Assigned(token, _words(named["name"], last=False), "after")
    if _OPENS_PLACE.match(following):
        return Assigned(token, _words(place, last=False), "after", content_keys(place))
    if token.quantity and not token.quantity.dimension and _COUNTED.match(following):
        parallel = len(following.split()) <= PARALLEL
        return Assigned(token, _words(place, last=False) if parallel else frozenset(), "counted")
    preceding = plain[before : token.start]
    return Assigned(token, _words(preceding, last=True), "before", content_keys(preceding))


@lru_cache(maxsize=4096)
def content_keys(text: str) -> frozenset[str]:
    """Keys of the words of a name that say something, numbers left out."""
    return frozenset(content_words(read(f"the {text}").tokens))


def _words(text: str, *, last: bool) -> frozenset[str]:
    found = content_words(read(f"the {text}").tokens)
    return frozenset(found[-BESIDE:] if last else found[:BESIDE])


def content_words(tokens: Sequence[Token]) -> list[str]:
    """Keys of the tokens that say something, in order; no numbers, and no words that only tell when."""
    return [each.key for each in tokens if each.weight >= 1 and not each.quantity and each.key not in _TELLS_WHEN]
