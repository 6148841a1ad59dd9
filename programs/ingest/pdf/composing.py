"""Characters as they are printed, and letters that are printed in two parts: detached accents, lam with alef."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Final, NamedTuple


class Print(NamedTuple):
    """How characters are printed: size in points, weight, quarter turns to the left, and where their line begins."""

    size: float
    is_bold: bool
    turns: int
    x: float
    y: float
    is_italic: bool = False


class Character(NamedTuple):
    """One character; its box is in points, with the text upright and the origin at the lower left."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    print: Print


# An accent that is printed over, under or across the letter beside it, as TeX does.
_ACCENTS: Final[Mapping[str, str]] = dict(
    zip(
        "`´^ˆ~˜¯ˉ˘˙¨˚ˇ˝¸˛",
        "\u0300\u0301\u0302\u0302\u0303\u0303\u0304\u0304\u0306\u0307\u0308\u030a\u030c\u030b\u0327\u0328",
        strict=True,
    )
)
_ACCENT_OFF: Final = 0.15  # of the size, from the middle of a narrow letter
_DOTLESS: Final = {"ı": "i", "ȷ": "j"}
_LAM: Final = "ل"
_ALEFS: Final = frozenset("اأإآٱ")
_TO_COMPOSE: Final = frozenset(_ACCENTS) | {_LAM}


def composed(characters: Sequence[Character]) -> Sequence[Character]:
    """The characters, with detached accents on their letters, and the ligatures of lam and alef in order.

    PDFium turns Arabic round character by character, also within a glyph of two: these have one box.
    """
    if _TO_COMPOSE.isdisjoint(map(itemgetter(0), characters)):
        return characters
    whole: list[Character] = []
    waiting: list[Character] = []  # an accent, and spaces behind it
    for character in characters:
        last = whole[-1] if whole else None
        if waiting and character.text.isspace():
            waiting.append(character)
            continue
        accent, waiting_now = (waiting[0] if waiting else None), waiting
        waiting = []
        if accent is not None:
            if (letter := _accented(character, accent)) is not None:
                whole.append(letter)
                continue
            whole += waiting_now
        if character.text in _ACCENTS:
            before = next((at for at in (-1, -2) if len(whole) >= -at and not whole[at].text.isspace()), 0)
            if before and (letter := _accented(whole[before], character)) is not None:
                whole[before:] = [letter]
            else:
                waiting = [character]
        elif last is not None and character.text == _LAM and last.text in _ALEFS and last[1:5] == character[1:5]:
            whole[-1:] = [character, last]
        else:
            whole.append(character)
    return whole + waiting


def _accented(letter: Character, accent: Character) -> Character | None:
    """The letter with an accent whose middle is over the letter; None where they do not go together."""
    off = abs(accent.left + accent.right - letter.left - letter.right) / 2
    nearest = max((letter.right - letter.left) / 2, _ACCENT_OFF * letter.print.size)
    if not letter.text.isalpha() or off > nearest:
        return None
    text = unicodedata.normalize("NFC", _DOTLESS.get(letter.text, letter.text) + _ACCENTS[accent.text])
    return letter._replace(text=text) if len(text) == 1 else None
