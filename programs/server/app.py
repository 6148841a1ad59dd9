"""The application: routes, middleware, error responses and the page.

app = create_app(Index.open("papers.idx"), "ollama/gpt-oss")        # any ASGI server runs it

The middleware is written against ASGI itself: Starlette's ``BaseHTTPMiddleware`` would hide from requests that a client
has disconnected.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path

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
from programs.server import catalogue_routes, export_routes, paper_file_routes, question_routes
from programs.server.catalogue_routes import Catalogue
from programs.server.error_responses import SECURITY_HEADERS, Kind, Refusal, invalid_request, logged, refused, unsaid
from programs.server.question_service import Answering
from programs.server.request_queue import ServerOptions, Workers

_ANY = "*"
_HOST = re.compile(r"(?:\[(?P<address>[^\]]*)\]|(?P<name>[^:\[\]]*))(?::[0-9]{0,5})?")


def with_security_headers(app: ASGIApp) -> ASGIApp:
    """Send the security headers with every response."""

    async def passed(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        await app(scope, receive, with_headers)

    return passed


def guarded(app: ASGIApp, refusal_of: Callable[[Scope], Refusal | None]) -> ASGIApp:
    """Refuse requests for which there is a refusal."""

    async def passed(scope: Scope, receive: Receive, send: Send) -> None:
        refusal = refusal_of(scope) if scope["type"] == "http" else None
        await (refused(refusal) if refusal else app)(scope, receive, send)

    return passed


def _unknown_host(hosts: Collection[str], scope: Scope) -> Refusal | None:
    """Requests that address the server by a name beside the given ones and those of the loopback interface."""
    given = Headers(scope=scope).get("host", "")
    # Without its port: ``[::1]:8000`` is ``::1``; empty when what follows is not a port.
    found = _HOST.fullmatch(given)
    host = (found["address"] or found["name"] or "").casefold() if found else ""
    is_known = _ANY in hosts or host in map(str.casefold, hosts) or is_loopback(host)
    return None if is_known else Refusal(Kind.BAD_HOST, f"this server does not go by the name {given!r}")


def _without_key(key: bytes, scope: Scope) -> Refusal | None:
    """Requests to the API that do not send the key."""
    path, headers = scope.get("path", ""), Headers(scope=scope)
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    given = [headers.get("x-api-key", ""), *([bearer.strip()] if kind.casefold() == "bearer" else [])]
    # Every candidate is compared in full: the time must not depend on the key.
    is_known = any([hmac.compare_digest(each.encode("latin-1"), key) for each in given])  # noqa: C419
    if is_known or not f"{path}/".startswith("/api/"):
        return None
    return Refusal(Kind.UNAUTHORIZED, "the API key is missing or wrong", WWW_Authenticate="Bearer")


def with_bodies_read(app: ASGIApp, limit: int, others: Mapping[str, int]) -> ASGIApp:
    """Read a request's body before the application does, and refuse one of more bytes, whether announced or not.

    ``others`` are the limits of single paths.
    """

    async def passed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        most, messages = others.get(scope.get("path", ""), limit), list[Message]()
        announced = Headers(scope=scope).get("content-length", "")
        size = int(announced[:20]) if announced.isdecimal() else 0
        read = 0
        while size <= most and (not messages or messages[-1].get("more_body")):
            messages.append(await receive())
            read += len(messages[-1].get("body", b""))
            size = max(size, read)
        if size > most:
            said = f"the request's body has more than {most} bytes"
            await refused(Refusal(Kind.BODY_TOO_LARGE, said, Connection="close"))(scope, receive, send)
            return
        body = iter(messages)

        async def replay() -> Message:
            return next(body, None) or await receive()

        await app(scope, replay, send)

    return passed


PAGE = Path(__file__).parent / "page"
"""The folder of the page at ``/``."""

# Our own table: Python's depends on the machine, which may map .js to a type that browsers refuse for scripts.
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class ErrorResponse(BaseModel):
    """Every error has this form."""

    class Error(BaseModel):
        """What went wrong."""

        code: str
        message: str
        next: str
        see: str | None = None
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
        version=version("corroborate-papers"),
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        responses={
            status: {"model": ErrorResponse, "description": ", ".join(it.code for it in Kind if it.status == status)}
            for status in sorted({it.status for it in Kind if it.status != 401 or options.api_key})
        },
        dependencies=[Depends(HTTPBearer(auto_error=False))] if options.api_key else [],
    )
    app.include_router(question_routes.routes(answering, workers, options))
    app.include_router(catalogue_routes.routes(answering, Catalogue(index), workers, options))
    app.include_router(paper_file_routes.routes(answering, options))
    app.include_router(export_routes.routes(answering))
    app.include_router(_page(PAGE))
    _guard(app, options)
    _add_error_handlers(app)
    return app


def _page(folder: Path) -> APIRouter:
    """One route per file of the page's folder: a path that leads elsewhere has no route."""
    router = APIRouter(include_in_schema=False)

    def serve(address: str, path: Path) -> None:
        @router.api_route(address, methods=["GET", "HEAD"])
        async def file() -> Response:
            # Read at each request: the files are small, and an edit shows at once.
            return Response(path.read_bytes(), media_type=_TYPES[path.suffix], headers={"Cache-Control": "no-cache"})

    for path in sorted(folder.iterdir()):
        if path.suffix in _TYPES:
            serve(f"/{path.name}", path)
    serve("/", folder / "index.html")
    return router


def _guard(app: FastAPI, options: ServerOptions) -> None:
    """Middleware that is added last comes first: headers, host, CORS, key, body."""
    larger = {export_routes.PATH: export_routes.LARGEST}
    if options.uploads:
        larger[paper_file_routes.PATH] = options.upload_limit
    app.add_middleware(with_bodies_read, limit=options.body_limit, others=larger)
    if options.api_key:
        app.add_middleware(guarded, refusal_of=partial(_without_key, options.api_key.encode()))
    if options.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=options.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
        )
    app.add_middleware(guarded, refusal_of=partial(_unknown_host, options.hosts))
    app.add_middleware(with_security_headers)


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(CorroborateError)
    async def ours(_: Request, error: CorroborateError) -> Response:
        return refused(logged(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        return refused(invalid_request(error.errors()))

    @app.exception_handler(Exception)
    async def internal(_: Request, error: Exception) -> Response:
        # uvicorn logs it, and closes the connection.
        return refused(Refusal(Kind.INTERNAL, str(unsaid(error)), Connection="close"))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        address = repr(request.url.path[:200])
        known = {
            404: Refusal(Kind.NOT_FOUND, f"there is nothing at {address}"),
            405: Refusal(
                Kind.METHOD_NOT_ALLOWED, f"{address} does not take {request.method}", (), **(error.headers or {})
            ),
            400: Refusal(Kind.MALFORMED_JSON, "the body is not valid JSON"),
        }
        return refused(known.get(error.status_code) or Refusal(Kind.BAD_REQUEST, str(error.detail)))
