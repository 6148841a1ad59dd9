"""Reads ``questions/SPLIT.jsonl``: a question a line, whose form is that of ``optimize.dataset.example``.

    train.jsonl:2: documents_ids: there is no such field; did you mean document_ids?

All errors are collected with file and line, so that they can be corrected at once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from optimize.dataset.benchmarks import QuestionRecord
from optimize.dataset.example import SPLITS, Evidence, Example
from programs.errors import IngestError
from programs.ingest.decoding import MAX_BYTES, decode

LONGEST_LINE = 1_000_000
"""Characters. A question with all its gold data takes a few thousand; more is a paper in the wrong place."""

_EXAMPLE = TypeAdapter(Example)
_FIELDS = tuple(each.name for each in (*fields(Example), *fields(Evidence)))
_SHOWN = 60


def read_questions(folder: Path) -> tuple[list[QuestionRecord], list[str]]:
    """Read the questions of all splits.

    Args:
        folder: The folder ``questions``.

    Returns:
        The lines that could be read, and what is wrong with the others and with the folder.
    """
    lines: list[QuestionRecord] = []
    problems = list(_strange_files(folder))
    for split in SPLITS:
        file = folder / f"{split}.jsonl"
        if not file.is_symlink() and not file.exists():
            continue
        try:
            texts = _text(file).split("\n")
        except IngestError as error:
            problems.append(f"questions/{file.name}: {error.reason}; {error.action}")
            continue
        for number, text in enumerate(texts, start=1):
            if text.strip():
                place = f"{file.name}:{number}"
                try:
                    lines.append(QuestionRecord(place, split, _example(text)))
                except ValueError as error:
                    problems.append(f"{place}: {error}")
    if not lines and not problems:
        problems.append(f"questions: there is no question in it; write them to {_files()}, one a line")
    return lines, problems


def _strange_files(folder: Path) -> Iterator[str]:
    """Files that look like questions and would not be read."""
    for path in sorted(folder.iterdir()):
        split = path.name.partition(".")[0].lower()
        if path.name in {f"{each}.jsonl" for each in SPLITS} or path.name.startswith("."):
            continue
        if split in SPLITS:
            yield f"questions/{path.name}: questions are read from {split}.jsonl, which has a JSON object a line"
        elif path.suffix == ".jsonl":
            yield f"questions/{path.name}: no split has this name; there are {', '.join(SPLITS)}"


def _files() -> str:
    return ", ".join(f"{split}.jsonl" for split in SPLITS)


def _text(file: Path) -> str:
    if file.is_file() and file.stat().st_size > MAX_BYTES:
        size = f"{file.stat().st_size / 2**20:.0f} MiB is larger than the limit of {MAX_BYTES // 2**20} MiB"
        raise IngestError(file, size, "papers belong in papers/, and questions hold short quotes of them")
    return decode(file)


def _example(text: str) -> Example:
    """Read one line; a ValueError says what is wrong with it."""
    if len(text) > LONGEST_LINE:
        raise ValueError(f"{len(text):,} characters; a question has {LONGEST_LINE:,} at most, and papers go to papers/")
    try:
        example = _EXAMPLE.validate_json(_with_id(text), strict=True)
    except ValidationError as error:
        raise ValueError("; ".join(map(_fault, error.errors()))) from error
    if faults := list(_faults(example)):
        raise ValueError("; ".join(faults))
    return example


def _with_id(text: str) -> str:
    """A question that has no id is named by what it asks of which papers, wherever it stands."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):  # what is wrong with it is said where it is validated
        return text
    if not isinstance(values, dict) or "id" in values:
        return text
    asked = json.dumps([values.get("question"), values.get("document_ids")], ensure_ascii=False)
    return json.dumps({"id": f"q-{hashlib.sha256(asked.encode('utf-8', 'replace')).hexdigest()[:12]}", **values})


def _fault(error: Any) -> str:  # noqa: ANN401 - a dictionary of pydantic
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "missing":
        return f"{name}: this field is missing"
    if error["type"] == "unexpected_keyword_argument":
        close = get_close_matches(str(error["loc"][-1]), _FIELDS, n=1)
        return f"{name}: there is no such field{f'; did you mean {close[0]}?' if close else ''}"
    if not name:
        return f"no JSON object on one line ({error['msg']})"
    return f"{name}: {error['msg']}, got {repr(error['input'])[:_SHOWN]}"


def _faults(example: Example) -> Iterator[str]:
    """What is wrong with a question whose fields have the right types."""
    if not (example.id.strip() and example.question.strip() and example.document_ids):
        yield "id, question and document_ids must not be empty"
    if not example.id.isprintable():
        yield f"the id {example.id!r} holds control characters"
    yield from _list_faults(example)
    has_gold = bool(example.answer.strip() or example.answers or example.nuggets or example.label)
    if example.answerable and not has_gold:
        yield "answerable, but without answer, answers, nuggets or label"
    if not example.answerable and (has_gold or example.evidence):
        yield "not answerable, but with an answer or evidence; remove these, or say answerable: true"
    if example.label and example.label not in example.choices:
        yield f"the label {example.label!r} is none of the choices {list(example.choices)}"
    if example.choices and example.answerable and not example.label:
        yield "choices without a label; give the right one as label"
    for paper in dict.fromkeys(each.document_id for each in example.evidence):
        if paper not in example.document_ids:
            yield f"evidence is quoted from {paper}, which document_ids does not name; add it there"


def _list_faults(example: Example) -> Iterator[str]:
    lists = {
        "document_ids": example.document_ids,
        "answers": example.answers,
        "nuggets": example.nuggets,
        "choices": example.choices,
        "evidence": tuple(each.quote for each in example.evidence),
    }
    for name, values in lists.items():
        if not all(value.strip() for value in values):
            yield f"{name}: an empty text is among them; remove it"
        if name in {"document_ids", "choices"} and len(set(values)) < len(values):
            yield f"{name}: one of them is there twice"
