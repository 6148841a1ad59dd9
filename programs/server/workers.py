"""A few threads that answer, and a bounded queue in front of them.

Not a ``ThreadPoolExecutor``: its queue has no end and keeps what was cancelled, and a process cannot end before its
threads have, which may be waiting for a model for minutes.
"""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from programs.server.errors import BUSY, Refusal

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    outcome: Future[Any]
    work: Callable[[], Any]


class Workers:
    """Threads and their queue.

    Args:
        threads: How many work at the same time.
        waiting: How many jobs may wait.
    """

    def __init__(self, threads: int, waiting: int) -> None:
        self._most = waiting
        self._queue: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._idle = 0
        self._closed = False
        for number in range(threads):
            threading.Thread(target=self._serve, name=f"answers-{number}", daemon=True).start()

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return len(self._queue)

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have a thread do the work, in the caller's context; cancelling the future takes it out of the queue.

        Raises:
            Refusal: The queue is full.
        """
        job = _Job(Future(), _in_context(work))
        with self._changed:
            if self._closed or len(self._queue) - self._idle >= self._most:
                raise Refusal(BUSY, f"{len(self._queue)} questions are waiting already", Retry_After="5")
            self._queue.append(job)
            self._changed.notify()
        job.outcome.add_done_callback(lambda future: self._drop(job) if future.cancelled() else None)
        return job.outcome

    def close(self) -> None:
        """Take no more work and drop what waits; what a thread is at is not waited for."""
        with self._changed:
            self._closed = True
            dropped = list(self._queue)
            self._changed.notify_all()
        for job in dropped:
            job.outcome.cancel()

    def _drop(self, job: _Job) -> None:
        with self._changed:
            if job in self._queue:
                self._queue.remove(job)

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            if job.outcome.set_running_or_notify_cancel():
                _do(job)
            del job  # an idle thread must not keep the last answer alive

    def _next(self) -> _Job | None:
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._queue or self._closed)
            self._idle -= 1
            return self._queue.popleft() if self._queue else None


def _in_context(work: Callable[[], T]) -> Callable[[], T]:
    context = contextvars.copy_context()
    return lambda: context.run(work)


def _do(job: _Job) -> None:
    try:
        done = job.work()
    except BaseException as error:  # noqa: BLE001 - the caller that waits for the outcome gets it
        job.outcome.set_exception(error)
    else:
        job.outcome.set_result(done)
