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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from operator import eq
from pathlib import Path
from typing import Any, Final, TypeAlias

from programs.errors import IngestError, UsageError
from programs.ingest.decoding import decode
from programs.ingest.document import Document, MetadataValue
from programs.ingest.library import ENDINGS, Library, csv_entry, is_library, read_library
from programs.ingest.paper_formats import PAPER_ENDING

_FILE_COLUMNS: Final = ("file", "filename", "file_name")
_OWN_FIELDS: Final = ("title", "authors", "year", "journal", "doi", "pmcid", "url")
_TAKEN: Final = ("document", "section", "kind", "heading")
"""Names of a passage's own fields; filters would take those instead of the column."""
_RENAMED: Final = ("source", "id", "chunks")
"""Names of a paper's own fields in lists; columns of the same name are kept under another."""

_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")  # "007" is text, and so is a number longer than 64 bits
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,16})(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
_LIST_SEPARATOR = ";"


_NAMED = 3
"""So many of the rows or files that fit equally well are named."""

_Path: TypeAlias = tuple[str, ...]
"""A path from its last part on: ("main", "12") for "12/main.pdf"."""


@dataclass(frozen=True, slots=True)
class MetadataRow:
    """What is known about one paper.

    Attributes:
        line: Its line, or the number of its entry, from 1.
        place: The same in words: "line 3", "entry 3".
        files: Paths of the paper's files, with or without folders and ending.
        fields: A document's own fields.
        metadata: All other values.
    """

    line: int
    place: str = ""
    files: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """PMCID and DOI, as far as they are known."""
        pmcid, doi = self.fields.get("pmcid"), self.fields.get("doi")
        return tuple(filter(None, (_pmcid_key(pmcid), _doi_key(doi).lower())))  # DOIs are case-insensitive

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
        self._by_identifier: dict[str, MetadataRow] = {}
        self._by_name: dict[str, dict[int, MetadataRow]] = {}
        self._by_citekey: dict[str, MetadataRow] = {}
        self._given: dict[str, dict[_Path, str]] = {}
        self._matched: set[int] = set()
        for row in self._rows:
            for key in row.identifiers:
                self._by_identifier.setdefault(key, row)
            if row.citekey and not row.files:
                self._by_citekey.setdefault(row.citekey.casefold(), row)
            for file in row.files:
                self._by_name.setdefault(_from_end(file)[0], {})[row.line] = row

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be used, with its line and the reason: bad entries, and files that fit more than one row."""
        return tuple(self._problems)

    def expect(self, files: Iterable[Path]) -> None:
        """Say which files there are: of two with the same name, a row belongs to the one whose path fits it better."""
        for path in map(_absolute, files):
            parts = _from_end(path)
            self._given.setdefault(parts[0], {})[parts] = path

    def apply(self, document: Document, path: Path | None = None) -> Document:
        """The document with what its row says; the same document when no row is about it.

        A document without a PMCID that gets one has it as its id from then on.

        Args:
            document: A paper.
            path: Where it was read from; without it, its name alone is compared.
        """
        row = self._row_of(document, _absolute(path) if path else document.source)
        if row is None:
            return document
        self._matched.add(row.line)
        gets_pmcid = not document.pmcid and row.fields.get("pmcid")
        return replace(
            document,
            id=row.fields["pmcid"] if gets_pmcid else document.id,
            metadata={**document.metadata, **row.metadata},
            **row.fields,
        )

    def _row_of(self, document: Document, path: str) -> MetadataRow | None:
        """The row whose path has most folders in common with the file's, counted from the end; else by PMCID or DOI."""
        own = MetadataRow(0, fields={"pmcid": document.pmcid, "doi": document.doi}).identifiers
        named = [self._by_identifier[key] for key in own if key in self._by_identifier]
        parts = _from_end(path)
        given = self._given.get(parts[0], {})
        shared = [(row, _shared(row, parts)) for row in self._by_name.get(parts[0], {}).values()]
        most = max((count for _, count in shared), default=0)
        fitting = [row for row, count in shared if count == most]
        rows = [row for row in fitting if not any(_shared(row, other) > most for other in given)]  # another's
        decided = [row for row in named if row in rows]
        if decided or not rows:
            called = self._by_citekey.get(parts[0].casefold()) if len(given) < 2 else None
            return next(iter((*decided, *named)), called)
        files = sorted(file for other, file in given.items() if other[:most] == parts[:most])
        if len(rows) == 1 and len(files) < 2:
            if not named or most > 1 or any(len(_from_end(file)) == 1 for file in rows[0].files):
                return rows[0]
            said = f"{named[0].place} has the DOI or PMCID of {path}, {rows[0].place} its name in another folder"
            self._problems[f"{said}; give the folder of the file"] = None
            return None
        places = " and ".join(row.place for row in rows[:_NAMED]) + (" and others" if len(rows) > _NAMED else "")
        alike = " and ".join(files[:_NAMED]) if len(files) > 1 else path
        self._problems[f"{places}: {alike} fit equally well; give the folders of the files"] = None
        return None

    def unmatched(self) -> list[str]:
        """The rows that no document has been found for yet, each with its line and key."""
        left = (row for row in self._rows if row.line not in self._matched)
        unmatched = [f"{row.place}: {next(iter(row.keys), '') or _without_file(row)}" for row in left]
        return [*unmatched, *self._unmatched]


def _without_file(row: MetadataRow) -> str:
    title = row.fields.get("title", "without a title")
    return f"{title} (no file, DOI or PMCID, and no file is called {row.citekey})"


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
        return _library(read_library(text, ending)) if ending in ENDINGS else readers[ending](text)
    except UsageError as error:
        raise type(error)(f"{path}: {error}") from error


def _table(lines: Iterable[tuple[int, dict[str, Any]]]) -> MetadataTable:
    """Rows that somebody wrote: a mistake in one of them is an error, so that it is corrected."""
    rows: list[MetadataRow] = []
    problems: dict[str, None] = {}
    first: dict[str, int] = {}
    first_with: dict[str, str] = {}
    for line, given in lines:
        values = dict(given)
        if "source" in values and not any(map(values.get, (*_FILE_COLUMNS, "doi", "pmcid"))):
            values["file"] = values.pop("source")  # as an index calls the name of a paper's file
        for name in filter(values.__contains__, _RENAMED):
            values[f"paper_{name}"] = values.pop(name)
            problems[f"column {name!r} is kept as 'paper_{name}', since an index has its own {name}"] = None
        row = _row(line, f"line {line}", values)
        for key in row.keys:
            if first.setdefault(key, line) != line:
                raise UsageError(f"lines {first[key]} and {line} are both about {key}; join them into one")
        rows.append(row)
        problems |= dict.fromkeys(_shared_key(row, first_with))
    return MetadataTable(rows, problems=problems)


def _library(library: Library) -> MetadataTable:
    """The entries of a reference manager; those that name no paper, and duplicates, are listed as unmatched."""
    rows: list[MetadataRow] = []
    identifiers: set[str] = set()
    first_with: dict[str, str] = {}
    unmatched, problems = [], list(library.problems)
    for number, (place, values) in enumerate(library.entries, start=1):
        title = str(values.get("title", "without a title"))
        if not any(values.get(name) for name in ("file", "doi", "pmcid", "citekey")):
            unmatched.append(f"entry {number}: {title} (no file, DOI or PMCID)")
            continue
        try:
            row = _row(number, place, values)
        except UsageError as error:
            problems.append(str(error))
            continue
        if not identifiers.isdisjoint(row.identifiers):
            unmatched.append(f"entry {number}: {title} (as an entry before it)")
            continue
        identifiers.update(row.identifiers)
        rows.append(row)
        problems += _shared_key(row, first_with)
    return MetadataTable(rows, unmatched, problems)


def _shared_key(row: MetadataRow, first_with: dict[str, str]) -> Iterator[str]:
    """That a row's citation key, in whatever case, is that of a row before it."""
    if key := row.citekey:
        before = first_with.setdefault(key.casefold(), row.place)
        if before != row.place:
            yield f"{row.place}: the key {key!r} is that of {before} too; a letter behind it tells their papers apart"


def _csv_table(text: str) -> MetadataTable:
    columns, rows, is_european = _csv_rows(text)
    if is_library(columns):
        return _library(Library([(f"line {line}", csv_entry(values)) for line, values in rows]))
    types = {column: _column_type([values[column] for _, values in rows], is_european) for column in columns}
    return _table(
        (line, {name: types[name](value) for name, value in values.items() if value}) for line, values in rows
    )


_SEPARATORS = ",;\t"
_NAMED_SEPARATOR = re.compile(r"\Asep=(.)\n", re.IGNORECASE)  # Excel's own first line


def _csv_rows(text: str) -> tuple[list[str], list[tuple[int, dict[str, str]]], bool]:
    """The columns in small letters, the rows with their lines, and whether ";" is between cells: "0,5" is a number."""
    named = _NAMED_SEPARATOR.match(text)
    body = text[named.end() :] if named else text
    header = re.sub(r'"[^"]*"', "", body.partition("\n")[0])
    separator = named[1] if named else max(_SEPARATORS, key=header.count)
    reader = csv.reader(io.StringIO(body), strict=True, delimiter=separator)
    before = 1 if named else 0
    try:
        rows = [(reader.line_num + before, row) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise UsageError(f"line {reader.line_num + before}: {error}") from error
    names = [name.strip().lower() for name in rows[0][1]]
    for line, row in rows[1:]:
        if len(row) != len(names):
            raise UsageError(f"line {line}: the header has {len(names)} columns, the line has more or fewer cells")
    kept = [at for at, name in enumerate(names) if name or any(row[at].strip() for _, row in rows[1:])]
    columns = [names[at] for at in kept]
    if len(set(columns)) < len(columns):
        raise UsageError(f"line 1: a column is named twice: {', '.join(columns)}")
    cells = [(line, {names[at]: row[at].strip() for at in kept}) for line, row in rows[1:]]
    return columns, cells, separator == ";"


def _json_table(text: str) -> MetadataTable:
    return _table(_json_rows(text))


def _json_rows(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, source in enumerate(text.split("\n"), start=1):
        if not source.strip():
            continue
        try:
            values = json.loads(source)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"line {line}: not JSON ({error})") from error
        if not isinstance(values, dict):
            raise UsageError(f"line {line}: {type(values).__name__} instead of an object")
        yield line, {key.strip().lower(): value for key, value in values.items() if value not in (None, "", [])}


def _column_type(cells: list[str], is_european: bool) -> Callable[[str], MetadataValue]:
    filled = [cell for cell in cells if cell]
    if any(_LIST_SEPARATOR in cell for cell in filled):
        return lambda cell: [part.strip() for part in cell.split(_LIST_SEPARATOR) if part.strip()]
    if filled and all(map(_INTEGER.fullmatch, filled)):
        return int
    if filled and all(map(_DECIMAL.fullmatch, filled)):
        return float
    with_dots = [cell.replace(",", ".") for cell in filled if "." not in cell] if is_european else []
    if filled and len(with_dots) == len(filled) and all(map(_DECIMAL.fullmatch, with_dots)):
        return lambda cell: float(cell.replace(",", "."))
    return str


def _row(line: int, place: str, values: Mapping[str, Any]) -> MetadataRow:
    if taken := next(filter(values.__contains__, _TAKEN), None):
        raise UsageError(f"{place}: {taken!r} already has a meaning in an index; rename it, as paper_{taken}")
    files = next((values[name] for name in _FILE_COLUMNS if name in values), ())
    row = MetadataRow(
        line=line,
        place=place,
        files=tuple(map(str, files)) if isinstance(files, list) else (str(files),) if files else (),
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
    if name == "year":
        year = re.fullmatch(r"([12]\d{3})(?:\.0+)?", str(value).strip())  # "2019.0": a column that once had gaps
        if not year:
            raise UsageError(f"{place}: the year {value!r} is not a year such as 2019")
        return int(year[1])
    if name == "authors":
        return tuple(map(str, value)) if isinstance(value, list) else (str(value),)
    text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
    return {"doi": _doi_key, "pmcid": _pmcid_key}.get(name, str)(text)


def _metadata_value(place: str, name: str, value: object) -> MetadataValue:
    if name == "citekey" and not isinstance(value, dict):
        return _LIST_SEPARATOR.join(map(str, value)) if isinstance(value, list) else str(value)
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return [str(each) for each in value]
    if isinstance(value, str | int | float | bool):
        return value
    raise UsageError(f"{place}: {name!r} holds {type(value).__name__}; filters need text, a number or a list of texts")


def _absolute(path: Path) -> str:
    return str(path.absolute())


def _from_end(path: str) -> _Path:
    """A path's parts from the last one on, its name without the ending of a paper ("study.v2" keeps its own)."""
    *folders, name = unicodedata.normalize("NFC", path).replace("\\", "/").split("/")
    return (PAPER_ENDING.sub("", name), *(each for each in reversed(folders) if each not in ("", ".")))


def _shared(row: MetadataRow, path: _Path) -> int:
    """How many parts from the end on a path has in common with a file of a row, at most."""
    return max(sum(1 for _ in takewhile(bool, map(eq, _from_end(file), path))) for file in row.files)


def _pmcid_key(pmcid: object) -> str:
    number = re.sub(r"^PMC", "", str(pmcid or "").strip(), flags=re.IGNORECASE)
    return f"PMC{number}" if number else ""


def _doi_key(doi: object) -> str:
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", str(doi or "").strip(), flags=re.IGNORECASE)
