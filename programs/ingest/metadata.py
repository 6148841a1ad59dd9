"""Reads what a user knows about papers beyond their files: organism, mission, tags, or a better title.

    file,year,organism,tags
    smith2019.pdf,2019,Mus musculus,bone; muscle
    PMC2654319.xml,2009,Saccharomyces cerevisiae,lifespan

The same as JSON lines: ``{"doi": "10.1371/…", "organism": ["Mus musculus"], "tags": ["bone", "muscle"]}``.

Or what a reference manager exports: CSL-JSON (``.json``), BibTeX, RIS or Zotero's CSV, see ``programs.ingest.library``.

A row belongs to the paper that has its file name (with or without ending), PMCID or DOI; of two papers with one file
name, to the one whose path has more of the row's folders, from the end. What fits both is named, not guessed. A row
that names no file belongs to the one that is called by its citation key, where nothing else says whose it is. Title,
authors, year, journal, doi, pmcid and url replace what the paper says itself; every other column becomes metadata,
which filters see; by "citekey" the paper is cited. Names that have a meaning in every index, such as section, are
refused.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from operator import eq
from pathlib import Path
from typing import Any, Final, TypeAlias

from programs.errors import IngestError, UsageError
from programs.ingest.decoding import decode
from programs.ingest.document import Document, MetadataValue
from programs.ingest.library import ENDINGS, Entry, csv_entry, is_library, read_library
from programs.ingest.paper_formats import PAPER_ENDING

_FILE_COLUMNS: Final = ("file", "filename", "file_name")
_OWN_FIELDS: Final = ("title", "authors", "year", "journal", "doi", "pmcid", "url")
_TAKEN: Final = ("document", "section", "kind", "heading")
"""Names of a passage's own fields; filters would take those instead of the column."""
_RENAMED: Final = ("source", "id", "chunks")
"""Names of a paper's own fields in lists; columns of the same name are kept under another."""

_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")  # "007" is text, and so is a number longer than 64 bits
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,16})(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
_YEAR = re.compile(r"([12]\d{3})(?:\.0+)?")  # "2019.0": a column that once had gaps
_LIST_SEPARATOR = ";"
_NAMED = 3
"""So many of the rows or files that fit equally well are named."""

_Path: TypeAlias = tuple[str, ...]
"""A path from its last part on: ("main", "12") for "12/main.pdf"."""


@dataclass(frozen=True, slots=True, eq=False)
class MetadataRow:
    """What is known about one paper.

    Attributes:
        place: Where it is said: "line 3", "entry 3".
        files: Paths of the paper's files, with or without folders and ending.
        fields: A document's own fields.
        metadata: All other values.
    """

    place: str
    files: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """PMCID and DOI, as far as they are known."""
        return _identifiers(self.fields.get("pmcid"), self.fields.get("doi"))

    @property
    def keys(self) -> tuple[str, ...]:
        """What the row can be found by, the surest first: paths without their ending, PMCID, DOI."""
        return (*("/".join(reversed(_from_end(file))) for file in self.files), *self.identifiers)

    @property
    def citekey(self) -> str:
        """What its paper is cited by; empty where it does not say."""
        return str(self.metadata.get("citekey", ""))


class MetadataTable:
    """The rows of a metadata file; remembers which of them belonged to a paper.

    Args:
        rows: What can be used.
        unmatched: What can belong to no paper, in words.
        problems: What could not be used, in words.
    """

    def __init__(
        self, rows: Iterable[MetadataRow], unmatched: Iterable[str] = (), problems: Iterable[str] = ()
    ) -> None:
        self._rows = tuple(rows)
        self._unmatched = tuple(unmatched)
        self._problems = dict.fromkeys(problems)
        self._matched: set[MetadataRow] = set()
        first_wins = self._rows[::-1]
        self._by_identifier = {key: row for row in first_wins for key in row.identifiers}
        self._by_citekey = {row.citekey.casefold(): row for row in first_wins if row.citekey and not row.files}
        self._by_name: defaultdict[str, dict[MetadataRow, None]] = defaultdict(dict)
        self._given: defaultdict[str, dict[_Path, str]] = defaultdict(dict)
        for row in self._rows:
            for file in row.files:
                self._by_name[_from_end(file)[0]][row] = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be used, with its line and the reason: bad entries, and files that fit more than one row."""
        return tuple(self._problems)

    def expect(self, files: Iterable[Path]) -> None:
        """Say which files there are: of two with the same name, a row belongs to the one whose path fits it better."""
        for path in (str(file.absolute()) for file in files):
            parts = _from_end(path)
            self._given[parts[0]][parts] = path

    def apply(self, document: Document, path: Path | None = None) -> Document:
        """The document with what its row says; the same document when no row is about it.

        A document without a PMCID that gets one has it as its id from then on.

        Args:
            document: A paper.
            path: Where it was read from; without it, its name alone is compared.
        """
        row = self._row_of(document, str(path.absolute()) if path else document.source)
        if row is None:
            return document
        self._matched.add(row)
        gets_pmcid = not document.pmcid and row.fields.get("pmcid")
        return replace(
            document,
            id=row.fields["pmcid"] if gets_pmcid else document.id,
            metadata={**document.metadata, **row.metadata},
            **row.fields,
        )

    def _row_of(self, document: Document, path: str) -> MetadataRow | None:
        """The row whose path has most folders in common with the file's, counted from the end; else by PMCID or DOI."""
        identifiers = _identifiers(document.pmcid, document.doi)
        named = [self._by_identifier[key] for key in identifiers if key in self._by_identifier]
        parts = _from_end(path)
        given = self._given[parts[0]]
        shared = {row: _shared(row, parts) for row in self._by_name[parts[0]]}
        most = max(shared.values(), default=0)
        fitting = [row for row in shared if shared[row] == most]
        rows = [row for row in fitting if not any(_shared(row, other) > most for other in given)]  # another's
        if not rows:
            called = self._by_citekey.get(parts[0].casefold()) if len(given) < 2 else None
            return next(iter(named), called)
        if decided := [row for row in named if row in rows]:
            return decided[0]
        files = sorted(file for other, file in given.items() if other[:most] == parts[:most])
        if len(rows) > 1 or len(files) > 1:
            places = " and ".join(row.place for row in rows[:_NAMED]) + (" and others" if len(rows) > _NAMED else "")
            alike = " and ".join(files[:_NAMED]) if len(files) > 1 else path
            self._problems[f"{places}: {alike} fit equally well; give the folders of the files"] = None
            return None
        if not named or most > 1 or any(len(_from_end(file)) == 1 for file in rows[0].files):
            return rows[0]
        said = f"{named[0].place} has the DOI or PMCID of {path}, {rows[0].place} its name in another folder"
        self._problems[f"{said}; give the folder of the file"] = None
        return None

    def unmatched(self) -> list[str]:
        """The rows that no document has been found for yet, each with its line and key."""
        unmatched = []
        for row in self._rows:
            title = row.fields.get("title", "without a title")
            by_key = f"{title} (no file, DOI or PMCID, and no file is called {row.citekey})"
            if row not in self._matched:
                unmatched.append(f"{row.place}: {next(iter(row.keys), by_key)}")
        return [*unmatched, *self._unmatched]


def read_metadata(path: str | Path) -> MetadataTable:
    """The rows of a ``.csv``, ``.tsv`` or ``.jsonl`` file in UTF-8, or the entries of a reference manager's export.

    In CSV a column is a list when one of its cells holds ";", and a number when all of its cells are: with a decimal
    comma where ";" is between cells. One with thousands apart ("1,000") stays text. A table that somebody wrote is
    refused for a wrong line; a wrong entry of an export is one of the table's ``problems``.

    Raises:
        UsageError: The file cannot be read, or a line is wrong; the message names it.
    """
    path = Path(path)
    ending = path.suffix.lower()
    readers = {".csv": _csv_table, ".tsv": _csv_table, ".jsonl": _json_table, ".ndjson": _json_table}
    if ending not in (*readers, *ENDINGS):
        raise UsageError(
            f"{path}: metadata is read from .csv or .jsonl, or from an export as .json, .bib or .ris, not "
            f"{path.suffix or 'a file without ending'!r}"
        )
    try:
        text = decode(path)
    except IngestError as error:
        raise UsageError(f"metadata file {error}") from error
    try:
        if ending not in ENDINGS:
            return readers[ending](text)
        library = read_library(text, ending)
        return _table(library.entries, library.problems, is_export=True)
    except UsageError as error:
        raise type(error)(f"{path}: {error}") from error


def _table(entries: Iterable[Entry], problems: Iterable[str] = (), *, is_export: bool = False) -> MetadataTable:
    """The rows of entries: a mistake in a table that somebody wrote is an error, so that it is corrected.

    Entries of an export that name no paper, and those that are there twice, are unmatched.
    """
    rows: list[MetadataRow] = []
    unmatched: list[str] = []
    said = dict.fromkeys(problems)
    first: dict[str, str] = {}
    first_cited: dict[str, str] = {}
    for number, (place, given) in enumerate(entries, start=1):
        entry = f"entry {number}: {given.get('title', 'without a title')}"
        if is_export and not any(given.get(name) for name in ("file", "doi", "pmcid", "citekey")):
            unmatched.append(f"{entry} (no file, DOI or PMCID)")
            continue
        values = dict(given)
        if not is_export and "source" in given and not any(map(given.get, (*_FILE_COLUMNS, "doi", "pmcid"))):
            values["file"] = values.pop("source")  # as an index calls the name of a paper's file
        for name in () if is_export else [each for each in _RENAMED if each in values]:
            values[f"paper_{name}"] = values.pop(name)
            said[f"column {name!r} is kept as 'paper_{name}', since an index has its own {name}"] = None
        try:
            row = _row(place, values)
        except UsageError as error:
            if not is_export:
                raise
            said[str(error)] = None
            continue
        again = [key for key in (row.identifiers if is_export else row.keys) if first.setdefault(key, place) != place]
        if again and is_export:
            unmatched.append(f"{entry} (as an entry before it)")
            continue
        if again:
            raise UsageError(f"{first[again[0]]} and {place} are both about {again[0]}; join them into one")
        rows.append(row)
        before = first_cited.setdefault(row.citekey.casefold(), place)
        if row.citekey and before != place:
            shared = f"{place}: the key {row.citekey!r} is that of {before} too"
            said[f"{shared}; a letter behind it tells their papers apart"] = None
    return MetadataTable(rows, unmatched, said)


_SEPARATORS = ",;\t"
_NAMED_SEPARATOR = re.compile(r"\Asep=(.)\n", re.IGNORECASE)  # Excel's own first line


def _csv_table(text: str) -> MetadataTable:
    named = _NAMED_SEPARATOR.match(text)
    body = text[named.end() :] if named else text
    header = re.sub(r'"[^"]*"', "", body.partition("\n")[0])
    separator = named[1] if named else max(_SEPARATORS, key=header.count)
    reader = csv.reader(io.StringIO(body), strict=True, delimiter=separator)
    before = 1 if named else 0
    try:
        cells = [(f"line {reader.line_num + before}", row) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise UsageError(f"line {reader.line_num + before}: {error}") from error
    names = [name.strip().lower() for name in cells[0][1]]
    for place, row in cells[1:]:
        if len(row) != len(names):
            raise UsageError(f"{place}: the header has {len(names)} columns, the line has more or fewer cells")
    kept = [at for at, name in enumerate(names) if name or any(row[at].strip() for _, row in cells[1:])]
    columns = [names[at] for at in kept]
    if len(set(columns)) < len(columns):
        raise UsageError(f"line 1: a column is named twice: {', '.join(columns)}")
    rows = [(place, {names[at]: row[at].strip() for at in kept}) for place, row in cells[1:]]
    if is_library(columns):
        return _table([(place, csv_entry(values)) for place, values in rows], is_export=True)
    types = {name: _column_type([values[name] for _, values in rows], separator == ";") for name in columns}
    return _table((place, {name: types[name](value) for name, value in row.items() if value}) for place, row in rows)


def _column_type(cells: Iterable[str], is_european: bool) -> Callable[[str], MetadataValue]:
    """What reads the cells of a column; "0,5" is a number where ";" is between cells."""
    filled = [cell for cell in cells if cell]
    if any(_LIST_SEPARATOR in cell for cell in filled):
        return lambda cell: [part.strip() for part in cell.split(_LIST_SEPARATOR) if part.strip()]
    if all(map(_INTEGER.fullmatch, filled)):
        return int
    if all(map(_DECIMAL.fullmatch, filled)):
        return float
    if is_european and all("." not in cell and _DECIMAL.fullmatch(cell.replace(",", ".")) for cell in filled):
        return lambda cell: float(cell.replace(",", "."))
    return str


def _json_table(text: str) -> MetadataTable:
    return _table(_json_rows(text))


def _json_rows(text: str) -> Iterator[Entry]:
    for line, source in enumerate(text.split("\n"), start=1):
        if not source.strip():
            continue
        try:
            values = json.loads(source)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"line {line}: not JSON ({error})") from error
        if not isinstance(values, dict):
            raise UsageError(f"line {line}: {type(values).__name__} instead of an object")
        yield (
            f"line {line}",
            {key.strip().lower(): value for key, value in values.items() if value not in (None, "", [])},
        )


def _row(place: str, values: Mapping[str, Any]) -> MetadataRow:
    if taken := next(filter(values.__contains__, _TAKEN), None):
        raise UsageError(f"{place}: {taken!r} already has a meaning in an index; rename it, as paper_{taken}")
    files: Any = next((values[name] for name in _FILE_COLUMNS if name in values), [])
    row = MetadataRow(
        place=place,
        files=tuple(map(str, files if isinstance(files, list) else filter(None, [files]))),
        fields={name: _field(place, name, values[name]) for name in _OWN_FIELDS if name in values},
        metadata={
            name: _metadata_value(place, name, value)
            for name, value in values.items()
            if name not in (*_FILE_COLUMNS, *_OWN_FIELDS)
        },
    )
    if not row.keys and not row.citekey:
        raise UsageError(f"{place}: it does not say which paper it is about; give it a file, pmcid or doi")
    return row


def _field(place: str, name: str, value: object) -> str | int | tuple[str, ...]:
    texts = tuple(map(str, value)) if isinstance(value, list) else (str(value),)
    if name == "authors":
        return texts
    if name != "year":
        return {"doi": _doi_key, "pmcid": _pmcid_key}.get(name, str)("; ".join(texts))
    year = _YEAR.fullmatch(str(value).strip())
    if not year:
        raise UsageError(f"{place}: the year {value!r} is not a year such as 2019")
    return int(year[1])


def _metadata_value(place: str, name: str, value: object) -> MetadataValue:
    if name == "citekey" and not isinstance(value, dict):
        return _LIST_SEPARATOR.join(map(str, value)) if isinstance(value, list) else str(value)
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return [str(each) for each in value]
    if isinstance(value, str | int | float | bool):
        return value
    raise UsageError(f"{place}: {name!r} holds {type(value).__name__}; filters need text, a number or a list of texts")


def _from_end(path: str) -> _Path:
    """A path's parts from the last one on, its name without the ending of a paper ("study.v2" keeps its own)."""
    *folders, name = unicodedata.normalize("NFC", path).replace("\\", "/").split("/")
    return (PAPER_ENDING.sub("", name), *(each for each in reversed(folders) if each not in ("", ".")))


def _shared(row: MetadataRow, path: _Path) -> int:
    """How many parts from the end on a path has in common with a file of a row, at most."""
    return max(sum(1 for _ in takewhile(bool, map(eq, _from_end(file), path))) for file in row.files)


def _identifiers(pmcid: object, doi: object) -> tuple[str, ...]:
    return tuple(filter(None, (_pmcid_key(pmcid), _doi_key(doi).lower())))  # DOIs are case-insensitive


def _pmcid_key(pmcid: object) -> str:
    number = re.sub(r"^PMC", "", str(pmcid or "").strip(), flags=re.IGNORECASE)
    return f"PMC{number}" if number else ""


def _doi_key(doi: object) -> str:
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", str(doi or "").strip(), flags=re.IGNORECASE)
