"""The application: routes, middleware, error responses and the page.

app = create_app(Index.open("papers.idx"), "ollama/gpt-oss")        # any ASGI server runs it

The middleware is written against ASGI itself: Starlette's ``BaseHTTPMiddleware`` would hide from requests that a client
has disconnected.
"""

from __future__ import annotations

import asyncio
import hmac
import re
from collections.abc import Callable, Collection, Mapping, MutableMapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dspy
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import BaseModel
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from programs.config import is_loopback
from programs.errors import CorroborateError
from programs.lm import LM
from programs.retrieval.index import Index
from programs.server import catalogue_routes, paper_file_routes, question_routes
from programs.server.catalogue_routes import Catalogue
from programs.server.error_responses import SECURITY_HEADERS, Kind, Problem, logged, refused
from programs.server.question_service import Answering
from programs.server.request_queue import ServerOptions, Workers

_API = "/api"
_ANY = "*"
_HOST = re.compile(r"(?:\[(?P<address>[^\]]*)\]|(?P<name>[^:\[\]]*))(?::[0-9]{0,5})?")


class _Middleware:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app


class SecurityHeaders(_Middleware):
    """Sends the security headers with every response."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        await self._app(scope, receive, with_headers)


class Mistakes(_Middleware):
    """Sends an error response for unexpected exceptions.

    Starlette's own middleware for this raises them again, and uvicorn then drops the connection, with the next request
    that a client may have sent on it.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            if begun or scope["type"] != "http":
                raise
            await refused(logged(error))(scope, receive, send)


class Guard(_Middleware):
    """Refuses requests in which ``problem_of`` finds a problem."""

    def __init__(self, app: ASGIApp, problem_of: Callable[[Scope], Problem | None]) -> None:
        super().__init__(app)
        self._problem_of = problem_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        problem = self._problem_of(scope) if scope["type"] == "http" else None
        await (refused(problem) if problem else self._app)(scope, receive, send)


def _unknown_host(hosts: Collection[str], scope: Scope) -> Problem | None:
    """Requests that address the server by a name beside the given ones and those of the loopback interface."""
    given = Headers(scope=scope).get("host", "")
    host = _name(given)
    is_known = _ANY in hosts or host in map(str.casefold, hosts) or is_loopback(host)
    return None if is_known else Problem(Kind.BAD_HOST, f"this server does not go by the name {given!r}")


def _without_key(key: bytes, scope: Scope) -> Problem | None:
    """Requests to the API that do not send the key."""
    path, headers = scope.get("path", ""), Headers(scope=scope)
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    given = [headers.get("x-api-key", ""), *([bearer.strip()] if kind.casefold() == "bearer" else [])]
    # Every candidate is compared in full: the time must not depend on the key.
    is_known = any([hmac.compare_digest(each.encode("latin-1"), key) for each in given])  # noqa: C419
    if is_known or not f"{path}/".startswith(f"{_API}/"):
        return None
    return Problem(Kind.UNAUTHORIZED, "the API key is missing or wrong", headers={"WWW-Authenticate": "Bearer"})


class Bodies(_Middleware):
    """Reads a request's body before the application does, and refuses one that is too large or too slow.

    The limit in bytes holds whether the size is announced or not; ``others`` are limits and seconds of single paths.
    """

    def __init__(
        self, app: ASGIApp, limit: int, seconds: float, others: Mapping[str, tuple[int, float]] | None = None
    ) -> None:
        super().__init__(app)
        self._usual = limit, seconds
        self._others = others or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit, seconds = self._others.get(scope.get("path", ""), self._usual)
        kind, message = Kind.BODY_TOO_LARGE, f"the request's body has more than {limit} bytes"
        try:
            body = await asyncio.wait_for(self._read(scope, receive, limit), seconds)
        except TimeoutError:
            body, kind = None, Kind.BODY_TOO_SLOW
            message = f"the request's body had not come after {seconds:g} seconds"
        if body is None:
            await refused(Problem(kind, message, headers={"Connection": "close"}))(scope, receive, send)
        else:
            await self._app(scope, _replayed(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive, limit: int) -> list[Message] | None:
        """The messages of the body; None if it is too large."""
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > limit:
            return None
        size = 0
        messages: list[Message] = []
        while not messages or messages[-1].get("more_body"):
            messages.append(await receive())
            size += len(messages[-1].get("body", b""))
            if size > limit:
                return None
        return messages


def _replayed(messages: list[Message], receive: Receive) -> Receive:
    waiting = list(reversed(messages))

    async def replay() -> MutableMapping[str, Any]:
        return waiting.pop() if waiting else await receive()

    return replay


def _name(host: str) -> str:
    """A host header without its port: ``[::1]:8000`` is ``::1``; empty when what follows is not a port."""
    found = _HOST.fullmatch(host)
    return (found["address"] or found["name"] or "").casefold() if found else ""


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
    """Make the server; the language model is given by name or made, and the caller closes the index."""
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
    app.include_router(question_routes.routes(answering, workers, options))
    app.include_router(catalogue_routes.routes(answering, catalogue, options))
    app.include_router(paper_file_routes.routes(answering, options))
    app.include_router(catalogue_routes.health(answering, catalogue, workers, options))
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
    statuses = {kind.status for kind in Kind if kind.status != 401 or options.api_key}
    return {
        status: {"model": ErrorResponse, "description": ", ".join(kind.code for kind in Kind if kind.status == status)}
        for status in sorted(statuses)
    }


def _guard(app: FastAPI, options: ServerOptions) -> None:
    """Middleware that is added last comes first: headers, unexpected errors, host, CORS, key, body."""
    uploads = {paper_file_routes.PATH: (options.upload_limit, options.upload_timeout)} if options.uploads else {}
    app.add_middleware(Bodies, limit=options.body_limit, seconds=options.body_timeout, others=uploads)
    if options.api_key:
        app.add_middleware(Guard, problem_of=partial(_without_key, options.api_key.encode()))
    if options.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=options.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
        )
    app.add_middleware(Guard, problem_of=partial(_unknown_host, options.hosts))
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
            return Problem(Kind.MALFORMED_JSON, "the body is not a JSON object sent as application/json")
        if first["type"] == "missing":
            return Problem(Kind.MALFORMED_JSON, "the request has no body")
    details = [_detail(each) for each in found[:_MOST_DETAILS]]
    message = "; ".join(f"{each['field']}: {each['message']}" if each["field"] else each["message"] for each in details)
    return Problem(Kind.INVALID_REQUEST, message, details)


def _detail(found: Mapping[str, Any]) -> dict[str, str]:
    """Where and what, without the value: it may be of any size."""
    place = [str(each)[:60] for each in found["loc"][1:]]  # after "body", "query" or "path"
    message = str(found["msg"]).removeprefix("Value error, ")
    return {"field": ".".join(place), "message": message}


def _http(request: Request, error: HTTPException) -> Problem:
    if error.status_code == Kind.NOT_FOUND.status:
        return Problem(Kind.NOT_FOUND, f"there is nothing at {request.url.path[:200]!r}")
    if error.status_code == Kind.METHOD_NOT_ALLOWED.status:
        message = f"{request.url.path[:200]!r} does not take {request.method}"
        return Problem(Kind.METHOD_NOT_ALLOWED, message, headers=dict(error.headers or {}))
    if error.status_code == Kind.MALFORMED_JSON.status:
        return Problem(Kind.MALFORMED_JSON, "the body is not valid JSON")
    return Problem(Kind.BAD_REQUEST, str(error.detail))
