"""``POST /api/ask``: any program, answered at once or as a stream of server-sent events.

    event: step      {"name": "retrieve", "message": "Retrieved 40 candidates", "facts": {…}}
    event: text      {"delta": "Femur density fell by 12.4 % [1]. "}
    event: result    {… the whole result …}
    event: error     {"error": {…}, "status": 503}

The text comes after verification, sentence by sentence: what was not verified is never shown as an answer.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from itertools import pairwise
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response, StreamingResponse

from metrics.sentences import sentences
from programs.server.answering import Answering, AskedQuestion
from programs.server.errors import logged
from programs.server.options import ServerOptions
from programs.server.replies import Json
from programs.server.requests import Body, FilterField, Question, TopK
from programs.server.run import QuestionRun
from programs.server.workers import Workers

EVENTS = "text/event-stream"
_KEEP_ALIVE = ": keep-alive\n\n"


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


class AskResponse(BaseModel):
    """A result; programs add fields of their own."""

    model_config = ConfigDict(extra="allow")

    program: str
    lm: str
    form: Annotated[int, Field(description="Of the certificates, which a later version may write otherwise.")]
    question: str
    answer: Annotated[str, Field(description="Empty when the papers do not hold the answer.")]
    answerable: bool
    citations: Annotated[list[dict[str, Any]], Field(description="A certificate for each cited sentence.")]
    passages: list[dict[str, Any]]
    unsupported_claims: list[dict[str, str]]
    repairs: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    topic: str
    uncited: list[str]
    notes: list[str]
    metrics: dict[str, Any]


def routes(answering: Answering, workers: Workers, options: ServerOptions) -> APIRouter:
    """The endpoint."""
    router = APIRouter()

    @router.post(
        "/api/ask",
        response_model=AskResponse,
        responses={200: {"content": {EVENTS: {"schema": {"type": "string"}}}}},
        summary="Ask a program",
    )
    async def ask(asked: AskRequest, request: Request) -> Response:
        wanted = AskedQuestion(
            asked.question,
            asked.program or options.program,
            asked.filters,
            asked.top_k,
            asked.document_id,
            asked.verify,
        )
        answering.check(wanted)
        run = QuestionRun(workers, lambda: answering(wanted), options.timeout)
        if EVENTS in request.headers.get("accept", ""):
            return StreamingResponse(
                events(run, options.keep_alive), media_type=EVENTS, headers={"Cache-Control": "no-store"}
            )
        try:
            return Json(await run.outcome(request))
        finally:
            run.abandon()

    return router


async def events(run: QuestionRun, keep_alive: float) -> AsyncIterator[str]:
    """The steps of a run, its text and its result, or what went wrong, as server-sent events."""
    try:
        async for step in run.steps(keep_alive):
            yield _event("step", asdict(step)) if step else _KEEP_ALIVE
        result = await run.outcome()
        for delta in deltas(result.get("answer", "")):
            yield _event("text", {"delta": delta})
        yield _event("result", result)
    except Exception as error:  # noqa: BLE001 - the response has begun, so this is where errors are told
        problem = logged(error)
        yield _event("error", {**problem.as_dict(), "status": problem.kind.status})
    finally:
        run.abandon()


def _event(name: str, data: dict[str, Any]) -> str:
    # With every character beyond ASCII escaped no text can hold a line break of the stream's format.
    return f"event: {name}\ndata: {json.dumps(data, allow_nan=False, default=str)}\n\n"


def deltas(answer: str) -> Iterator[str]:
    """The sentences of an answer, each with the white space after it; joined they are the answer."""
    starts = [0, *(sentence.start for sentence in sentences(answer)[1:]), len(answer)]
    return (answer[start:end] for start, end in pairwise(starts) if end > start)
