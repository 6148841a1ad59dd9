"""Rows of a benchmark's tables, from the Hugging Face hub or from files with the same columns.

A row knows where it stands, so that a wrong column is reported with file, line and name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from programs.errors import UsageError

_CONVERTED = "refs/convert/parquet"
"""The branch on which the hub keeps a Parquet copy of data sets whose own form is a loading script."""
_BY_SCRIPT = "scripts are no longer supported"
_SUFFIXES = (".jsonl", ".parquet")


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a benchmark.

    Attributes:
        file: Pattern of the file's name in a local folder, without its ending.
        hub_id: The data set on the hub.
        config: Its configuration; empty for the only one.
        split: Its split.
    """

    file: str
    hub_id: str
    config: str
    split: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        place: File and line, or data set, split and number.
        values: Columns by name.
    """

    place: str
    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        """A column of text; numbers, as ids often are, become text, and a missing value becomes none."""
        value = self._value(name)
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.error(name, "text", value)
        return str(value)

    def flag(self, name: str) -> bool:
        """A column of true or false; a missing value is false."""
        value = self._value(name)
        if value is not None and not isinstance(value, bool):
            raise self.error(name, "true or false", value)
        return bool(value)

    def items(self, name: str) -> Sequence[Any]:
        """A column of lists."""
        value = self._value(name)
        if not isinstance(value, list | tuple):
            raise self.error(name, "a list", value)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A column of lists of texts."""
        values = self.items(name)
        wrong = next((each for each in values if isinstance(each, bool) or not isinstance(each, str | int)), None)
        if wrong is not None:
            raise self.error(name, "a list of texts", wrong)
        return tuple(str(each) for each in values)

    def record(self, name: str) -> Row:
        """A column that holds columns."""
        value = self._value(name)
        if not isinstance(value, Mapping):
            raise self.error(name, "an object", value)
        return Row(f"{self.place}: {name}", value)

    def records(self, name: str) -> list[Row]:
        """A column of lists of objects, which ``datasets`` also gives as an object of lists."""
        value = self._value(name)
        if isinstance(value, Mapping):
            lengths = {len(each) for each in value.values() if isinstance(each, list)}
            if len(lengths) != 1 or not all(isinstance(each, list) for each in value.values()):
                raise self.error(name, "lists of one length", value)
            value = [{key: each[number] for key, each in value.items()} for number in range(lengths.pop())]
        if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
            raise self.error(name, "a list of objects", value)
        return [Row(f"{self.place}: {name}[{number}]", each) for number, each in enumerate(value)]

    def error(self, name: str, wanted: str, value: object) -> UsageError:
        """What to raise where a column holds something else than it should."""
        return UsageError(f"{self.place}: the column {name} should hold {wanted}, got {str(value)[:80]!r}")

    def _value(self, name: str) -> Any:  # noqa: ANN401 - the methods above check it
        if name not in self.values:
            raise UsageError(f"{self.place}: there is no column {name}; there are {', '.join(self.values)}")
        return self.values[name]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a benchmark is read from.

    Attributes:
        folder: A local folder; None for the hub.
    """

    folder: Path | None = None

    def rows(self, table: Table) -> Iterator[Row]:
        """The rows of a table, as they come.

        Raises:
            UsageError: The folder has no such file, a line cannot be read, or the hub cannot be reached.
        """
        return _hub_rows(table) if self.folder is None else _file_rows(self._file(self.folder, table))

    def has(self, table: Table) -> bool:
        """Whether the folder has a table's file; the hub has all."""
        return self.folder is None or bool(self._found(self.folder, table))

    def _file(self, folder: Path, table: Table) -> Path:
        found = self._found(folder, table)
        if len(found) != 1:
            names = ", ".join(path.name for path in found) or "none"
            wanted = " or ".join(f"{table.file}{suffix}" for suffix in _SUFFIXES)
            raise UsageError(f"{folder} should hold one file {wanted}, with the columns of {table.hub_id}; got {names}")
        return found[0]

    def _found(self, folder: Path, table: Table) -> list[Path]:
        return sorted(path for suffix in _SUFFIXES for path in folder.glob(f"{table.file}{suffix}"))


def _file_rows(path: Path) -> Iterator[Row]:
    if path.suffix == ".parquet":
        from datasets import load_dataset

        found = load_dataset("parquet", data_files=str(path), split="train", streaming=True)
        yield from (Row(f"{path.name}:{number}", values) for number, values in enumerate(found, start=1))
        return
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield Row(f"{path.name}:{number}", _object(line, f"{path.name}:{number}"))


def _object(line: str, place: str) -> Mapping[str, Any]:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{place}: this is no JSON ({error})") from error
    if not isinstance(values, dict):
        raise UsageError(f"{place}: a line holds one JSON object, got {line[:60]!r}")
    return values


def _hub_rows(table: Table) -> Iterator[Row]:
    """Stream a table; of data sets that are loaded by a script, which ``datasets`` no longer runs, the Parquet copy."""
    files = {table.split: f"{table.config or '*'}/{table.split}/*.parquet"}
    try:
        found = _streamed(table, name=table.config or None)
    except RuntimeError as error:
        if _BY_SCRIPT not in str(error):
            raise
        found = _streamed(table, revision=_CONVERTED, data_files=files)
    for number, values in enumerate(found, start=1):
        yield Row(f"{table.hub_id} {table.split}:{number}", values)


def _streamed(table: Table, **options: Any) -> Iterable[Mapping[str, Any]]:  # noqa: ANN401 - as `datasets` has them
    from datasets import load_dataset

    try:
        found: Iterable[Mapping[str, Any]] = load_dataset(table.hub_id, split=table.split, streaming=True, **options)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the data set {table.hub_id} cannot be read from the hub ({type(error).__name__}: {error}); check the "
            "network, or download its files and give their folder as --dataset NAME=FOLDER"
        ) from error
    return found
