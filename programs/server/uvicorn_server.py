"""An application on a port, until Ctrl-C, with bounded connections.

uvicorn times the pause between two requests, but neither the first head nor one that trickles in, and its own
``limit_concurrency`` refuses requests while idle connections hold all places. Here the connection that has waited
longest for a head gives up its place; one that is being answered never does.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import uvicorn
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from programs.errors import UsageError
from programs.server.error_responses import Kind, Refusal, refused

logger = logging.getLogger(__name__)

HEAD_SECONDS = 10.0
"""In which the head of a request must arrive, from the start of the connection or the first byte."""

_QUIET_SECONDS = 60.0
_ACCEPT = "socket.accept()"


class Connection(H11Protocol):
    """One connection; ``bounded`` makes the type that a server uses."""

    most: ClassVar[int]
    seconds: ClassVar[float]
    waiting: ClassVar[dict[Connection, asyncio.TimerHandle]]
    """Connections of one server that wait for a head, in the order in which they began to."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a head; when all places are taken, another waiting connection is closed."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            if self.waiting:
                next(iter(self.waiting))._give_up()
            else:
                self.app = _busy
        self._wait(self.seconds)

    def data_received(self, data: bytes) -> None:
        """Receive bytes; once they hold a whole head, the wait is over."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait(self.seconds)
        else:
            self._wait_no_more()

    def on_response_complete(self) -> None:
        """Wait for the next head, unless it has arrived."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self._wait(self.timeout_keep_alive + self.seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give up the place."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        if self not in self.waiting:
            self.waiting[self] = self.loop.call_later(seconds, self._give_up)

    def _wait_no_more(self) -> None:
        if timer := self.waiting.pop(self, None):
            timer.cancel()

    def _give_up(self) -> None:
        # Not close(): that would wait for a client who does not read what was sent.
        self._wait_no_more()
        self.connections.discard(self)
        self.transport.abort()


async def _busy(scope: Scope, receive: Receive, send: Send) -> None:
    said = "as many connections as this server takes are being answered"
    await refused(Refusal(Kind.BUSY, said, Retry_After="5", Connection="close"))(scope, receive, send)


def bounded(most: int, seconds: float = HEAD_SECONDS) -> type[Connection]:
    """The protocol of one server's connections: how many at most, and the seconds for the head of a request."""
    return type("BoundedConnection", (Connection,), {"most": most, "seconds": seconds, "waiting": {}})


def quiet_accepting(now: Callable[[], float] = time.monotonic) -> Callable[[asyncio.AbstractEventLoop, Any], None]:
    """An exception handler for an event loop that logs once a minute, in one line, that no connection can be accepted.

    asyncio calls it some hundred times a second while there are too few file descriptors, each time with a traceback.
    """
    silent_until = float("-inf")

    def handle(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        nonlocal silent_until
        if not str(context.get("message", "")).startswith(_ACCEPT):
            loop.default_exception_handler(dict(context))
        elif now() >= silent_until:
            silent_until = now() + _QUIET_SECONDS
            error = context.get("exception")
            logger.error("no connection can be taken (%s); allow the server more open files: ulimit -n", error)

    return handle


SWITCH_SECONDS = 0.0005
"""How long a computing thread may block another; with Python's default of 5 ms, a few times per request and worker,
``/health`` would be slower."""

GRACE_SECONDS = 5
"""How long running answers may take to finish after Ctrl-C."""

IDLE_SECONDS = 15
"""After which an idle connection is closed."""

MOST_CONNECTIONS = 512
"""Connections at the same time, where the system allows twice as many open files."""

_BACKLOG = 512


def listening_socket(host: str, port: int) -> socket.socket:
    """Bind a port of a name or address of this machine, 0 for any free one; a ``UsageError`` where that fails."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        raise UsageError(
            f"--host {host} is not an address of this machine ({error.strerror}); try 127.0.0.1"
        ) from error
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(address, family=family, backlog=_BACKLOG, dualstack_ipv6=both)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise UsageError(
            f"port {port} of {host} cannot be used ({why}); stop what uses it, or choose another with --port"
        ) from error


def address_of(taken: socket.socket) -> str:
    """Its address for browsers: ``http://127.0.0.1:8000``."""
    host, port = taken.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def most_connections() -> int:
    """Largest number of connections: half of the open files that the system allows; index and models use the rest."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource  # which Windows does not have

    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_CONNECTIONS if allowed == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, allowed // 2)


class _Server(uvicorn.Server):
    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(quiet_accepting())
        await super().serve(sockets)


def run(app: FastAPI, taken: socket.socket) -> None:
    """Serve until Ctrl-C or SIGTERM; the second one ends at once."""
    most = most_connections()
    config = uvicorn.Config(
        app,
        http=bounded(most),
        log_config=None,  # the command has set up the log
        access_log=True,
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        backlog=most // 2,  # asyncio takes as many at once, before any is counted
    )
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    # What is loaded stays: the garbage collector need not traverse it again while every thread waits.
    gc.collect()
    gc.freeze()
    try:
        _Server(config).run(sockets=[taken])
    except KeyboardInterrupt:
        pass  # uvicorn raises it again once it has shut down in order
    finally:
        gc.unfreeze()
        sys.setswitchinterval(usual)
