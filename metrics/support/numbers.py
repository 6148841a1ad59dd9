"""Numbers of a claim that its quotes do not hold, or hold in another measure, and that follow from no two of theirs.

quotes   "Of 40 mice 30 were flown; 12 of them lost bone after 39.4 s."
claim    "12 of the 30 flown mice, 40 %, lost bone."       12 and 30 are there, 40 % is 12 of 30
claim    "12 of the 30 flown mice, 45 %, lost bone."       45 % follows from no two of them
claim    "In total 70 mice …", "10 more than …"            a sum or difference, where a word of the claim tells one
claim    "p = 0.04", "95 % CI 1.2 to 3.4", "± 0.3"         never: such a number is printed or wrong
claim    "Bone was lost after 39.4 minutes."               the quotes have 39.4 s

In long quotes nearly any value would follow from some two numbers, so there only near ones are put together.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from metrics.support.languages import DENYING, is_foreign
from metrics.support.quantities import FRACTIONS, LABELS, MULTIPLES, Quantity, same
from metrics.support.sentence_features import Token, normalised, read
from metrics.support.verdict import Veto

MOST_NUMBERS = 60  # numbers of the quotes that are looked at to see what follows from them
COMBINED = 12
"""Numbers up to which each is combined with each other one; of more, by chance, nearly any value would follow."""
APART = 6  # numbers between two of more that are combined, at most
YEARS = range(1800, 2100)  # whole numbers that are nearly always years, which nobody rounds
CUT = 10
"""Steps of its last figure that a number has at least which may be cut, not rounded: 0.86 of 0.866, no 1 of 1.8."""
NEAR = 60
"""Characters on either side of a number, in its part of the sentence, in which a word tells how it was reckoned."""
SHARES = frozenset({"percent", "percentage points"})

_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])\d+,\d{1,2}(?![\d,])")
_POWER = re.compile(r"(?<!\d)10\s?[\^(]?\s?(\d{1,2})(?!\d)")
_COMPUTED = re.compile(
    r"\b(?:differ|chang|increas|decreas|reduc|declin|fell|fall|drop|cut\b|lower|higher|fewer|less|more|rise|rose|gain|"
    r"los[st]|improv|remain|rest|other|left|without|margin|gap|longer|shorter|apart|additional|total|altogether|together|"
    r"in all|combined|both|sum\b)",
    re.IGNORECASE,
)
"""Words of a claim whose number may be a sum, difference or change of two others."""
_LEFT_OVER = re.compile(
    rf"\b(?:{DENYING}|remain\w*|rest|others?|left|fail\w*|miss\w*|lower\w*|reduc\w*|fewer|less|cut|fell|decreas\w*|"
    r"declin\w*|drop\w*|prevent\w*|protect\w*|un\w+ed)\b",
    re.IGNORECASE,
)
"""Words of a claim whose share may be what is left of a hundred."""
_EXACT_BEFORE = re.compile(
    r"(?:\bp(?:[\s-]values?)?\s?[<>=≤≥]|±|\b(?:CI|KI|IC|PU|SD|SE|SEM|IQR|range|interval)\b\W{0,3}(?:[-+−]?[\d.]+\s?(?:to|–|-|,|;)\s?)?)"
    r"\s?[-+−]?\s?$",
    re.IGNORECASE,
)
"""What is beside a number that is a probability, an interval's level or bound, or a spread."""
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

    Numbers may be in the titles too, and the year of a study may be that which is behind the title of its paper.
    """
    text = "\n".join([*quotes, *(_YEAR.sub("", each) for each in titles)])
    given = _with_units_of_lists(text)
    plain, tokens = normalised(claim), read(claim).tokens
    printed = _printed(text, given)
    years = {match[1] for match in map(_YEAR.search, titles) if match}
    dated = {match.start(kind) for match in _DATED.finditer(plain) for kind in (1, 2) if match[kind] in years}
    for token in tokens:
        quantity = token.quantity
        if quantity is None or quantity.dimension in LABELS or token.start in dated:
            continue
        if any(same(quantity, each) for each in given) or _follows(plain, token, quantity, text, printed):
            continue
        rivals = [each for each in given if math.isclose(abs(each.printed), abs(quantity.printed))]
        is_plain = token.text.lower() not in {*FRACTIONS, *MULTIPLES} and not _INTERVAL.match(plain, quantity.end)
        if rivals and is_plain and _differ(quantity, rivals, text, plain):
            yield Veto("measure", f"the quotes do not hold {token.text} in this measure")
        elif any(map(str.isdigit, token.text)) and not _is_held(quantity, given, printed, text):
            yield Veto("numbers", f"the quotes do not hold {token.text}")


def unsupported_number(claim: str, quotes: Sequence[str]) -> str:
    """The first number of a claim, in digits, that is nowhere in the quotes, rounded perhaps; empty if all do.

    It may follow from theirs: that is for a reader to say who can reckon.
    """
    given = [quantity for quote in quotes for quantity in read(quote).quantities]
    for token in read(claim).tokens:
        own = token.quantity
        if own is None or own.dimension in LABELS or not any(map(str.isdigit, token.text)):
            continue
        if not any(same(own, each) or abs(own.printed) == abs(each.printed) for each in given):
            return token.text
    return ""


# Another measure.

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
    """Whether a number is a measure of another kind than all equal ones of the quotes."""
    dimensions = {each.dimension for each in rivals}
    alike = [each for each in rivals if each.dimension.split("/")[0] == quantity.dimension.split("/")[0]]
    if any(("/" in each.dimension) != ("/" in quantity.dimension) for each in alike):
        return False  # only in what they are taken per: "38 mL/kg" of "38 mL.kg-1"
    if any(
        math.isclose(abs(each.value), abs(quantity.value)) for each in alike if each.dimension == quantity.dimension
    ):
        return False  # only in their sign: "decreased by 0.29 cm" of "(-0.29 cm"
    if quantity.dimension in SHARES:
        return not (dimensions & SHARES or ("" in dimensions and _SHARES_IN_COLUMN.search(text)))
    if quantity.dimension in _UNITLESS:
        return not quantity.dimension and dimensions <= SHARES and bool(_PEOPLE.match(claim, quantity.end))
    return not dimensions & (_UNITLESS | LABELS)


def _with_units_of_lists(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text: "27.3, 32.6 and 17.2%" are three shares; "68.9; 95% CI" are not two."""
    plain = normalised(text)
    found = read(text).quantities
    for index in range(len(found) - 2, -1, -1):
        one, other = found[index], found[index + 1]
        joined = not one.dimension and other.dimension and _BETWEEN.fullmatch(plain, one.end, other.start)
        if joined and other.dimension not in LABELS and not _INTERVAL.match(plain, other.end):
            factor = other.value / other.printed if other.printed else 1.0
            found[index] = replace(one, value=one.printed * factor, dimension=other.dimension)
    return tuple(found)


# What is held, and what follows.


def _printed(text: str, given: Sequence[Quantity]) -> list[float]:
    """All numbers of a text as printed, each once; powers of ten as labels of rows give them for all: "(x10^6)"."""
    digits = _in_digits(text) + [float(each.replace(",", ".")) for each in _DECIMAL_COMMA.findall(text)]
    powers = [10.0 ** int(each) for each in _POWER.findall(text)]
    powers += [each * power for power in dict.fromkeys(powers) for each in digits]
    return list(dict.fromkeys([*digits, *powers, *(abs(each.printed) for each in given)]))[:MOST_NUMBERS]


def _in_digits(text: str) -> list[float]:
    return [float(each.replace(",", "")) for each in _DIGITS.findall(_POWER.sub(" ", normalised(text)))]


def _is_held(quantity: Quantity, given: Sequence[Quantity], printed: Sequence[float], text: str) -> bool:
    """Whether a number is there, rounded, cut ("over 0.86" of 0.866), or its half twice, of two groups of one size."""
    value, step = abs(quantity.printed), 10.0**-quantity.digits
    if quantity.comparator in {*"<>≤≥"} and any(
        abs(each - value) < step for each in printed
    ):  # "just under 8 %" of 7.9
        return True
    if value >= CUT * step and any(0 <= each - value < step for each in printed):
        return True
    if not quantity.dimension and Counter(_in_digits(text))[value / 2] > 1:
        return True
    return any(_rounds_to(value, each) for each in printed)


def _follows(claim: str, token: Token, quantity: Quantity, text: str, printed: Sequence[float]) -> bool:
    """Whether a number of a normalised claim may be a result of reckoning, as the claim tells it, and is one."""
    value = abs(quantity.printed)
    before, behind = claim[: token.start], claim[token.end :]
    if value in YEARS or _EXACT_BEFORE.search(before):
        return False
    beside = f"{re.split('[;:.] ', before)[-1][-NEAR:]}{re.split('[;:.] ', behind)[0][:NEAR]}"
    is_told = _COMPUTED.search(beside) is not None or is_foreign(claim)
    printed = [each for each in printed if each != value]  # that it is there itself is for its measure
    pairs = [pair for pair in _pairs(text, printed) if value not in pair]
    near = 0.51 * 10.0 ** -max(1, quantity.digits)
    if quantity.dimension in SHARES:
        found = _shares(pairs, printed, is_rest=_LEFT_OVER.search(beside) is not None, is_change=is_told)
    elif quantity.dimension == "fold":
        found = (each for low, high in pairs if low for each in (high / low, low / high))
    else:
        found, near = (_sums(pairs, printed) if is_told else iter(())), 0.0
    return any(_rounds_to(value, each, near) for each in found)


def _pairs(text: str, printed: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Pairs of numbers, the lower one first: all of a few; of many those that are near each other."""
    order, apart = (printed, len(printed)) if len(printed) <= COMBINED else (_in_digits(text), APART)
    for at, one in enumerate(order):
        yield from ((min(one, other), max(one, other)) for other in order[at + 1 : at + 1 + apart])


def _shares(
    pairs: Sequence[tuple[float, float]], printed: Sequence[float], *, is_rest: bool, is_change: bool
) -> Iterator[float]:
    """Shares of two counts; what is left of a hundred, and changes, where the words beside it tell so."""
    yield from (100 * low / high for low, high in pairs if low >= 1 and low.is_integer() and high.is_integer())
    if is_rest:
        yield from (100 - each for each in printed if each < 100)
        yield from (100 - 100 * each for each in printed if 0 < each < 1)
    if is_change:
        yield from (100 * (high - low) / of for low, high in pairs if low for of in (low, high))


def _sums(pairs: Sequence[tuple[float, float]], printed: Sequence[float]) -> Iterator[float]:
    yield from (each for low, high in pairs for each in (low + high, high - low))
    yield from (2 * each for each in printed)


def _rounds_to(value: float, printed: float, least: float = 0.0) -> bool:
    """Whether a number is given as it is printed, or rounded to fewer figures: 36,978 as 37,000, not as 37,100."""
    if value in YEARS or printed in YEARS:
        return value == printed
    places = range(2 - len(str(int(printed))), 3)  # two figures are kept: 36,978 is not 40,000
    return abs(value - printed) <= least or any(math.isclose(round(printed, each), value) for each in places)
