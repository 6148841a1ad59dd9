"""``POST /api/chat``: `multi_signal` with the request and response of its description.

    {"query": "How does microgravity affect mouse bone density?", "filters": {"organism": ["Mus musculus"]}, "top_k": 8}

Additional keys are ``answerable``, ``notes`` and in each citation ``number``, ``document_id``, ``cited`` and
``verdict``. ``[n]`` in the answer is the n-th citation, so every passage has one, cited or not. Boosts are signals in
[0, 1], as `multi_signal` weighs them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from programs.server.answering import Answering, AskedQuestion
from programs.server.asking import Body, FilterField, Question, TopK
from programs.server.errors import Json
from programs.server.options import ServerOptions
from programs.server.workers import QuestionRun, Workers

PROGRAM = "multi_signal"
NO_ANSWER = "The papers do not hold an answer to this question."
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


def routes(answering: Answering, workers: Workers, options: ServerOptions) -> APIRouter:
    """The endpoint."""
    router = APIRouter()

    @router.post("/api/chat", response_model=ChatResponse, summary="Ask multi_signal")
    async def chat(asked: ChatRequest, request: Request) -> Response:
        wanted = AskedQuestion(asked.query, PROGRAM, asked.filters, asked.top_k)
        answering.check(wanted)
        run = QuestionRun(workers, lambda: answering(wanted), options.timeout)
        try:
            return Json(as_chat(await run.outcome(request)).model_dump())
        finally:
            run.abandon()

    return router


def as_chat(result: Mapping[str, Any]) -> ChatResponse:
    """Convert a result to the form of the description."""
    passages, metrics = result["passages"], result["metrics"]
    return ChatResponse(
        answer=result["answer"] or NO_ANSWER,
        citations=[_citation(number, passage, result["citations"]) for number, passage in enumerate(passages, start=1)],
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


def _citation(number: int, passage: Mapping[str, Any], certificates: Sequence[Mapping[str, Any]]) -> ChatCitation:
    proofs = [each for each in certificates if each["passage"] == passage["id"]]
    best = max(proofs, key=lambda each: (each["verdict"] == "supported", each["score"]), default=None)
    scores = passage["scores"]
    return ChatCitation(
        source_id=passage["id"],
        section=passage["section"].capitalize(),
        snippet=_shortened((best or {}).get("quote") or passage["text"]),
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


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET else f"{line[:SNIPPET].rsplit(' ', 1)[0]}…"
