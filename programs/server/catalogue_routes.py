"""``GET /api/programs``, ``/api/fields``, ``/api/documents``, ``/health``, ``/ready``: what can be asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Annotated, Any, Literal

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from programs.ingest.paper_formats import NAMES, READERS
from programs.registry import PROGRAMS
from programs.retrieval.filters import OWN_VALUES, FieldType
from programs.retrieval.index import Index
from programs.server.error_responses import Json
from programs.server.question_service import Answering, require_there, takes
from programs.server.request_queue import ServerOptions, Workers

FRESH_SECONDS = 60.0
"""How long a list of papers counts as fresh: on a Qdrant server others may add some."""

MOST_VALUES = 60
"""A field with more different values is not a menu."""

_OF_ONE_PAPER = frozenset({"title", "doi", "pmcid", "url", "source", "document", "heading"})


@dataclass(frozen=True, slots=True)
class _Papers:
    rows: Sequence[Mapping[str, Any]]
    fields: Mapping[str, FieldType]
    state: str | None
    read_at: float


class Catalogue:
    """The papers of an index, read when it has changed, on a Qdrant server once a minute at most; for all threads."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._papers: _Papers | None = None
        self._reading = threading.Lock()
        self._counting = threading.Lock()
        self._state = index.store.state()
        self._count = index.stats().documents

    def count(self) -> int:
        """Number of papers, counted again when an embedded index has changed; on a server, as last listed."""
        with self._counting:
            state = self._index.store.state()
            if state != self._state:
                self._count, self._state = self._index.stats().documents, state
            return self._count

    def documents(self, limit: int, offset: int) -> dict[str, Any]:
        """A page of the papers in the order of their ids."""
        rows, shown = self._read().rows, []
        for row in rows[offset : offset + limit]:
            own = {"id": row["id"], "title": row.get("title", ""), "year": row.get("year"), "chunks": row["chunks"]}
            # Apart, because these fields may have any name.
            shown.append({**own, "metadata": {name: value for name, value in row.items() if name not in own}})
        return {"documents": shown, "total": len(rows), "limit": limit, "offset": offset}

    def fields(self) -> dict[str, Any]:
        """Every field that filters can name, with the values or the range it has."""
        papers = self._read()
        return {"fields": [_field(name, kind, papers.rows) for name, kind in sorted(papers.fields.items())]}

    def _read(self) -> _Papers:
        require_there(self._index)
        with self._reading:
            known, now, state = self._papers, time.monotonic(), self._index.store.state()
            # Whether the index has not changed since they were read; if unknown, whether that was recently.
            if known is None or (state != known.state if state is not None else now - known.read_at > FRESH_SECONDS):
                with self._index.reading():
                    rows = sorted(self._index.documents(), key=lambda row: str(row["id"]))
                    self._papers = known = _Papers(rows, self._index.fields(), state, now)
                with self._counting:
                    self._count, self._state = len(rows), state
            return known


def _field(name: str, kind: FieldType, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    held = (row.get(name, []) for row in rows)
    values = OWN_VALUES.get(name) or {one for each in held for one in (each if isinstance(each, list) else [each])}
    described: dict[str, Any] = {"name": name, "type": kind, "values": [], "min": None, "max": None}
    if kind == "number":
        numbers = [value for value in values if isinstance(value, int | float)]
        return {**described, "min": min(numbers, default=None), "max": max(numbers, default=None)}
    if name in _OF_ONE_PAPER or len(values) > MOST_VALUES:
        return described
    return {**described, "values": sorted(map(str, values))}


_MOST_DOCUMENTS = 500
_FARTHEST = 2**53
"""The largest range of whole numbers that all JSON readers represent exactly."""

DocumentId = Annotated[str, Path(min_length=1, max_length=500, description="As GET /api/documents lists it.")]


class ProgramList(BaseModel):
    """The programs of the suite."""

    class Program(BaseModel):
        """A program of the suite, as ``GET /api/programs`` lists it."""

        name: str
        title: str
        summary: str
        asks: Literal["paper", "index"]
        available: bool
        default: bool
        takes: list[str]

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
    formats: str
    endings: list[str]


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
    key: Annotated[str, Field(description="What answers and exports cite it by.")]
    metadata: dict[str, Any]
    pages: Annotated[int, Field(description="Of its PDF that can be shown; 0 of any other paper.")]
    length: int
    sections: list[dict[str, Any]]
    figures: list[dict[str, Any]]


class Health(BaseModel):
    """The server is running; what it answers with."""

    status: Literal["ok"]
    version: str
    documents: int
    lm: str
    program: str
    api_key: bool
    waiting: int


class Ready(BaseModel):
    """A question could be answered now."""

    status: Literal["ready"]


def routes(answering: Answering, catalogue: Catalogue, workers: Workers, options: ServerOptions) -> APIRouter:
    """The endpoints; ``/health`` reads the index only when it has changed, and ``/ready`` always does."""
    router = APIRouter()
    listing, counting = CapacityLimiter(1), CapacityLimiter(1)

    async def aside(work: Callable[[], dict[str, Any]]) -> Json:
        """Work in a thread, one at a time: many would starve the event loop."""
        return Json(await to_thread.run_sync(work, limiter=listing))

    @router.get("/api/programs", response_model=ProgramList, summary="Programs that can be asked")
    async def programs() -> Response:
        return await aside(lambda: _programs(options.program))

    @router.get("/api/fields", response_model=FieldList, summary="Fields that filters can name")
    async def fields() -> Response:
        return await aside(catalogue.fields)

    @router.get("/api/documents", response_model=DocumentList, summary="Papers")
    async def documents(
        limit: Annotated[int, Query(ge=1, le=_MOST_DOCUMENTS)] = 50,
        offset: Annotated[int, Query(ge=0, le=_FARTHEST)] = 0,
    ) -> Response:
        taken = {"takes_uploads": options.uploads is not None, "formats": NAMES, "endings": list(READERS)}
        return await aside(lambda: {**catalogue.documents(limit, offset), **taken})

    @router.get("/api/documents/{document_id}", response_model=DocumentDetails, summary="One paper")
    async def document(document_id: DocumentId) -> Response:
        return await aside(lambda: _details(answering, document_id))

    @router.head("/health", include_in_schema=False)
    @router.get("/health", response_model=Health, summary="Whether the server can answer")
    async def healthy() -> Response:
        require_there(answering.index)
        now = Health(
            status="ok",
            version=version("corroborate-papers"),
            documents=await to_thread.run_sync(catalogue.count, limiter=counting),
            lm=answering.lm_name,
            program=options.program,
            api_key=options.api_key is not None,
            waiting=workers.waiting,
        )
        return Json(now.model_dump())

    @router.get("/ready", response_model=Ready, summary="Whether a question could be answered now: asks the index")
    async def ready() -> Response:
        require_there(answering.index)
        await to_thread.run_sync(answering.index.require_answer, limiter=counting)
        return Json({"status": "ready"})

    return router


def _programs(default: str) -> dict[str, Any]:
    listed = []
    for each in PROGRAMS:
        taken = list(takes(each))
        known = {name: getattr(each, name) for name in ("name", "title", "summary", "asks")}
        listed.append({**known, "available": bool(taken), "default": each.name == default, "takes": taken})
    return {"programs": listed}


def _details(answering: Answering, document_id: str) -> dict[str, Any]:
    document = answering.document(document_id)
    shown = ("id", "title", "authors", "year", "journal", "doi", "pmcid", "url")
    return {
        **{name: getattr(document, name) for name in shown},
        "key": answering.index.citation_keys()[document.id],
        "metadata": dict(document.metadata),
        "pages": max((place.page for place in document.places), default=0),
        "length": len(document.text),
        "sections": [asdict(section) for section in document.sections],
        "figures": [asdict(figure) for figure in document.figures],
    }
