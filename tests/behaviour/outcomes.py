"""What comes out of a row, as the net keeps it: nothing that depends on time or on a machine."""

from __future__ import annotations

import contextlib
import json
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dspy

import programs
from programs import config
from programs.errors import CorroborateError
from programs.evidence_table.columns import read_columns
from programs.lm import LM
from programs.paper_writer import record
from programs.paper_writer.concept import PaperConcept, read_concept
from programs.replay import replay_report
from programs.retrieval.index import Index
from tests.behaviour.bundled import ROOT
from tests.behaviour.rows import HERE, Row
from tests.command_line import run

EXAMPLE = ROOT / "programs" / "paper_writer" / "example" / "concept.yaml"
REPLAY = HERE / "replay"


def of_program(row: Row, index: Index) -> Row:
    """A program's result, or the error that it raises."""
    made: Callable[[Row, Index], Row] = {"paper_writer": _draft, "evidence_table": _cell}.get(row["program"], _answer)
    with dspy.context(lm=LM("extractive")):
        try:
            return made(row, index)
        except CorroborateError as error:
            return {"error": f"{type(error).__name__}: {error}".replace(index.place, "papers.idx")}


def _answer(row: Row, index: Index) -> Row:
    of_paper = row["program"] == "main_points"
    program = programs.load(row["program"], **({} if of_paper else {"index": index}), **row.get("parameters", {}))
    inputs = {name: row[name] for name in ("question", "filters", "choices") if name in row}
    if of_paper:
        inputs["paper"] = index.document(row["paper"])
    found = program(**inputs)
    return {
        "answerable": found.answerable,
        "papers": sorted({each.document_id for each in found.citations}),
        "quotes": _quotes(found.citations),
        "unsupported": [each.claim for each in found.unsupported_claims],
        "figures": [f"{each.document_id} {each.label}" for each in found.figures],
        "conflicts": [each.statement for each in found.get("conflicts") or ()],
        "notes": list(found.get("notes") or ()),
        **({"label": found.label} if "choices" in row else {}),
    }


def _quotes(citations: Iterable[Any]) -> list[list[str]]:
    """Paper, quote and verdict of every certificate, each once, in the answer's order."""
    seen = dict.fromkeys((each.document_id, each.quote, each.verdict) for each in citations)
    return [list(each) for each in seen]


def _cell(row: Row, index: Index) -> Row:
    (column,) = read_columns(None, [f"cell: {row['question']}"])
    found = programs.load("evidence_table", index=index)(column.question, row["paper"], column.wanted)
    value, label = found.value, found.get("label")
    return {
        "value": value.text if value else None,
        **({"label": label} if label else {}),
        "quotes": _quotes(found.citations),
        "notes": list(found.get("notes") or ()),
    }


def _draft(row: Row, index: Index) -> Row:
    concept = PaperConcept(**row["concept"]) if "concept" in row else read_concept(EXAMPLE)
    found = programs.load("paper_writer", index=index, threads=1)(concept=concept)
    return {
        "title": found.draft.title,
        "papers": sorted({each.document_id for each in found.citations}),
        "sections": {each["section"]: len(each["citations"]) for each in record(found)["sections"]},
        "quotes": _quotes(found.citations),
        "weak": len(found.unsupported),
        "notes": list(found.notes),
    }


def of_retrieval(row: Row, index: Index) -> Row:
    """The first three passages of a search, or of a program: paper, section and start of each."""
    if "program" not in row:
        hits = index.search(row["query"], 3, row.get("filters"))
        return {"first": [[hit.chunk.document_id, hit.chunk.section, hit.chunk.start] for hit in hits]}
    with dspy.context(lm=LM("extractive")):
        program = programs.load(row["program"], index=index)
        found = program(question=row["query"], filters=row.get("filters"), answer=False)
    return {"first": [[each.document_id, each.section, each.start] for each in found.passages[:3]]}


def of_replay(row: Row, index: Index) -> Row:
    """What is said of a saved file that is proved again: counts, and the names of faults if there are any."""
    found = replay_report(json.loads((REPLAY / row["file"]).read_text(encoding="utf-8")), index.document)
    return {**found, "uncited": len(found["uncited"]), "faults": [each["what"] for each in found["faults"]]}


def of_message(row: Row, places: Mapping[str, Path]) -> Row:
    """How bad input ends: a command line's exit code, or the name of the error that a call raises, and the message.

    Arguments name places in braces, and so does the message.
    """
    changed = {name: value.format(**places) for name, value in row.get("environment", {}).items()}
    with patch.dict(os.environ, changed), contextlib.chdir(places["folder"]):
        config.settings.cache_clear()
        try:
            ended, message = _called(row) if "call" in row else _run(row, places)
        finally:
            config.settings.cache_clear()
    for name, place in places.items():
        message = message.replace(str(place), "{" + name + "}")
    return {**ended, "message": " ".join(message.split())}


def _run(row: Row, places: Mapping[str, Path]) -> tuple[Row, str]:
    ran = run(*(each.format(**places) for each in row["run"]))
    return {"code": ran.code}, f"{ran.stderr}\n{ran.stdout}"


def _called(row: Row) -> tuple[Row, str]:
    called = operator.attrgetter(row["call"])(programs)
    try:
        called(**row["arguments"])
    except CorroborateError as error:
        return {"error": type(error).__name__}, str(error)
    return {"error": None}, ""


def of_finding(row: Row, index: Index) -> Row:
    """Whether an answer without a model states what the paper found, or is silent where it found nothing.

    ``stated``: a proved quote has all parts that "&" joins, of one of the patterns of ``gold``; by program.
    """
    paper, answers = index.document(row["paper"]), {}
    with dspy.context(lm=LM("extractive")):
        for name in row["programs"]:
            if name == "main_points":
                answers[name] = programs.load(name)(question=row["question"], paper=paper)
            else:
                answers[name] = programs.load(name, index=index)(question=row["question"])
    if not row["gold"]:
        return {"silent": {name: not found.answerable for name, found in answers.items()}}
    return {"stated": {name: _states(row, found) for name, found in answers.items()}}


def _states(row: Row, found: dspy.Prediction) -> bool:
    quotes = [
        quote.quote
        for each in found.citations
        if each.verdict == "supported"
        for quote in each.quotes
        if quote.document_id == row["paper"]
    ]
    return any(all(part in quote for part in gold.split("&")) for gold in row["gold"] for quote in quotes)
