"""What callers of every kind may send: text that is text, and nothing that nests deeper than anything needs."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from typing import Any

LONGEST_QUESTION = 2_000

DEEPEST = 8
"""Levels that a request may nest; filters need three."""

_NOT_TEXT = re.compile("[\0\ud800-\udfff]")
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that show nothing: fillers of Hangul, and the Braille pattern without dots."""


def require_plain(values: Any, deepest: int = DEEPEST) -> None:  # noqa: ANN401 - whatever was sent
    """Refuse lone surrogates and NULs anywhere: the engine, the log and the answer could not hold them.

    Raises:
        ValueError: It holds one, or nests deeper than so many levels.
    """
    level = [values]
    for _ in range(deepest + 1):
        bad = next(filter(None, (_NOT_TEXT.search(each) for each in level if isinstance(each, str))), None)
        if bad is not None:
            raise ValueError(f"a text holds U+{ord(bad[0]):04X}, which is not a character")
        objects = [each for each in level if isinstance(each, dict)]
        lists = [each for each in level if isinstance(each, list)]
        level = list(chain(*objects, *(each.values() for each in objects), *lists))
    if level:
        raise ValueError(f"the body nests deeper than {deepest} levels")


def require_seen(text: str) -> str:
    """A question of which something shows; a ``ValueError`` for another."""
    # Not a space, a control or format character, a mark alone, or a filler.
    if not any(unicodedata.category(each)[0] in "LNPS" and each not in _FILLERS for each in text):
        raise ValueError("the question is empty; ask something of the papers")
    return text
