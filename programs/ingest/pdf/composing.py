"""Characters as they are printed, and letters that are printed in two parts: detached accents, lam with alef."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple, cast


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
_FAR: Final = 120  # characters between an accent and its letter: PDFium may give it words before or behind
_SPACE: Final = 0.15  # of the size


def composed(characters: Sequence[Character | None]) -> Sequence[Character | None]:
    """The characters of a page, with detached accents on their letters, and ligatures of lam and alef in order.

    PDFium turns Arabic round character by character, also within a glyph of two: these have one box. To an accent it
    jumps, and writes spaces for that.
    """
    whole, taken = list(characters), set[int]()
    for place, character in enumerate(characters):
        if character is None or character.text not in _TO_COMPOSE:
            continue
        around = range(max(place - _FAR, 0), min(place + _FAR, len(whole)))
        if character.text == _LAM:
            last = whole[place - 1] if place else None
            if last is not None and last.text in _ALEFS and last[1:5] == character[1:5]:
                whole[place - 1 : place + 1] = character, last
        elif fitting := [(*fits, at) for at in around if (each := whole[at]) and (fits := _accented(each, character))]:
            _, text, at = min(fitting)
            whole[at] = cast("Character", whole[at])._replace(text=text)
            taken.add(place)
    return list(_without(whole, taken)) if taken else whole


def _without(whole: Sequence[Character | None], taken: set[int]) -> Iterator[Character | None]:
    """The characters but for those at the places taken, and for spaces around these where print has none."""
    last: Character | None = None
    spaces = {at for at, each in enumerate(whole) if each is not None and each.text.isspace()}
    for is_loose, group in groupby(range(len(whole)), key=(taken | spaces).__contains__):
        places = list(group)
        following = whole[places[-1] + 1] if places[-1] + 1 < len(whole) else None
        if not is_loose or taken.isdisjoint(places):
            yield from (whole[at] for at in places)
        elif last and following and not -last.print.size < following.left - last.right < _SPACE * last.print.size:
            yield Character(" ", 0.0, 0.0, 0.0, 0.0, last.print)
        last = whole[places[-1]]


def _accented(letter: Character, accent: Character) -> tuple[float, str] | None:
    """How far an accent is off the middle of a letter that it is over, and both as one; None if it is not over it."""
    off = abs(accent.left + accent.right - letter.left - letter.right) / 2
    size = letter.print.size
    is_over = off <= max((letter.right - letter.left) / 2, _ACCENT_OFF * size)
    if not is_over or not letter.text.isalpha() or abs(letter.print.y - accent.print.y) >= size / 2:
        return None
    text = unicodedata.normalize("NFC", _DOTLESS.get(letter.text, letter.text) + _ACCENTS[accent.text])
    return (off, text) if len(text) == 1 else None
