"""Query expansion: a question with the other names of what it asks about.

dictionary = TagDictionary.load()
expansion = expand("How does microgravity affect mouse bone?", dictionary)
expansion.matched       # ("microgravity", "mouse", "bone")
expansion.query         # "How does microgravity affect mouse bone? weightlessness mice skeletal zero gravity …"

Terms are found as whole words, in singular or plural, with hyphen, space or neither. One pass over the words looks up
each run of them, so the time does not grow with the number of terms.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, zip_longest
from pathlib import Path
from typing import Any

import yaml

from programs.errors import UsageError

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
    """A term as it is listed, as ``any_case`` also in lower case.

    Otherwise only capitals will do where it is a word in capitals: "LEO" is no lion and "AIDS" no help.
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
        """Whether nothing but spaces, hyphens and slashes separate its words, so that a text can hold it."""
        self._breaks = _breaks(words)
        self._exactly = last.text if last and in_capitals and len(words) == 1 and not any_case else None

    def is_spelt(self, words: Sequence[_Word]) -> bool:
        """Whether words of a text that have its key are the term: separated at its own breaks or at none."""
        exact = self._exactly is None or words[0].text in (self._exactly, f"{self._exactly}s")
        return exact and _breaks(words) <= self._breaks


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
    """The words from a place on that could make one term: separated by a space, hyphen, slash or an initial's dot."""
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


BUNDLED = Path(__file__).with_name("tags.yaml")
EXTENDS, ANY_CASE = "extends", "any_case"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C parser reads the bundled file in a tenth of the time; both are safe and give the same."""


@dataclass(frozen=True, slots=True)
class TagEntry:
    """Terms that stand for one thing, the most useful first; at least one.

    The name need not be one of them; the category is "missions", "organisms" or any other group.
    """

    name: str
    category: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class TagDictionary:
    """Entries, in the order of the file; ``any_case`` holds the terms in capitals that are read in lower case too."""

    entries: tuple[TagEntry, ...]
    any_case: frozenset[str] = frozenset()

    @classmethod
    def load(cls, path: Path | None = None) -> TagDictionary:
        """Read a file, the bundled one by default; a ``UsageError`` names it and what in it cannot be read."""
        source = path or BUNDLED
        values = _read(source)
        own = cls(
            tuple(_entries(source, values)),
            frozenset(_terms(source, ANY_CASE, values.get(ANY_CASE, []))),
        )
        if values.get(EXTENDS) is None:
            if not own.entries:
                raise UsageError(f"{source} has no entries; write `category:` and under it `entry: [term, term]`")
            return own
        if values[EXTENDS] != "default":
            raise UsageError(f"{source}: extends: {values[EXTENDS]!r}; only `extends: default` is known")
        return cls.load().extended(own)

    def extended(self, other: TagDictionary) -> TagDictionary:
        """This dictionary with another's entries, which take the place of entries of the same name."""
        theirs = {entry.name: entry for entry in other.entries}
        kept = [theirs.pop(entry.name, entry) for entry in self.entries]
        return TagDictionary((*kept, *theirs.values()), self.any_case | other.any_case)

    @cached_property
    def _terms(self) -> dict[str, list[tuple[Term, TagEntry]]]:
        """The terms by their keys, with what each stands for."""
        terms: dict[str, list[tuple[Term, TagEntry]]] = {}
        for entry in self.entries:
            for text in entry.terms:
                term = Term(text, any_case=text in self.any_case)
                terms.setdefault(term.key, []).append((term, entry))
        return terms

    @cached_property
    def _longest(self) -> int:
        """Words of the longest term."""
        return max((term.length for listed in self._terms.values() for term, _ in listed), default=0)

    def find(self, text: str) -> Iterator[tuple[Term, TagEntry]]:
        """The terms that a text holds, and what each stands for; from left to right, the longest at each place.

        What is at one place may be several terms; places do not overlap.
        """
        words = list(_words(text))
        place = 0
        while place < len(words):
            is_quantity = place > 0 and words[place - 1].text.isdecimal()
            run = _run(text, words, place, self._longest)
            length, found = self._longest_term(run, is_quantity=is_quantity)
            yield from found
            place += max(length, 1)

    def _longest_term(self, run: Sequence[_Word], *, is_quantity: bool) -> tuple[int, list[tuple[Term, TagEntry]]]:
        for length in range(len(run), 0, -1):
            words = run[:length]
            if is_quantity and length == 1 and len(words[0].text) <= UNIT_LENGTH:
                continue
            keys = dict.fromkeys((_joined_key(words, as_singular=False), _joined_key(words, as_singular=True)))
            if listed := [one for key in keys for one in self._terms.get(key, ()) if one[0].is_spelt(words)]:
                return length, listed
        return 0, []


def _read(source: Path) -> Mapping[str, Any]:
    try:
        values = yaml.load(source.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - a safe loader, see above
    except OSError as error:
        raise UsageError(f"the tag dictionary {source} cannot be read ({error.strerror}); check the path") from error
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"the tag dictionary {source} is not YAML in UTF-8: {error}") from error
    if not isinstance(values, dict):
        raise UsageError(f"the tag dictionary {source} holds no categories; write `category:` and under it entries")
    return values


def _entries(source: Path, values: Mapping[str, Any]) -> Iterator[TagEntry]:
    """The entries of all categories, in the order of the file."""
    seen: dict[str, str] = {}
    for category, entries in values.items():
        if category in (EXTENDS, ANY_CASE):
            continue
        if not isinstance(entries, dict):
            raise UsageError(
                f"{source}: category {category!r} is {entries!r}; write entries under it, `entry: [term, term]`"
            )
        for name, terms in entries.items():
            yield _entry(source, str(category), name, terms)
            if name in seen:
                raise UsageError(f"{source}: entry {name!r} is in {seen[name]!r} and in {category!r}; join them")
            seen[name] = str(category)


def _entry(source: Path, category: str, name: Any, terms: Any) -> TagEntry:  # noqa: ANN401 - whatever the file holds
    if not isinstance(name, str):
        raise UsageError(f"{source}: entry {name!r} of {category!r} is not a text; put it in quotes")
    listed = _terms(source, name, terms)
    if not listed:
        raise UsageError(f"{source}: entry {name!r} has no terms; list at least one, `{name}: [term]`")
    for place, term in enumerate(listed):
        if not Term(term).is_findable:
            raise UsageError(
                f"{source}: entry {name!r} has the term {term!r}, which no text can hold; write words separated "
                "by spaces or hyphens"
            )
        if term.casefold() in (earlier.casefold() for earlier in listed[:place]):
            raise UsageError(f"{source}: entry {name!r} has the term {term!r} twice; keep one of them")
    return TagEntry(name, category, listed)


def _terms(source: Path, name: str, terms: Any) -> tuple[str, ...]:  # noqa: ANN401 - whatever the file holds
    if not isinstance(terms, list):
        raise UsageError(f"{source}: {name!r} is {terms!r}; write a list, `{name}: [term, term]`")
    for term in terms:
        if not isinstance(term, str):
            raise UsageError(f"{source}: {name!r} lists {term!r}, which YAML does not read as text; put it in quotes")
    return tuple(term.strip() for term in terms)


LIMIT = 6
PER_ENTRY = 2
"""More terms drown the question. On 250 of SciFact's training claims searching with up to 12 terms, 4 an entry, loses
0.009 nDCG@10, and with 6, 2 an entry, 0.004; on the trials kept for choosing they gain 0.013 and 0.010."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """A question as it was asked, and what was added to it.

    Attributes:
        matched: Names of the entries that have a term in it, in the order of the question.
        added: Terms of those entries that it does not hold.
        query: The question followed by the added terms; the question itself when there are none.
    """

    question: str
    matched: tuple[str, ...]
    added: tuple[str, ...]
    query: str


def expand(question: str, dictionary: TagDictionary, limit: int = LIMIT, per_entry: int = PER_ENTRY) -> Expansion:
    """Add the other terms of every entry that a question has a term of.

    The entries take turns, the first term of each before the second of any, so that a limit cuts off the least useful:
    at most ``limit`` terms are added, ``per_entry`` of one entry; a ``UsageError`` where either is negative.
    """
    if limit < 0 or per_entry < 0:
        raise UsageError(f"limits of an expansion must be at least 0, got limit={limit}, per_entry={per_entry}")
    found = list(dictionary.find(question))
    entries = list(dict.fromkeys(entry for _, entry in found))
    present = {term.key for term, _ in found}
    others = [[text for text in entry.terms if Term(text).key not in present][:per_entry] for entry in entries]
    turns = (text for turn in zip_longest(*others) for text in turn if text is not None)
    added = tuple(islice({Term(text).key: text for text in turns}.values(), limit))
    return Expansion(question, tuple(entry.name for entry in entries), added, " ".join([question, *added]))
