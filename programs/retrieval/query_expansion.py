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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import yaml
from pydantic import Field, TypeAdapter, ValidationError

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


class _Word(NamedTuple):
    text: str
    folded: str
    start: int
    end: int


def _words(text: str) -> list[_Word]:
    """Words as printed, without the ending of a possessive."""
    return [
        _Word(match[1], unicodedata.normalize("NFKC", match[1]).casefold(), match.start(1), match.end(1))
        for match in _WORD.finditer(text)
    ]


def _meet(text: str, left: _Word, right: _Word) -> bool:
    """Whether two words can be of one term: parted by a space, a hyphen, a slash or an initial's dot."""
    after_initial = len(left.text) == 1 and _GAP_AFTER_INITIAL.fullmatch(text, left.end, right.start)
    return bool(after_initial or _GAP.fullmatch(text, left.end, right.start))


def _singular(word: str) -> str:
    """What a regular English noun's singular and plural share, in lower case; not always a word.

    "ray", "rays" → "ray"; "biopsy", "biopsies" → "biopsy"; "metastasis", "metastases" → "metastas".
    """
    if word.endswith(("ss", "us")):
        return word
    fitting = (each for each in _NUMBERS if word.endswith(each[0]) and len(word) >= each[1])
    ending, _, instead = next(fitting, ("", 0, ""))
    return word.removesuffix(ending) + instead


def _joined(words: Sequence[_Word]) -> str:
    """Words without case, compatibility forms, what parts them, and the number of the last."""
    return "".join([*(word.folded for word in words[:-1]), *(_singular(word.folded) for word in words[-1:])])


def term_key(term: str) -> str:
    """A key that all spellings of a term share, of any case, hyphen or plural; empty without letter or digit."""
    return _joined(_words(term))


BUNDLED = Path(__file__).with_name("tags.yaml")
EXTENDS, ANY_CASE = "extends", "any_case"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C parser reads the bundled file in a tenth of the time; both are safe and give the same."""
_FILE: Final = TypeAdapter(dict[str, dict[str, Annotated[list[str], Field(min_length=1)]]])
_TERMS: Final = TypeAdapter(list[str])


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
    """Entries, in the order of the file; ``any_case`` holds the terms in capitals that are read in lower case too.

    Other terms in capitals match only in capitals, since "LEO" is not "leo" and "AIDS" is not "aids".
    """

    entries: tuple[TagEntry, ...]
    any_case: frozenset[str] = frozenset()

    @classmethod
    def load(cls, path: Path | None = None) -> TagDictionary:
        """Read a file, the bundled one by default; a ``UsageError`` names it and what in it cannot be read.

        A file with ``extends: default`` adds to the bundled one; its entries take the place of those of the same name.
        """
        source = path or BUNDLED
        try:
            values: Any = yaml.load(source.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - safe, see above
            if not isinstance(values, dict):
                raise UsageError(f"the tag dictionary {source} has no categories; {_WRITE}")
            base = values.pop(EXTENDS, None)
            any_case = frozenset(_TERMS.validate_python(values.pop(ANY_CASE, []), strict=True))
            found = _FILE.validate_python(values, strict=True)
        except OSError as error:
            raise UsageError(
                f"the tag dictionary {source} cannot be read ({error.strerror}); check the path"
            ) from error
        except ValidationError as error:
            raise UsageError(f"the tag dictionary {source}: {_first(error)}; {_WRITE}") from error
        except (yaml.YAMLError, ValueError) as error:
            raise UsageError(f"the tag dictionary {source} is not YAML in UTF-8: {error}") from error
        entries = tuple(
            TagEntry(name, category, tuple(term.strip() for term in terms))
            for category, listed in found.items()
            for name, terms in listed.items()
        )
        if base not in (None, "default"):
            raise UsageError(f"the tag dictionary {source} extends {base!r}; only `extends: default` is known")
        if not (entries or base):
            raise UsageError(f"the tag dictionary {source} has no entries; {_WRITE}")
        if not base:
            return cls(entries, any_case)
        bundled, own = cls.load(), {entry.name: entry for entry in entries}
        kept = [own.pop(entry.name, entry) for entry in bundled.entries]
        return cls((*kept, *own.values()), bundled.any_case | any_case)

    @cached_property
    def _terms(self) -> dict[str, list[tuple[str, TagEntry]]]:
        """By the key of each term its spelling, where only that will do, and what it stands for."""
        terms: dict[str, list[tuple[str, TagEntry]]] = {}
        for entry in self.entries:
            for term in entry.terms:
                spelling = term if _CAPITALS.fullmatch(term) and term not in self.any_case else ""
                terms.setdefault(term_key(term), []).append((spelling, entry))
        return terms

    @cached_property
    def _longest(self) -> int:
        """Words of the longest term."""
        return max((len(_words(term)) for entry in self.entries for term in entry.terms), default=0)

    def find(self, text: str) -> Iterator[tuple[str, TagEntry]]:
        """Keys of the terms that a text holds, and what each stands for; from left to right, the longest at each place.

        What is at one place may be several terms; places do not overlap.
        """
        words, place = _words(text), 0
        while place < len(words):
            end = place + 1
            while end < min(place + self._longest, len(words)) and _meet(text, words[end - 1], words[end]):
                end += 1
            follows_number = place > 0 and words[place - 1].text.isdecimal()
            while end > place and not (listed := self._listed(words[place:end], follows_number)):
                end -= 1
            if end > place:
                yield from listed
            place = max(end, place + 1)

    def _listed(self, words: Sequence[_Word], follows_number: bool) -> list[tuple[str, TagEntry]]:
        if follows_number and len(words) == 1 and len(words[0].text) <= UNIT_LENGTH:
            return []
        key, first = _joined(words), words[0].text
        return [
            (key, entry)
            for spelling, entry in self._terms.get(key, ())
            if first in (spelling, f"{spelling}s") or not spelling
        ]


_WRITE: Final = "write `category:` and under it `entry: [term, term]`, what YAML reads as no text in quotes"


def _first(error: ValidationError) -> str:
    """Where the first thing is that does not fit, what is there, and what is wrong with it."""
    found = error.errors()[0]
    return f"{'.'.join(map(str, found['loc'])) or ANY_CASE} is {found['input']!r:.80}: {found['msg']}"


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


def expand(question: str, dictionary: TagDictionary) -> Expansion:
    """Add other terms of every entry that a question has a term of: at most 6, and 2 of one entry.

    The entries take turns, the first term of each before the second of any, so that the least useful are cut off.
    """
    found = list(dictionary.find(question))
    entries = list(dict.fromkeys(entry for _, entry in found))
    present = {key for key, _ in found}
    others = [[term for term in entry.terms if term_key(term) not in present][:PER_ENTRY] for entry in entries]
    turns = (term for turn in zip_longest(*others) for term in turn if term is not None)
    added = tuple(islice({term_key(term): term for term in turns}.values(), LIMIT))
    return Expansion(question, tuple(entry.name for entry in entries), added, " ".join([question, *added]))
