"""Numbers that a claim gives to another thing than text or table do, and comparisons that the numbers turn around.

    quote   "Cure was seen in 12 % of the drug group and in 18 % of controls."     12 %: drug   18 %: controls
    claim   "Of the controls 12 % were cured."                                     12 %: controls
    quote   "| Outcome | Drug | Placebo |"  "| Relapse | 12 (30) | 20 (49) |"      20: placebo, relapse
    claim   "Relapse was more frequent with the drug than with placebo."           12 is less than 20

A number belongs to the words beside it, one of a table to the names of its column and of its row. A claim that gives it
to words of another number, and to none of this one, is wrong. Where words or places are not plain nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import cast

from metrics.sentences import sentence_texts
from metrics.support.directions import Statement, statements
from metrics.support.languages import is_english
from metrics.support.quantities import LABELS, Quantity
from metrics.support.sentence_features import Token, normalised, read
from metrics.support.verdict import Veto

BESIDE = 3  # words with content that belong to a number at most

_ASIDE = re.compile(
    r"\(?\b(?:95\s?%|CI\b|confidence interval|range\b|IQR\b|p\s?[<>=≤]|SD\b|SEM?\b|(?:Fig|Tab)[a-z.]*\s\d)[^();]*\)?"
    r"|(?<=[\d%])\s?\((?!\s?\d[\d.]*\s?%\s?\))\s?[\d.,/]+[^()]*\)|±\s?[\d.]+"
    r"|(?<=\d)/\d[\d,]*|(?<=[\d)])\s(?:out )?of \d[\d,]*|\bn\s?=\s?",
    re.IGNORECASE,
)
"""What is beside a number and tells how sure it is, or of how many."""
_COUNTS_TIME = re.compile(r"\b(?:week|day|month|year|hour|visit|phase|stage|period|session|grade)s?[\s-]*$", re.I)
_LISTED = re.compile(r"\s*(?:,|;|and|or|vs?\.?|versus|,\s?and|to|[-–])\s*[-+–−]?\s*|[-–]", re.IGNORECASE)
"""What parts numbers of a list or a range."""
_BOUND = re.compile(r"(?:\b(?:from|to|between|over|above|below|under)|/)\s*$", re.IGNORECASE)
_PLACE = re.compile(
    r"[\s)]*(?:(?:decrease|increase|reduction|rise|drop|decline|fall|improvement|change)\s)?"
    r"(?:in|of|for|with|among|on|after|under|at|bei|im|nach|mit|à|avec|dans|con|en|przy|w|u|"
    r"an?(?! (?:day|week|month|year)))\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\s?\(?(?P<name>[A-Za-z][\w+/-]+(?=\)))|\s(?P<bare>[A-Za-z][\w+/-]+)\s*(?:[;,.)]|(?:and|vs?\.?|versus)\s)"
)
"""Whose a number is, right behind it: "12 % (drug) against 18 % (placebo)", "54 % drug; 65 % placebo"."""
_REST = re.compile(
    r"\s(?:without|in neither|(?:in|with|for|among) (?:the )?(?:others?|rest|those|it)\b)", re.IGNORECASE
)
"""A place that is named by what it is not: "283 days with the intervention and 239 days without it"."""
_SHARE = re.compile(r"(?P<count>\d[\d.,]*)\s?\(\s?(?P<share>\d[\d.]*\s?%)\s?\)")
_ITEM = re.compile(r"[:;]\s*(?:and\s)?$")
_STOP = re.compile(
    r"[;:.(]|,|\b(?:whereas|while|but|respectively|versus|vs|compared|than|against|and|was|were|had|als|dan|que|niż)\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:reduc|decreas|declin|f[ae]ll|los[st]|chang|improv|drop|ratio|difference)\w*|\b(?-i:OR|HR|RR|IRR)\b", re.I
)
"""Words of a text whose numbers may tell how much less of something there is."""
_DIFFERENCE = re.compile(r"\b(?:difference|gap|margin)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Assigned:
    """A number with the words that belong to it, among those that may be exchanged with it."""

    token: Token
    words: frozenset[str]
    among: str = ""  # of one measure and side, or the values or shares of one row or column
    matter: frozenset[str] = frozenset()  # what all of these are about
    is_comparable: bool = True

    @property
    def value(self) -> Quantity:
        """What it tells."""
        return cast("Quantity", self.token.quantity)


def misassigned(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Numbers that the claim gives to another thing, and comparisons that it turns around."""
    lines = [line.strip() for quote in quotes for line in quote.splitlines()]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    prose = "\n".join(line for line in lines if not line.startswith("|"))
    given = []
    for text in sentence_texts(prose):  # parts with several numbers each: "25 for A and 26 for B; 38 for A and …"
        parts = list(map(_in_text, text.split(";")))
        given += parts if min(map(len, parts)) > 1 else [_in_text(text)]
    given += _in_table(rows) if is_english(claim) else []
    printed = [abs(each.printed) for text in (prose, *map(" | ".join, rows)) for each in read(text).quantities]
    numbers = _measured(normalised(claim))  # a single one belongs to all that the claim says
    assigned = [_Assigned(numbers[0], content_keys(claim))] if len(numbers) == 1 else _in_text(claim)
    for own in [] if _DIFFERENCE.search(claim) else assigned:
        value = abs(own.value.printed)
        if printed.count(value) == 1 and (found := _other_than(own, given, value)):
            yield Veto("place", f"the quotes say {found[0]} of something else; there they say {found[1]}")
    for said in statements(claim):
        signs = {sign for of in given for sign in _orders(said, of)} if said.sign and said.base else set()
        if signs == {-said.sign} and said.kind != "worth":
            reason = f'the numbers of the quotes are the other way round than "{said.text}"'
            yield Veto("course", reason, opposed=True)


def _other_than(own: _Assigned, given: Sequence[Sequence[_Assigned]], value: float) -> tuple[str, str] | None:
    """The quotes' number of this value and the one beside it to whose words the claim gives it."""
    for mine, beside in ((each, of) for of in given for each in of if abs(each.value.printed) == value):
        is_length = own.value.dimension == "time" != mine.value.dimension  # as of a treatment
        for other in beside if any(map(str.isdigit, mine.token.text)) and not is_length else ():
            if mine.among == other.among and _is_of(own.words, other.words, mine.words):
                return mine.token.text, other.token.text
    return None


def _is_of(said: frozenset[str], other: frozenset[str], mine: frozenset[str]) -> bool:
    """Whether words are of another name and not of mine; of names of which one holds the other, all of the other."""
    if mine - other and other - mine:
        return bool(said & (other - mine)) and not said & (mine - other)
    return bool(mine and other and mine != other) and said & (mine | other) == other


def _orders(said: Statement, of: Sequence[_Assigned]) -> Iterator[int]:
    """1 where there is more for the one than for what it is compared with, -1 for less, 0 where that is not plain."""
    for one, other in permutations(of, 2):
        first, second, base = one.words - other.words, other.words - one.words, frozenset(said.base)
        is_plain = one.among == other.among and one.is_comparable and other.is_comparable and said.near & one.matter
        if not is_plain or (said.kind == "pace" and one.value.dimension in ("", "percent")):
            continue
        if said.words & first and base & second and not (said.words & second or base & first):
            yield (one.value.value > other.value.value) - (one.value.value < other.value.value)


def _measured(text: str) -> list[Token]:
    """The numbers that tell a value: no bound, no name, no point of time, no dose."""
    return [
        each
        for each in read(text).tokens
        if (value := each.quantity) and value.dimension not in LABELS and not value.comparator
        if not (value.dimension == "mass" and value.value < value.printed)
        if not _COUNTS_TIME.search(text, 0, each.start)
    ]


def _in_text(text: str) -> list[_Assigned]:
    """The numbers of a sentence that have their own words; what belongs to those of a list is not plain."""
    whole = _ASIDE.sub("", re.sub(r"(?<=\d)\s?per\s?cent\b", "%", normalised(text)))
    plain = re.sub(r"\s+(?=[\s,;.)])", "", _SHARE.sub(r"\g<count>", whole))
    numbers, matter = _measured(plain), content_keys(plain)
    starts = [*(each.start for each in numbers[1:]), len(plain)]
    found, before = [], 0
    for token, after in zip(numbers, starts, strict=False):
        follows = (before and _LISTED.fullmatch(plain, before, token.start)) or _BOUND.search(plain, 0, token.start)
        if not follows and not (after < len(plain) and _LISTED.fullmatch(plain, token.end, after)):
            side, words = _beside(plain[before : token.start], plain[token.end : after], token)
            among = f"{token.quantity.dimension if token.quantity else ''} {side}"
            found.append(_Assigned(token, words, among, matter, not _CHANGES.search(plain)))
        before = token.end
    of_counts = {each.token.text: each for each in found}
    shares = [(own, match) for match in _SHARE.finditer(whole) if (own := of_counts.get(match["count"]))]
    found += [replace(own, token=read(each["share"]).tokens[0], among=f"share {own.among}") for own, each in shares]
    return [each for each in found if each.words]


def _beside(before: str, after: str, token: Token) -> tuple[str, frozenset[str]]:
    """The words of a number, and where: after it ("12 % of controls", "5 men"), else before it ("controls 12 %")."""
    named = _NAME.match(after)
    name = named and (named["name"] or named["bare"])
    stop = _STOP.search(after, 2)
    place = after[: stop.start() if stop else None]
    if _REST.match(after):
        return "", frozenset()
    if name:
        return "after", content_keys(name)
    if _ITEM.search(before) and after.startswith(","):
        return "after", content_keys(_STOP.split(after[1:])[0])
    if _PLACE.match(after):
        return "after", frozenset(_content(place)[:BESIDE])
    if token.quantity and not token.quantity.dimension and re.match(r"\s[a-zA-Z]{3,}", place):
        return "counted", frozenset(_content(place)[:BESIDE])
    return "before", frozenset(_content(before)[-BESIDE:])


def content_keys(text: str) -> frozenset[str]:
    """Keys of the words of a text that say something, numbers left out."""
    return frozenset(_content(text))


def _content(text: str) -> list[str]:
    tokens = read(f"the {text}").tokens
    return [
        each.key for each in tokens if each.weight >= 1 and not each.quantity and each.key not in ("after", "befor")
    ]


_IS_VALUE = re.compile(r"\W{0,3}\d")
_STATISTIC = re.compile(
    r"\b(?:p|values?|ratio|odds|risk|OR|RR|HR|CI|interval|differences?|effect|total|all|overall|test|statistics?)\b"
    r"|[χηβ]|^(?:B|b|SE|t|F|z|r|d|M|SD|N|n|%)$",
    re.IGNORECASE,
)
"""What is written over columns that hold no group's values, or those of all groups."""


def _in_table(rows: Sequence[Sequence[str]]) -> list[list[_Assigned]]:
    """The numbers of each row, with the names of their columns, and of each column with those of their rows."""
    heads: list[Sequence[str]] = []
    lines: dict[str, list[_Assigned]] = {}
    is_open = True  # whether lines that name columns belong to those before them
    for number, row in enumerate(rows):
        if not any(map(_IS_VALUE.match, row[1:])):
            heads, is_open = [*(heads if is_open else []), row], True
            continue
        is_open = False
        for column, text in enumerate(row[1:], start=1):
            over = " ".join(next((each for each in reversed(head[1 : column + 1]) if each), "") for head in heads)
            is_other = not over.strip() or _STATISTIC.search(over.split()[-1]) or _CHANGES.search(f"{over} {row[0]}")
            values = [] if is_other or "↓" in text or not _IS_VALUE.match(text) else read(text).tokens
            of_row, of_column = (content_keys(re.sub(r"\([^()]*\)", "", each)) for each in (row[0], over))
            for at, token in enumerate(each for each in values if each.quantity):
                is_plain = len(values) > 1 or not token.text.isdigit()  # counts may be of groups of other sizes
                for among, words, matter in (
                    (f"{at} of row {number}", of_column, of_row),
                    (f"{at} of column {column} of {len(heads)}", of_row, of_column),
                ):
                    lines.setdefault(among, []).append(_Assigned(token, words, among, matter, is_plain))
    return list(lines.values())
