"""Reads the YAML front matter of a Markdown file.

    ---
    title: Cold and yeast
    authors: [Ada Lovelace, "Turing, Alan"]
    year: 2019
    organism: [Saccharomyces cerevisiae]
    ---

Title, authors, year, journal, doi, pmcid and url become the document's own fields; every other key its metadata.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from programs.errors import IngestError
from programs.files import plain_values
from programs.ingest.author_names import family_first, split_authors
from programs.ingest.document import Front, MetadataValue

_BLOCK = re.compile(r"---[ \t]*\n(.*?)\n?(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
MOST_CHARACTERS = 65_536
"""Characters of front matter that are read: what papers say about themselves has a few hundred."""

_OWN_FIELDS = frozenset({"title", "author", "authors", "year", "date", "journal", "doi", "pmcid", "url"})


def split_front_matter(path: Path, text: str) -> tuple[Front, str]:
    """The front matter of a text, and the text after it.

    Raises:
        IngestError: There is front matter, but it is not a YAML mapping, or its year is not a number.
    """
    block = _BLOCK.match(text)
    if block is None:
        return Front(), text
    try:
        values = plain_values(block[1], MOST_CHARACTERS)
    except ValueError as error:
        raise IngestError(path, f"its front matter is not YAML ({error})", "correct or remove it") from error
    if values is None:
        return Front(), text[block.end() :]
    if not isinstance(values, dict):
        raise IngestError(path, f"its front matter is a {type(values).__name__}", "write it as `key: value` lines")
    return _front_matter(path, {str(key): value for key, value in values.items()}), text[block.end() :]


def _front_matter(path: Path, values: Mapping[str, Any]) -> Front:
    def text(key: str) -> str:
        value = values.get(key)
        return "" if value is None else str(value)

    return Front(
        title=text("title"),
        authors=_authors(values.get("authors", values.get("author"))),
        year=_year(path, values.get("year", values.get("date"))),
        journal=text("journal"),
        doi=text("doi").removeprefix("https://doi.org/"),
        pmcid=text("pmcid"),
        url=text("url"),
        metadata={
            key: _metadata_value(value) for key, value in values.items() if key not in _OWN_FIELDS and value is not None
        },
    )


def _authors(value: object) -> tuple[str, ...]:
    """Names from a list of names, a list of mappings with ``name``, or one line."""
    if value is None:
        return ()
    if not isinstance(value, list):
        return split_authors(str(value))
    return tuple(family_first(str(item.get("name", "") if isinstance(item, dict) else item)) for item in value)


def _year(path: Path, value: object) -> int | None:
    """The year of 2019, "2019", 2019-05-01 or "May 2019"."""
    if value is None:
        return None
    found = re.search(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)", str(value))
    if found is None:
        raise IngestError(path, f"its front matter has the year {value!r}", "give a year such as 2019")
    return int(found[0])


def _metadata_value(value: object) -> MetadataValue:
    """The value as it is when the index can filter by it; lists as lists of text, everything else as text."""
    if isinstance(value, list):
        return [str(item) for item in value]
    return value if isinstance(value, str | int | float | bool) else str(value)
