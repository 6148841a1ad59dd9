"""What the reader of a benchmark hands over, how it is split, and how its evidence is found in the papers.

Benchmarks without their own splits are split by a hash of the paper, never by question: a paper's SHA-256 is a
number in [0, 1), and shares of it are the splits. Where questions share papers, all papers that are connected go to one
split.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Any

from optimize.dataset import SPLITS, Example, GoldEvidence, groups_of, near_duplicates, same_papers
from programs.errors import MissingExtra, UsageError
from programs.extras import require
from programs.ingest.document import Document, one_line


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A question before the data set is checked.

    ``place`` is file and line, for messages; ``missing`` are texts of its evidence that its paper does not hold.
    """

    place: str
    split: str
    example: Example
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Material:
    """A benchmark in the form of this project; evidence is quoted from the texts of its papers.

    ``notes`` say what was left out, ``revisions`` which commits of the hub's data sets were read, by their ids.
    """

    lines: tuple[QuestionRecord, ...]
    documents: Mapping[str, Document]
    notes: tuple[str, ...] = field(default=())
    revisions: Mapping[str, str] = field(default_factory=dict)


def apart(
    lines: Sequence[QuestionRecord], documents: Mapping[str, Document]
) -> tuple[tuple[QuestionRecord, ...], tuple[str, ...]]:
    """Leave out questions that another split has almost the same, or whose paper it has, be it under another name.

    Kept are those of the later split in the order train, val, dev, test: a test stays as its authors made it. Each
    split that lost some has a note.
    """
    lost = set(_shared(lines, documents))
    for pair in near_duplicates([(line.split, line.example.question) for line in lines]):
        lost.add(min(pair, key=lambda place: SPLITS.index(lines[place].split)))
    counts = Counter(lines[place].split for place in lost)
    notes = tuple(
        f"left out of {split}, because a later split has the paper or almost the same question: {counts[split]}"
        for split in SPLITS
        if counts[split]
    )
    return tuple(line for place, line in enumerate(lines) if place not in lost), notes


def _shared(lines: Sequence[QuestionRecord], documents: Mapping[str, Document]) -> Iterator[int]:
    asked = dict.fromkeys(paper for line in lines for paper in line.example.document_ids)
    copies = groups_of(same_papers({paper: documents[paper].text for paper in asked}))
    latest: dict[str, str] = {}
    for line in lines:
        for paper in line.example.document_ids:
            group = copies.get(paper, paper)
            latest[group] = max(latest.get(group, line.split), line.split, key=SPLITS.index)
    for place, line in enumerate(lines):
        if any(latest[copies.get(paper, paper)] != line.split for paper in line.example.document_ids):
            yield place


def material_of(
    lines: Sequence[QuestionRecord], documents: Mapping[str, Document], notes: Iterable[str] = ()
) -> Material:
    """A benchmark's questions, apart from one another, and its papers, with notes on evidence that was looked for."""
    said = list(notes)
    if missing := sum(each.missing for each in lines):
        total = missing + sum(len(each.example.evidence) for each in lines)
        said.insert(0, f"left out of {total} evidence texts, because the papers as read do not hold them: {missing}")
    kept, left_out = apart(lines, documents)
    return Material(kept, documents, (*said, *left_out))


SHORTEST = 8
"""Letters and digits; what is shorter is in a paper by chance."""

_CLOSING = re.compile(r" ?[.!?;:)\]%\"”’]+")
"""What ends a quote whose text ends in more than letters."""


@dataclass(frozen=True)
class Quotable:
    """A document in which texts are looked for.

    Annotators saw another rendering of the paper: other dashes, spaces and quotation marks, without citations. Letters
    and digits are compared, and the exact piece of the document's text that they span is what is quoted.
    """

    document: Document

    def find(self, text: str) -> str | None:
        """The piece of the document's text that says the same letter for letter, or None."""
        exact = one_line(text)
        if exact and exact in self.document.text:
            return exact
        wanted, _ = _folded(text)
        letters, offsets = self._letters
        start = letters.find(wanted) if len(wanted) >= SHORTEST else -1
        if start < 0:
            return None
        end = offsets[start + len(wanted) - 1] + 1
        closed = None if text.rstrip()[-1].isalnum() else _CLOSING.match(self.document.text, end)
        return self.document.text[offsets[start] : closed.end() if closed else end]

    def quoted(self, texts: Iterable[str]) -> tuple[tuple[GoldEvidence, ...], int]:
        """Texts quoted from the paper, each quote once, and how many were not found."""
        found = [self.find(text) for text in dict.fromkeys(texts)]
        quotes = dict.fromkeys(quote for quote in found if quote)
        return tuple(GoldEvidence(self.document.id, quote) for quote in quotes), sum(not quote for quote in found)

    @cached_property
    def _letters(self) -> tuple[str, list[int]]:
        return _folded(self.document.text)


def _folded(text: str) -> tuple[str, list[int]]:
    """Lower-case letters and digits without accents, and the offset of each in the text."""
    letters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        for each in unicodedata.normalize("NFKD", character).casefold():
            if each.isalnum():
                letters.append(each)
                offsets.append(offset)
    return "".join(letters), offsets


_CONVERTED = "refs/convert/parquet"
"""The branch on which the hub keeps a Parquet copy of data sets whose own form is a loading script."""
_BY_SCRIPT = "scripts are no longer supported"
_SUFFIXES = (".jsonl", ".parquet")


@dataclass(frozen=True, slots=True)
class BenchmarkTable:
    """One table of a benchmark on the hub; ``file`` is the pattern of its name in a folder, without its ending."""

    file: str
    hub_id: str
    config: str
    split: str


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """One row: its columns by name, and its file and line, or data set, split and number."""

    place: str
    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        """A column of text; numbers, as ids often are, become text, and a missing value becomes none."""
        value = self._value(name, "text", str, int, NoneType)
        return "" if value is None else str(value)

    def flag(self, name: str) -> bool:
        """A column of true or false; a missing value is false."""
        return bool(self._value(name, "true or false", bool, NoneType))

    def items(self, name: str) -> Sequence[Any]:
        """A column of lists."""
        found: Sequence[Any] = self._value(name, "a list", list, tuple)
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """A column of lists of texts."""
        values = self.items(name)
        for each in values:
            if isinstance(each, bool) or not isinstance(each, str | int):
                raise self.error(name, "a list of texts", each)
        return tuple(map(str, values))

    def record(self, name: str) -> BenchmarkRow:
        """A column that holds columns."""
        return BenchmarkRow(f"{self.place}: {name}", self._value(name, "an object", Mapping))

    def records(self, name: str) -> list[BenchmarkRow]:
        """A column of lists of objects, which ``datasets`` also gives as an object of lists."""
        value = self._value(name, "a list of objects", object)
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

    def _value(self, name: str, wanted: str, *types: type) -> Any:  # noqa: ANN401 - of one of the types
        """A column's value, of which true and false are not numbers."""
        if name not in self.values:
            raise UsageError(f"{self.place}: there is no column {name}; there are {', '.join(self.values)}")
        value = self.values[name]
        if not isinstance(value, types) or (isinstance(value, bool) and int in types):
            raise self.error(name, wanted, value)
        return value


@dataclass(frozen=True, slots=True)
class Source:
    """Where a benchmark is read from: the Hugging Face hub, or files of a folder with the same columns.

    FOLDER/corpus.jsonl                            or corpus.parquet: named as the benchmark says
    FOLDER/corpus/train-00000-of-00001.parquet     as the hub keeps it, and `hf download` brings it
    FOLDER/corpus/train/0000.parquet               as the hub keeps its Parquet copies

    ``revisions`` are the commits of the hub's data sets that were read, by their ids.
    """

    folder: Path | None = None
    revisions: dict[str, str] = field(default_factory=dict, compare=False)

    def rows(self, table: BenchmarkTable) -> Iterator[BenchmarkRow]:
        """The rows of a table, as they come; a UsageError if the folder has no file, or the hub cannot be reached."""
        if self.folder is None:
            yield from self._hub_rows(table)
            return
        found = _found(self.folder, table)
        if not found or (len(found) > 1 and any(path.parent == self.folder for path in found)):
            near = ", ".join(path.name for path in found or _near(self.folder, table))
            wanted = " or ".join(f"{table.file}{suffix}" for suffix in _SUFFIXES)
            raise UsageError(
                f"{self.folder} should hold one file {wanted}, with the columns of {table.hub_id}; got {near or 'none'}"
            )
        for path in found:
            yield from _parquet_rows(path) if path.suffix == ".parquet" else _json_rows(path)

    def has(self, table: BenchmarkTable) -> bool:
        """Whether the folder has a table's file, or one that looks like it; the hub has all."""
        return self.folder is None or bool(_found(self.folder, table) or _near(self.folder, table))

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
        except Exception as error:  # a download can fail in any of the layers below, each with its own errors
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
                if not line.strip():
                    continue
                try:
                    values = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise UsageError(f"{place}: this is not JSON ({error}); is the line cut off?") from error
                if not isinstance(values, dict):
                    raise UsageError(f"{place}: a line holds one JSON object, got {line[:60]!r}")
                yield BenchmarkRow(place, values)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 after {place} ({error.reason}); convert it, such as with iconv") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its permissions") from error
