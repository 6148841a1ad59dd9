"""The numbers of a sentence with the words that belong to each.

    "Cure was seen in 12 % of the drug group and in 18 % of controls."      12 %: drug       18 %: controls
    "Of the groups 5 and 7 were cured in A and B."                          5: A             7: B
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
PERCENT = re.compile(r"(?<=\d)\s?per\s?cent\b", re.IGNORECASE)
_OPENS_PLACE = re.compile(
    r"[\s)%]*(?:in|of|for|with|among|on|after|under|at|bei|im|nach|mit|von|zu|à|chez|avec|dans|con|en|tras|przy|w|u)\b",
    re.IGNORECASE,
)
_OPENS_THING = re.compile(r"[\s)%]*(?:an?|any)\s(?!(?:hour|day|night|week|month|year|time|dose)\b)", re.IGNORECASE)
"""What is counted, without a verb: "1.7 % a typeable type and 1.3 % an oncogenic one"."""
_OPENS_REST = re.compile(
    r"[\s)%]*(?:without|in neither|(?:in|with|for|among) (?:the )?(?:others?|rest|those|it)\b)", re.I
)
"""A place that is named by what it is not: "283 days with the intervention and 239 days without it"."""
_CLOSES = re.compile(r"\s?%?\s?\)")
_NAMED = re.compile(r"\([^()\d]*[A-Za-z]{2}[^()]*$")
"""Brackets in which a number has a name, as in "(ES = 3.35)": it may belong to what is before or behind them."""
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
_CHANGE_OF = re.compile(
    r"[\s)%]*(?:decrease|increase|reduction|rise|drop|decline|fall|improvement|change)\s(?:in|of|with|for|after)\b",
    re.IGNORECASE,
)
"""A number of how much something changed: "a 59 % decrease in pain with the spray"."""
_SEPARATOR = re.compile(r"\s*(?:,|;|and|or|vs?\.?|versus|against|,\s?and)\s*[-+–−]?\s*", re.IGNORECASE)
_COORDINATION = re.compile(r",\s*(?:and\s+)?|\s+(?:and|or|versus|vs?\.?|compared (?:to|with))\s+", re.IGNORECASE)
_LIST_ENDS = re.compile(r"[;.(]|\brespectively\b|,?\s(?:whereas|while|but|although|which|who)\b", re.IGNORECASE)
_STOP = re.compile(
    r"[;:.(]|,|\b(?:whereas|while|but|respectively|versus|vs|compared|than|and|was|had|reported|received|showed|"
    r"experienced|completed|did|als|dan|que|niż)\b",
    re.IGNORECASE,
)
_VERB = re.compile(r"\b(?:is|are|was|were|had|has|have)\b")
"""Words of which a thing of a list has none: what follows the last thing is a sentence's end."""
_RANGE = re.compile(r"(?:\b(?:from|to|between|over|above|below|under)|\d\s?[-–]|/)\s*$", re.IGNORECASE)
_RANGES = re.compile(r"\s?%?\s?(?:to|[-–])\s?(?P<end>\d+(?:\.\d+)?)")
"""What is behind the first number of a range."""
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
        r"\s*\(\s*\)|\s+(?=[,;.)])", "", re.sub(r"\s+", " ", _ASIDE.sub("", PERCENT.sub("%", normalised(text))))
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
    tokens = measured(plain)
    found: list[Assigned] = []
    for group in _lists(plain, tokens):
        if len(group) > 1:
            found += _of_list(plain, group)
            continue
        at = tokens.index(group[0])
        after = tokens[at + 1].start if at + 1 < len(tokens) else len(plain)
        found.append(_of_one(plain, group[0], tokens[at - 1].end if at else 0, after))
    return [each for each in found if each.words and not _is_of_range(plain, each)]


def _is_of_range(plain: str, number: Assigned) -> bool:
    """Whether a number is the first or the last of a range; "28.4 to 1.3" is none."""
    end = _RANGES.match(plain, number.token.end)
    opens = end is not None and float(end["end"]) > number.value.printed
    return opens or _RANGE.search(plain, 0, number.token.start) is not None


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


def _lists(plain: str, tokens: Sequence[Token]) -> list[list[Token]]:
    """Numbers that follow each other with nothing between but signs of a list."""
    groups: list[list[Token]] = []
    for token in tokens:
        last = groups[-1][-1] if groups else None
        if last is not None and _SEPARATOR.fullmatch(plain, last.end, token.start):
            groups[-1].append(token)
        else:
            groups.append([token])
    return groups


def _of_list(plain: str, group: Sequence[Token]) -> list[Assigned]:
    """A list of numbers with the list of as many things that they belong to: "5 and 7 in A and B"."""
    following = _LIST_ENDS.split(plain[group[-1].end :], maxsplit=1)[0]
    opened = _OPENS_PLACE.match(following)
    if opened is None and "respectively" not in plain[group[-1].end :]:
        return []
    text = following[opened.end() :] if opened else plain[: group[0].start]
    listed = text.strip(" ,(:=")
    things = _COORDINATION.split(listed)
    things = things if opened else things[-len(group) :]
    joins = [each[0] for each in _COORDINATION.finditer(listed)]
    if (
        len(things) != len(group)
        or (opened and joins and not joins[-1].strip(" ,"))
        or (not opened and _VERB.search(things[-1]))
    ):
        return []
    return [Assigned(token, _words(thing, last=True), "list") for token, thing in zip(group, things, strict=True)]


def _of_one(plain: str, token: Token, before: int, after: int) -> Assigned:
    """A number with the words after it ("12 % of controls", "5 men"), else those before it ("controls 12 %")."""
    following = plain[token.end : after]
    if _OPENS_REST.match(following):
        return Assigned(token, frozenset(), "after")
    stop = _STOP.search(following, 2)
    place = following[: stop.start() if stop else None]
    if _CLOSES.match(following) and _NAMED.search(plain, before, token.start):
        around = _words(plain[before : token.start], last=True) | _words(place, last=False)
        return Assigned(token, around, "list")
    if named := _NAME_IN_BRACKETS.match(following) or _NAME_BEHIND.match(following):
        return Assigned(token, _words(named["name"], last=False), "after")
    if _OPENS_ITEM.search(plain, before, token.start) and (named := _NAME_OF_ITEM.match(following)):
        return Assigned(token, _words(named["name"], last=False), "after")
    if _OPENS_PLACE.match(following) or _OPENS_THING.match(following) or _CHANGE_OF.match(following):
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
