"""What stands between a word and its superscript or subscript in plain text, so that neither word nor number changes.

10⁶ → 10^6     kg/m² → kg/m2     Ca²⁺ → Ca2+     0.59ᵃ → 0.59^a     M(post below) → M_post     T(max below) → Tmax
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["sup", "sub"]

_LAST_WORD = re.compile(r"[^\W\d]+$")  # with the underscore of an index: "dose_i"
_CHARGE = re.compile(r"\d?[+−–-]+$")
_ORDINAL = re.compile(r"(st|nd|rd|th|er|e)\b")
# A note's mark and the word that it may run into. After a number only one as long as no element's symbol: "13CO2".
_NOTE_MARKS = (re.compile(r"[a-z]{1,3}(?:,[a-z])*\0[^\W\d_]"), re.compile(r"\d{1,2}\0[^\W\d_][a-z]{2}"))
# Letters below are part of a symbol, "Tmax", "HbA1c", unless one of the two is a word: "M_post", "dose_i".
_MIN_INDEX_WORD = 4
_ENDS_AS_WORD = re.compile(r"[a-z]{3}$")
# The longest units that take an exponent, "min" left out: "mL-1", "µm2", "χ2".
_MAX_UNIT = 2


def joint(before: str, mark: str, level: Level) -> str:
    """What parts a mark from the text before it: "^", "_" or nothing."""
    last, first = before[-1:], mark[0]
    if not (last.isalnum() or last == ")") or not (first.isalnum() or (first in "+−–-" and mark[1:2].isdigit())):
        return ""
    if last.isdigit():
        return "" if _ORDINAL.fullmatch(mark) else "^" if level == "sup" else "_" if first.isdigit() else ""
    if level == "sub":
        return "_" if mark.isalpha() and (len(mark) >= _MIN_INDEX_WORD or _ENDS_AS_WORD.search(before)) else ""
    if _CHARGE.fullmatch(mark):
        return ""
    word = _LAST_WORD.search(before)
    return "" if word and len(word[0]) <= _MAX_UNIT else "^"


def marks_note(mark: str, following: str) -> bool:
    """Whether a superscript stands before the word that it belongs to: "<sup>a</sup>Median" is not "aMedian"."""
    return any(each.match(f"{mark}\0{following}") for each in _NOTE_MARKS)
