"""What every step of a run works with: parameters, library, calls of the model, its health, and the log of prompts."""

from __future__ import annotations

import contextvars
import json
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from types import TracebackType
from typing import Any, TypeVar

import dspy
from dspy.utils import exceptions as provider
from dspy.utils.callback import BaseCallback

from programs.errors import ContextExceeded, LMTimeout, MalformedOutput, OutputTruncated
from programs.program import check_least, check_shares

T = TypeVar("T")
R = TypeVar("R")
K = TypeVar("K", bound=Hashable)


class Calls:
    """Runs calls of language models, at most so many at a time; results come in the order of the calls.

        with Calls(threads=8) as calls:
            summaries = calls.map(summarise, chunks)
            drafts = calls.side_by_side({"methods": write_methods, "results": write_results})

    There are two pools: tasks of ``side_by_side`` only wait, and calls run in the other pool, so that no task waits for
    a thread that another task holds. Every call runs in a copy of its caller's context, which carries the model and
    what counts its calls.

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


_OF_ONE_CALL = (
    ContextExceeded,
    LMTimeout,
    MalformedOutput,
    OutputTruncated,
    provider.ContextWindowExceededError,
    provider.LMTimeoutError,
    provider.LMRateLimitError,
)
"""Errors that concern one call only; the next may succeed."""

GONE = "Gathering was stopped: the model stopped answering in another section"


class ModelHealth:
    """Whether the model still answers; shared by all sections, so that a failure in one stops the others."""

    def __init__(self) -> None:
        self._down = threading.Event()

    @property
    def is_down(self) -> bool:
        """Whether an error was recorded that later calls would meet too."""
        return self._down.is_set()

    def record(self, error: Exception) -> None:
        """Mark the model as down, unless the error concerns one call only, such as a timeout."""
        if not isinstance(error, _OF_ONE_CALL):
            self._down.set()


@dataclass(frozen=True, slots=True)
class LoggedPrompt:
    """One prompt.

    Attributes:
        outputs: What was asked for, by the names of the fields.
        messages: As the model got them.
    """

    outputs: tuple[str, ...]
    messages: tuple[Mapping[str, Any], ...]

    @property
    def text(self) -> str:
        """The prompt as one text."""
        return "\n\n".join(f"{each['role']}:\n{each['content']}" for each in self.messages)


@dataclass
class PromptLog(BaseCallback):
    """Records the prompts of a context, also of threads that carry it, to show later what the model was asked."""

    prompts: list[LoggedPrompt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._outputs: dict[str, tuple[str, ...]] = {}
        self._lock = threading.Lock()

    def on_adapter_format_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:  # noqa: ANN401
        """Note which fields the prompt asks for."""
        with self._lock:
            self._outputs[call_id] = tuple(inputs["signature"].output_fields)

    def on_adapter_format_end(self, call_id: str, outputs: Any | None, exception: Exception | None = None) -> None:  # noqa: ANN401
        """Record the prompt."""
        with self._lock:
            asked_for = self._outputs.pop(call_id, ())
            if isinstance(outputs, list):
                self.prompts.append(LoggedPrompt(asked_for, tuple(outputs)))

    def last(self, output: str) -> str:
        """The last prompt that asked for an output field of this name; empty when there was none."""
        with self._lock:
            return next((each.text for each in reversed(self.prompts) if output in each.outputs), "")

    def lines(self) -> str:
        """All prompts as JSON lines, in the order in which they were made."""
        with self._lock:
            written = [json.dumps(asdict(each), ensure_ascii=False) for each in self.prompts]
        return "".join(f"{line}\n" for line in written)


@contextmanager
def logged() -> Iterator[PromptLog]:
    """Hear every prompt that is made inside the block."""
    log = PromptLog()
    with dspy.context(callbacks=[*(dspy.settings.callbacks or []), log]):
        yield log


@dataclass(frozen=True, slots=True)
class PaperWriterParameters:
    """What `paper_writer` can be tuned by.

    Attributes:
        max_iterations: How often the agent of a section can search at most; 0 leaves it at the default queries.
        max_queries: Queries that it can ask for at a time, at least 1.
        top_k_initial: Passages that a query brings, at least 1.
        top_k_final: Those of them that become evidence, at least 1.
        vector_weight: Share of the similarity in the combined score, in [0, 1]; the rest is the model's score.
        max_evidence: Pieces of evidence that a section is written from at most, the best of all searches; at least 1.
        num_tries: Attempts at a step whose output does not parse, at least 1.
        verify: Whether to verify and repair the cited sentences of a section.
        max_repairs: Rounds of repair at most; 0 only verifies.
        threads: Calls of the model at a time at most, at least 1; it changes nothing but the time.
    """

    max_iterations: int = 5
    max_queries: int = 3
    top_k_initial: int = 20
    top_k_final: int = 8
    vector_weight: float = 0.4
    max_evidence: int = 24
    num_tries: int = 1
    verify: bool = True
    max_repairs: int = 1
    threads: int = 8

    def __post_init__(self) -> None:
        check_least(self, max_iterations=0, max_repairs=0, num_tries=1, threads=1)
        check_least(self, max_queries=1, top_k_initial=1, top_k_final=1, max_evidence=1)
        check_shares(self, "vector_weight")
