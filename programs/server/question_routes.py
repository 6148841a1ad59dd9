"""``POST /api/ask``, ``/api/table`` and ``/api/chat``: questions, papers × questions, and the chat of `multi_signal`.

As JSON or, but for the chat, as server-sent events:

    event: step      {"name": "retrieve", "message": "Retrieved 40 candidates", "facts": {…}}
    event: result    {… the whole result …}
    event: error     {"error": {…}, "status": 503}

What was not verified is never shown as an answer. A table:

    {"columns": [{"name": "dose", "question": "What was the daily dose?", "type": "number", "unit": "mg"}],
    "filters": {"organism": ["Mus musculus"]}}
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response, StreamingResponse

from programs.results.rendering import NO_ANSWER
from programs.server.error_responses import Json, logged
from programs.server.question_service import Answering, AskRequest, Body, FilterField, Question, TableRequest, TopK
from programs.server.request_queue import QuestionRun, ServerOptions, Workers

EVENTS = "text/event-stream"
_KEEP_ALIVE = ": keep-alive\n\n"
_TABLE = "Ask every paper every question"


class AskResponse(BaseModel, extra="allow"):
    """A result; programs add their own fields."""

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


async def _response(run: QuestionRun, request: Request, keep_alive: float | None = None) -> Response:
    """The outcome of a run as JSON, or as a stream where there may be one and the client accepts it."""
    if keep_alive and EVENTS in request.headers.get("accept", ""):
        headers = {"Cache-Control": "no-store"}
        return StreamingResponse(events(run, keep_alive), media_type=EVENTS, headers=headers)
    try:
        return Json(await run.outcome(request))
    finally:
        run.abandon()


async def events(run: QuestionRun, keep_alive: float) -> AsyncIterator[str]:
    """The steps of a run and its result, or what went wrong, as server-sent events."""
    try:
        async for step in run.steps(keep_alive):
            yield _event("step", asdict(step)) if step else _KEEP_ALIVE
        yield _event("result", await run.outcome())
    except Exception as error:  # noqa: BLE001 - the response has begun, so errors are reported here
        refusal = logged(error)
        yield _event("error", {**refusal.as_dict(), "status": refusal.kind.status})
    finally:
        run.abandon()


def _event(name: str, data: dict[str, Any]) -> str:
    # With every character beyond ASCII escaped no text can hold a line break of the stream's format.
    return f"event: {name}\ndata: {json.dumps(data, allow_nan=False, default=str)}\n\n"


class TableResponse(BaseModel, extra="allow"):
    """A table; `verify` takes it."""

    table: int
    program: str
    lm: str
    columns: list[dict[str, Any]]
    rows: Annotated[list[dict[str, Any]], Field(description="A paper each, with a cell a column.")]
    summary: list[dict[str, Any]]
    notes: list[str]


# The chat has request and response as the description of `multi_signal` gives them. Additional keys are ``answerable``,
# ``notes`` and in each citation ``number``, ``document_id``, ``cited`` and ``verdict``. ``[n]`` in the answer is the
# n-th citation, so every passage has one, cited or not. Boosts are signals in [0, 1], as `multi_signal` weighs them.

PROGRAM = "multi_signal"
SNIPPET = 300


class ChatRequest(Body):
    """A question."""

    query: Question
    filters: FilterField = None
    top_k: TopK = None


class ChatCitation(BaseModel):
    """A passage that the answer was written from."""

    source_id: str
    section: Annotated[str, Field(examples=["Results"])]
    snippet: Annotated[str, Field(description="The quote that the answer rests on, else how the passage begins.")]
    doi: str
    similarity_score: float
    section_boost: float
    final_score: float
    relevance_reason: str
    number: int
    document_id: str
    cited: bool
    verdict: str | None


class ChatMetrics(BaseModel):
    """Figures of an answer."""

    latency_ms: float
    retrieved_k: int
    grounded_ratio: Annotated[
        float, Field(description="Sentences that cite / sentences that have to; 0 without an answer.")
    ]
    section_distribution: dict[str, int]
    dedup_count: int


class ChatResponse(BaseModel):
    """An answer with its sources."""

    answer: str
    citations: list[ChatCitation]
    metrics: ChatMetrics
    answerable: bool
    notes: list[str]


def as_chat(result: Mapping[str, Any]) -> ChatResponse:
    """Convert a result to the form of the description."""
    passages, metrics = result["passages"], result["metrics"]
    return ChatResponse(
        answer=result["answer"] or NO_ANSWER,
        citations=[_chat_citation(number, each, result["citations"]) for number, each in enumerate(passages, start=1)],
        metrics=ChatMetrics(
            latency_ms=metrics["latency_ms"],
            retrieved_k=len(passages),
            grounded_ratio=metrics["grounded_ratio"] or 0.0,
            section_distribution=Counter(passage["section"].capitalize() for passage in passages),
            dedup_count=metrics["dedup_count"],
        ),
        answerable=result["answerable"],
        notes=result["notes"],
    )


def _chat_citation(number: int, passage: Mapping[str, Any], certificates: Sequence[Mapping[str, Any]]) -> ChatCitation:
    proofs = [each for each in certificates if each["passage"] == passage["id"]]
    best = max(proofs, key=lambda each: (each["verdict"] == "supported", each["score"]), default=None)
    scores, snippet = passage["scores"], " ".join(((best or {}).get("quote") or passage["text"]).split())
    return ChatCitation(
        source_id=passage["id"],
        section=passage["section"].capitalize(),
        snippet=snippet if len(snippet) <= SNIPPET else f"{snippet[:SNIPPET].rsplit(' ', 1)[0]}…",
        doi=passage["doi"],
        similarity_score=round(scores["sim"], 4),
        section_boost=round(scores["sec_boost"], 4),
        final_score=round(scores["final"], 4),
        relevance_reason=passage["relevance_reason"],
        number=number,
        document_id=passage["document_id"],
        cited=bool(proofs),
        verdict=best["verdict"] if best else None,
    )


def routes(answering: Answering, workers: Workers, options: ServerOptions) -> APIRouter:
    """The endpoints."""
    router = APIRouter()
    streamed: dict[int | str, dict[str, Any]] = {200: {"content": {EVENTS: {"schema": {"type": "string"}}}}}

    def run(work: Callable[[], dict[str, Any]]) -> QuestionRun:
        return QuestionRun(workers, work, options.timeout)

    @router.post("/api/ask", response_model=AskResponse, responses=streamed, summary="Ask a program")
    async def ask(asked: AskRequest, request: Request) -> Response:
        program = asked.program or options.program
        answering.check(asked, program)
        return await _response(run(lambda: answering(asked, program)), request, options.keep_alive)

    @router.post("/api/table", response_model=TableResponse, responses=streamed, summary=_TABLE)
    async def table(asked: TableRequest, request: Request) -> Response:
        columns = asked.as_columns()
        work = run(lambda: answering.table(asked, columns, options.table_cells))
        return await _response(work, request, options.keep_alive)

    @router.post("/api/chat", response_model=ChatResponse, summary="Ask multi_signal")
    async def chat(asked: ChatRequest, request: Request) -> Response:
        wanted = AskRequest(question=asked.query, filters=asked.filters, top_k=asked.top_k)
        answering.check(wanted, PROGRAM)
        return await _response(run(lambda: as_chat(answering(wanted, PROGRAM)).model_dump()), request)

    return router
