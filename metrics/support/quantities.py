"""Numbers with their units, read from a sentence and compared as values: 0.5 g is 500 mg, twelve is 12.

"fell by 12.4 % (95% CI 3–21) over two years in >1,000 men"
╰─ 12.4 percent  ╰ 95 percent, 3, 21     ╰ 2 years   ╰ more than 1000
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from metrics.support import units

# Two values are the same within this share of the larger: conversions such as 52 weeks = 1 year stay equal.
TOLERANCE = 0.004
# "about 12 %" is borne out by anything within this share of it.
ABOUT = 0.1
# "two thirds" is 67 %: percentage points by which a fraction in words may differ from a number.
FRACTION = 0.5


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text.

    Attributes:
        value: In the base unit of its dimension (grams, seconds …).
        printed: The number as printed, without its unit's factor.
        digits: Digits printed after the decimal point; what the text rounds to.
        dimension: "mass", "mass/volume", "percent", "type" for the label of "type 2"; empty without a unit.
        comparator: One of ``<  >  ≤  ≥  ~``, or empty.
        start: Offset of the number's first character in the text.
        end: Offset after number and unit.
    """

    value: float
    printed: float
    digits: int
    dimension: str
    comparator: str
    start: int
    end: int


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_UNIT = _alternatives(units.UNITS)
_NUMBER_WORD = _alternatives(units.NUMBER_WORDS)
_COMPARATORS = "|".join((r"\b" if words[0].isalpha() else "") + re.escape(words) for words, _ in units.COMPARATORS)
_SIZED = f"{_UNIT}|{_alternatives(units.COUNTED)}"
_NUMBER = re.compile(
    rf"""
      (?<![\w.])(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
      (?:\s?[x×*]\s?10\s?\^?\s?\(?(?P<exponent>-?\s?\d+)\)?)?
    | \b(?: (?P<fraction>{_alternatives(units.FRACTIONS)}) | (?P<word>{_NUMBER_WORD})
      | (?P<multiple>{_alternatives(units.MULTIPLES)}) )\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What may stand before a number; searched in this many characters.
LOOK_BACK = 36
_BEFORE = re.compile(
    rf"(?:\b(?P<label>{_alternatives(units.LABELS)})[ -])?"
    rf"(?:(?P<comparator>{_COMPARATORS})\s?)?"
    r"(?P<sign>(?<![\w\d.)%])-\s?)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"""
    (?:[ -](?P<scale>{_alternatives(units.SCALES)})\b)?
    (?:\s?-?\s?(?P<unit>{_UNIT})(?![A-Za-zμ])
       (?:\s?(?:/|\bper\b)\s?(?P<under>{_SIZED})(?![A-Za-zμ])
          (?:\s?(?:/|\bper\b)\s?(?P<under2>{_SIZED})(?![A-Za-zμ]))?)?)?
    """,
    re.VERBOSE,
)
_COMPARATOR = dict(units.COMPARATORS)
_NAME_AFTER = re.compile(r"-?[A-Z]|[a-z]|-[a-z]{1,2}\b|['′]-?")
MOST_EXPONENT = 300
_POINT_OF_TIME = re.compile(r"\b(?:hour|day|week|month|year|visit)s?[ -]$", re.IGNORECASE)
"""What a number behind it names: "by day 14", "at week-8"."""
_RANGE = re.compile(r"\s?(?:-|to|and|or|±|\+/-)\s?")


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, in order.

    Args:
        text: Text after ``normalised``: plain minus signs, decimal points, single-character spaces.
    """
    found = [quantity for match in _NUMBER.finditer(text) if (quantity := _quantity(text, match)) is not None]
    for index in range(len(found) - 2, -1, -1):
        found[index] = _with_unit_of_range(text, found[index], found[index + 1])
    return tuple(found)


def _quantity(text: str, number: re.Match[str]) -> Quantity | None:
    """The quantity around a number, or None for a number that is part of a name."""
    start = number.start()
    before = _BEFORE.search(text[max(0, start - LOOK_BACK) : start])
    after = _AFTER.match(text, number.end())
    if before is None or after is None or _is_part_of_name(text, number, before, after):
        return None
    printed, digits = _printed(number, before, after)
    dimension, factor = _unit(number, before, after)
    comparator = _COMPARATOR.get((before["comparator"] or "").lower(), "")
    return Quantity(printed * factor, printed, digits, dimension, comparator, start, after.end())


def _is_part_of_name(text: str, number: re.Match[str], before: re.Match[str], after: re.Match[str]) -> bool:
    """Whether the number belongs to a name: "IL-6", "5-HT", "16S"."""
    if number["digits"] is None:
        return False
    previous = text[max(0, number.start() - 2) : number.start()]
    named_before = len(previous) == 2 and previous[1] == "-" and previous[0].isalpha() and before["label"] is None
    named_before = named_before and not _tells_when(text, number.start())
    named_after = after["unit"] is None and _NAME_AFTER.match(text, after.end()) is not None
    return named_before or named_after


def _tells_when(text: str, start: int) -> bool:
    return _POINT_OF_TIME.search(text[max(0, start - LOOK_BACK) : start]) is not None


def _printed(number: re.Match[str], before: re.Match[str], after: re.Match[str]) -> tuple[float, int]:
    """The number as printed, and its decimals."""
    digits = 0
    if number["digits"]:
        figure = number["digits"].replace(",", "")
        digits = len(figure.partition(".")[2])
        value = float(figure) * (-1 if before["sign"] else 1)
        if number["exponent"]:
            exponent = int(number["exponent"].replace(" ", "")[:4])
            value *= 10.0 ** max(-MOST_EXPONENT, min(MOST_EXPONENT, exponent))
    elif number["word"]:
        value = units.NUMBER_WORDS[number["word"].lower()]
    elif number["multiple"]:
        value = units.MULTIPLES[number["multiple"].lower()]
    else:
        value = units.FRACTIONS[number["fraction"].lower()]
    return value * units.SCALES.get(after["scale"] or "", 1.0), digits


def _unit(number: re.Match[str], before: re.Match[str], after: re.Match[str]) -> tuple[str, float]:
    """Dimension of a number and its unit's factor."""
    if before["label"] and after["unit"] != "%":
        return before["label"].lower().removesuffix("s"), 1.0
    if number["multiple"]:
        return "fold", 1.0
    if number["fraction"]:
        return "percent", 100.0
    if after["unit"] is None:
        return "", 1.0
    dimension, factor = units.UNITS[after["unit"]]
    for under in (after["under"], after["under2"]):
        if under:
            divisor, size = units.UNITS.get(under, (under, 1.0))
            dimension, factor = f"{dimension}/{divisor}", factor / size
    return dimension, factor


def _with_unit_of_range(text: str, first: Quantity, second: Quantity) -> Quantity:
    """In "3-5 years" the 3 are years too."""
    joined = not first.dimension and second.dimension and _RANGE.fullmatch(text, first.end, second.start)
    if not joined or not second.printed or _tells_when(text, first.start):
        return first
    factor = second.value / second.printed
    return Quantity(
        first.printed * factor, first.printed, first.digits, second.dimension, first.comparator, first.start, first.end
    )


def same(claimed: Quantity, given: Quantity) -> bool:
    """Whether a passage's quantity bears out a claim's: same dimension, same value as far as the claim is exact."""
    if claimed.dimension != given.dimension:
        return _same_share(claimed, given)
    if _equal(claimed, given):
        return _compatible(claimed, given)
    if not claimed.comparator and (_is_fraction(claimed) or _is_fraction(given)):
        return abs(claimed.value - given.value) <= FRACTION
    if claimed.comparator == "~" and given.comparator != "~":
        return abs(claimed.value - given.value) <= ABOUT * abs(given.value)
    if not given.comparator and claimed.comparator in {"<", ">", "≤", "≥"}:
        return (claimed.value > given.value) if claimed.comparator in "<≤" else (claimed.value < given.value)
    return _rounds_to(claimed, given)


def _is_fraction(quantity: Quantity) -> bool:
    """Whether it is told in words, as "two thirds"."""
    return quantity.dimension == "percent" and quantity.value == 100 * quantity.printed


def _equal(claimed: Quantity, given: Quantity) -> bool:
    """The same value; only a conversion between units of different size leaves room for rounding."""
    if math.isclose(claimed.value * given.printed, given.value * claimed.printed, rel_tol=1e-9):
        return math.isclose(claimed.value, given.value, rel_tol=1e-9)
    return math.isclose(claimed.value, given.value, rel_tol=TOLERANCE)


def _compatible(claimed: Quantity, given: Quantity) -> bool:
    """Whether two bounds of the same value say the same; a bound is not borne out by the other bound."""
    low, high = {">", "≥"}, {"<", "≤"}
    return not (
        (claimed.comparator in low and given.comparator in high)
        or (claimed.comparator in high and given.comparator in low)
    )


def _same_share(claimed: Quantity, given: Quantity) -> bool:
    """0.124 is 12.4 %: a bare number under one may be a share."""
    for share, percent in ((claimed, given), (given, claimed)):
        if share.dimension == "" and percent.dimension == "percent" and 0 < share.value < 1 and share.digits >= 2:
            return math.isclose(share.value * 100, percent.value, rel_tol=TOLERANCE)
    return False


def _rounds_to(claimed: Quantity, given: Quantity) -> bool:
    """12.37 may be told as 12.4, and 12.4 as 12; one figure is too few to tell rounding from another number."""
    if claimed.digits >= given.digits or abs(claimed.printed) < 10 ** (1 - claimed.digits):
        return False
    factor = claimed.value / claimed.printed if claimed.printed else 1.0
    return math.isclose(round(given.value / factor, claimed.digits), claimed.printed, rel_tol=1e-9)
