"""One question on its way: its steps while they happen, its outcome, and its end once no client waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias

from starlette.requests import Request

from programs.progress import Step, listening
from programs.server.errors import CLIENT_GONE, TIMEOUT, Refusal
from programs.server.workers import Workers

Answer: TypeAlias = dict[str, Any]


class Abandoned(Exception):
    """Stops a program at its next step, because no client waits for its answer."""


class QuestionRun:
    """Work that a worker does for one request.

    Made on the event loop.

    Args:
        workers: Who does it.
        work: What to do; its steps are heard.
        timeout: Seconds until it is abandoned, from now.

    Raises:
        Refusal: The workers' queue is full.
    """

    def __init__(self, workers: Workers, work: Callable[[], Answer], timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._deadline = self._loop.time() + timeout
        self._abandoned = threading.Event()
        self._told: asyncio.Queue[Step | None] = asyncio.Queue()
        self._outcome = asyncio.wrap_future(workers.submit(lambda: self._heard(work)))
        self._outcome.add_done_callback(lambda _: self._told.put_nowait(None))

    async def steps(self, patience: float) -> AsyncIterator[Step | None]:
        """Steps as they are told, until the outcome is there or time is over; None for a silence of ``patience``."""
        while (left := self._deadline - self._loop.time()) > 0:
            try:
                step = await asyncio.wait_for(self._told.get(), min(patience, left))
            except TimeoutError:
                yield None
                continue
            if step is None:
                return
            yield step

    async def outcome(self, request: Request | None = None) -> Answer:
        """The answer; whatever went wrong with the work is raised.

        Args:
            request: Watched, if given: when its client hangs up the work is abandoned.

        Raises:
            Refusal: It took too long, or the client has gone.
        """
        watcher = asyncio.ensure_future(_hung_up(request)) if request else None
        try:
            waited: set[asyncio.Future[Any]] = {self._outcome, *([watcher] if watcher else [])}
            left = max(self._deadline - self._loop.time(), 0)
            done, _ = await asyncio.wait(waited, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if watcher:
                watcher.cancel()
        if self._outcome in done:
            return self._outcome.result()
        if done:
            raise Refusal(CLIENT_GONE, "the client has hung up")
        raise Refusal(TIMEOUT, f"no answer in {self._timeout:g} seconds")

    def abandon(self) -> None:
        """Stop: waiting work is dropped, running work ends at its next step, ended work is left alone."""
        self._abandoned.set()
        self._outcome.cancel()

    def _heard(self, work: Callable[[], Answer]) -> Answer:
        with listening(self._hear):
            return work()

    def _hear(self, step: Step) -> None:
        if self._abandoned.is_set():
            raise Abandoned
        self._loop.call_soon_threadsafe(self._told.put_nowait, step)


async def _hung_up(request: Request) -> None:
    """Return when the client has gone; the request's body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
