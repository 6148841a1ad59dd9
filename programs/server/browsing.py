"""``GET /api/programs``, ``/api/fields``, ``/api/documents``, ``/health``: what there is to ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from typing import Annotated, Any, Literal, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Path, Query
from pydantic import BaseModel
from starlette.responses import Response

from programs.ingest.document import Document
from programs.registry import PROGRAMS, Entry
from programs.server.answering import Answering, require_there, takes
from programs.server.catalogue import Catalogue
from programs.server.options import ServerOptions
from programs.server.replies import Json
from programs.server.workers import Workers

T = TypeVar("T")

LONGEST_TEXT = 20_000
_USUAL_TEXT = 4_000
_MOST_DOCUMENTS = 500
_FARTHEST = 2**53
"""Whole numbers that JSON's readers agree on end here."""

DocumentId = Annotated[str, Path(min_length=1, max_length=500, description="As GET /api/documents lists it.")]


class ProgramList(BaseModel):
    """The programs of the suite."""

    class Program(BaseModel):
        """A program of the suite, as ``GET /api/programs`` lists it."""

        name: str
        summary: str
        asks: Literal["paper", "index"]
        available: bool
        default: bool
        takes: list[str]
        compiled: str | None

    programs: list[Program]


class FieldList(BaseModel):
    """What filters can name."""

    class Field(BaseModel):
        """A field of the metadata that filters can name, with some of its values."""

        name: str
        type: Literal["keyword", "number"]
        values: list[str]
        min: float | None
        max: float | None

    fields: list[Field]


class DocumentList(BaseModel):
    """A page of the papers."""

    class Document(BaseModel):
        """An indexed paper, as ``GET /api/documents`` lists it."""

        id: str
        title: str
        year: int | None
        chunks: int
        metadata: dict[str, Any]

    documents: list[Document]
    total: int
    limit: int
    offset: int
    takes_uploads: bool


class DocumentDetails(BaseModel):
    """A paper without its text; offsets are in Unicode code points."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    journal: str
    doi: str
    pmcid: str
    url: str
    metadata: dict[str, Any]
    length: int
    sections: list[dict[str, Any]]
    figures: list[dict[str, Any]]


class DocumentText(BaseModel):
    """A span of a paper's text; offsets are in Unicode code points."""

    id: str
    start: int
    end: int
    length: int
    text: str


class Health(BaseModel):
    """That the server is there, and what it answers with."""

    status: Literal["ok"]
    version: str
    documents: int
    lm: str
    program: str
    api_key: bool
    waiting: int


class Ready(BaseModel):
    """That a question could be answered now."""

    status: Literal["ready"]


def routes(answering: Answering, catalogue: Catalogue, options: ServerOptions) -> APIRouter:
    """The endpoints under ``/api``."""
    router = APIRouter(prefix="/api")
    one_at_a_time = CapacityLimiter(1)

    async def aside(work: Callable[[], T]) -> T:
        """Off the event loop, but never many at once: they would keep it from its turn."""
        return await to_thread.run_sync(work, limiter=one_at_a_time)

    @router.get("/programs", response_model=ProgramList, summary="Programs that can be asked")
    async def programs() -> Response:
        return Json({"programs": await aside(lambda: [_program(each, answering, options) for each in PROGRAMS])})

    @router.get("/fields", response_model=FieldList, summary="Fields that filters can name")
    async def fields() -> Response:
        return Json(await aside(catalogue.fields))

    @router.get("/documents", response_model=DocumentList, summary="Papers")
    async def documents(
        limit: Annotated[int, Query(ge=1, le=_MOST_DOCUMENTS)] = 50,
        offset: Annotated[int, Query(ge=0, le=_FARTHEST)] = 0,
    ) -> Response:
        page = await aside(lambda: catalogue.documents(limit, offset))
        return Json({**page, "takes_uploads": options.uploads is not None})

    @router.get("/documents/{document_id}", response_model=DocumentDetails, summary="One paper")
    async def document(document_id: DocumentId) -> Response:
        return Json(await aside(lambda: _details(answering.document(document_id))))

    @router.get("/documents/{document_id}/text", response_model=DocumentText, summary="A span of a paper's text")
    async def text(
        document_id: DocumentId,
        start: Annotated[int, Query(ge=0, le=_FARTHEST)] = 0,
        end: Annotated[int | None, Query(ge=0, le=_FARTHEST, description="By default 4,000 after the start.")] = None,
    ) -> Response:
        until = start + _USUAL_TEXT if end is None else end
        return Json(await aside(lambda: _text(answering.document(document_id), start, until)))

    return router


def health(answering: Answering, catalogue: Catalogue, workers: Workers, options: ServerOptions) -> APIRouter:
    """``/health``, which waits for the engine only when the index has changed, and ``/ready``, which asks it."""
    router = APIRouter()
    counting = CapacityLimiter(1)
    answer = {"status": "ok", "version": version("corroborate"), "lm": answering.lm_name, "program": options.program}

    @router.head("/health", include_in_schema=False)
    @router.get("/health", response_model=Health, summary="Whether the server can answer")
    async def healthy() -> Response:
        require_there(answering.index)
        documents = await to_thread.run_sync(catalogue.count, limiter=counting)
        now = {"documents": documents, "waiting": workers.waiting}
        return Json({**answer, **now, "api_key": options.api_key is not None})

    @router.get("/ready", response_model=Ready, summary="Whether a question could be answered now: asks the index")
    async def ready() -> Response:
        require_there(answering.index)
        await to_thread.run_sync(answering.index.require_answer, limiter=counting)
        return Json({"status": "ready"})

    return router


def _program(entry: Entry, answering: Answering, options: ServerOptions) -> dict[str, Any]:
    taken = takes(entry)
    return {
        "name": entry.name,
        "summary": entry.summary,
        "asks": entry.asks,
        "available": bool(taken),
        "default": entry.name == options.program,
        "takes": list(taken),
        "compiled": answering.compiled(entry.name) if taken else None,
    }


def _details(document: Document) -> dict[str, Any]:
    shown = ("id", "title", "authors", "year", "journal", "doi", "pmcid", "url")
    return {
        **{name: getattr(document, name) for name in shown},
        "metadata": dict(document.metadata),
        "length": len(document.text),
        "sections": [asdict(section) for section in document.sections],
        "figures": [asdict(figure) for figure in document.figures],
    }


def _text(document: Document, start: int, end: int) -> dict[str, Any]:
    length = len(document.text)
    first = min(start, length)
    last = max(first, min(end, length, first + LONGEST_TEXT))
    return {"id": document.id, "start": first, "end": last, "length": length, "text": document.text[first:last]}
