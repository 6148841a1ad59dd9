"""Connections as uvicorn keeps them, bounded: in the time a request's head may take, and in their number.

uvicorn times the pause between two requests, but neither the first head nor one that trickles in, and its own limit of
connections turns requests away while idle connections hold all places. Here the connection that has waited longest for
a head gives up its place; one that is being answered never does.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from programs.server.errors import BUSY, Problem
from programs.server.replies import refused

logger = logging.getLogger(__name__)

HEAD_SECONDS = 10.0
"""In which the head of a request must have come, from the connection or from its first byte."""

_QUIET_SECONDS = 60.0
_ACCEPT = "socket.accept()"


class Connection(H11Protocol):
    """One connection; ``bounded`` makes the type that a server uses."""

    most: ClassVar[int]
    seconds: ClassVar[float]
    waiting: ClassVar[dict[Connection, asyncio.TimerHandle]]
    """Connections of one server that wait for a head, in the order in which they began to."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a head, in the place of another connection when all are taken."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            if self.waiting:
                next(iter(self.waiting))._give_up()
            else:
                self.app = _busy
        self._wait(self.seconds)

    def data_received(self, data: bytes) -> None:
        """Take bytes; once they hold a whole head there is a request, and nothing to wait for."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait(self.seconds)
        else:
            self._wait_no_more()

    def on_response_complete(self) -> None:
        """Wait for the next head, unless it is there already."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self._wait(self.timeout_keep_alive + self.seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave its place."""
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
    """Answers in place of the application when every connection is being answered."""
    headers = {"Retry-After": "5", "Connection": "close"}
    problem = Problem(BUSY, "as many connections as this server takes are being answered", headers=headers)
    await refused(problem)(scope, receive, send)


def bounded(most: int, seconds: float = HEAD_SECONDS) -> type[Connection]:
    """The connections of one server.

    Args:
        most: How many there may be.
        seconds: In which a request's head must have come.
    """
    return type("BoundedConnection", (Connection,), {"most": most, "seconds": seconds, "waiting": {}})


def quiet_accepting(now: Callable[[], float] = time.monotonic) -> Callable[[asyncio.AbstractEventLoop, Any], None]:
    """An exception handler for an event loop that tells once a minute, in one line, that no connection can be taken.

    asyncio calls it some hundred times a second while files are short, each time with a traceback.

    Args:
        now: Seconds that only grow.
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
