"""Reads what a user knows about papers beyond their files: organism, mission, tags, or a better title.

    file,year,organism,tags
    smith2019.pdf,2019,Mus musculus,bone; muscle
    PMC2654319.xml,2009,Saccharomyces cerevisiae,lifespan

The same as JSON lines: ``{"doi": "10.1371/…", "organism": ["Mus musculus"], "tags": ["bone", "muscle"]}``.

Or what a reference manager exports: CSL-JSON (``.json``), BibTeX or RIS, see ``programs.references``.

A row belongs to the paper that has its file name (with or without ending), PMCID or DOI. Title, authors, year, journal,
doi, pmcid and url replace what the paper says itself; every other column becomes metadata, which filters see. Names
that have a meaning in every index, such as section, are refused.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from programs.errors import IngestError, UsageError
from programs.ingest.decoding import decode
from programs.ingest.document import Document, MetadataValue
from programs.references import ENDINGS, read_library

_FILE_COLUMNS: Final = ("file", "filename", "file_name")
_OWN_FIELDS: Final = ("title", "authors", "year", "journal", "doi", "pmcid", "url")
_TAKEN: Final = ("document", "section", "kind", "heading", "source", "id", "chunks")
"""Names of an index's own fields; filters and lists would show those instead of the column."""

_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")  # "007" is text, and so is a number longer than 64 bits
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,16})(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
_LIST_SEPARATOR = ";"


@dataclass(frozen=True, slots=True)
class MetadataRow:
    """What is known about one paper: its line from 1, its file name, a document's own fields, and all other values."""

    line: int
    file: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[str, ...]:
        """What the row can be found by, the surest first: file name, PMCID, DOI."""
        pmcid, doi = self.fields.get("pmcid"), self.fields.get("doi")
        candidates = (_file_key(self.file), _pmcid_key(pmcid), _doi_key(doi).lower())  # DOIs are case-insensitive
        return tuple(filter(None, candidates))


class MetadataTable:
    """The rows of a metadata file; remembers which of them belonged to a paper."""

    def __init__(self, rows: Iterable[MetadataRow], nameless: Iterable[str] = ()) -> None:
        self._nameless = tuple(nameless)
        self._rows = tuple(rows)
        self._by_key: dict[str, MetadataRow] = {}
        for row in self._rows:
            for key in row.keys:
                first = self._by_key.setdefault(key, row)
                if first is not row:
                    raise UsageError(f"lines {first.line} and {row.line} are both about {key}; join them into one")
        self._matched: set[int] = set()

    def __len__(self) -> int:
        return len(self._rows)

    def apply(self, document: Document) -> Document:
        """The document with what its row says; the same document when no row is about it.

        A document without a PMCID that gets one has it as its id from then on.
        """
        fields = {"pmcid": document.pmcid, "doi": document.doi}
        row = next(filter(None, map(self._by_key.get, MetadataRow(0, document.source, fields).keys)), None)
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

    def unmatched(self) -> list[str]:
        """The rows that no document has been found for yet, each with its line and key."""
        unmatched = [f"line {row.line}: {row.keys[0]}" for row in self._rows if row.line not in self._matched]
        return [*unmatched, *self._nameless]


def read_metadata(path: str | Path) -> MetadataTable:
    """The rows of a ``.csv`` or ``.jsonl`` file in UTF-8, or the entries of a ``.json``, ``.bib`` or ``.ris`` export.

    In CSV a column is a list when one of its cells holds ";", and a number when all of its cells are.

    Raises:
        UsageError: The file cannot be read, or a line is wrong; the message names it.
    """
    path = Path(path)
    readers = {".csv": _csv_rows, ".jsonl": _json_rows, ".ndjson": _json_rows}
    if path.suffix.lower() not in (*readers, *ENDINGS):
        raise UsageError(
            f"{path}: metadata is read from .csv or .jsonl, or from an export as .json, .bib or .ris, not "
            f"{path.suffix or 'a file without ending'!r}"
        )
    try:
        text = decode(path)
    except IngestError as error:
        raise UsageError(f"metadata file {error}") from error
    try:
        if path.suffix.lower() in ENDINGS:
            return _library(read_library(text, path.suffix.lower()))
        return MetadataTable([_row(line, values) for line, values in readers[path.suffix.lower()](text)])
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _library(entries: Iterable[Mapping[str, Any]]) -> MetadataTable:
    """The entries of a reference manager; those without file, DOI or PMCID and duplicates are listed as unmatched."""
    rows: dict[str, MetadataRow] = {}
    nameless = []
    for number, values in enumerate(entries, start=1):
        title = str(values.get("title", "without a title"))
        if not any(values.get(name) for name in ("file", "doi", "pmcid")):
            nameless.append(f"entry {number}: {title} (no file, DOI or PMCID)")
            continue
        row = _row(number, values)
        if any(key in rows for key in row.keys):
            nameless.append(f"entry {number}: {title} (as an entry before it)")
            continue
        rows.update(dict.fromkeys(row.keys, row))
    return MetadataTable({row.line: row for row in rows.values()}.values(), nameless)


def _csv_rows(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise UsageError(f"line {reader.line_num}: {error}") from error
    columns = [name.strip().lower() for name in rows[0][1]]
    if len(set(columns)) < len(columns):
        raise UsageError(f"line 1: a column is named twice: {', '.join(columns)}")
    cells = []
    for line, row in rows[1:]:
        if len(row) != len(columns):
            raise UsageError(f"line {line}: the header has {len(columns)} columns, the line has more or fewer cells")
        cells.append((line, dict(zip(columns, map(str.strip, row), strict=True))))
    types = {column: _column_type([values[column] for _, values in cells]) for column in columns}
    for line, values in cells:
        yield line, {column: types[column](value) for column, value in values.items() if value}


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


def _column_type(cells: list[str]) -> Callable[[str], MetadataValue]:
    filled = [cell for cell in cells if cell]
    if any(_LIST_SEPARATOR in cell for cell in filled):
        return lambda cell: [part.strip() for part in cell.split(_LIST_SEPARATOR) if part.strip()]
    if filled and all(map(_INTEGER.fullmatch, filled)):
        return int
    return float if filled and all(map(_NUMBER.fullmatch, filled)) else str


def _row(line: int, values: Mapping[str, Any]) -> MetadataRow:
    if taken := next(filter(values.__contains__, _TAKEN), None):
        raise UsageError(f"line {line}: {taken!r} already has a meaning in an index; rename it, as paper_{taken}")
    file = next((str(values[name]) for name in _FILE_COLUMNS if name in values), "")
    row = MetadataRow(
        line=line,
        file=file,
        fields={name: _field(line, name, values[name]) for name in _OWN_FIELDS if name in values},
        metadata={
            name: _metadata_value(line, name, value)
            for name, value in values.items()
            if name not in (*_FILE_COLUMNS, *_OWN_FIELDS)
        },
    )
    if not row.keys:
        raise UsageError(f"line {line}: it does not say which paper it is about; give it a file, pmcid or doi")
    return row


def _field(line: int, name: str, value: object) -> str | int | tuple[str, ...]:
    if name == "year":
        if not re.fullmatch(r"[12]\d{3}", str(value)):
            raise UsageError(f"line {line}: the year {value!r} is not a year such as 2019")
        return int(str(value))
    if name == "authors":
        return tuple(map(str, value)) if isinstance(value, list) else (str(value),)
    text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
    return {"doi": _doi_key, "pmcid": _pmcid_key}.get(name, str)(text)


def _metadata_value(line: int, name: str, value: object) -> MetadataValue:
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return [str(each) for each in value]
    if isinstance(value, str | int | float | bool):
        return value
    raise UsageError(
        f"line {line}: {name!r} holds {type(value).__name__}; filters need text, a number or a list of texts"
    )


def _file_key(file: object) -> str:
    """The file's name without folders and ending; an ending is letters, so "study.v2" keeps its own."""
    name = str(file or "").replace("\\", "/").rpartition("/")[2]
    return re.sub(r"\.(?:pdf|xml|nxml|md|markdown|txt|json)$", "", name, flags=re.IGNORECASE)


def _pmcid_key(pmcid: object) -> str:
    number = re.sub(r"^PMC", "", str(pmcid or "").strip(), flags=re.IGNORECASE)
    return f"PMC{number}" if number else ""


def _doi_key(doi: object) -> str:
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", str(doi or "").strip(), flags=re.IGNORECASE)
