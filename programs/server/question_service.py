"""From a question to the result as JSON: which program, with what, by which model. Blocking; shared by all threads."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import dspy
from dspy.utils.exceptions import LMError as DspyLMError

from programs.errors import UnknownFilterField, UsageError
from programs.evidence_table import EvidenceTable
from programs.evidence_table.columns import Column
from programs.evidence_table.filling import Cells, chosen_papers, fill
from programs.evidence_table.table import TablePaper
from programs.ingest.document import Document
from programs.lm import EXTRACTIVE, translated
from programs.program import Program
from programs.progress import report_step
from programs.registry import PROGRAMS, Entry, best_state, entry_of, load
from programs.results.rendering import as_json
from programs.retrieval.filters import parse_filters
from programs.retrieval.index import Index, best_match
from programs.server.error_responses import (
    BAD_FILTER,
    DOCUMENT_NOT_FOUND,
    INDEX_UNAVAILABLE,
    LM_MISCONFIGURED,
    NO_PAPERS,
    TABLE_TOO_LARGE,
    UNKNOWN_PROGRAM,
    UNSUPPORTED_OPTION,
    Refusal,
)

NO_MODEL = "No language model was used: the answer is extracted from the papers."
NO_MODEL_IN_TABLE = "No language model was used: values are taken from the papers' sentences."
OPTIONS = ("filters", "document_id", "top_k")
"""Options of a question; each program takes some of them."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and its options.

    Attributes:
        question: The question.
        program: Name of the program that is to answer.
        filters: Which passages may be found.
        top_k: How many passages to answer from; None for the program's own number.
        document_id: The one paper to ask; None for any.
        verify: Whether to verify and repair the answer.
    """

    question: str
    program: str
    filters: Mapping[str, Any] | None = None
    top_k: int | None = None
    document_id: str | None = None
    verify: bool = True


@dataclass(frozen=True, slots=True)
class TableAsked:
    """A requested table.

    Attributes:
        columns: What is asked of every paper.
        most_cells: Limit of its cells.
        document_ids: The papers; empty for all.
        filters: Which papers.
        find: A question; its papers are the rows.
        limit: Papers at most.
    """

    columns: Sequence[Column]
    most_cells: int
    document_ids: Sequence[str] = ()
    filters: Mapping[str, Any] | None = None
    find: str = ""
    limit: int | None = None


def takes(entry: Entry) -> tuple[str, ...]:
    """The options of a question that a program takes; empty for one that answers no questions."""
    if not entry.answers:
        return ()
    inputs = inspect.signature(entry.constructor.run).parameters
    return (
        ("document_id",)
        if entry.asks == "paper"
        else tuple(option for option in OPTIONS if option in inputs or option == "document_id")
    )


class Answering:
    """Answers questions from one index with one model.

    Args:
        index: Where the papers are.
        lm: The model.
        lm_name: The model as results name it.
    """

    def __init__(self, index: Index, lm: dspy.LM, lm_name: str) -> None:
        self.index = index
        self.lm_name = lm_name
        self._lm = lm
        self._table: Program[Any] | None = None
        self._programs: dict[tuple[str, bool], Program[Any]] = {}
        self._compiled: dict[str, str | None] = {}
        self._loading = threading.Lock()

    def check(self, asked: AskedQuestion) -> None:
        """Refuse a question that cannot be served, before any work.

        Raises:
            Refusal: There is no such program, or it does not take an option that was given.
        """
        try:
            entry = entry_of(asked.program)
        except UsageError as error:
            raise Refusal(UNKNOWN_PROGRAM, str(error)) from error
        taken = takes(entry)
        if not taken:
            answering = ", ".join(each.name for each in PROGRAMS if takes(each))
            raise Refusal(UNKNOWN_PROGRAM, f"{asked.program} answers no questions; ask one of {answering}")
        given = {"filters": asked.filters, "top_k": asked.top_k, "document_id": asked.document_id}
        for option in OPTIONS:
            if given[option] and option not in taken:
                raise Refusal(UNSUPPORTED_OPTION, f"{asked.program} takes no {option}; it takes {', '.join(taken)}")
        if asked.document_id and "document" in (asked.filters or {}):
            raise Refusal(UNSUPPORTED_OPTION, "document_id and the filter 'document' exclude each other; send one")

    def __call__(self, asked: AskedQuestion) -> dict[str, Any]:
        """Answer, as ``python -m programs ask --format json`` does.

        Raises:
            Refusal: The request cannot be served.
            CorroborateError: The index or the model failed.
        """
        with self._asking():
            program = self._program(asked.program, asked.verify)
            inputs = self._inputs(asked)
            result = as_json(program(**inputs))
        if isinstance(inputs.get("paper"), Document):
            result["document_id"] = inputs["paper"].id
        notes = [*result.get("notes", []), *([NO_MODEL] if self.lm_name == EXTRACTIVE else [])]
        return {"program": asked.program, "lm": self.lm_name, **result, "notes": notes}

    def table(self, asked: TableAsked) -> dict[str, Any]:
        """Fill a table, as ``python -m programs table --format json`` does, cell after cell.

        Raises:
            Refusal: The request cannot be served.
            CorroborateError: The index or the model failed.
        """
        require_there(self.index)
        filters = dict(asked.filters or {})
        self._check_filters(filters)
        with self._asking():
            papers = self._rows(asked, filters)
            total = len(papers) * len(asked.columns)
            if total > asked.most_cells:
                raise Refusal(
                    TABLE_TOO_LARGE,
                    f"{len(papers)} papers × {len(asked.columns)} questions are {total} cells, more than "
                    f"{asked.most_cells}",
                )
            with self._loading:
                self._table = self._table or load("evidence_table", index=self.index)
            assert isinstance(self._table, EvidenceTable)  # noqa: S101 - what the registry says
            found = fill(self._table, asked.columns, papers, Cells(self.lm_name), on_done=partial(_tell_cells, total))
        if self.lm_name == EXTRACTIVE:
            found = replace(found, notes=[*found.notes, NO_MODEL_IN_TABLE])
        return found.as_dict()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """The model, and the index as it is now: an answer quotes the papers that were searched."""
        require_there(self.index)
        # DSPy's trace and history would grow for as long as the server runs.
        with _translated(self.lm_name), dspy.context(lm=self._lm, trace=[], disable_history=True), self.index.reading():
            yield

    def _rows(self, asked: TableAsked, filters: Mapping[str, Any]) -> list[TablePaper]:
        for each in asked.document_ids:
            self.document(each)
        try:
            return chosen_papers(
                self.index, filters=filters or None, named=asked.document_ids, find=asked.find, limit=asked.limit
            )
        except UsageError as error:
            raise Refusal(NO_PAPERS, str(error)) from error

    def compiled(self, name: str) -> str | None:
        """Name of the compiled state that a program runs with; None for an uncompiled program."""
        if name not in self._compiled:
            with dspy.context(lm=self._lm):
                state = best_state(self._program(name, verify=True))
            self._compiled[name] = state.path.name if state else None
        return self._compiled[name]

    def document(self, document_id: str) -> Document:
        """A paper of the index.

        Raises:
            Refusal: There is no such paper.
        """
        require_there(self.index)
        try:
            return self.index.document(document_id)
        except UsageError as error:
            raise Refusal(DOCUMENT_NOT_FOUND, f"there is no paper {document_id!r}") from error

    def _inputs(self, asked: AskedQuestion) -> dict[str, Any]:
        if entry_of(asked.program).asks == "paper":
            return {"question": asked.question, "paper": self._paper(asked)}
        filters = dict(asked.filters or {})
        self._check_filters(filters)
        if asked.document_id:
            filters["document"] = [self.document(asked.document_id).id]
        top_k = {"top_k": asked.top_k} if asked.top_k else {}
        return {"question": asked.question, "filters": filters or None, **top_k}

    def _paper(self, asked: AskedQuestion) -> Document:
        if asked.document_id:
            return self.document(asked.document_id)
        if not self.index.stats().documents:
            raise Refusal(INDEX_UNAVAILABLE, "the index holds no paper yet")
        chosen = best_match(self.index, asked.question)
        report_step("choose", f"Asking {chosen}, the paper that fits the question best", document_id=chosen)
        return self.index.document(chosen)

    def _check_filters(self, filters: Mapping[str, Any]) -> None:
        try:
            parse_filters(filters, self.index.fields() if filters else {})
        except UnknownFilterField:
            raise
        except UsageError as error:
            raise Refusal(BAD_FILTER, str(error)) from error

    def _program(self, name: str, verify: bool) -> Program[Any]:
        """One program serves all threads: its state changes only while it is loaded."""
        with self._loading:
            if (name, verify) not in self._programs:
                self._programs[name, verify] = load(name, index=self.index, embedder=self.index.embedder, verify=verify)
            return self._programs[name, verify]


@contextmanager
def _translated(lm_name: str) -> Iterator[None]:
    """Translate errors of models; a wrong name or key of the model is not the caller's fault."""
    try:
        with translated(lm_name):
            yield
    except UsageError as error:
        if not isinstance(error.__cause__, DspyLMError):
            raise
        raise Refusal(LM_MISCONFIGURED, f"the model {lm_name} cannot be asked: its name or its key is wrong") from error


def _tell_cells(total: int, done: int, what: str) -> None:
    report_step("table", f"{done} of {total} cells{f': {what}' if what else ''}", done=done, total=total)


def require_there(index: Index) -> None:
    """Refuse to answer from a folder that was deleted or replaced; the engine would, from its open files.

    Raises:
        Refusal: The index's folder is not the one that was opened.
    """
    if not index.is_in_place():
        raise Refusal(INDEX_UNAVAILABLE, "the folder of the index has gone, or another took its place, since the start")
