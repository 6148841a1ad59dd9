"""Two versions of a text side by side, with the words that differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
ALIKE = 0.35
"""Share of common words below which marking the others would mark nearly everything."""


@dataclass(frozen=True, slots=True)
class WordingChange:
    """Words one after the other that are, or are not, in the other version too."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Wordings:
    """Two versions.

    Attributes:
        before: Pieces of the first, in order.
        after: Of the second.
        is_rewritten: Whether they have so little in common that nothing is marked.
    """

    before: tuple[WordingChange, ...]
    after: tuple[WordingChange, ...]
    is_rewritten: bool

    @property
    def is_same(self) -> bool:
        """Whether no word differs."""
        return not self.is_rewritten and not any(piece.is_changed for piece in (*self.before, *self.after))


def compared(before: str, after: str) -> Wordings:
    """Compare two texts word by word."""
    if _are_strangers(before.split(), after.split()):
        return Wordings((WordingChange(before, False),), (WordingChange(after, False),), is_rewritten=True)
    first, second = _WORD.findall(before), _WORD.findall(after)
    codes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    left = tuple(_pieces((first[i1:i2], tag != "equal") for tag, i1, i2, _, _ in codes))
    right = tuple(_pieces((second[j1:j2], tag != "equal") for tag, _, _, j1, j2 in codes))
    return Wordings(left, right, is_rewritten=False)


def _are_strangers(first: list[str], second: list[str]) -> bool:
    return bool(first and second) and SequenceMatcher(None, first, second, autojunk=False).ratio() < ALIKE


def _pieces(runs: Iterator[tuple[list[str], bool]]) -> Iterator[WordingChange]:
    """Words that are changed alike joined; white space between changed words counts with them."""
    pieces: list[WordingChange] = []
    for words, is_changed in runs:
        text = "".join(words)
        if not text:
            continue
        if is_changed and len(pieces) > 1 and pieces[-2].is_changed and not pieces[-1].text.strip():
            text = pieces.pop(-2).text + pieces.pop().text + text
        pieces.append(WordingChange(text, is_changed))
    return iter(pieces)
