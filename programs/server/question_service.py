"""From a request to the result as JSON: which program, with what, by which model."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Annotated, Any

import dspy
from dspy.utils.exceptions import LMError as DspyLMError
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictInt, model_validator

from programs.errors import UsageError
from programs.evidence_table import EvidenceTable
from programs.evidence_table.columns import Column, checked, column_of
from programs.evidence_table.filling import Asked, Cells, chosen_papers, fill
from programs.evidence_table.table import Cell, Table, TableRow
from programs.ingest.document import Document
from programs.lm import EXTRACTIVE, translated
from programs.plain_input import LONGEST_QUESTION, require_plain, require_seen
from programs.program import Program
from programs.progress import report_step
from programs.references import references_of
from programs.registry import PROGRAMS, Entry, entry_of, load, load_table
from programs.results.rendering import as_json
from programs.retrieval.filters import parse_filters
from programs.retrieval.index import Index, best_match
from programs.server.error_responses import Kind, Refusal, refusing

NO_MODEL = "No language model was used: these are sentences of the papers, and nobody judged whether they answer."
NO_MODEL_IN_TABLE = (
    "No language model was used: labels and texts are taken from the papers' sentences, numbers are left blank."
)
OPTIONS = ("filters", "document_id", "top_k")
"""Options of a question; each program takes some of them."""


LARGEST_TOP_K = 40
"""As many candidates as `multi_signal` chooses from."""

_VALUES = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]
_LISTED = [*_VALUES, {"type": "array", "items": {"anyOf": _VALUES}, "minItems": 1}]
_BOUNDS_AND_NOT = {**{bound: {"type": "number"} for bound in ("gte", "gt", "lte", "lt")}, "not": {"anyOf": _LISTED}}
_OBJECT = {"type": "object", "minProperties": 1, "additionalProperties": False, "properties": _BOUNDS_AND_NOT}
_FILTERS_SCHEMA = {
    "anyOf": [{"type": "object", "additionalProperties": {"anyOf": [*_LISTED, _OBJECT]}}, {"type": "null"}]
}


class Body(BaseModel):
    """A request's body: unknown fields are refused, and so is text that UTF-8 cannot write."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _holds_text(cls, values: Any) -> Any:  # noqa: ANN401 - whatever was sent
        require_plain(values)
        return values


Question = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_QUESTION, description="What to ask, in any language."),
    AfterValidator(require_seen),
]
TopK = Annotated[
    StrictInt | None,
    Field(ge=1, le=LARGEST_TOP_K, description="Passages to answer from; the program's own number if not given."),
]
FilterField = Annotated[
    dict[str, Any] | None,
    Field(
        description='Which passages may be found, such as {"organism": ["Mus musculus"], "year": {"gte": 2015}}; '
        "GET /api/fields lists the fields.",
        json_schema_extra=_FILTERS_SCHEMA,
    ),
]
_MOST_PAPERS = 1_000


class AskRequest(Body):
    """A question to a program."""

    question: Question
    program: Annotated[
        str | None, Field(description="As GET /api/programs lists it; the server's own if not given.")
    ] = None
    filters: FilterField = None
    top_k: TopK = None
    document_id: Annotated[str | None, Field(min_length=1, max_length=500, description="The one paper to ask.")] = None
    verify: Annotated[bool, Field(strict=True, description="Verify and repair the answer.")] = True
    parameters: Annotated[
        dict[str, bool | int | float | str],
        Field(description='Of the program, such as {"evidence": 5}; a name that it does not take has these listed.'),
    ] = {}


class ColumnField(Body):
    """A column of a requested table: a question and the type of its answers."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    question: Question
    type: Annotated[str, Field(max_length=40, description="text, number, yes/no, choices or direction.")] = "text"
    unit: Annotated[str, Field(max_length=40, description="Of a number: which one is preferred.")] = ""
    choices: Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=50)] = ()


class TableRequest(Body):
    """A table to be filled."""

    columns: Annotated[list[ColumnField], Field(min_length=1, max_length=50)]
    document_ids: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=500)], ...],
        Field(max_length=_MOST_PAPERS, description="The papers that are the rows; all if none is named."),
    ] = ()
    filters: FilterField = None
    find: Annotated[str, Field(max_length=2_000, description="Take the papers that this question finds.")] = ""
    limit: Annotated[int | None, Field(strict=True, ge=1, le=_MOST_PAPERS, description="Papers at most.")] = None

    def as_columns(self) -> list[Column]:
        """The columns, of which no two have one name."""
        given = (each.model_dump(mode="json") for each in self.columns)
        with refusing(Kind.BAD_COLUMN):
            return checked(column_of(each, f"column {number}") for number, each in enumerate(given, start=1))


def takes(entry: Entry) -> tuple[str, ...]:
    """The options of a question that a program takes; empty for one that answers no questions."""
    if not entry.answers:
        return ()
    if entry.asks == "paper":
        return ("document_id",)
    inputs = inspect.signature(entry.constructor.run).parameters
    return tuple(option for option in OPTIONS if option in inputs or option == "document_id")


class Answering:
    """Answers questions from one index with one model, as results name it. Blocking; shared by all threads."""

    def __init__(self, index: Index, lm: dspy.LM, lm_name: str) -> None:
        self.index = index
        self.lm_name = lm_name
        self._lm = lm
        self._table: EvidenceTable | None = None
        self._programs: dict[tuple[str, bool], Program[Any]] = {}
        self._loading = threading.Lock()

    def check(self, asked: AskRequest, program: str) -> None:
        """Refuse a question for an unknown program, or with an option that it does not take, before any work."""
        with refusing(Kind.UNKNOWN_PROGRAM):
            entry = entry_of(program)
        taken = takes(entry)
        if not taken:
            answering = ", ".join(each.name for each in PROGRAMS if takes(each))
            raise Refusal(Kind.UNKNOWN_PROGRAM, f"{program} answers no questions; ask one of {answering}")
        for option in OPTIONS:
            if getattr(asked, option) and option not in taken:
                raise Refusal(Kind.UNSUPPORTED_OPTION, f"{program} takes no {option}; it takes {', '.join(taken)}")
        if asked.document_id and "document" in (asked.filters or {}):
            raise Refusal(Kind.UNSUPPORTED_OPTION, "document_id and the filter 'document' exclude each other; send one")

    def __call__(self, asked: AskRequest, name: str) -> dict[str, Any]:
        """Answer with the program of a name, as ``python -m programs ask --format json`` does.

        Raises:
            CorroborateError: The request cannot be served, or the index or the model failed.
        """
        with self._asking():
            with refusing(Kind.UNSUPPORTED_OPTION):
                program = self._program(name, asked.verify).asked_with(asked.parameters)
            inputs = self._inputs(asked, name)
            result = as_json(program(**inputs))
            result["references"] = references_of(result, self.index.document, self.index.citation_keys())
        if isinstance(inputs.get("paper"), Document):
            result["document_id"] = inputs["paper"].id
        notes = [*result.get("notes", []), *([NO_MODEL] if self.lm_name == EXTRACTIVE else [])]
        return {"program": name, "lm": self.lm_name, **result, "notes": notes}

    def table(self, asked: TableRequest, columns: Sequence[Column], most_cells: int) -> dict[str, Any]:
        """Fill a table, as ``python -m programs table --format json`` does, cell after cell; errors as for a call."""
        require_there(self.index)
        filters = dict(asked.filters or {})
        self._check_filters(filters)
        with self._asking():
            for each in asked.document_ids:
                self.document(each)
            with refusing(Kind.NO_PAPERS):
                papers = chosen_papers(
                    self.index, filters=filters, named=asked.document_ids, find=asked.find.strip(), limit=asked.limit
                )
            total = len(papers) * len(columns)
            if total > most_cells:
                said = f"{len(papers)} papers × {len(columns)} questions are {total} cells, more than {most_cells}"
                raise Refusal(Kind.TABLE_TOO_LARGE, said)
            with self._loading:
                self._table = self._table or load_table(self.index)

            def report(done: int, asked: Asked | None, cell: Cell | None) -> None:
                said, facts = f"{done} of {total} cells", {"done": done, "total": total}
                if asked and cell:
                    said = f"{said}: {asked.paper.cited_as}, {asked.column.name}: {cell.text}"
                    place = {"paper": asked.paper.document_id, "column": asked.column.name}
                    report_step("table", said, **facts, **place, cell=asdict(cell))
                else:
                    rows = [TableRow(each, [Cell("not asked") for _ in columns]) for each in papers]
                    report_step("table", said, **facts, table=Table(columns, rows, self.lm_name).as_dict())

            found = fill(self._table, columns, papers, Cells(self.lm_name), on_done=report)
        if self.lm_name == EXTRACTIVE:
            found = replace(found, notes=[*found.notes, NO_MODEL_IN_TABLE])
        return found.as_dict()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """The model, and the index as it is now: an answer quotes the papers that were searched."""
        require_there(self.index)
        # DSPy's trace and history would grow for as long as the server runs.
        context = dspy.context(lm=self._lm, trace=[], disable_history=True)
        try:
            with translated(self.lm_name), context, self.index.reading():
                yield
        except UsageError as error:
            if not isinstance(error.__cause__, DspyLMError):
                raise
            # Not the caller's fault.
            said = f"the model {self.lm_name} cannot be asked: its name or its key is wrong"
            raise Refusal(Kind.LM_MISCONFIGURED, said) from error

    def document(self, document_id: str) -> Document:
        """A paper of the index; refused if there is no such paper."""
        require_there(self.index)
        try:
            return self.index.document(document_id)
        except UsageError as error:
            raise Refusal(Kind.DOCUMENT_NOT_FOUND, f"there is no paper {document_id!r}") from error

    def _inputs(self, asked: AskRequest, program: str) -> dict[str, Any]:
        if entry_of(program).asks == "paper":
            return {"question": asked.question, "paper": self._paper(asked)}
        filters = dict(asked.filters or {})
        self._check_filters(filters)
        if asked.document_id:
            filters["document"] = [self.document(asked.document_id).id]
        top_k = {"top_k": asked.top_k} if asked.top_k else {}
        return {"question": asked.question, "filters": filters or None, **top_k}

    def _paper(self, asked: AskRequest) -> Document:
        if asked.document_id:
            return self.document(asked.document_id)
        if not self.index.stats().documents:
            raise Refusal(Kind.INDEX_UNAVAILABLE, "the index holds no paper yet")
        chosen = best_match(self.index, asked.question)
        report_step("choose", f"Asking {chosen}, the paper that fits the question best", document_id=chosen)
        return self.index.document(chosen)

    def _check_filters(self, filters: Mapping[str, Any]) -> None:
        with refusing(Kind.BAD_FILTER):
            parse_filters(filters, self.index.fields() if filters else {})

    def _program(self, name: str, verify: bool) -> Program[Any]:
        """One program serves all threads: its state changes only while it is loaded."""
        with self._loading:
            if (name, verify) not in self._programs:
                self._programs[name, verify] = load(name, index=self.index, embedder=self.index.embedder, verify=verify)
            return self._programs[name, verify]


def require_there(index: Index) -> None:
    """Refuse to answer from a folder that was deleted or replaced; the engine would, from its open files."""
    if not index.store.is_in_place():
        said = "the folder of the index has gone, or another took its place, since the start"
        raise Refusal(Kind.INDEX_UNAVAILABLE, said)
