"""What a claim gives to another thing than its quotes do: numbers, and the sides of comparisons.

    quote   "Cure was seen in 12 % of the drug group and in 18 % of controls."     12 %: drug   18 %: controls
    claim   "Of the controls 12 % were cured."                                      12 %: controls

Of every number of the quotes it is known which words belong to it and to no other number of its sentence. A number
that the claim gives to words of another one, and to none of its own, is in the wrong place. Where numbers, words or
places are not plain nothing is said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import cast

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.directions import Statement, statements
from metrics.support.quantities import LABELS, Quantity
from metrics.support.sentence_features import Token, content, normalised, read
from metrics.support.verdict import Veto

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
"""What stands beside a number and tells how sure it is, or of how many."""
_NUMBERED_ASIDE = re.compile(r"\s?\((?![^()]*\bn\s?=)[^()]*\d[^()]*\)")
"""Brackets with a number that a claim may leave out: "twice a week (45 min/session) for 16 weeks"."""
_PERCENT = re.compile(r"(?<=\d)\s?per\s?cent\b", re.IGNORECASE)
_SHARE = r"(?P<share>\d+(?:\.\d+)?)\s?%"
_STRENGTHS = (
    re.compile(rf"\b(?P<thing>[A-Za-z][\w-]{{3,}})\s\(?{_SHARE}"),
    re.compile(rf"{_SHARE}\s(?P<thing>[A-Za-z][\w-]{{3,}})(?![\w-]|\s\(?\d)"),
)
_OPENS_PLACE = re.compile(
    r"[\s)%]*(?:in|of|for|with|among|on|after|under|at|bei|im|nach|mit|von|zu|à|chez|avec|dans|con|en|tras|przy|w|u)\b",
    re.IGNORECASE,
)
_OPENS_THING = re.compile(r"[\s)%]*(?:an?|any)\s(?!(?:hour|day|night|week|month|year|time|dose)\b)", re.IGNORECASE)
"""What is counted, without a verb: "1.7 % a typeable type and 1.3 % an oncogenic one"."""
_OPENS_REST = re.compile(
    r"[\s)%]*(?:without|in neither|(?:in|with|for|among) (?:the )?(?:others?|rest|those|it)\b)", re.I
)
"""A place that is told by what it is not: "283 days with the intervention and 239 days without it"."""
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
"""What stands behind the first number of a range."""
_COUNTS_TIME = re.compile(
    r"\b(?:(?:week|day|month|year|hour|visit|phase|stage|period|session)s?|post|pre|baseline|grade)[\s-]*$",
    re.IGNORECASE,
)
"""What a number behind it names: "at week 8"."""
CHANGES = re.compile(
    r"\b(?:reduc\w+|decreas\w+|declin\w+|fell|fall\w*|los[st]\w*|chang\w+|improv\w+|drop\w*|ratio|difference\w*|(?-i:OR|HR|RR|IRR))\b",
    re.IGNORECASE,
)
"""Words of a sentence whose numbers may tell how much less of something there is."""
_TELLS_WHEN = frozenset({"after", "befor"})
"""Keys of words that say of no number what it counts: "1.6 after 10 minutes"."""
_COUNT_WITH_SHARE = re.compile(r"(?P<count>\d[\d.,]*)\s?\(\s?(?P<share>\d[\d.]*\s?%)\s?\)")
_NO_MEASURES = frozenset({"", "percent"})
"""Counts and shares, which tell of no pace or length."""
_COUNTED = re.compile(r"\s(?:were\s)?(?!(?:and|but|versus|against|compared|while|whereas)\b)[a-zA-Z]{3,}")


@dataclass(frozen=True, slots=True)
class Assigned:
    """A number with the words that belong to it, and on which side of it they stand."""

    token: Token
    words: frozenset[str]
    side: str
    further: frozenset[str] = frozenset()  # words of that side that stand further away

    @property
    def value(self) -> Quantity:
        """What it tells."""
        return cast("Quantity", self.token.quantity)


def misplaced_numbers(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Numbers that the claim gives to what another number of the quotes, but for rows of tables, belongs to."""
    whole = [clause for text in sentence_texts(*map(_without_rows, quotes)) for clause in _clauses(text)]
    given = [assigned_numbers(text) for text in whole]
    bare = [assigned_numbers(_NUMBERED_ASIDE.sub("", text)) for text in whole]
    plain, claimed, strengths = normalised(claim), _strengths(claim), _strengths(" ".join(quotes))
    yield from _exchanged(claimed, strengths)
    named = {share for share, _ in claimed & strengths}
    for own in _claimed(claim):
        if own.value.dimension == "percent" and f"{own.value.printed:g}" in named:
            continue
        if _is_difference(own, plain, given):
            continue
        found = _misplaced(own, given)
        if found and (not _of_value(own, bare) or _misplaced(own, bare)):
            number, rival = found
            yield Veto("place", f"the quotes say {number} of something else; there they say {rival}")


_COUNTED_SHARE = re.compile(
    r"(?<![\w.,/])(?<!\bof )(?P<count>\d[\d,]*)(?:\s?/\s?[\d,]+|\s(?:out )?of (?:the )?[\d,]+)?"
    r"(?:\s[a-z][\w-]*){0,4}\s?\(\s?(?P<share>\d+(?:\.\d+)?)\s?%?\s?[),;]"
)
_SHARE_COUNTED = re.compile(
    r"(?<![\w.,])(?P<share>\d+(?:\.\d+)?)\s?%\s?\(\s?(?:n\s?=\s?)?(?P<count>\d[\d,]*)(?:\s?/\s?[\d,]+)?\s?[),;]"
)
"""Counts and their shares: "4/527 (0.8%)", "4 of 527 participants (0.8%)", "0.8% (4/527)"."""


def exchanged_shares(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Counts to which the claim gives a share that the quotes give to another count, and them another share."""
    given = _counted_shares(" ".join(quotes))
    for count, share in sorted(_counted_shares(claim) - given):
        own, others = {each for of, each in given if of == count}, {of for of, each in given if each == share}
        is_rounded = any(abs(each - share) <= (0.5 if share == int(share) else 0.05) for each in own)
        if own and others and not is_rounded:
            yield Veto("place", f"the quotes say {min(own):g}% of {count:g}, and {share:g}% of {min(others):g}")


def _counted_shares(text: str) -> set[tuple[float, float]]:
    plain = normalised(text)
    found = (match for pattern in (_COUNTED_SHARE, _SHARE_COUNTED) for match in pattern.finditer(plain))
    return {(float(match["count"].replace(",", "")), float(match["share"])) for match in found}


def _without_rows(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("|"))


def _clauses(text: str) -> list[str]:
    """A sentence cut at semicolons, if each part has several numbers: "25 for A and 26 for B; 38 weeks for A and …"."""
    parts = text.split(";")
    return parts if all(len(assigned_numbers(part)) > 1 for part in parts) else [text]


def _is_difference(own: Assigned, claim: str, given: Sequence[Sequence[Assigned]]) -> bool:
    """Whether a claim calls a number the difference of two that one sentence of the quotes has."""
    value = abs(own.value.printed)
    number, word = re.escape(own.token.text), r"(?:difference|gap|margin)"
    named = rf"(?<![\d.]){number}[-\s](?:[\w%]+[-\s]){{0,2}}?{word}\b|\b{word} of (?:\w+ )?{number}(?![\d.])"
    pairs = (pair for numbers in given for pair in permutations(numbers, 2))
    return re.search(named, claim) is not None and any(
        math.isclose(value, one.value.printed - other.value.printed, abs_tol=1e-9) for one, other in pairs
    )


def _exchanged(claimed: set[tuple[str, str]], strengths: set[tuple[str, str]]) -> Iterator[Veto]:
    """Two things that a claim gives each other's strength."""
    for (share, thing), (other, rival) in permutations(sorted(claimed - strengths), 2):
        if {(share, rival), (other, thing)} <= strengths and share != other:
            yield Veto("place", f"the quotes say {share}% of {rival}; {thing} has {other}%")


def _strengths(text: str) -> set[tuple[str, str]]:
    """Shares with the thing that they stand beside, as of solutions: "2% chlorhexidine" and "chlorhexidine 2%"."""
    plain = _PERCENT.sub("%", normalised(text))
    found = [match for pattern in _STRENGTHS for match in pattern.finditer(plain)]
    named = {(f"{float(each['share']):g}", each["thing"].lower()) for each in found}
    return {(share, thing) for share, thing in named if thing not in lexicon.STOP_WORDS}


def _of_value(own: Assigned, given: Sequence[Sequence[Assigned]]) -> list[tuple[Assigned, Sequence[Assigned]]]:
    """The numbers of the quotes that are equal to one of the claim, each with all of its sentence."""
    value = abs(own.value.printed)
    return [(each, of) for of in given for each in of if math.isclose(value, abs(each.value.printed))]


def _misplaced(own: Assigned, given: Sequence[Sequence[Assigned]]) -> tuple[str, str] | None:
    """The number of the quotes that a claim gives to something else, and the one that belongs there."""
    equal = _of_value(own, given)
    if len(equal) != 1 or not any(map(str.isdigit, equal[0][0].token.text)):
        return None
    number, others = equal[0]
    rival = _rival(own.words, number, [each for each in others if each is not number])
    return None if rival is None else (number.token.text, rival.token.text)


def wrong_orders(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Comparisons that the numbers of the quotes turn around: "more often with A than with B" of 12 % and 18 %."""
    for own in statements(claim):
        if not (own.sign and own.base) or own.kind == "worth":
            continue
        signs = {sign for quote in quotes for sign in _orders(own, quote)}
        if signs == {-own.sign}:
            yield Veto("course", f'the numbers of the quotes are the other way round than "{own.text}"', opposed=True)


def _orders(own: Statement, quote: str) -> Iterator[int]:
    """1 where a quote has a larger number for the one than for the other, -1 for a smaller one; a pace has measures."""
    one, other, matter = own.words, frozenset(own.base), own.near
    for text in sentence_texts(_without_rows(quote)):
        if CHANGES.search(text) or not matter & frozenset(_content(read(text).tokens)):
            continue
        numbers = [each for each in assigned_numbers(text) if each.value.value > 0]
        for first, second in permutations(numbers, 2):
            if not _beside(first, second) or (own.kind == "pace" and first.value.dimension in _NO_MEASURES):
                continue
            here, there = first.words - second.words, second.words - first.words
            if one & here and other & there and not one & there and not other & here:
                yield (first.value.value > second.value.value) - (first.value.value < second.value.value)


def _rival(words: frozenset[str], own: Assigned, others: Sequence[Assigned]) -> Assigned | None:
    """The number to which the words belong, if it is another one and they have none of their own."""
    for each in others:
        here, there = own.words - each.words, each.words - own.words
        if _beside(each, own) and here and words & there and not words & here:
            return each
    return None


def _beside(one: Assigned, other: Assigned) -> bool:
    """Whether two numbers of one measure have their words on the same side."""
    return one.value.dimension == other.value.dimension and (one.side == other.side or "list" in (one.side, other.side))


def _claimed(claim: str) -> list[Assigned]:
    """The claim's numbers; a single one belongs to all that the claim says."""
    values = _measured(claim)
    return (
        assigned_numbers(claim)
        if len(values) != 1
        else [Assigned(values[0], frozenset(_content(read(claim).tokens)), "")]
    )


def assigned_numbers(text: str) -> list[Assigned]:
    """The numbers of a sentence that have words of their own, with these."""
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
    tokens = _measured(plain)
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


def _measured(text: str) -> list[Token]:
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
        return _of_comparison(plain, group)
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


_THAN = re.compile(
    r"\b(?P<by>more|less|fewer|[a-z]{2,}er)\b(?P<one>[^,;:()]*)\bthan\b(?P<other>[^,;:()]+)\($", re.IGNORECASE
)
_SMALLER = re.compile(r"low|less|few|small|short|rar|slow|weak|young", re.IGNORECASE)


def _of_comparison(plain: str, group: Sequence[Token]) -> list[Assigned]:
    """Two numbers behind what is compared, in its order: "lower with A than with B (12 versus 20)"."""
    found = _THAN.search(plain[: group[0].start])
    if found is None or len(group) != len(("one", "other")):
        return []
    values = [each.quantity.printed for each in group if each.quantity]
    if values != sorted(values, reverse=_SMALLER.match(found["by"]) is None):
        return []  # told in another order
    one = found["one"] if found["one"].strip() else plain[: found.start()]
    sides = (_words(one, last=True), _words(found["other"], last=False))
    return [Assigned(token, words, "list") for token, words in zip(group, sides, strict=True)]


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
    return frozenset(_content(read(f"the {text}").tokens))


def _words(text: str, *, last: bool) -> frozenset[str]:
    found = _content(read(f"the {text}").tokens)
    return frozenset(found[-BESIDE:] if last else found[:BESIDE])


def _content(tokens: Sequence[Token]) -> list[str]:
    return [each.key for each in tokens if each.weight >= 1 and not each.quantity and each.key not in _TELLS_WHEN]


_COMPARES = re.compile(
    r"\b(?:times|-?fold|twice|half|thrice)\s(?:as\s(?P<as>[a-z]+)\sas|(?P<times>[a-z]+)\sthan)\b"
    r"|\b(?:more|less)\s(?P<more>[a-z]+)\sthan\b|\b(?P<than>[a-z]{2,}er)\sthan\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[;:()]|,\s|\b(?:and|but|whereas|while|although|because|since|when|if)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What is compared with what, by stems, and the words by which it is."""

    by: str
    one: frozenset[str]
    other: frozenset[str]


def exchanged_sides(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Comparisons of the quotes that the claim turns around: "X-rays were 2.9 times as effective as carbon ions".

    Both sentences must compare by the same word, deny nothing, and what stands before it in the claim must stand behind
    it in the quotes, and the other way round. "As effective as" without a number says the same both ways.
    """
    given = [each for text in sentence_texts(*quotes) for each in _comparisons(text)]
    for own in _comparisons(claim):
        same = [each for each in given if each.by == own.by]
        if same and all(_crossed(own, each) for each in same):
            yield Veto("exchange", f'the quotes have the sides of "{own.by}" the other way round', opposed=True)


def _crossed(own: _Comparison, given: _Comparison) -> bool:
    turned = own.one <= given.other and own.other <= given.one
    return turned and not own.one & given.one and not own.other & given.other


def _comparisons(sentence: str) -> list[_Comparison]:
    plain = normalised(sentence)
    if any(token.cue for token in read(plain).tokens):
        return []
    found = list(_COMPARES.finditer(plain))
    if len(found) != 1:
        return []
    before, after = _ENDS.split(plain[: found[0].start()])[-1], _ENDS.split(plain[found[0].end() :], maxsplit=1)[0]
    # A sentence's first word is a name behind "the".
    one, other = (content(f"the {text}", numbers=False) - lexicon.STOP_WORDS for text in (before, after))
    return [_Comparison(found[0][0].lower(), one, other)] if one and other else []
