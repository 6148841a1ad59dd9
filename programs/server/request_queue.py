"""Limits of a server, and the questions that it answers: threads, the queue before them, and the run of a question."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from anyio import CapacityLimiter
from starlette.requests import Request

from programs.errors import UsageError, check_least
from programs.progress import Step, listening
from programs.server.error_responses import Kind, Refusal


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Limits and permissions of a server.

    Attributes:
        program: Answers when a request names no program.
        api_key: What callers of ``/api`` must send; None for no key.
        hosts: Names it may be addressed by besides those of the loopback interface; "*" for any. A page elsewhere
            can make its own name point at this machine (DNS rebinding), but not change the name that browsers send.
        origins: Pages elsewhere that may call it (CORS); none by default.
        workers: Threads that answer. The engine and extraction hold Python's global lock, so more threads answer no
            more questions, but each keeps the others, and ``/health``, waiting.
        waiting: Questions that may wait for a worker; further ones are refused as busy.
        timeout: Seconds for a whole answer, waiting included.
        keep_alive: Seconds without a step after which a stream says that it is alive.
        body_limit: Largest number of bytes of a request's body.
        uploads: Folder for papers that callers send, one at a time, within their own limit; None for no uploads.
        table_cells: Largest number of cells of a table: one worker fills them one after another, within ``timeout``.
    """

    program: str = "multi_signal"
    api_key: str | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    workers: int = 2
    waiting: int = 256
    timeout: float = 300.0
    keep_alive: float = 10.0
    body_limit: int = 64 * 1024
    uploads: Path | None = None
    upload_limit: int = 32 * 2**20
    table_cells: int = 400

    def __post_init__(self) -> None:
        check_least(self, workers=1, waiting=1, body_limit=1, upload_limit=1, table_cells=1)
        for name in ("timeout", "keep_alive"):
            if not 0 < getattr(self, name) < float("inf"):
                raise UsageError(f"{name} must be a number of seconds above 0, got {getattr(self, name)}")


T = TypeVar("T")
Answer: TypeAlias = dict[str, Any]


class Workers:
    """Answers several questions at once, as many as it has threads; others wait in the order in which they came.

    Used on the event loop. Its threads are not those of ``anyio.to_thread``, which keep the process from ending, and
    one may be waiting for a model for minutes.
    """

    def __init__(self, threads: int, waiting: int) -> None:
        self._most = waiting
        self._limiter = CapacityLimiter(threads)
        self._queue: set[asyncio.Task[Any]] = set()

    @property
    def waiting(self) -> int:
        """How many questions wait for a thread."""
        return len(self._queue)

    def submit(self, work: Callable[[], T]) -> asyncio.Task[T]:
        """Do the work in a thread, in the caller's context; a ``Refusal`` where the queue is full.

        Cancelling the task takes waiting work out of the queue.
        """
        if self.waiting - self._limiter.available_tokens >= self._most:
            raise Refusal(Kind.BUSY, f"{self.waiting} questions are waiting already", Retry_After="5")
        task = asyncio.create_task(self._done(work))
        self._queue.add(task)
        task.add_done_callback(self._queue.discard)
        return task

    async def _done(self, work: Callable[[], T]) -> T:
        place = object()  # held until the thread ends, also when the task is cancelled before
        await self._limiter.acquire_on_behalf_of(place)
        self._queue -= {asyncio.current_task()}
        loop, context, outcome = asyncio.get_running_loop(), contextvars.copy_context(), Future[T]()
        outcome.set_running_or_notify_cancel()  # so that it cannot be cancelled any more

        def do() -> None:
            try:
                outcome.set_result(context.run(work))
            except BaseException as error:  # noqa: BLE001 - raised where the outcome is awaited
                outcome.set_exception(error)
            finally:
                with suppress(RuntimeError):  # the server has stopped, and its loop is closed
                    loop.call_soon_threadsafe(self._limiter.release_on_behalf_of, place)

        threading.Thread(target=do, name="answer", daemon=True).start()
        return await asyncio.wrap_future(outcome)


class Abandoned(Exception):
    """Stops a program at its next step, because no client waits for its answer."""


class QuestionRun:
    """One question: its steps while they happen, its outcome, and its end once no client waits for it.

    Made on the event loop, where it may be refused because the queue is full. It is abandoned ``timeout`` seconds from
    then.
    """

    def __init__(self, workers: Workers, work: Callable[[], Answer], timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._deadline = self._loop.time() + timeout
        self._abandoned = threading.Event()
        self._told: asyncio.Queue[Step | None] = asyncio.Queue()

        def hear(step: Step) -> None:
            if self._abandoned.is_set():
                raise Abandoned
            self._loop.call_soon_threadsafe(self._told.put_nowait, step)

        def listened() -> Answer:
            with listening(hear):
                return work()

        self._outcome = workers.submit(listened)
        self._outcome.add_done_callback(lambda _: self._told.put_nowait(None))

    async def steps(self, patience: float) -> AsyncIterator[Step | None]:
        """Steps as they happen, until the outcome is there or time is over; None after ``patience`` without a step."""
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
        """The answer; an error of the work is raised.

        With a request, waiting ends when its client disconnects; this and taking too long are refusals.
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
            raise Refusal(Kind.CLIENT_GONE, "the client has hung up")
        raise Refusal(Kind.TIMEOUT, f"no answer in {self._timeout:g} seconds")

    def abandon(self) -> None:
        """Stop: waiting work is dropped, running work ends at its next step; finished work is not affected."""
        self._abandoned.set()
        self._outcome.cancel()


async def _hung_up(request: Request) -> None:
    """Return when the client has disconnected; the request's body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
