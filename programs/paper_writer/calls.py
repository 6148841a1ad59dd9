"""Calls of language models side by side, never more at a time than allowed, and results in the order they were asked.

    with Calls(threads=8) as calls:
        summaries = calls.map(summarise, chunks)
        drafts = calls.side_by_side({"methods": write_methods, "results": write_results})

Two pools: tasks of ``side_by_side`` only wait, and whatever asks a model runs in the other pool, so that no task can
wait for a thread that another one holds. Every call runs in a copy of its caller's context, which carries the model and
what counts its calls.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
K = TypeVar("K", bound=Hashable)


class Calls:
    """Runs calls; use it as a context manager.

    Args:
        threads: Calls at a time at most, at least 1; with 1 tasks run one after another too.
    """

    def __init__(self, threads: int = 1) -> None:
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="lm-call")
        self._threads = threads
        self._stopped = threading.Event()

    def __enter__(self) -> Calls:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self._stopped.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def one(self, call: Callable[[], R]) -> R:
        """Run one call."""
        return self._submit(call).result()

    def map(self, call: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Run a call for each item; the first error in their order is raised once none of them runs any more."""
        return _results([self._submit(call, item) for item in items])

    def side_by_side(
        self, tasks: Mapping[K, Callable[[], R]], after: Mapping[K, Iterable[K]] | None = None
    ) -> dict[K, R]:
        """Run tasks that make calls.

        A task that fails keeps those after it from starting; the others end first, so that nothing is lost.

        Args:
            tasks: By name, every task behind those that it has to wait for.
            after: For each the names it waits for; names that are not tasks here are already done.
        """
        waits_for = after or {}
        running: dict[K, Future[R]] = {}
        workers = 1 if self._threads == 1 else max(1, len(tasks))
        with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="section") as pool:
            try:
                for name, task in tasks.items():
                    before = [running[each] for each in waits_for.get(name, ()) if each in running]
                    running[name] = pool.submit(contextvars.copy_context().run, _after, before, task)
                return dict(zip(running, _results(list(running.values())), strict=True))
            except BaseException:
                self._stopped.set()
                raise

    def _submit(self, call: Callable[..., R], *arguments: T) -> Future[R]:
        return self._pool.submit(contextvars.copy_context().run, self._unless_stopped, call, *arguments)

    def _unless_stopped(self, call: Callable[..., R], *arguments: T) -> R:
        if self._stopped.is_set():
            raise CancelledError("the run was stopped")
        return call(*arguments)


def _after(before: Iterable[Future[R]], task: Callable[[], R]) -> R:
    for each in before:
        each.result()
    return task()


def _results(running: list[Future[R]]) -> list[R]:
    """Results in order, once all have ended, or the first error."""
    errors = [each.exception() for each in running]
    for error in errors:
        if error is not None:
            raise error
    return [each.result() for each in running]
