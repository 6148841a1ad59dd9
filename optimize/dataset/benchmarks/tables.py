"""Rows of a benchmark's tables, from the Hugging Face hub or from files with the same columns.

    FOLDER/corpus.jsonl                            or corpus.parquet: named as the benchmark says
    FOLDER/corpus/train-00000-of-00001.parquet     as the hub keeps it, and `hf download` brings it
    FOLDER/corpus/train/0000.parquet               as the hub keeps its Parquet copies

A row knows where it stands, so that a wrong column is reported with file, line and name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from programs.errors import MissingExtra, UsageError
from programs.extras import require

_CONVERTED = "refs/convert/parquet"
"""The branch on which the hub keeps a Parquet copy of data sets whose own form is a loading script."""
_BY_SCRIPT = "scripts are no longer supported"
_SUFFIXES = (".jsonl", ".parquet")


@dataclass(frozen=True, slots=True)
class BenchmarkTable:
    """One table of a benchmark.

    Attributes:
        file: Pattern of the file's name in a local folder, without its ending.
        hub_id: The data set on the hub.
        config: Its configuration.
        split: Its split.
    """

    file: str
    hub_id: str
    config: str
    split: str


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
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

    def record(self, name: str) -> BenchmarkRow:
        """A column that holds columns."""
        value = self._value(name)
        if not isinstance(value, Mapping):
            raise self.error(name, "an object", value)
        return BenchmarkRow(f"{self.place}: {name}", value)

    def records(self, name: str) -> list[BenchmarkRow]:
        """A column of lists of objects, which ``datasets`` also gives as an object of lists."""
        value = self._value(name)
        if isinstance(value, Mapping):
            lengths = {len(each) for each in value.values() if isinstance(each, list)}
            if len(lengths) != 1 or not all(isinstance(each, list) for each in value.values()):
                raise self.error(name, "lists of one length", value)
            value = [{key: each[number] for key, each in value.items()} for number in range(lengths.pop())]
        if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
            raise self.error(name, "a list of objects", value)
        return [BenchmarkRow(f"{self.place}: {name}[{number}]", each) for number, each in enumerate(value)]

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
        revisions: Commits of the hub's data sets that were read, by their ids.
    """

    folder: Path | None = None
    revisions: dict[str, str] = field(default_factory=dict, compare=False)

    def rows(self, table: BenchmarkTable) -> Iterator[BenchmarkRow]:
        """The rows of a table, as they come.

        Raises:
            UsageError: The folder has no such file, a line cannot be read, or the hub cannot be reached.
        """
        return self._hub_rows(table) if self.folder is None else _file_rows(self._files(self.folder, table))

    def has(self, table: BenchmarkTable) -> bool:
        """Whether the folder has a table's file, or one that looks like it; the hub has all."""
        return self.folder is None or bool(_found(self.folder, table) or _near(self.folder, table))

    def hub(self) -> Source:
        """The hub, for what a folder does not have."""
        return replace(self, folder=None)

    def _files(self, folder: Path, table: BenchmarkTable) -> Sequence[Path]:
        found = _found(folder, table)
        if not found or (len(found) > 1 and any(path.parent == folder for path in found)):
            near = found or _near(folder, table)
            wanted = " or ".join(f"{table.file}{suffix}" for suffix in _SUFFIXES)
            raise UsageError(
                f"{folder} should hold one file {wanted}, with the columns of {table.hub_id}; got "
                f"{', '.join(path.name for path in near) or 'none'}"
            )
        return found

    def _hub_rows(self, table: BenchmarkTable) -> Iterator[BenchmarkRow]:
        try:
            builder = _builder(table)
            _, _, revision = str(builder.base_path or "").rstrip("/").partition("@")
            if revision:
                self.revisions[table.hub_id] = revision
            for number, values in enumerate(builder.as_streaming_dataset(split=table.split), start=1):
                yield BenchmarkRow(f"{table.hub_id} {table.split}:{number}", values)
        except MissingExtra:
            raise
        except Exception as error:  # a download can fail in any of the layers below, each with errors of its own
            reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            raise UsageError(
                f"the data set {table.hub_id} cannot be read from the hub ({reason}); check the network and "
                "HF_ENDPOINT, log in with `hf auth login` if it asks for that, or bring its files with `hf download "
                f"{table.hub_id} --repo-type dataset --local-dir FOLDER` and give --dataset NAME=FOLDER"
            ) from error


def _found(folder: Path, table: BenchmarkTable) -> list[Path]:
    """A table's files: one that is named as the benchmark says, else those of the hub's own layout, in their order."""
    named = [path for suffix in _SUFFIXES for path in folder.glob(f"{table.file}{suffix}")]
    layouts = (f"{table.config}/{table.split}-*.parquet", f"{table.config}/{table.split}/*.parquet")
    return sorted(named) or next(filter(None, (sorted(folder.glob(layout)) for layout in layouts)), [])


def _near(folder: Path, table: BenchmarkTable) -> list[Path]:
    return sorted(folder.glob(f"{table.file.rstrip('*')}*"))


def _builder(table: BenchmarkTable) -> Any:  # noqa: ANN401 - a datasets.DatasetBuilder
    """What streams a table; of a data set with a loading script, which ``datasets`` no longer runs, a Parquet copy."""
    require("hub", f"the data set {table.hub_id} of the hub")
    from datasets import load_dataset_builder

    try:
        return load_dataset_builder(table.hub_id, name=table.config)
    except RuntimeError as error:
        if _BY_SCRIPT not in str(error):
            raise
    files = {table.split: f"{table.config}/{table.split}/*.parquet"}
    return load_dataset_builder(table.hub_id, revision=_CONVERTED, data_files=files)


def _file_rows(paths: Sequence[Path]) -> Iterator[BenchmarkRow]:
    for path in paths:
        yield from _parquet_rows(path) if path.suffix == ".parquet" else _json_rows(path)


def _parquet_rows(path: Path) -> Iterator[BenchmarkRow]:
    require("hub", f"{path.name}, a Parquet file,")
    from datasets import load_dataset

    try:
        found = load_dataset("parquet", data_files=str(path), split="train", streaming=True)
        for number, values in enumerate(found, start=1):
            yield BenchmarkRow(f"{path.name}:{number}", values)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f"{path} cannot be read as Parquet ({reason}); download it again") from error


def _json_rows(path: Path) -> Iterator[BenchmarkRow]:
    place = path.name
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, start=1):
                place = f"{path.name}:{number}"
                if line.strip():
                    yield BenchmarkRow(place, _object(line, place))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 after {place} ({error.reason}); convert it, such as with iconv") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its permissions") from error


def _object(line: str, place: str) -> Mapping[str, Any]:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place}: this is not JSON ({error}); is the line cut off?") from error
    if not isinstance(values, dict):
        raise UsageError(f"{place}: a line holds one JSON object, got {line[:60]!r}")
    return values
