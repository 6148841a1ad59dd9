"""What numbers say, in words, for a model that cannot compute: which value is higher, which result is significant.

"Mortality was 26% with statins and 45% with placebo (P = 0.17)."
→ "Mortality was 26% lower with statins and 45% higher with placebo (P = 0.17 not significant)."

Only the checker's network reads such texts; quotes, spans and counts are of the text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from metrics.sentences import sentences

LEVEL = 0.05
"""Results with a smaller P value are called significant."""
FARTHEST = 110
"""Characters between two values that are compared."""
UNIT_ONCE = 10
"""Characters between two values of which the second alone has its percent sign."""

_NUMBER = r"\d+(?:[.,·]\d+)?"
_P_VALUE = re.compile(
    rf"\b[Pp](?:[- ]?[Vv]alues?)?(?: for (?:trend|interaction|difference))?\s*(?P<sign>[=<>≤≥]|of|was)\s*"
    rf"(?P<value>\d/\d{{2,}}|{_NUMBER}|[.·]\d+)(?:\s*[×x]\s*10\s*[-−–]\s*\d+)?"
)
_UNNAMED = re.compile(r"\b(?:n\.s\.|NS)(?=[),;.]|$)")
_INTERVAL = re.compile(
    rf"\b(?:9[059](?:\.0)?\s?%\s*)?(?:CI|confidence interval|credible interval)s?\b(?:\s*\[?CI\]?)?[\s:=,(\[]*"
    rf"(?P<low>[-−–]?{_NUMBER})\s?%?\s*(?:to|,|;|[-−–])\s*(?P<high>[-−–]?{_NUMBER})\s?%?"
)
_RATIO = re.compile(r"\b(?:a?OR|a?HR|RR|IRR|ratios?|relative risk)\b")
_DIFFERENCE = re.compile(r"\b(?:differences?|MD|SMD|WMD|β|beta|coefficients?|effect|changes?)\b", re.IGNORECASE)
_TIME = r"(?:weeks?|months?|days?|years?|hours?|minutes?)"
_ASIDE = re.compile(
    rf"(?:±|\+/[-−])\s*{_NUMBER}\s?%?|\b[nN]\s*=\s*{_NUMBER}|\b{_NUMBER}\s*(?:/|of|out of)\s*{_NUMBER}\b"
    rf"|\bper {_NUMBER}|\b9[059]\s?%(?=\s*(?:CI|confidence|credible))"
    rf"|\(\s*(?:SD\s*)?{_NUMBER}\s*\)|\[\s*{_NUMBER}[^\]]*\]"
    rf"|\b(?:{_TIME}|visit|table|figure|fig\.|phase|stage|grade|type|group|arm)\s*{_NUMBER}\b"
    rf"|\b\d+ ?(?:[mµμk]?g|mcg|IU|m[lL]|kcal)\b(?!/)"
    rf"|\b{_NUMBER}[\s-]*(?:weeks?|months?|years?|hours?|minutes?|h|min)\b",
    re.IGNORECASE,
)
"""Numbers that are not a result: spreads, counts of people, fractions, doses, times."""
_VALUE = re.compile(rf"(?<![\w.,·/–-])(?P<minus>[-−–]|minus )?(?P<number>{_NUMBER})(?P<unit>\s?%)?(?![\d/])(?![.,·]\d)")
_STRONG = re.compile(r"\b(?:vs|versus|compared|than|against|whereas|while|respectively)\b|/")
_WEAK = re.compile(r"\b(?:and|or|but)\b|[,;]")
_RANGE = re.compile(r"\s*(?:to|[-−–])\s*-?")
_DIGITS = str.maketrans({"−": "-", "–": "-", "·": ".", "/": ".", " ": None})
_FROM = re.compile(r"\bfrom\b[^,;]{0,25}$")


@dataclass(frozen=True, slots=True)
class _Value:
    start: int
    end: int
    size: float
    percent: bool
    whole: bool


def with_numbers_in_words(text: str) -> str:
    """The text with words behind its P values, confidence intervals and compared values; nothing is taken away.

    Table rows are left as they are.
    """
    if not any(map(str.isdigit, text)) and not _UNNAMED.search(text):
        return text
    notes = [note for span in sentences(text) for note in _notes(text, span.start, span.end)]
    for at, word in sorted(notes, reverse=True):
        text = f"{text[:at]} {word}{text[at:]}"
    return text


def _notes(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    sentence = text[start:end]
    if sentence.startswith("|"):
        return
    taken: list[tuple[int, int]] = []
    breaks: list[int] = []
    for match, word in (*_tests(sentence), *_intervals(sentence)):
        taken.append(match.span())
        breaks.append(match.start())
        if word:
            yield start + match.end(), word
    taken += [match.span() for match in _ASIDE.finditer(sentence)]
    for chain in _chains(sentence, _values(sentence, taken), breaks):
        for value, word in _compared(chain):
            yield start + value.end, word


def _tests(sentence: str) -> Iterator[tuple[re.Match[str], str]]:
    for match in _P_VALUE.finditer(sentence):
        value = _size(match["value"])
        if match["sign"] in "<≤":
            yield match, "significant" if value <= LEVEL else ""
        elif match["sign"] in ">≥":
            yield match, "not significant" if value >= LEVEL else ""
        else:
            yield match, "significant" if value < LEVEL else "not significant"
    for match in _UNNAMED.finditer(sentence):
        yield match, "not significant"


def _intervals(sentence: str) -> Iterator[tuple[re.Match[str], str]]:
    for match in _INTERVAL.finditer(sentence):
        low, high = _size(match["low"]), _size(match["high"])
        before = sentence[: match.start()]
        if _RATIO.search(before):
            yield match, _significant(low <= 1 <= high)
        elif _DIFFERENCE.search(before) or low < 0 < high:
            yield match, _significant(low <= 0 <= high)
        else:
            yield match, ""


def _significant(none: bool) -> str:
    return "not significant" if none else "significant"


def _size(number: str) -> float:
    digits = number.replace("minus ", "-").translate(_DIGITS)
    return float(digits.replace(",", "" if re.search(r",\d{3}$", digits) else "."))


def _values(sentence: str, taken: Sequence[tuple[int, int]]) -> list[_Value]:
    found = []
    for match in _VALUE.finditer(sentence):
        if not any(low < match.end() and match.start() < high for low, high in taken):
            size = _size((match["minus"] or "") + match["number"])
            percent = bool(match["unit"])
            found.append(_Value(match.start(), match.end(), size, percent, not percent and size == int(size)))
    return found


def _chains(sentence: str, values: Sequence[_Value], breaks: Sequence[int]) -> Iterator[list[_Value]]:
    """Values that are compared with each other, two at least."""
    chain: list[_Value] = []
    for one, other in pairwise(values):
        if not chain:
            chain = [one]
        is_pair = len(chain) == 2 and _STRONG.search(sentence[chain[0].end : chain[1].start])
        if _linked(sentence, one, other, breaks) and not is_pair:
            chain.append(other)
        else:
            yield from [chain] if len(chain) > 1 else []
            chain = []
    if len(chain) > 1:
        yield chain


def _linked(sentence: str, one: _Value, other: _Value, breaks: Sequence[int]) -> bool:
    between = sentence[one.end : other.start]
    unit_once = other.percent and len(between) <= UNIT_ONCE and _STRONG.search(between)  # "60 vs. 87%"
    if (
        (one.percent != other.percent and not unit_once)
        or len(between) > FARTHEST
        or any(one.end <= at < other.start for at in breaks)
    ):
        return False
    if _FROM.search(sentence[: one.start]) or _RANGE.fullmatch(between):
        return False
    if _STRONG.search(between):
        return True
    return not one.whole and not other.whole and bool(_WEAK.search(between))


def _compared(chain: Sequence[_Value]) -> Iterator[tuple[_Value, str]]:
    sizes = [value.size for value in chain]
    low, high = min(sizes), max(sizes)
    if low == high:
        yield chain[-1], "equal"
        return
    lowest, highest = ("lower", "higher") if len(chain) == 2 else ("lowest", "highest")
    for value in chain:
        if value.size in (low, high):
            yield value, lowest if value.size == low else highest
