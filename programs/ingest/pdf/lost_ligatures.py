"""Finds what a file gives for its ligature of "Th", where the font's character map is wrong.

    "*e doses …", "*is trend …", "*ese authors …"      "*" stands for "Th"

The letters of a page are drawn right, but a font may map the ligature to a sign. The document itself tells: the sign
stands before what is left of several common words, hardly ever before anything else, and "Th" itself hardly occurs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

TH = "Th"
_RESTS = frozenset(
    "e is ese ey eir em at an en ere us ose ough rough erefore ereby ereafter ree ird".split()  # noqa: SIM905
)
"""Common English words without the "th" that they begin with."""
_FEWEST_KINDS = 2
_MOSTLY = 0.8
_OTHERWISE = 0.25
"""A sign stands before such rests in most places; "Th" stands in fewer places than this share of them."""
_BEFORE_LETTERS = re.compile(r"(?<!\w)([^\w\s(\[{<“‘\"'«„,.:;/…+=±-])([a-z]+)\b")
_TH = re.compile(r"\bTh[a-z]")


def sign_for_th(texts: Iterable[str]) -> str:
    """The sign that stands for the ligature; empty where there is none.

    Args:
        texts: Of the whole document.
    """
    rests: dict[str, Counter[str]] = defaultdict(Counter)
    printed = 0
    for text in texts:
        printed += len(_TH.findall(text))
        for sign, rest in _BEFORE_LETTERS.findall(text):
            rests[sign][rest] += 1
    for sign, found in rests.items():
        fitting = {rest: count for rest, count in found.items() if rest in _RESTS}
        count = sum(fitting.values())
        if len(fitting) >= _FEWEST_KINDS and count >= _MOSTLY * found.total() and printed <= _OTHERWISE * count:
            return sign
    return ""


def with_th(text: str, sign: str) -> str:
    """The text with "Th" for the sign where letters follow it."""
    return re.sub(rf"(?<!\w){re.escape(sign)}(?=[a-z])", TH, text) if sign else text
