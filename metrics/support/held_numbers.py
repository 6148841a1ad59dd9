"""Numbers of a claim that its quotes do not hold.

quotes   "Of 40 mice 30 were flown; 12 of them lost bone."
claim    "12 of the 30 flown mice, 40 %, lost bone."          12 and 30 stand there, 40 % is 12 of 30
claim    "12 of the 30 flown mice, 45 %, lost bone."          45 % follows from no two of them
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from metrics.support.quantities import Quantity, same
from metrics.support.reading import normalised, read
from metrics.support.units import COURSE_OF_MULTIPLES, LABELS
from metrics.support.veto import Veto

MOST_NUMBERS = 60
"""Numbers of the quotes that are combined with each other to see what follows from them."""

ABOUT = 0.02
"""Share of itself by which "about 11 %" may be off."""

_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_SCALED = re.compile(r"(\d+(?:\.\d+)?)\s?(bn|m|k)\b")
_SCALES = {"bn": 1e9, "m": 1e6, "k": 1e3}
_POWER = re.compile(r"(?<!\d)10\s?[\^(]?\s?(\d{1,2})(?!\d)")
_RECKONED = re.compile(
    r"\b(?:differ|chang|increas|decreas|reduc|declin|fell|fall|drop|lower|higher|fewer|less|more|rise|rose|gain|"
    r"los[st]|improv|remain|rest|other|left|without|margin|gap|longer|shorter|apart|additional|total|altogether|together|"
    r"in all|combined|both|either|overall|sum|any|between|over|under|above|below|about|nearly|around|roughly|some)",
    re.IGNORECASE,
)
"""Words of a claim whose number may be a sum or difference of two others."""
_OF_COUNT = re.compile(r"\s?(?:of|/|out of)\s?(?:the\s)?\d")


def unheld_numbers(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Numbers in digits that the quotes do not hold in any unit, and that do not follow from two of theirs.

    And "doubled" and the like where the quotes hold no number at all that it could follow from.
    """
    text = "\n".join(quotes)
    given = [token.quantity for token in read(text).tokens if token.quantity is not None]
    printed = _printed(text, given)
    for token in read(claim).tokens:
        quantity = token.quantity
        if token.text.lower() in COURSE_OF_MULTIPLES and not given and not _says(token.text, text):
            yield Veto("numbers", f'it says "{token.text}", the quotes hold no number')
        if quantity is None or quantity.dimension in LABELS or not any(map(str.isdigit, token.text)):
            continue
        measured = quantity.dimension not in ("", "percent") or _OF_COUNT.match(normalised(claim), token.end)
        reckons = not measured or _RECKONED.search(claim) is not None
        if any(same(quantity, each) for each in given) or _follows(quantity, printed, reckons=reckons):
            continue
        if not any(abs(abs(quantity.value) - abs(each.value)) <= 0.005 * abs(each.value) for each in given):
            yield Veto("numbers", f"the quotes do not hold {token.text}")


def unheld_number(claim: str, quotes: Sequence[str]) -> str:
    """The first number of a claim, in digits, that stands nowhere in the quotes, rounded perhaps; empty if all do.

    It may follow from theirs: that is for a reader to say who can reckon.
    """
    given = [token.quantity for quote in quotes for token in read(quote).tokens if token.quantity is not None]
    for token in read(claim).tokens:
        quantity = token.quantity
        if quantity is None or quantity.dimension in LABELS or not any(map(str.isdigit, token.text)):
            continue
        printed = (abs(each.printed) for each in given)
        if not any(same(quantity, each) for each in given) and abs(quantity.printed) not in printed:
            return token.text
    return ""


def _says(word: str, text: str) -> bool:
    return re.search(rf"\b{word}\b", text, re.IGNORECASE) is not None


def _printed(text: str, given: Sequence[Quantity]) -> list[float]:
    """All numbers of a text as printed, words and powers of ten too; each once, at most ``MOST_NUMBERS``.

    A power of ten may stand once for all, as in the label of a table's row: "Cells (x10^6) | 461 ± 130".
    """
    digits = [float(each.replace(",", "")) for each in _DIGITS.findall(_POWER.sub(" ", normalised(text)))]
    powers = [10.0 ** int(each) for each in _POWER.findall(text)]
    powers += [each * power for power in dict.fromkeys(powers) for each in digits]
    scaled = [float(number) * _SCALES[scale] for number, scale in _SCALED.findall(normalised(text))]
    return list(dict.fromkeys([*digits, *powers, *scaled, *(abs(each.printed) for each in given)]))[:MOST_NUMBERS]


def _follows(quantity: Quantity, printed: Sequence[float], *, reckons: bool) -> bool:
    """Whether a number stands among others, rounded perhaps, or is a ratio or share of two, or a sum or difference."""
    value, least = abs(quantity.printed), ABOUT * abs(quantity.printed) if quantity.comparator == "~" else 0.0
    if any(
        _close(value, told, least)
        for each in printed
        for told in ((each, 100 - each, 2 * each) if reckons else (each,))
    ):
        return True
    if any(0 < each < 1 and _close(value, 100 - 100 * each, least) for each in printed):  # a ratio of 0.33: 67 % less
        return True
    return any(
        _close(value, each, least) for pair in combinations(printed, 2) for each in _combined(*pair, reckons=reckons)
    )


def _combined(one: float, other: float, *, reckons: bool) -> Iterator[float]:
    low, high = sorted((abs(one), abs(other)))
    if reckons:
        yield from (low + high, high - low)
    if low:
        yield from (high / low, 100 * low / high, 100 * (high - low) / high, 100 * (high - low) / low)


def _close(value: float, other: float, least: float) -> bool:
    """Equal as far as a reader who rounds would say it."""
    return abs(value - other) <= max(0.051, 0.006 * abs(other), least)
