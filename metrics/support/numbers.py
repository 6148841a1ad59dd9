"""Numbers of a claim that its quotes do not hold, or hold in another measure.

quotes   "Of 40 mice 30 were flown; 12 of them lost bone after 39.4 s."
claim    "12 of the 30 flown mice, 40 %, lost bone."       12 and 30 are there, 40 % is 12 of 30
claim    "12 of the 30 flown mice, 45 %, lost bone."       45 % follows from no two of them
claim    "Bone was lost after 39.4 minutes."               the quotes have 39.4 s
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, permutations

from metrics.support.computed_numbers import SHARES, GivenNumbers
from metrics.support.quantities import COURSE_OF_MULTIPLES, FRACTIONS, LABELS, MULTIPLES, Quantity, same
from metrics.support.sentence_features import normalised, read
from metrics.support.verdict import Veto

CONVERTED = 0.005
"""Share of itself by which a value in another unit may be off: 52 weeks are a year."""
_STUDY = r"(?:trials?|stud(?:y|ies)|reviews?|meta-analys[ei]s|analys[ei]s|papers?|articles?|reports?|surveys?)"
_DATED = re.compile(
    rf"\b(?P<before>\d{{4}})\s(?:(?!(?:in|of|from|to|and|or|for|with|at|by)\b)[\w-]+\s){{0,2}}{_STUDY}\b"
    rf"|\b{_STUDY}\s(?:published in |\()(?P<after>\d{{4}})\b",
    re.IGNORECASE,
)
"""A study with the year of its paper: "a 2016 randomized trial", "the study published in 2016"."""
_YEAR = re.compile(r"\((\d{4})\)$")


def wrong_numbers(claim: str, quotes: Sequence[str], titles: Sequence[str] = ()) -> Iterator[Veto]:
    """Numbers that the quotes do not hold, or only in another measure, and that do not follow from two of theirs.

    And "doubled" and the like where the quotes hold no number at all that it could follow from. Numbers may be in
    the titles too, and the year of a study may be that which is behind the title of its paper.
    """
    text = "\n".join([*quotes, *(_YEAR.sub("", each) for each in titles)])
    given = with_units_of_lists(text)
    plain, tokens, words = normalised(claim), read(claim).tokens, {*re.findall(r"\w+", text.lower())}
    numbers = GivenNumbers.of(text, given, [abs(each.quantity.printed) for each in tokens if each.quantity])
    dated = _dated(plain, titles)
    for token in tokens:
        quantity = token.quantity
        if token.text.lower() in COURSE_OF_MULTIPLES and not given and token.text.lower() not in words:
            yield Veto("numbers", f'it says "{token.text}", the quotes hold no number')
        if quantity is None or quantity.dimension in LABELS or token.start in dated:
            continue
        if any(same(quantity, each) for each in given):
            continue
        rivals = [each for each in given if math.isclose(abs(each.printed), abs(quantity.printed))]
        is_plain = token.text.lower() not in {*FRACTIONS, *MULTIPLES} and not _INTERVAL.match(plain, quantity.end)
        is_printed = bool(rivals) and is_plain and not _is_computed(quantity, given)
        if is_printed and _differ(quantity, rivals, text, plain):
            yield Veto("measure", f"the quotes do not hold {token.text} in this measure")
        elif numbers.lead_to(plain, token, quantity) or numbers.hold(quantity):
            continue
        elif any(map(str.isdigit, token.text)):
            converted = quantity.dimension and any(
                abs(abs(quantity.value) - abs(each.value)) <= CONVERTED * abs(each.value) for each in given
            )
            if not converted:
                yield Veto("numbers", f"the quotes do not hold {token.text}")


def _dated(claim: str, titles: Sequence[str]) -> set[int]:
    """Where years of studies begin that are those of the papers."""
    years = {match[1] for match in map(_YEAR.search, titles) if match}
    found = ((match, "before" if match["before"] else "after") for match in _DATED.finditer(claim))
    return {match.start(which) for match, which in found if match[which] in years}


_BETWEEN = re.compile(r"(?:\s?(?:,|and|or|vs\.?|versus|to|±|-|/)\s?){1,2}\s?[-+]?\s?", re.IGNORECASE)
"""What may be between numbers that share the unit after the last of them."""
_INTERVAL = re.compile(r"\s?%?\s?(?:CI\b|confidence|credible)", re.IGNORECASE)
_SHARES_IN_COLUMN = re.compile(r"\(%\)|\bn\s?\(%|\||\bpercent(?:age)?s?\b", re.IGNORECASE)
"""A head that says of bare numbers that they are shares."""
_PEOPLE = re.compile(
    r"\s+(?:of (?:the |these |its )?)?(?:[\w-]+ ){0,2}?(?:patients|participants|subjects|people|persons|men|women|"
    r"children|infants|mothers|controls|volunteers|mice|rats)\b",
    re.IGNORECASE,
)
_UNITLESS = frozenset({"", "fold"})


def _differ(quantity: Quantity, rivals: Sequence[Quantity], text: str, claim: str) -> bool:
    if any(_is_shortened(quantity, each) or _is_turned(quantity, each) for each in rivals):
        return False
    dimensions = {each.dimension for each in rivals}
    if quantity.dimension in SHARES:
        shares = bool(dimensions & SHARES) or ("" in dimensions and bool(_SHARES_IN_COLUMN.search(text)))
        return not shares
    if quantity.dimension in _UNITLESS:
        return not quantity.dimension and dimensions <= SHARES and bool(_PEOPLE.match(claim, quantity.end))
    return not dimensions & (_UNITLESS | LABELS)


def _is_turned(quantity: Quantity, other: Quantity) -> bool:
    """Whether two measures differ in their sign alone: "decreased by 0.29 cm" of "(-0.29 cm"."""
    return quantity.dimension == other.dimension and math.isclose(abs(quantity.value), abs(other.value))


def _is_shortened(quantity: Quantity, other: Quantity) -> bool:
    """Whether two measures differ only in what they are taken per: "56 g a day" of "56 g/day"."""
    one, two = (each.dimension.split("/")[0] for each in (quantity, other))
    return one == two and (one == quantity.dimension) != (two == other.dimension)


def _is_computed(quantity: Quantity, given: Sequence[Quantity]) -> bool:
    """Whether a value is a share of two counts, or a sum, difference or change of two values in one unit."""
    own = [each.value for each in given if each.dimension == quantity.dimension]
    found = [each for pair in permutations(own, 2) for each in (sum(pair), pair[0] - pair[1])]
    if quantity.dimension in SHARES:
        bare = [each for each in given if each.dimension in _UNITLESS]
        counts = [each.value for each in bare if each.value >= 1 and not each.digits]
        found += [100 - each for each in own]
        found += [100 * (1 - each.value) for each in bare if 0 < each.value < 1]
        found += [100 * one / other for one, other in permutations(counts, 2) if one < other]
        beside = [(one.value, other.value) for one, other in pairwise(given) if one.dimension == other.dimension]
        turned = [(other, one) for one, other in beside]
        found += [100 * (one - other) / other for one, other in (*beside, *turned) if other]
    factor = quantity.value / quantity.printed if quantity.printed else 1.0
    least = 0.5 * 10.0**-quantity.digits + 1e-9
    return any(abs(abs(quantity.printed) - abs(each) / factor) <= least for each in found)


def with_units_of_lists(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, where bare numbers of a list have the unit that its end tells for all.

    "27.3, 32.6 and 17.2%" are three shares; "68.9; 95% CI" are not two.
    """
    plain = normalised(text)
    found = read(text).quantities
    for index in range(len(found) - 2, -1, -1):
        one, other = found[index], found[index + 1]
        joined = not one.dimension and other.dimension and _BETWEEN.fullmatch(plain, one.end, other.start)
        if joined and other.dimension not in LABELS and not _INTERVAL.match(plain, other.end):
            factor = other.value / other.printed if other.printed else 1.0
            found[index] = replace(one, value=one.printed * factor, dimension=other.dimension)
    return tuple(found)
