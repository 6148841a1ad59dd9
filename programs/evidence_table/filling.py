"""Fills a table, cell beside cell, and writes every cell down as it comes: a run that was cut off continues from there.

    cells.jsonl    {"paper": "PMC1", "content": "9f…", "column": "3a…", "made_by": "c4…", "status": "reported", …}

A cell is asked again only when it failed, or when its paper or its question is another.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import dspy

from programs.atomic_files import Journal, exclusive_lock
from programs.budget import Budget, CircuitBreaker, Spent
from programs.errors import UsageError
from programs.evidence_table import EvidenceTable
from programs.evidence_table.columns import Column
from programs.evidence_table.table import Cell, Table, TablePaper, TableRow
from programs.program import in_threads, model_name
from programs.results.rendering import as_json
from programs.retrieval.filters import Filters
from programs.retrieval.index import Index

FOUND = 20
"""Papers that a question finds, where no number is given."""
_DEPTH = 10
"""Passages that the search brings for each paper that is wanted."""


def chosen_papers(
    index: Index, *, filters: Filters | None = None, named: Sequence[str] = (), find: str = "", limit: int | None = None
) -> list[TablePaper]:
    """The papers of a table, in the order of their ids, or of the search that found them.

    ``named`` are ids, all where it is empty; ``find`` is a question, for the papers that have the best passages for it.

    Raises:
        UsageError: There is none, a named one is not in the index, or a filter does not fit.
    """
    with index.reading():
        known = index.document_ids(filters)
        if missing := [each for each in dict.fromkeys(named) if each not in known]:
            raise UsageError(
                f"the index at {index.place} has no paper {', '.join(missing)}"
                f"{' that the filter lets through' if filters else ''}; "
                f"`python -m programs list --index {index.place}` lists what it has"
            )
        ids = list(dict.fromkeys(named)) or known
        if find:
            within = {**(filters or {}), **({"document": list(named)} if named else {})}
            ids = _found(index, find, limit or FOUND, within)
        if not ids and (filters or find):
            raise UsageError(f"no paper of the index at {index.place} matches; change --filter or --find")
        if not ids:
            add = f"`python -m programs index PAPERS --index {index.place}`"
            raise UsageError(f"the index at {index.place} is empty; add papers with {add}")
        papers, keys = [index.document(each) for each in ids[:limit]], index.citation_keys()
    return [
        TablePaper(
            paper.id,
            paper.content_hash,
            key=keys[paper.id],
            authors=list(paper.authors),
            **{name: getattr(paper, name) for name in ("title", "year", "doi", "url", "journal")},
        )
        for paper in papers
    ]


def _found(index: Index, question: str, papers: int, within: Filters) -> list[str]:
    """Ids of so many papers, those with the best passages first; a paper of many passages takes no other's place."""
    depth, found = papers * _DEPTH, dict[str, None]()
    while True:
        hits = index.search(question, depth, within or None)
        found = dict.fromkeys(hit.chunk.document_id for hit in hits)
        if len(found) >= papers or len(hits) < depth:
            return list(found)[:papers]
        depth *= 2


CELLS = "cells.jsonl"
_LOCK = ".lock"
_SECRET = frozenset({"api_key", "api_base", "headers"})
_OF_THE_RUN = ("latency_ms", "tokens")
"""What differs from run to run and by what is cached: without it, the same cells make the same file."""
_KEYS = ("paper", "content", "column", "made_by", "lm", "status", "error", "result")

Key: TypeAlias = tuple[str, str, str]
"""Paper, hash of its content, key of the column."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A cell that is asked for."""

    paper: TablePaper
    column: Column

    @property
    def key(self) -> Key:
        """What its cell is kept by."""
        return self.paper.document_id, self.paper.content, self.column.key


Progress: TypeAlias = Callable[[int, Asked | None, Cell | None], None]
"""Called with how many cells are done, and the last one as it was filled; with none at the beginning."""


class Cells:
    """The cells of a table that are ``known``, in memory, filled by the model ``lm``."""

    def __init__(self, lm: str) -> None:
        self.lm = lm
        self.known: dict[Key, Cell] = {}

    def keep(self, key: Key, cell: Cell) -> None:
        """Keep a cell."""
        self.known[key] = cell

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nothing to lock: no other process can fill a table in memory."""
        yield


class TableFolder(Cells):
    """The same in a folder that belongs to one table, and to one process at a time.

    ``made_by`` names what fills the table; cells of another one are not mixed with its.

    Raises:
        UsageError: The folder holds a table and is not to be continued, or one of another model or state.
    """

    def __init__(self, folder: Path, made_by: str, lm: str, *, resume: bool) -> None:
        super().__init__(lm)
        self.folder, self._made_by = folder, made_by
        self._journal = Journal(folder / CELLS, _KEYS, _check)
        if self._journal.path.exists() and not resume:
            raise UsageError(f"{folder} holds a table; continue it with --resume, or name another folder")
        lines = list(self._journal.read())
        if others := {line["lm"] for line in lines if line["made_by"] != made_by}:
            raise UsageError(
                f"the table in {folder} was filled by {', '.join(sorted(others))} with other prompts, options or "
                f"parameters than {lm} has now; name another folder, or continue as it was begun"
            )
        self.known = {(line["paper"], line["content"], line["column"]): _cell(line) for line in lines}

    def keep(self, key: Key, cell: Cell) -> None:
        """Write a cell down; when this returns, it outlives the process."""
        paper, content, column = key
        record = {"paper": paper, "content": content, "column": column, "made_by": self._made_by, "lm": self.lm}
        self._journal.append({**record, **asdict(cell)})
        super().keep(key, cell)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes from filling it meanwhile."""
        busy = f"the table in {self.folder} is being filled by another process; wait, or name another folder"
        with exclusive_lock(self.folder / _LOCK, busy):
            yield


def maker(program: EvidenceTable) -> str:
    """A name of what fills a table: model, its options, prompts and parameters."""
    lm = dspy.settings.lm
    options = {name: value for name, value in getattr(lm, "kwargs", {}).items() if name not in _SECRET}
    made_by = [model_name(), options, program.dump_state()]
    return hashlib.sha256(json.dumps(made_by, sort_keys=True, default=str).encode()).hexdigest()[:16]


def fill(
    program: EvidenceTable,
    columns: Sequence[Column],
    papers: Sequence[TablePaper],
    cells: Cells,
    *,
    threads: int = 1,
    budget: Budget | None = None,
    on_done: Progress = lambda _done, _asked, _cell: None,
) -> Table:
    """Fill the cells that have no answer yet, and tell after each how many are done.

    What the budget does not reach is "not asked", and what fell short is among the table's notes.

    Raises:
        UsageError, LMUnavailable …: The next cell would meet it too, see ``programs.budget``; what was filled is kept.
    """
    asked = [Asked(paper, column) for paper in papers for column in columns]
    waiting = [each for each in asked if each.key not in cells.known or cells.known[each.key].status == "failed"]
    limits, breaker, started = budget or Budget(), CircuitBreaker(), time.monotonic()
    spent, stopped, counting = Spent(), "", threading.Lock()

    def filled(asked: Asked) -> tuple[Asked, Cell | None]:
        """A cell, or None where the budget does not allow it."""
        nonlocal spent, stopped
        breaker.check()
        with counting:
            stopped = stopped or limits.exceeded(spent + Spent(seconds=time.monotonic() - started))
            if stopped:
                return asked, None
            spent += Spent(calls=1)  # a cell under way counts as one call
        try:
            found = as_json(
                program(question=asked.column.question, paper=asked.paper.document_id, wanted=asked.column.wanted)
            )
        except Exception as error:  # noqa: BLE001 - whatever a model or its server does, the other cells continue
            breaker.record(error)
            return asked, Cell("failed", f"{type(error).__name__}: {error}")
        metrics = found["metrics"]
        with counting:
            spent += Spent(metrics["lm_calls"] - 1, metrics["tokens"]["total"])
        for name in _OF_THE_RUN:
            del metrics[name]
        breaker.answered()
        return asked, Cell("reported" if found["value"] else "not reported", "", found)

    done = len(asked) - len(waiting)
    with cells.held():
        on_done(done, None, None)
        with closing(in_threads(filled, waiting, threads, as_they_come=True)) as coming:
            for each, cell in coming:
                if cell is not None:
                    cells.keep(each.key, cell)
                    done += 1
                    on_done(done, each, cell)
    found = iter([cells.known.get(each.key, Cell("not asked")) for each in asked])
    table = Table(list(columns), [TableRow(paper, [next(found) for _ in columns]) for paper in papers], cells.lm)
    return replace(table, notes=list(_notes(table, cells, stopped)))


def _notes(table: Table, cells: Cells, stopped: str) -> Iterator[str]:
    if stopped:
        left = table.count("not asked")
        yield f"Stopped by its budget of {stopped}: {left} cells were not asked; --resume asks them."
    if failed := table.count("failed"):
        first = next(cell.error for _, _, cell in table.cells() if cell.status == "failed")
        yield f"{failed} cells failed ({first}); --resume asks them again."
    yield from table.warnings()
    gone = sorted({paper for paper, _, _ in cells.known} - {row.paper.document_id for row in table.rows})
    if gone:
        yield f"{len(gone)} papers of earlier runs are not in this table: {', '.join(gone)}. Their cells are kept."


def _cell(line: Mapping[str, Any]) -> Cell:
    return Cell(line["status"], line["error"], line["result"])


def _check(line: Mapping[str, Any]) -> None:
    texts = all(isinstance(line[name], str) for name in _KEYS if name != "result")
    if (
        not texts
        or not isinstance(line["result"], dict)
        or line["status"] not in {"reported", "not reported", "failed"}
    ):
        raise ValueError("it is not as `table` writes it")
    cell = _cell(line)
    try:
        _ = cell.value, cell.certificate, cell.why, cell.nearest
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"its result is not as `table` writes it: {error!r}") from error
    if (line["status"] == "reported") is not (cell.value is not None and cell.certificate is not None):
        raise ValueError("its status and its result do not agree")
