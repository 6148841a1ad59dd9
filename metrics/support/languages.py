"""Which language a claim is in, as far as guards and checker need to know, and how it spells numbers."""

from __future__ import annotations

import re

from metrics.support.lexicon import listed
from metrics.support.premise import COMMON

SHORT = 6  # different words of a text from which on its language is looked at; a row of a table has fewer
FOREIGN = 0.15  # share of grammar words from which on a text is in one of the languages whose grammar words are known

_FOREIGN = listed("grammar of other languages")
"""Grammar words of twelve European languages, some of them English words too."""

DENYING = (
    r"no|not|none|nor|neither|never|without|\w+n't|nicht|kein\w*|ohne|pas|ne|sans|aucun\w*|sin|ni|ning\w+|non|senza|"
    r"nessun\w*|não|sem|nenhum\w*|niet|geen|zonder|inte|utan|nie|bez"
)
"""Words of nine languages that deny, as a part of a pattern."""

_WORD = re.compile(r"[^\W\d_]+")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=(?:\d{1,2}|\d{4,})(?!\d))|(?<=\b0),(?=\d)")
_COMMA = re.compile(r"(?<=\d),(?=\d)")
_AND = re.compile(r"(?<=\d) y (?=\d)")
"""Spanish "and", which is not a unit of time."""
_SPACED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+(?![\d.,]*\d)")
_POINTED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.,]*\d)")


def is_english(text: str) -> bool:
    """Whether nothing speaks against it: other scripts, grammar words of other languages, or none of English."""
    words = _WORD.findall(text.lower())
    latin = sum(word.isascii() or any(letter.isascii() for letter in word) for word in words)
    english, foreign = (sum(word in known for word in words) for known in (COMMON, _FOREIGN))
    is_row = len({*words}) < SHORT and (english > 0 or foreign < 2)  # one may be a name's
    return latin >= len(words) / 2 and (is_row or english >= max(1, foreign))


def is_foreign(text: str) -> bool:
    """Whether a text has the grammar words of another language than English."""
    words = _WORD.findall(text.lower())
    known = sum(word in _FOREIGN for word in words)
    return not is_english(text) and known >= FOREIGN * len(words)


def spellings(text: str) -> tuple[str, ...]:
    """What a text says with its numbers as English spells them, in each way where "1.500" or "1,500" may be either.

    An English text stays as it is; elsewhere "150 000" is 150000, "0,92" is 0.92, and "15 y 45" two numbers.
    """
    if is_english(text):
        return (text,)
    spelled = _DECIMAL_COMMA.sub(".", _SPACED.sub(_joined, _AND.sub(" and ", text)))
    return tuple(dict.fromkeys((spelled, _POINTED.sub(_joined, spelled), _COMMA.sub(".", spelled))))


def _joined(number: re.Match[str]) -> str:
    return re.sub(r"\D", "", number.group())
