"""The columns of a table, from YAML, CSV or the command line.

columns:
  - name: dose
    question: What was the daily dose?
    type: number                      text (if none is given), number, yes/no, choices, direction
    unit: mg                          of a number: preferred
  - name: design
    question: How was the study designed?
    type: choices
    choices: [parallel, crossover]

name,question,type,unit,choices                       patients: How many patients were randomised? [number]
design,How was it designed?,choices,,parallel|crossover    design: How was it designed? [parallel | crossover]
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any

from programs.atomic_files import plain_values
from programs.errors import IngestError, UsageError
from programs.evidence_table.cell_values import ValueType
from programs.ingest.decoding import decode

MOST_CHARACTERS = 200_000
MOST_COLUMNS = 200
_LONGEST_NAME = 80
_FIELDS = ("name", "question", "type", "unit", "choices")
_OPTION = re.compile(r"\s*(?P<name>[^:]+?)\s*:\s*(?P<question>.+?)\s*(?:\[(?P<type>[^\[\]]+)\]\s*)?", re.DOTALL)
_EXAMPLE = "`- name: dose`, and on lines of their own below it `question: What was the daily dose?` and `type: number`"
_CSV_EXAMPLE = "dose,What was the daily dose?,number below a first line name,question,type"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its heading, what is asked of every paper, and the type of its values."""

    name: str
    question: str
    wanted: ValueType = field(default_factory=ValueType)

    @property
    def key(self) -> str:
        """Changes with what is asked and in which form, and not with the heading."""
        asked = json.dumps([self.question, self.wanted.as_dict()], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {"name": self.name, "question": self.question, **self.wanted.as_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Column:
        """Read what ``as_dict`` wrote."""
        return cls(values["name"], values["question"], ValueType.from_dict(values))


def read_columns(path: Path | None, options: Sequence[str] = ()) -> list[Column]:
    """The columns of a file and of ``--column`` options, in this order.

    Raises:
        UsageError: There is none, a file cannot be read, a column is not of the described form, or two have one name.
    """
    columns = [*(_of_file(path) if path else ()), *map(_of_option, options)]
    if not columns:
        raise UsageError(
            "a table needs questions; give a YAML or CSV file of them, or --column 'name: question [type]'"
        )
    if len(columns) > MOST_COLUMNS:
        raise UsageError(f"{len(columns)} columns are more than {MOST_COLUMNS}; make several tables of them")
    return checked(columns)


def checked(columns: Iterable[Column]) -> list[Column]:
    """Columns of which no two have one name, whatever its case, or else a ``UsageError``."""
    found: dict[str, Column] = {}
    for each in columns:
        if (other := found.setdefault(each.name.casefold(), each)) is not each:
            raise UsageError(f"two columns have the name {other.name!r}; rename one of them")
    return list(found.values())


def column_of(values: Mapping[str, Any], where: str, example: str = _EXAMPLE) -> Column:
    """A column of plain values, with the names of a file's fields; without a name the question is its name.

    An error calls it as ``where`` says and shows the ``example`` of how to write one.

    Raises:
        UsageError: A field is missing, unknown or of another form.
    """
    if unknown := sorted(str(each) for each in values if each not in _FIELDS):
        raise UsageError(f"{where}: there is no field {', '.join(unknown)}; a column has {', '.join(_FIELDS)}")
    question = _line(values.get("question"), "question", where, example)
    name = shorten(question.rstrip(" ?."), _LONGEST_NAME, placeholder=" …")
    if values.get("name") not in (None, ""):
        name = _line(values["name"], "name", where, example)
    if not name.isprintable() or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"{where}: the name {name[:_LONGEST_NAME]!r} must be at most {_LONGEST_NAME} printable letters"
        )
    kind: Any = values.get("type") or "text"
    try:
        wanted = ValueType(kind, _choices(values.get("choices")), str(values.get("unit") or "").strip())
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error
    return Column(name, question, wanted)


def _line(value: Any, field: str, where: str, example: str) -> str:  # noqa: ANN401 - any YAML value
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{where}: `{field}` must be a text, got {value!r}; write columns as {example}")
    return " ".join(value.split())


def _choices(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - any YAML value
    if value in (None, ""):
        return ()
    if isinstance(value, str):
        return tuple(each.strip() for each in value.split("|"))
    if not isinstance(value, list):
        raise UsageError(f"`choices` must be a list of labels, got {value!r}")
    if not all(isinstance(each, str) for each in value):
        raise UsageError(f"`choices` must be texts, got {value!r}; put quotation marks around each, as in 'yes'")
    return tuple(" ".join(each.split()) for each in value)


def _of_file(path: Path) -> list[Column]:
    if not path.is_file():
        raise UsageError(f"no file at {path}; name a YAML or CSV file of questions, such as docs/tables.md shows")
    try:
        text = decode(path)
    except IngestError as error:
        raise UsageError(str(error)) from error
    is_csv = path.suffix.lower() == ".csv"
    rows, example = (_csv_rows(text, path), _CSV_EXAMPLE) if is_csv else (_yaml_rows(text, path), _EXAMPLE)
    return [column_of(row, f"{path}, {where}", example) for where, row in rows]


def _yaml_rows(text: str, path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        content = plain_values(text, MOST_CHARACTERS)
    except ValueError as error:
        raise UsageError(f"{path} cannot be read as YAML: {error}; write columns as {_EXAMPLE}") from error
    listed = content.get("columns") if isinstance(content, dict) and content.keys() == {"columns"} else content
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise UsageError(f"{path} holds no list of columns; begin it with `columns:`, and write each as {_EXAMPLE}")
    return [(f"column {number}", each) for number, each in enumerate(listed, start=1)]


def _csv_rows(text: str, path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"{path} has {len(text)} characters, more than {MOST_CHARACTERS}; it should hold questions")
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        rows = [dict(each) for each in reader]
    except csv.Error as error:
        raise UsageError(
            f"{path}:{reader.line_num} is not valid CSV ({error}); its first line is name,question,type"
        ) from error
    if any(None in each or None in each.values() for each in rows):
        raise UsageError(
            f"{path}: a line has another number of fields than the first, which names them; put quotation "
            "marks around texts with a comma"
        )
    return [(f"line {number}", each) for number, each in enumerate(rows, start=2) if any(each.values())]


def _of_option(text: str) -> Column:
    match = _OPTION.fullmatch(text)
    if match is None:
        raise UsageError(
            f"--column got {text!r}; write 'name: question [type]', as in 'dose: What was the dose? [number in mg]'"
        )
    values: dict[str, Any] = {"name": match["name"], "question": match["question"]}
    kind = (match["type"] or "text").strip()
    if "|" in kind:
        values |= {"type": "choices", "choices": kind}
    elif kind.startswith("number in "):
        values |= {"type": "number", "unit": kind.removeprefix("number in ")}
    else:
        values["type"] = kind
    return column_of(values, f"--column {match['name']!r}")
