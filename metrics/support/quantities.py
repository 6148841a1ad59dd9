"""Numbers with their units, read from a sentence and compared as values: 0.5 g is 500 mg, twelve is 12.

"fell by 12.4 % (95% CI 3–21) over two years in >1,000 men"
╰─ 12.4 percent  ╰ 95 percent, 3, 21     ╰ 2 years   ╰ more than 1000
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from metrics.support.lexicon import word_set, words

_UNITS = """
percent: 1 % percent per_cent percentage
percentage_points: 1 percentage_points percentage_point percent_points %-points pp
fold: 1 -fold fold _fold times -times
mass: 1000 kg kilogram kilograms, 1 g gram grams gm, 0.001 mg milligram milligrams
mass: 1e-6 μg ug mcg microgram micrograms, 1e-9 ng nanogram nanograms, 1e-12 pg picogram picograms
volume: 1 l L litre litres liter liters, 0.1 dl dL decilitre deciliter
volume: 0.001 ml mL cc millilitre milliliter millilitres milliliters, 1e-6 μl μL ul uL microlitre microliter
length: 1000 km kilometre kilometres kilometer kilometers, 1 m metre metres meter meters
length: 0.01 cm centimetre centimetres centimeter centimeters, 0.001 mm millimetre millimetres millimeter millimeters
length: 1e-6 μm um micron microns micrometre micrometer, 1e-9 nm nanometre nanometer nanometres nanometers
time: 1 s sec secs second seconds, 0.001 ms msec millisecond milliseconds, 60 min mins minute minutes
time: 3600 h hr hrs hour hours, 86400 d day days, 604800 wk wks week weeks, 2.6298e6 mo mos month months
time: 3.15576e7 y yr yrs year years years'
amount: 1 mol mole moles, 0.001 mmol millimole millimoles, 1e-6 μmol umol micromole micromoles
amount: 1e-9 nmol nanomole nanomoles, 1e-12 pmol picomole picomoles
amount/volume: 1 M, 0.001 mM, 1e-6 μM uM, 1e-9 nM, 1e-12 pM
temperature: 1 °C °_C ºC degrees_C degrees_Celsius
pressure: 133.322 mmHg mm_Hg, 1000 kPa, 1 Pa
energy: 4184 kcal Cal, 1000 kJ, 1 J
dose: 1 Gy gray, 0.01 cGy, 0.001 mGy
equivalent_dose: 1 Sv, 0.001 mSv
units: 1 IU iu units U
molecular_mass: 1000 kDa, 1 Da
bases: 1000 kb kbp, 1 bp, 1e6 Mb Mbp
frequency: 1 Hz, 1000 kHz, 1e6 MHz
parts: 1 ppm, 0.001 ppb
"""
"""A dimension and, of each of its units, the size and the names as papers write them, with "_" for a space.

Base units are grams, litres, metres, seconds, mol and mol/l; months and years are the Julian calendar's means.
"""
UNITS = {
    name.replace("_", " "): (dimension.replace("_", " "), float(factor))
    for dimension, _, sizes in (line.partition(": ") for line in _UNITS.strip().splitlines())
    for factor, *names in map(str.split, sizes.split(", "))
    for name in names
}
"""Name of a unit → its dimension, and its size in that dimension's base unit."""

# What may be under a division stroke beside a unit: "per 1,000 person-years" is left to the words.
COUNTED = word_set("day d week wk month year h hr min kg m2 copies cells person mouse animal dose")

_UP_TO_NINETEEN = words(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = words("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBER_WORDS: dict[str, float] = {
    **{word: float(value) for value, word in enumerate(_UP_TO_NINETEEN, start=2)},
    **{ten: 10.0 * value for value, ten in enumerate(_TENS, start=2)},
    **{
        f"{ten}{joint}{unit}": 10.0 * tens + ones
        for tens, ten in enumerate(_TENS, start=2)
        for ones, unit in enumerate(("one", *_UP_TO_NINETEEN[:8]), start=1)
        for joint in "- "
    },
}
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
# Words that hold number and unit in one.
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
FRACTIONS = {
    "half": 0.5,
    "halves": 0.5,
    **{f"one{joint}{part}": 1 / parts for part, parts in _PARTS.items() for joint in "- "},
    **{
        f"{count}{joint}{part}s": (above + 2) / parts
        for part, parts in _PARTS.items()
        for above, count in enumerate(_UP_TO_NINETEEN[: max(0, parts - 2)])
        for joint in "- "
    },
}
MULTIPLES = {
    "twice": 2.0, "twofold": 2.0, "doubled": 2.0, "doubling": 2.0, "threefold": 3.0, "tripled": 3.0, "fourfold": 4.0,
    "quadrupled": 4.0, "fivefold": 5.0, "sixfold": 6.0, "tenfold": 10.0, "trebled": 3.0,
}  # fmt: skip

COURSE_OF_MULTIPLES = {
    **dict.fromkeys(words("doubled doubling tripled trebled quadrupled"), 1),
    **dict.fromkeys(words("halved halving"), -1),
}
"""Whether a multiple says by itself that something rose, +1, or fell, -1."""

# A number after one of these names a thing and measures nothing: "type 2", "phase 3".
LABELS = word_set(
    "type types group groups phase phases grade grades stage stages class level figure fig table visit helper "
    "complex exon chromosome section domain version model no nr chapter criterion arm cohort cycle serotype "
    "genotype subtype haplogroup"
)

_SPELLED = {
    "≥": "greater_than_or_equal_to no_less_than not_less_than no_fewer_than not_fewer_than at_least a_minimum_of >= ≥",
    "≤": "less_than_or_equal_to no_more_than not_more_than at_most up_to a_maximum_of <= ≤",
    ">": "more_than greater_than higher_than over above exceeding >",
    "<": "less_than fewer_than lower_than below under <",
    "~": "approximately about around roughly nearly almost some ~ ≈ ca.",
}
"""Comparisons as they are spelled, with "_" for a space."""
COMPARATORS = {each.replace("_", " "): sign for sign, spelled in _SPELLED.items() for each in words(spelled)}

# Two values are the same within this share of the larger: conversions such as 52 weeks = 1 year stay equal.
TOLERANCE = 0.004
# "about 12 %" is supported by anything within this share of it.
ABOUT = 0.1
# "two thirds" is 67 %: percentage points by which a fraction in words may differ from a number.
FRACTION = 0.5


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text."""

    value: float  # in the base unit of its dimension (grams, seconds …)
    printed: float  # the number as printed, without its unit's factor
    digits: int  # digits printed after the decimal point; what the text rounds to
    dimension: str  # "mass", "mass/volume", "percent", "type" for the label of "type 2"; empty without a unit
    comparator: str  # one of ``< > ≤ ≥ ~``, or empty
    start: int  # offset of the number's first character in the text
    end: int  # offset after number and unit


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_UNIT = _alternatives(UNITS)
_NUMBER_WORD = _alternatives(NUMBER_WORDS)
_COMPARATORS = "|".join(
    (r"\b" if each[0].isalpha() else "") + re.escape(each) for each in sorted(COMPARATORS, key=len, reverse=True)
)
_SIZED = f"{_UNIT}|{_alternatives(COUNTED)}"
_NUMBER = re.compile(
    rf"""
      (?<![\w.])(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
      (?:\s?[x×*]\s?10\s?\^?\s?\(?(?P<exponent>-?\s?\d+)\)?)?
    | \b(?: (?P<fraction>{_alternatives(FRACTIONS)}) | (?P<word>{_NUMBER_WORD})
      | (?P<multiple>{_alternatives(MULTIPLES)}) )\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What may be before a number; searched in this many characters.
LOOK_BACK = 36
_BEFORE = re.compile(
    rf"(?:\b(?!no (?:less|fewer|more|greater)\b)(?P<label>{_alternatives(LABELS)})[ -])?"
    rf"(?:(?P<comparator>{_COMPARATORS})\s?)?"
    r"(?P<sign>(?<![\w\d.)%])-\s?)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"""
    (?:[ -](?P<scale>{_alternatives(SCALES)})\b)?
    (?:\s?-?\s?(?P<unit>{_UNIT})(?![A-Za-zμ])
       (?:\s?(?:/|\bper\b)\s?(?P<under>{_SIZED})(?![A-Za-zμ])
          (?:\s?(?:/|\bper\b)\s?(?P<under2>{_SIZED})(?![A-Za-zμ]))?)?)?
    """,
    re.VERBOSE,
)
_NAME_AFTER = re.compile(r"-?[A-Z]|[a-z]|-[a-z]{1,2}\b|['′]-?")
MOST_EXPONENT = 300
_POINT_OF_TIME = re.compile(r"\b(?:hour|day|week|month|year|visit)s?[ -]$", re.IGNORECASE)
"""What a number behind it names: "by day 14", "at week-8"."""
_RANGE = re.compile(r"\s?(?:-|to|and|or|±|\+/-)\s?")


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text after ``normalised``, in order."""
    found = [quantity for match in _NUMBER.finditer(text) if (quantity := _quantity(text, match)) is not None]
    for index in range(len(found) - 2, -1, -1):  # in "3-5 years" the 3 are years too
        one, other = found[index], found[index + 1]
        joined = not one.dimension and other.dimension and _RANGE.fullmatch(text, one.end, other.start)
        if joined and other.printed and not _is_point_of_time(text, one.start):
            factor = other.value / other.printed
            found[index] = replace(one, value=one.printed * factor, dimension=other.dimension)
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
    comparator = COMPARATORS.get((before["comparator"] or "").lower(), "")
    return Quantity(printed * factor, printed, digits, dimension, comparator, start, after.end())


def _is_part_of_name(text: str, number: re.Match[str], before: re.Match[str], after: re.Match[str]) -> bool:
    """Whether the number belongs to a name: "IL-6", "5-HT", "16S"."""
    if number["digits"] is None:
        return False
    previous = text[max(0, number.start() - 2) : number.start()]
    named_before = len(previous) == 2 and previous[1] == "-" and previous[0].isalpha() and before["label"] is None
    named_before = named_before and not _is_point_of_time(text, number.start())
    named_after = after["unit"] is None and _NAME_AFTER.match(text, after.end()) is not None
    return named_before or named_after


def _is_point_of_time(text: str, start: int) -> bool:
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
        value = NUMBER_WORDS[number["word"].lower()]
    elif number["multiple"]:
        value = MULTIPLES[number["multiple"].lower()]
    else:
        value = FRACTIONS[number["fraction"].lower()]
    return value * SCALES.get(after["scale"] or "", 1.0), digits


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
    dimension, factor = UNITS[after["unit"]]
    for under in (after["under"], after["under2"]):
        if under:
            divisor, size = UNITS.get(under, (under, 1.0))
            dimension, factor = f"{dimension}/{divisor}", factor / size
    return dimension, factor


def same(claimed: Quantity, given: Quantity) -> bool:
    """Whether a passage's quantity supports a claim's: same dimension, same value as far as the claim is exact."""
    if claimed.dimension != given.dimension:
        return _same_share(claimed, given)
    is_one_unit = math.isclose(claimed.value * given.printed, given.value * claimed.printed, rel_tol=1e-9)
    if math.isclose(claimed.value, given.value, rel_tol=1e-9 if is_one_unit else TOLERANCE):
        bounds = {
            bound for each in (claimed, given) for bound in ("<≤", ">≥") if each.comparator and each.comparator in bound
        }
        return len(bounds) < 2  # a bound is not supported by the other bound
    if not claimed.comparator and (_is_fraction(claimed) or _is_fraction(given)):
        return abs(claimed.value - given.value) <= FRACTION
    if claimed.comparator == "~" and given.comparator != "~":
        return abs(claimed.value - given.value) <= ABOUT * abs(given.value)
    if not given.comparator and claimed.comparator in {"<", ">", "≤", "≥"}:
        return (claimed.value > given.value) if claimed.comparator in "<≤" else (claimed.value < given.value)
    return _rounds_to(claimed, given)


def _is_fraction(quantity: Quantity) -> bool:
    """Whether it is given in words, as "two thirds"."""
    return quantity.dimension == "percent" and quantity.value == 100 * quantity.printed


def _same_share(claimed: Quantity, given: Quantity) -> bool:
    """0.124 is 12.4 %: a bare number under one may be a share."""
    for share, percent in ((claimed, given), (given, claimed)):
        if share.dimension == "" and percent.dimension == "percent" and 0 < share.value < 1 and share.digits >= 2:
            return math.isclose(share.value * 100, percent.value, rel_tol=TOLERANCE)
    return False


def _rounds_to(claimed: Quantity, given: Quantity) -> bool:
    """12.37 may be given as 12.4, and 12.4 as 12; one figure is too few to tell rounding from another number."""
    if claimed.digits >= given.digits or abs(claimed.printed) < 10 ** (1 - claimed.digits):
        return False
    factor = claimed.value / claimed.printed if claimed.printed else 1.0
    return math.isclose(round(given.value / factor, claimed.digits), claimed.printed, rel_tol=1e-9)
