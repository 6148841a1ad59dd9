"""Brings printed author names into the form "Family, Given"."""

from __future__ import annotations

import re

# Lower-case particles belong to the family name: "Ludwig van Beethoven" → "van Beethoven, Ludwig".
_PARTICLES = frozenset(
    (
        "van",
        "von",
        "der",
        "den",
        "de",
        "del",
        "della",
        "di",
        "da",
        "dos",
        "la",
        "le",
        "ter",
        "ten",
        "zu",
        "af",
        "al",
        "bin",
        "ibn",
    )
)
# What programs put into a file's metadata where they know no author.
_PLACEHOLDERS = frozenset(("anonymous", "unknown", "author", "authors", "user", "admin", "administrator"))
_AND = re.compile(r"\s*,?\s+(?:and|&)\s+")


def family_first(name: str) -> str:
    """The name "Ada M. Lovelace" as "Lovelace, Ada M."; a name that has a comma, or only one word, stays."""
    words = name.split()
    if "," in name or len(words) < 2:
        return " ".join(words)
    start = len(words) - 1
    while start > 1 and words[start - 1] in _PARTICLES:
        start -= 1
    return f"{' '.join(words[start:])}, {' '.join(words[:start])}"


def split_authors(text: str) -> tuple[str, ...]:
    """The names of one line: parted by ";", or by "," and "and" where each part is a whole name.

    "Smith, John" is one name and "John Smith, Jane Doe" are two: commas part names only when every part has two words.
    """
    parts = text.split(";") if ";" in text else [part for names in _AND.split(text) for part in _comma_parts(names)]
    named = (part for part in parts if part.strip(" ()").lower() not in _PLACEHOLDERS)
    return tuple(family_first(part) for part in named if part.strip())


def _comma_parts(names: str) -> list[str]:
    """Parts at commas if each is a whole name, else the one name that it is."""
    parts = [part.strip() for part in names.split(",")]
    return parts if all(len(part.split()) > 1 for part in parts) else [names]
