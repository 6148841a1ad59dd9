"""Numbers of a claim that are in no quote, and whether they follow from two that do.

quotes   "Of 40 mice 30 were flown; 12 of these lost bone, the others 3 %."
claim    "12 of the 30 flown mice, 40 %, lost bone."     a share of two counts
claim    "In total 70 mice …", "10 more than …"          a sum or difference, where a word of the claim tells one
claim    "Four times as many …"                          a ratio, where it is called one
claim    "p = 0.04", "95 % CI 1.2 to 3.4", "± 0.3"       never: such a number is printed or wrong

What is given as a computed result must be one; in long quotes nearly any value would follow from some two numbers.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from metrics.support.languages import DENYING
from metrics.support.quantities import Quantity
from metrics.support.sentence_features import Token, normalised

MOST_NUMBERS = 60
"""Numbers of the quotes that are looked at to see what follows from them."""
COMBINED = 12
"""Numbers up to which each is combined with each other one; of more, by chance, nearly any value would follow."""
APART = 6
"""Numbers between two of more that are combined, at most."""
ABOUT = 0.02
"""Share of itself by which "about 11 %" may be off."""
YEARS = range(1800, 2100)
"""Whole numbers that are nearly always years, which nobody rounds."""
CUT = 10
"""Steps of its last figure that a number has at least which may be cut, not rounded: 0.86 of 0.866, no 1 of 1.8."""
SHARES = frozenset({"percent", "percentage points"})

_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])\d+,\d{1,2}(?![\d,])")
_POWER = re.compile(r"(?<!\d)10\s?[\^(]?\s?(\d{1,2})(?!\d)")

NEAR = 60
"""Characters on either side of a number, in its part of the sentence, in which a word tells how it was reckoned."""
_BEHIND_CLAUSE = re.compile(r"[;:]\s|\.\s")
_COMPUTED = re.compile(
    r"\b(?:differ|chang|increas|decreas|reduc|declin|fell|fall|drop|cut\b|lower|higher|fewer|less|more|rise|rose|gain|"
    r"los[st]|improv|remain|rest|other|left|without|margin|gap|longer|shorter|apart|additional|total|altogether|together|"
    r"in all|combined|both|sum\b|unterschied|differenz|insgesamt|zusammen|mehr|weniger|übrig|gesunken|gestiegen|"
    r"différence|ensemble|plus|moins|autres|diferencia|juntos|más|menos|demás|differenza|insieme|più|meno|altri|"
    r"różnic|łącznie|razem|więcej|mniej|pozostał)",
    re.IGNORECASE,
)
"""Words of a claim whose number may be a sum, difference or change of two others."""
_LEFT_OVER = re.compile(
    rf"\b(?:{DENYING}|remain\w*|rest|others?|left|fail\w*|miss\w*|lower\w*|reduc\w*|fewer|less|cut|fell|decreas\w*|"
    r"declin\w*|drop\w*|prevent\w*|protect\w*|un\w+ed)\b",
    re.IGNORECASE,
)
"""Words of a claim whose share may be what is left of a hundred."""
_TIMES = re.compile(
    r"[\s-]?(?:times|-?fold|×|x\b|mal\b|fois|veces|volte|razy)|[^.;]{0,25}\b(?:ratio|to 1\b|to one)", re.I
)
_RATIO = re.compile(r"\b(?:ratio|rate)\b[^.;\d]{0,20}$", re.IGNORECASE)
_EXACT_BEFORE = re.compile(
    r"(?:\bp(?:[\s-]values?)?\s?[<>=≤≥]|±|\b(?:CI|KI|IC|PU|SD|SE|SEM|IQR|range|interval)\b\W{0,3}(?:[-+−]?[\d.]+\s?(?:to|–|-|,|;)\s?)?)"
    r"\s?[-+−]?\s?$",
    re.IGNORECASE,
)
_EXACT_BEHIND = re.compile(
    r"[\s-]?(?:%|percent)?[\s-]{0,2}(?:CI\b|KI\b|IC\b|PU\b|confidence|credible|Konfidenz|power\b)"
)
"""What is beside a number that is a probability, an interval's level or bound, or a spread."""


@dataclass(frozen=True, slots=True)
class GivenNumbers:
    """The numbers of quotes as printed, and the pairs of them that a claim may reckon with.

    Attributes:
        printed: Each once, words and powers of ten too; at most ``MOST_NUMBERS``.
        twice: Those that are there more than once, as of two groups of one size.
        pairs: All of a few; of many those that are near each other, and those of which the claim tells one itself.
    """

    printed: Sequence[float]
    twice: frozenset[float]
    pairs: Sequence[tuple[float, float]]

    @classmethod
    def of(cls, text: str, given: Sequence[Quantity], claimed: Sequence[float]) -> GivenNumbers:
        """``given`` are the text's quantities, ``claimed`` the claim's numbers."""
        printed, order = _printed(text, given), _in_digits(_POWER.sub(" ", normalised(text)))
        twice = frozenset(each for each, count in Counter(order).items() if count > 1)
        if len(printed) <= COMBINED:
            return cls(printed, twice, list(combinations(printed, 2)))
        near = [(one, other) for at, one in enumerate(order) for other in order[at + 1 : at + 1 + APART]]
        stated = [each for each in printed if any(math.isclose(each, own) for own in claimed)]
        return cls(printed, twice, list(dict.fromkeys([*near, *((one, other) for one in stated for other in printed)])))

    def hold(self, quantity: Quantity) -> bool:
        """Whether one of them is the quantity's number, perhaps rounded, or cut: "over 0.86" of 0.866; or half of it.

        Half of it has to be there twice, of two groups of one size.
        """
        value, step = abs(quantity.printed), 10.0**-quantity.digits
        is_bound = quantity.comparator != "" and quantity.comparator in "<>≤≥"
        if is_bound and any(abs(each - value) < step for each in self.printed):
            return True
        if value >= CUT * step and any(0 <= each - value < step for each in self.printed):
            return True
        if value / 2 in self.twice and not quantity.dimension:
            return True
        return any(_rounds_to(value, each, _leeway(quantity)) for each in self.printed)

    def lead_to(self, claim: str, token: Token, quantity: Quantity) -> bool:
        """Whether a number of a claim may be a result of reckoning, as the claim tells it, and is one.

        Args:
            claim: As ``normalised`` gives it.
            token: Where in it the number is.
            quantity: What the number tells.
        """
        value = abs(quantity.printed)
        before, behind = claim[: token.start], claim[token.end :]
        if value in YEARS or _EXACT_BEFORE.search(before) or _EXACT_BEHIND.match(behind):
            return False
        stated = f"{_BEHIND_CLAUSE.split(before)[-1][-NEAR:]}{_BEHIND_CLAUSE.split(behind)[0][:NEAR]}"
        if quantity.dimension in SHARES:
            found = self._shares(stated)
        elif quantity.dimension == "fold" or _TIMES.match(behind) or _RATIO.search(before):
            found = (each for pair in self.pairs for each in _ratios(*pair))
        else:
            sums = self._sums() if _COMPUTED.search(stated) else ()
            return any(_rounds_to(value, each, _leeway(quantity)) for each in sums)
        near = max(0.51 * 10.0 ** -max(1, quantity.digits), _leeway(quantity))
        return any(_rounds_to(value, each, near) for each in found)

    def _shares(self, stated: str) -> Iterator[float]:
        """Shares of two counts; what is left of a hundred, and changes, where the words beside it tell so."""
        for one, other in self.pairs:
            low, high = sorted((abs(one), abs(other)))
            if low >= 1 and low.is_integer() and high.is_integer():
                yield 100 * low / high
        if _LEFT_OVER.search(stated):
            yield from (100 - each for each in self.printed if each < 100)
            yield from (100 - 100 * each for each in self.printed if 0 < each < 1)
        if _COMPUTED.search(stated):
            yield from self._sums()
            for one, other in self.pairs:
                low, high = sorted((abs(one), abs(other)))
                if low:
                    yield from (100 * (high - low) / high, 100 * (high - low) / low)

    def _sums(self) -> Iterator[float]:
        for one, other in self.pairs:
            yield from (abs(one) + abs(other), abs(abs(one) - abs(other)))
        yield from (2 * each for each in self.printed)


def _ratios(one: float, other: float) -> Iterator[float]:
    low, high = sorted((abs(one), abs(other)))
    if low:
        yield from (high / low, low / high)


def _leeway(quantity: Quantity) -> float:
    return ABOUT * abs(quantity.printed) if quantity.comparator == "~" else 0.0


def _printed(text: str, given: Sequence[Quantity]) -> list[float]:
    """All numbers of a text as printed.

    A power of ten may be given once for all, as in the label of a table's row: "Cells (x10^6) | 461 ± 130".
    """
    digits = _in_digits(_POWER.sub(" ", normalised(text)))
    digits += [float(each.replace(",", ".")) for each in _DECIMAL_COMMA.findall(text)]
    powers = [10.0 ** int(each) for each in _POWER.findall(text)]
    powers += [each * power for power in dict.fromkeys(powers) for each in digits]
    return list(dict.fromkeys([*digits, *powers, *(abs(each.printed) for each in given)]))[:MOST_NUMBERS]


def _in_digits(text: str) -> list[float]:
    return [float(each.replace(",", "")) for each in _DIGITS.findall(text)]


def _rounds_to(value: float, printed: float, least: float) -> bool:
    """Whether a number is given as it is printed, or rounded to fewer figures: 36,978 as 37,000, not as 37,100."""
    if value in YEARS or printed in YEARS:
        return value == printed
    places = range(2 - len(str(int(printed))), 3)  # two figures are kept: 36,978 is not 40,000
    return abs(value - printed) <= least or any(math.isclose(round(printed, each), value) for each in places)
