"""Summarizes the papers of an index side by side, those that have no summary of their present text yet.

Each summary is stored as it is made, so a run that is killed loses those under way and no other, and the next goes on.
"""

from __future__ import annotations

import contextvars
import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

import dspy
from dspy.utils import exceptions as dspy_errors

from programs.errors import LMError, UsageError
from programs.ingest.document import Document
from programs.retrieval.index import Index
from programs.retrieval.summaries import Summaries, Summary
from programs.summaries.source import READING_VERSION, body
from programs.summaries.summarizer import Summarizer

# With these every further paper would fail as well.
_HOPELESS = (
    dspy_errors.LMConfigurationError,
    dspy_errors.LMAuthError,
    dspy_errors.LMBillingError,
    dspy_errors.LMUnsupportedModelError,
)
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Failure:
    """A paper that could not be summarized."""

    document_id: str
    title: str
    reason: str

    def __str__(self) -> str:
        return f"{self.document_id}{f' ({self.title})' if self.title else ''}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Summarized:
    """What happened to the papers so far.

    Attributes:
        made: Summaries written by the model.
        current: Papers whose summary was there already.
        removed: Summaries of papers that are gone.
        failures: Papers without a summary, with reasons.
        lm_calls: Calls of the model.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
    """

    made: int = 0
    current: int = 0
    removed: int = 0
    failures: tuple[Failure, ...] = ()
    lm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def done(self) -> int:
        """Papers that are behind."""
        return self.made + self.current + len(self.failures)

    @property
    def cost(self) -> str:
        """Calls and tokens in words."""
        tokens = f"{self.prompt_tokens + self.completion_tokens:,} tokens"
        return f"{self.lm_calls:,} calls, {tokens}"

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


Progress: TypeAlias = Callable[[Summarized, str], None]
"""Told what is behind, and the paper that was last."""


def summarize_index(
    index: Index, *, threads: int = 8, summarizer: Summarizer | None = None, on_progress: Progress | None = None
) -> Summarized:
    """Bring an index's summaries up to date, with the language model of ``dspy.settings``.

    A paper is summarized when it has no summary, or one of another text, by another model or by other prompts.
    Whatever else is known of a paper may change without the model being asked again.

    Args:
        index: Whose papers.
        threads: Papers summarized at a time, at least 1.
        summarizer: By default one with our own prompts.
        on_progress: Called as papers are done with.

    Raises:
        UsageError: Threads below 1, or no model is configured.
        LMError: The model cannot be asked at all; what was made until then is kept.
    """
    if threads < 1:
        raise UsageError(f"threads must be at least 1, got {threads}")
    if dspy.settings.lm is None:
        raise UsageError("no language model is configured; set one with dspy.configure(lm=programs.LM(…))")
    return _Run(index, index.make_summaries(), summarizer or Summarizer(), on_progress or _ignore)(threads)


class _Run:
    def __init__(self, index: Index, summaries: Summaries, summarizer: Summarizer, on_progress: Progress) -> None:
        self._index = index
        self._summaries = summaries
        self._summarizer = summarizer
        self._on_progress = on_progress
        self._lm = str(dspy.settings.lm.model)
        self._recipe = _digest(f"{self._lm}/{READING_VERSION}/{summarizer.recipe}")
        self._stored = summaries.stored()
        self._done = Summarized()

    def __call__(self, threads: int) -> Summarized:
        with self._summaries.writing():
            return self._run(threads)

    def _run(self, threads: int) -> Summarized:
        names = [str(each["id"]) for each in self._index.documents()]
        gone = self._stored.keys() - set(names)
        self._summaries.remove(sorted(gone))
        fresh = self._without_current(names)
        self._report("", current=len(names) - len(fresh), removed=len(gone))
        with _pool(threads) as pool:
            work = {pool.submit(contextvars.copy_context().run, self._summarized, name): name for name in fresh}
            for future in as_completed(work):
                name, outcome = work.pop(future), future.result()
                if isinstance(outcome, Failure):
                    self._report(name, failures=(*self._done.failures, outcome))
                else:
                    self._keep(*outcome)
        self._summaries.optimize()
        return self._done

    def _without_current(self, names: Sequence[str]) -> list[str]:
        hashes = self._index.content_hashes(names)
        return [
            name
            for name in names
            if (stored := self._stored.get(name)) is None
            or (stored.content_hash, stored.recipe) != (hashes.get(name), self._recipe)
        ]

    def _summarized(self, name: str) -> tuple[Document, Summary, dspy.Prediction | None] | Failure:
        """One paper's work, in a thread of its own."""
        document = self._index.document(name)
        source = _digest(body(document))
        stored = self._stored.get(name)
        if stored is not None and (stored.source, stored.recipe) == (source, self._recipe):
            return document, replace(stored, content_hash=document.content_hash), None
        try:
            made = self._summarizer(document=document)
        except _HOPELESS:
            raise
        except (LMError, UsageError, dspy_errors.LMError) as error:
            return Failure(name, document.title, " ".join(str(error).split())[:_LONGEST_REASON])
        return document, Summary(name, made.summary, self._lm, self._recipe, source, document.content_hash), made

    def _keep(self, document: Document, summary: Summary, made: dspy.Prediction | None) -> None:
        self._summaries.put([(summary, document)])
        if made is None:
            self._report(document.id, current=self._done.current + 1)
            return
        spent = made.metrics
        self._report(
            document.id,
            made=self._done.made + 1,
            lm_calls=self._done.lm_calls + spent["lm_calls"],
            prompt_tokens=self._done.prompt_tokens + spent["tokens"]["prompt"],
            completion_tokens=self._done.completion_tokens + spent["tokens"]["completion"],
        )

    def _report(self, name: str, **changed: object) -> None:
        self._done = replace(self._done, **changed)  # type: ignore[arg-type]  # fields of Summarized
        self._on_progress(self._done, name)


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool that drops what has not begun when its block is left by an exception."""
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _ignore(_done: Summarized, _name: str) -> None: ...
