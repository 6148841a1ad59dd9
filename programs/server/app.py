"""The application: routes, limits, error responses and the page.

app = create_app(Index.open("papers.idx"), "ollama/gpt-oss")        # any ASGI server runs it
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dspy
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from programs.errors import CorroborateError
from programs.lm import LM
from programs.retrieval.index import Index
from programs.server import asking, browsing, chat, paper_files
from programs.server.answering import Answering
from programs.server.browsing import Catalogue
from programs.server.errors import (
    BAD_REQUEST,
    INVALID_REQUEST,
    KINDS,
    MALFORMED_JSON,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    Problem,
    logged,
    refused,
)
from programs.server.guards import ApiKey, Bodies, KnownHosts, Mistakes, SecurityHeaders
from programs.server.options import ServerOptions
from programs.server.workers import Workers

_MOST_DETAILS = 10
_NO_JSON = frozenset({"json_invalid", "model_attributes_type", "dict_type"})

PAGE = Path(__file__).parent / "page"
"""The folder of the page at ``/``."""
_INDEX = "index.html"

# Our own table: Python's depends on the machine, which may map .js to a type that browsers refuse for scripts.
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}


class ErrorResponse(BaseModel):
    """Every error has this form."""

    class Error(BaseModel):
        """What went wrong."""

        code: str
        message: str
        next: str
        details: list[dict[str, str]] | None = None

    error: Error


def create_app(index: Index, lm: str | dspy.LM = "extractive", options: ServerOptions | None = None) -> FastAPI:
    """Make the server.

    Args:
        index: Where the papers are; the caller closes it.
        lm: The language model, by name or made.
        options: Limits and rights.
    """
    options = options or ServerOptions()
    model = LM(lm) if isinstance(lm, str) else lm
    answering = Answering(index, model, lm if isinstance(lm, str) else model.model)
    workers = Workers(options.workers, options.waiting)
    app = FastAPI(
        title="Corroborate",
        summary="Answers from scientific papers, with every sentence proved by a passage.",
        version=version("corroborate"),
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        responses=_responses(options),
        dependencies=[Depends(HTTPBearer(auto_error=False))] if options.api_key else [],
    )
    catalogue = Catalogue(index)
    app.include_router(asking.routes(answering, workers, options))
    app.include_router(chat.routes(answering, workers, options))
    app.include_router(browsing.routes(answering, catalogue, options))
    app.include_router(paper_files.routes(answering, options))
    app.include_router(browsing.health(answering, catalogue, workers, options))
    app.include_router(_page(PAGE))
    _guard(app, options)
    _tell_errors(app)
    return app


def _page(folder: Path) -> APIRouter:
    """One route per file of the page's folder: a path that leads elsewhere has no route."""
    router = APIRouter(include_in_schema=False)
    for path in sorted(folder.iterdir()):
        if path.suffix in _TYPES:
            _serve(router, f"/{path.name}", path)
    _serve(router, "/", folder / _INDEX)
    return router


def _serve(router: APIRouter, address: str, path: Path) -> None:
    @router.api_route(address, methods=["GET", "HEAD"])
    async def file() -> Response:
        # Read at each request: the files are small, and an edit shows at once.
        return Response(path.read_bytes(), media_type=_TYPES[path.suffix], headers={"Cache-Control": "no-cache"})


def _responses(options: ServerOptions) -> dict[int | str, dict[str, Any]]:
    """The error responses for the description of the API, each status with its codes."""
    statuses = {kind.status for kind in KINDS if kind.status != 401 or options.api_key}
    return {
        status: {
            "model": ErrorResponse,
            "description": ", ".join(kind.code for kind in KINDS if kind.status == status),
        }
        for status in sorted(statuses)
    }


def _guard(app: FastAPI, options: ServerOptions) -> None:
    """Middleware that is added last comes first: headers, unexpected errors, host, CORS, key, body."""
    uploads = {paper_files.PATH: (options.upload_limit, options.upload_timeout)} if options.uploads else {}
    app.add_middleware(Bodies, limit=options.body_limit, seconds=options.body_timeout, others=uploads)
    if options.api_key:
        app.add_middleware(ApiKey, key=options.api_key)
    if options.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=options.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
        )
    app.add_middleware(KnownHosts, hosts=options.hosts)
    app.add_middleware(Mistakes)
    app.add_middleware(SecurityHeaders)


def _tell_errors(app: FastAPI) -> None:
    @app.exception_handler(CorroborateError)
    async def ours(_: Request, error: CorroborateError) -> Response:
        return refused(logged(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        return refused(_invalid(error.errors()))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        return refused(_http(request, error))


def _invalid(found: Any) -> Problem:  # noqa: ANN401 - pydantic's own form
    first = found[0]
    if first["loc"] == ("body",) or first["type"] == "json_invalid":
        if first["type"] in _NO_JSON:
            return Problem(MALFORMED_JSON, "the body is not a JSON object sent as application/json")
        if first["type"] == "missing":
            return Problem(MALFORMED_JSON, "the request has no body")
    details = [_detail(each) for each in found[:_MOST_DETAILS]]
    message = "; ".join(f"{each['field']}: {each['message']}" if each["field"] else each["message"] for each in details)
    return Problem(INVALID_REQUEST, message, details)


def _detail(found: Mapping[str, Any]) -> dict[str, str]:
    """Where and what, without the value: it may be of any size."""
    place = [str(each)[:60] for each in found["loc"][1:]]  # after "body", "query" or "path"
    message = str(found["msg"]).removeprefix("Value error, ")
    return {"field": ".".join(place), "message": message}


def _http(request: Request, error: HTTPException) -> Problem:
    if error.status_code == NOT_FOUND.status:
        return Problem(NOT_FOUND, f"there is nothing at {request.url.path[:200]!r}")
    if error.status_code == METHOD_NOT_ALLOWED.status:
        message = f"{request.url.path[:200]!r} does not take {request.method}"
        return Problem(METHOD_NOT_ALLOWED, message, headers=dict(error.headers or {}))
    if error.status_code == MALFORMED_JSON.status:
        return Problem(MALFORMED_JSON, "the body is not valid JSON")
    return Problem(BAD_REQUEST, str(error.detail))
