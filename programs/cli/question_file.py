"""Questions from a file, for `ask --questions`: CSV with a column question, JSON lines, or text with one a line.

id,question,paper
q1,How much bone did flight mice lose?,PMC1234567
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from programs.errors import UsageError
from programs.ingest.decoding import decode

_NAME = re.compile(r"[\w.-]{1,100}", re.ASCII)
_DEVICES = frozenset({".", ".."})


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a file.

    Attributes:
        id: As the file names it, else its number from 1.
        text: What to ask.
        paper: The paper to ask, where the file names one.
    """

    id: str
    text: str
    paper: str | None = None


def read_questions(path: Path) -> list[Question]:
    """The questions of a file, whose ending tells its form.

    Raises:
        UsageError: It is not there, of another form, or holds a question that is empty or named like another.
    """
    readers = {".csv": _rows, ".jsonl": _lines, ".txt": _texts}
    if path.suffix.lower() not in readers:
        raise UsageError(f"{path} is not a list of questions; give a name that ends in {', '.join(readers)}")
    if not path.is_file():
        raise UsageError(f"no file at {path}; check the path of --questions")
    rows = readers[path.suffix.lower()](decode(path), path)
    found = [_question(row, f"{path.name}, question {number}", number) for number, row in enumerate(rows, start=1)]
    if not found:
        raise UsageError(f"{path} holds no question")
    names = [each.id for each in found]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"{path} names two questions {repeated!r}; give each an id of its own, or none")
    return found


def _rows(text: str, path: Path) -> Iterator[Mapping[str, Any]]:
    rows = csv.DictReader(text.splitlines(keepends=True))
    if "question" not in (rows.fieldnames or ()):
        raise UsageError(f"{path} has no column question; it has {', '.join(rows.fieldnames or ()) or 'none'}")
    yield from rows


def _lines(text: str, path: Path) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UsageError(f"{path}, line {number} is no JSON ({error}); write an object a line") from error
            if not isinstance(row, Mapping):
                raise UsageError(f"{path}, line {number} is not an object; write {{'question': …}}")
            yield row


def _texts(text: str, _: Path) -> Iterator[Mapping[str, Any]]:
    return ({"question": line} for line in text.splitlines() if line.strip())


def _question(row: Mapping[str, Any], place: str, number: int) -> Question:
    text, name = row.get("question"), str(row.get("id") or number)
    if not (isinstance(text, str) and text.strip()):
        raise UsageError(f"{place} is empty; write what to ask under question")
    if not _NAME.fullmatch(name) or name in _DEVICES:
        raise UsageError(f"{place} has the id {name!r}, which names no file; use letters, digits, '.', '_' and '-'")
    return Question(name, text.strip(), str(row.get("paper") or "") or None)
