"""Where listed terms stand in a text: whole words only, in singular or plural, with hyphen, space or neither.

    index = TermIndex([(Term("zero gravity"), "microgravity"), (Term("ISS"), "ISS")])
    [found.text for found in index.find("Does zero-gravity on the ISS …")]      # ["zero-gravity", "ISS"]

One pass over the words with a look-up for each run of them, so the time does not grow with the number of terms.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, TypeVar

_T = TypeVar("_T")
_WORD = re.compile(r"((?:[^\W_][\u0300-\u036f]*)+)(?:['’]s(?![^\W_]))?")
_GAP = re.compile(r"(?:['’]s?)?(?:\s+|\s?[-‐‑–/]\s?)")
_GAP_AFTER_INITIAL = re.compile(r"\.\s*")
_CAPITALS = re.compile(r"[A-Z]{2,}")
UNIT_LENGTH = 2
"""A term of so few characters is not a term after a number: "10 μg" is a mass."""
_NUMBERS = (
    ("ies", 5, "y"),
    ("ie", 5, "y"),
    ("ses", 5, "s"),
    ("sis", 5, "s"),
    ("se", 4, "s"),
    ("xes", 5, "x"),
    ("ches", 6, "ch"),
    ("shes", 6, "sh"),
    ("s", 4, ""),
)
"""Endings of a regular noun's two numbers: the ending, the least length of the word, and what stands for it."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    folded: str
    start: int
    end: int


class Term:
    """A term as it is listed.

    Args:
        text: The term.
        any_case: Whether a word in capitals is read in lower case too; only capitals will do otherwise, for "LEO" is no
            lion and "AIDS" no help.
    """

    def __init__(self, text: str, *, any_case: bool = False) -> None:
        self.text = text
        words = list(_words(text))
        last = words[-1] if words else None
        in_capitals = last is not None and _CAPITALS.fullmatch(last.text) is not None
        self.key = _joined_key(words, as_singular=not in_capitals)
        """What spellings of the same term share; empty when there is no letter or digit."""
        self.length = len(words)
        self.is_findable = bool(words) and len(_run(text, words, 0, len(words))) == len(words)
        """Whether nothing but spaces, hyphens and slashes part its words, so that a text can hold it."""
        self._breaks = _breaks(words)
        self._exactly = last.text if last and in_capitals and len(words) == 1 and not any_case else None

    def is_spelt(self, words: Sequence[_Word]) -> bool:
        """Whether words of a text that have its key are the term: parted at its own breaks or at none."""
        exact = self._exactly is None or words[0].text in (self._exactly, f"{self._exactly}s")
        return exact and _breaks(words) <= self._breaks


@dataclass(frozen=True, slots=True)
class FoundTerm(Generic[_T]):
    """A term in a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last.
        text: The text between them.
        listed: The terms that it can be, with what each stands for.
    """

    start: int
    end: int
    text: str
    listed: tuple[tuple[Term, _T], ...]


class TermIndex(Generic[_T]):
    """Terms by their keys.

    Args:
        listed: Terms with what each stands for.
    """

    def __init__(self, listed: Iterable[tuple[Term, _T]]) -> None:
        self._listed: dict[str, list[tuple[Term, _T]]] = {}
        self._longest = 0
        for term, value in listed:
            self._listed.setdefault(term.key, []).append((term, value))
            self._longest = max(self._longest, term.length)

    def find(self, text: str) -> Iterator[FoundTerm[_T]]:
        """Terms from left to right, the longest at each place; they do not overlap."""
        words = list(_words(text))
        place = 0
        while place < len(words):
            run = _run(text, words, place, self._longest)
            length, listed = self._longest_term(run, is_quantity=place > 0 and words[place - 1].text.isdecimal())
            if listed:
                start, end = run[0].start, run[length - 1].end
                yield FoundTerm(start, end, text[start:end], listed)
            place += max(length, 1)

    def _longest_term(self, run: Sequence[_Word], *, is_quantity: bool) -> tuple[int, tuple[tuple[Term, _T], ...]]:
        for length in range(len(run), 0, -1):
            words = run[:length]
            if is_quantity and length == 1 and len(words[0].text) <= UNIT_LENGTH:
                continue
            keys = dict.fromkeys((_joined_key(words, as_singular=False), _joined_key(words, as_singular=True)))
            listed = tuple(one for key in keys for one in self._listed.get(key, ()) if one[0].is_spelt(words))
            if listed:
                return length, listed
        return 0, ()


def singular(word: str) -> str:
    """What a regular English noun's singular and plural share, in lower case; not always a word.

    "ray", "rays" → "ray"; "biopsy", "biopsies" → "biopsy"; "metastasis", "metastases" → "metastas".
    """
    if word.endswith(("ss", "us")):
        return word
    fitting = (each for each in _NUMBERS if word.endswith(each[0]) and len(word) >= each[1])
    ending, _, instead = next(fitting, ("", 0, ""))
    return word.removesuffix(ending) + instead


def _words(text: str) -> Iterator[_Word]:
    """Words as printed, without the ending of a possessive."""
    for match in _WORD.finditer(text):
        yield _Word(match[1], unicodedata.normalize("NFKC", match[1]).casefold(), match.start(1), match.end(1))


def _run(text: str, words: Sequence[_Word], place: int, longest: int) -> Sequence[_Word]:
    """The words from a place on that could make one term: parted by a space, hyphen, slash or an initial's dot."""
    end = place + 1
    while end < min(place + longest, len(words)) and _meet(text, words[end - 1], words[end]):
        end += 1
    return words[place:end]


def _meet(text: str, left: _Word, right: _Word) -> bool:
    after_initial = len(left.text) == 1 and _GAP_AFTER_INITIAL.fullmatch(text, left.end, right.start)
    return bool(after_initial or _GAP.fullmatch(text, left.end, right.start))


def _joined_key(words: Sequence[_Word], *, as_singular: bool) -> str:
    """Words without case, compatibility forms and what parts them; the last perhaps without its number."""
    folded = [word.folded for word in words]
    return "".join([*folded[:-1], *map(singular, folded[-1:])] if as_singular else folded)


def _breaks(words: Sequence[_Word]) -> frozenset[int]:
    """Where words meet within their key."""
    return frozenset(accumulate(len(word.folded) for word in words[:-1]))
