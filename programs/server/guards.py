"""ASGI middleware: security headers, unexpected errors, host names, the API key, size and time of the body.

Written against ASGI itself: Starlette's ``BaseHTTPMiddleware`` would hide from requests that a client has disconnected.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from programs.server.errors import (
    BAD_HOST,
    BODY_TOO_LARGE,
    BODY_TOO_SLOW,
    SECURITY_HEADERS,
    UNAUTHORIZED,
    Kind,
    Problem,
    logged,
    refused,
)

_API = "/api"
_ANY = "*"
_HOST = re.compile(r"(?:\[(?P<address>[^\]]*)\]|(?P<name>[^:\[\]]*))(?::[0-9]{0,5})?")


class SecurityHeaders:
    """Sends the security headers with every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        await self._app(scope, receive, with_headers)


class Mistakes:
    """Sends an error response for unexpected exceptions.

    Starlette's own middleware for this raises them again, and uvicorn then drops the connection, with the next request
    that a client may have sent on it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

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


class KnownHosts:
    """Refuses requests that address the server by a name it does not know.

    Args:
        app: What comes next.
        hosts: Names beside those of the loopback interface; "*" for any.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = {host.casefold() for host in hosts} | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        given = Headers(scope=scope).get("host", "") if scope["type"] == "http" else "localhost"
        host = _name(given)
        if _ANY in self._hosts or host in self._hosts or _is_loopback(host):
            await self._app(scope, receive, send)
        else:
            await _refuse(BAD_HOST, f"this server does not go by the name {given!r}", scope, receive, send)


class ApiKey:
    """Refuses requests to the API without the key.

    Args:
        app: What comes next.
        key: The key.
    """

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        path = scope.get("path", "")
        if scope["type"] != "http" or not (path == _API or path.startswith(f"{_API}/")) or self._knows(scope):
            await self._app(scope, receive, send)
        else:
            await _refuse(
                UNAUTHORIZED, "the API key is missing or wrong", scope, receive, send, {"WWW-Authenticate": "Bearer"}
            )

    def _knows(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        given = [headers.get("x-api-key", ""), *([bearer.strip()] if kind.casefold() == "bearer" else [])]
        # Every candidate is compared in full: the time must not depend on the key.
        return any([hmac.compare_digest(each.encode("latin-1"), self._key) for each in given])  # noqa: C419


class Bodies:
    """Reads a request's body before the application does, and refuses one that is too large or too slow.

    Args:
        app: The application.
        limit: Largest number of bytes, announced or not.
        seconds: Time in which the body must arrive.
        others: Limit and time for the bodies of single paths.
    """

    def __init__(
        self, app: ASGIApp, limit: int, seconds: float, others: Mapping[str, tuple[int, float]] | None = None
    ) -> None:
        self._app = app
        self._usual = limit, seconds
        self._others = others or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit, seconds = self._others.get(scope.get("path", ""), self._usual)
        try:
            body = await asyncio.wait_for(self._read(scope, receive, limit), seconds)
        except TimeoutError:
            message = f"the request's body had not come after {seconds:g} seconds"
            await _refuse(BODY_TOO_SLOW, message, scope, receive, send, {"Connection": "close"})
            return
        if body is None:
            message = f"the request's body has more than {limit} bytes"
            await _refuse(BODY_TOO_LARGE, message, scope, receive, send, {"Connection": "close"})
            return
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


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _refuse(
    kind: Kind, message: str, scope: Scope, receive: Receive, send: Send, headers: dict[str, str] | None = None
) -> None:
    await refused(Problem(kind, message, headers=headers or {}))(scope, receive, send)
