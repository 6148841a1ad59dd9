"""``POST /api/table``: papers × questions, at once or as a stream of server-sent events, as ``/api/ask`` has them.

{"columns": [{"name": "dose", "question": "What was the daily dose?", "type": "number", "unit": "mg"}],
"filters": {"organism": ["Mus musculus"]}}
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response, StreamingResponse

from programs.errors import UsageError
from programs.evidence_table.columns import Column, checked, column_of
from programs.server.answering import Answering, TableAsked
from programs.server.asking import EVENTS, events
from programs.server.errors import BAD_COLUMN, Refusal
from programs.server.options import ServerOptions
from programs.server.replies import Json
from programs.server.requests import Body, FilterField, Question
from programs.server.run import QuestionRun
from programs.server.workers import Workers

_MOST_PAPERS = 1_000


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


class TableResponse(BaseModel):
    """A table; `verify` takes it."""

    model_config = ConfigDict(extra="allow")

    table: int
    program: str
    lm: str
    columns: list[dict[str, Any]]
    rows: Annotated[list[dict[str, Any]], Field(description="A paper each, with a cell a column.")]
    summary: list[dict[str, Any]]
    notes: list[str]


def routes(answering: Answering, workers: Workers, options: ServerOptions) -> APIRouter:
    """The endpoint."""
    router = APIRouter()

    @router.post(
        "/api/table",
        response_model=TableResponse,
        responses={200: {"content": {EVENTS: {"schema": {"type": "string"}}}}},
        summary="Ask every paper every question",
    )
    async def table(asked: TableRequest, request: Request) -> Response:
        wanted = TableAsked(
            _columns(asked), options.table_cells, asked.document_ids, asked.filters, asked.find.strip(), asked.limit
        )
        run = QuestionRun(workers, lambda: answering.table(wanted), options.timeout)
        if EVENTS in request.headers.get("accept", ""):
            headers = {"Cache-Control": "no-store"}
            return StreamingResponse(events(run, options.keep_alive), media_type=EVENTS, headers=headers)
        try:
            return Json(await run.outcome(request))
        finally:
            run.abandon()

    return router


def _columns(asked: TableRequest) -> list[Column]:
    try:
        found = [
            column_of(each.model_dump(mode="json"), f"column {number}")
            for number, each in enumerate(asked.columns, start=1)
        ]
        return checked(found)
    except UsageError as error:
        raise Refusal(BAD_COLUMN, str(error)) from error
