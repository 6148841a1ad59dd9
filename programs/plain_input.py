"""What callers of every kind may send: text that is text, and nothing that nests deeper than anything needs."""

from __future__ import annotations

import unicodedata
from typing import Any

LONGEST_QUESTION = 2_000

DEEPEST = 8
"""Levels that a request may nest; filters need three."""

_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that show nothing: fillers of Hangul, and the Braille pattern without dots."""


def require_plain(values: Any, deepest: int = DEEPEST) -> None:  # noqa: ANN401 - whatever was sent
    """Refuse lone surrogates and NULs anywhere: the engine, the log and the answer could not hold them.

    Raises:
        ValueError: It holds one, or nests deeper than so many levels.
    """
    level, depth = [values], 0
    while level:
        if depth > deepest:
            raise ValueError(f"the body nests deeper than {deepest} levels")
        for text in (each for each in level if isinstance(each, str)):
            _require_text(text)
        level = [inner for each in level for inner in _inside(each)]
        depth += 1


def require_seen(text: str) -> str:
    """A question of which something shows; a ``ValueError`` for another."""
    if not any(map(_is_seen, text)):
        raise ValueError("the question is empty; ask something of the papers")
    return text


def _inside(value: Any) -> list[Any]:  # noqa: ANN401 - whatever was sent
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list) else []


def _require_text(text: str) -> None:
    bad = next((character for character in text if character == "\0" or "\ud800" <= character <= "\udfff"), None)
    if bad is not None:
        raise ValueError(f"a text holds U+{ord(bad):04X}, which is not a character")


def _is_seen(character: str) -> bool:
    """Whether a character shows: not a space, a control or format character, a mark alone, or a filler."""
    return unicodedata.category(character)[0] in "LNPS" and character not in _FILLERS
