"""What the words of a question are also called: entries of terms in a file that users extend or replace.

    exposure:
      microgravity: [microgravity, weightlessness, zero gravity, reduced gravity]
    organisms:
      mouse: [mouse, mice, Mus musculus, murine]

``extends: default`` at the top of a user's file keeps the entries that come with the program; an entry of the same
name then takes the place of theirs. ``any_case: [DNA, RNA]`` lists terms in capitals that are read in lower case too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from programs.errors import UsageError
from programs.retrieval.term_matching import Term, TermIndex

BUNDLED = Path(__file__).with_name("tags.yaml")
EXTENDS, ANY_CASE = "extends", "any_case"
_SETTINGS = (EXTENDS, ANY_CASE)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C parser reads the bundled file in a tenth of the time; both are safe and give the same."""


@dataclass(frozen=True, slots=True)
class TagEntry:
    """Terms that stand for one thing.

    Attributes:
        name: What the entry is called; need not be one of its terms.
        category: "missions", "organisms" or any other group.
        terms: The spellings, the most useful first; at least one.
    """

    name: str
    category: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class TagDictionary:
    """Entries, and where their terms stand in a text.

    Attributes:
        entries: In the order of the file.
        any_case: Terms in capitals that are read in lower case too.
    """

    entries: tuple[TagEntry, ...]
    any_case: frozenset[str] = frozenset()

    @classmethod
    def load(cls, path: Path | None = None) -> TagDictionary:
        """Read a file; the bundled one by default.

        Raises:
            UsageError: The file cannot be read, or an entry is not a list of terms; the message names both.
        """
        source = path or BUNDLED
        values = _read(source)
        own = cls(
            tuple(_entry(source, *item) for item in _listed(source, values)),
            frozenset(_terms(source, ANY_CASE, values.get(ANY_CASE, []))),
        )
        _unique_names(source, own.entries)
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
    def index(self) -> TermIndex[TagEntry]:
        """Finds terms in texts; built at first use."""
        return TermIndex(
            (Term(term, any_case=term in self.any_case), entry) for entry in self.entries for term in entry.terms
        )


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


def _listed(source: Path, values: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    categories = {name: entries for name, entries in values.items() if name not in _SETTINGS}
    for name, entries in categories.items():
        if not isinstance(entries, dict):
            raise UsageError(
                f"{source}: category {name!r} is {entries!r}; write entries under it, `entry: [term, term]`"
            )
    return [(str(category), name, terms) for category, entries in categories.items() for name, terms in entries.items()]


def _entry(source: Path, category: str, name: Any, terms: Any) -> TagEntry:  # noqa: ANN401 - whatever the file holds
    if not isinstance(name, str):
        raise UsageError(f"{source}: entry {name!r} of {category!r} is not a text; put it in quotes")
    listed = _terms(source, name, terms)
    if not listed:
        raise UsageError(f"{source}: entry {name!r} has no terms; list at least one, `{name}: [term]`")
    for place, term in enumerate(listed):
        if not Term(term).is_findable:
            raise UsageError(
                f"{source}: entry {name!r} has the term {term!r}, which no text can hold; write words parted by "
                "spaces or hyphens"
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


def _unique_names(source: Path, entries: tuple[TagEntry, ...]) -> None:
    seen: dict[str, TagEntry] = {}
    for entry in entries:
        first = seen.setdefault(entry.name, entry)
        if first is not entry:
            raise UsageError(
                f"{source}: entry {entry.name!r} stands in {first.category!r} and in {entry.category!r}; join them"
            )
