"""What the steps of a run work with: the indexed papers, calls of the model, its health, and the log of prompts."""

from __future__ import annotations

import contextvars
import json
import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import dspy
from dspy.utils import exceptions as provider
from dspy.utils.callback import BaseCallback

from programs.errors import ContextExceeded, LMTimeout, MalformedOutput, OutputTruncated, check_least, check_shares
from programs.ingest.chunking import TOKENS
from programs.ingest.document import Chunk, Document
from programs.ingest.formats import discover
from programs.paper_writer.draft import Drafts
from programs.paper_writer.evidence import CitedPaper, Evidence, passage_of
from programs.program import attempt, in_threads
from programs.progress import report_step
from programs.results.citation_keys import Named, shared_keys
from programs.retrieval.embedder import Embedder
from programs.retrieval.file_indexing import index_files
from programs.retrieval.index import Index

T = TypeVar("T")
R = TypeVar("R")
K = TypeVar("K", bound=Hashable)

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


class Calls:
    """Runs calls of language models, at most so many at a time; results come in the order of the calls.

        calls = Calls(threads=8)
        summaries = calls.map(summarise, chunks)
        drafts = calls.side_by_side({"methods": write_methods, "results": write_results})

    With one thread, calls and tasks run one after another. Each runs in a copy of its caller's context, which carries
    the model and what counts its calls.
    """

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._places = threading.Semaphore(threads)
        self._stopped = threading.Event()
        self.is_down = False  # whether an error was met that later calls would meet too

    def failed(self, error: Exception) -> None:
        """Mark the model as down, for all sections, unless the error concerns one call only, such as a timeout."""
        self.is_down = self.is_down or not isinstance(error, _OF_ONE_CALL)

    def one(self, call: Callable[[], R]) -> R:
        """Run one call."""
        with self._places:
            if self._stopped.is_set():
                raise CancelledError("the run was stopped")
            return call()

    def map(self, call: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Run a call for each item; the first error in their order is raised once none of them runs any more."""
        return list(in_threads(lambda each: self.one(partial(call, each)), items, self._threads))

    def side_by_side(
        self, tasks: Mapping[K, Callable[[], R]], after: Mapping[K, Iterable[K]] | None = None
    ) -> dict[K, R]:
        """Run tasks by name, each behind those that ``after`` names for it, which are before it or are already done.

        A task that fails keeps those after it from starting; the others end first, so that nothing is lost.
        """
        running: dict[K, Future[R]] = {}

        def behind(name: K) -> R:
            for each in (after or {}).get(name, ()):
                if each in running:
                    running[each].result()
            return tasks[name]()

        workers = 1 if self._threads == 1 else max(1, len(tasks))
        with ThreadPoolExecutor(workers, thread_name_prefix="section") as pool:
            try:
                for name in tasks:
                    running[name] = pool.submit(contextvars.copy_context().run, behind, name)
                wait(running.values())
            except BaseException:
                self._stopped.set()
                raise
        return {name: each.result() for name, each in running.items()}


class PromptLog(BaseCallback):
    """Records the prompts of a context, also of threads that carry it, to show later what the model was asked."""

    def __init__(self) -> None:
        self._prompts: list[dict[str, Any]] = []
        self._outputs: dict[str, list[str]] = {}

    def on_adapter_format_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:  # noqa: ANN401
        """Note which fields the prompt asks for."""
        self._outputs[call_id] = list(inputs["signature"].output_fields)

    def on_adapter_format_end(self, call_id: str, outputs: Any | None, exception: Exception | None = None) -> None:  # noqa: ANN401
        """Record the prompt's messages, as the model gets them."""
        asked_for = self._outputs.pop(call_id, [])
        if isinstance(outputs, list):
            self._prompts.append({"outputs": asked_for, "messages": list(outputs)})

    def last(self, output: str) -> str:
        """The last prompt that asked for an output field of this name, as one text; empty when there was none."""
        asked = (each["messages"] for each in reversed(self._prompts) if output in each["outputs"])
        return "\n\n".join(f"{each['role']}:\n{each['content']}" for each in next(asked, []))

    def lines(self) -> str:
        """All prompts as JSON lines, in the order in which they were made."""
        return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in self._prompts)


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


_AMID = 3
"""How much further than the passages wanted a search looks: the index fuses two arms, and what is near by meaning alone
can come behind what shares words."""


class Library:
    """The papers of an index, best one that is chunked ``tokens:500:100``; read once, as keys depend on all of them.

    ``keys`` are citation keys by paper id, ``notes`` what its user should know. An index without papers is refused.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._document = cache(index.document)
        index.require_papers()
        self.keys: Mapping[str, str] = index.citation_keys()
        self.notes = tuple(_notes_on(index, self.keys))

    def search(self, query: str, k: int, seen: Collection[str]) -> list[Evidence]:
        """The k passages nearest to a query by cosine similarity, best first, ties by id, none that was seen.

        As evidence that is neither summarized nor scored.
        """
        # The embedder and the embedded engine answer one caller at a time; each answer takes milliseconds.
        with self._lock:
            candidates = self._index.candidates(query, _AMID * k + len(seen))
            similarities = (candidates.vectors @ candidates.query).clip(0.0, 1.0).tolist()
            found = zip(similarities, (hit.chunk for hit in candidates.hits), strict=True)
            unseen = [each for each in found if each[1].id not in seen]
            nearest = sorted(unseen, key=lambda each: (-each[0], each[1].id))[:k]
            return [self._evidence(chunk, query, similarity) for similarity, chunk in nearest]

    def _evidence(self, chunk: Chunk, query: str, similarity: float) -> Evidence:
        document, key = self._document(chunk.document_id), self.keys[chunk.document_id]
        paper, passage = CitedPaper.of(document, key), passage_of(document, chunk, key)
        return Evidence(paper=paper, chunk=passage, source_query=query, vector_score=similarity)


def _notes_on(index: Index, keys: Mapping[str, str]) -> Iterator[str]:
    for key, sharing in shared_keys(Named.of(each) for each in index.documents()).items():
        if len(sharing) > 1:
            now = ", ".join(f"{keys[each.id]} is {each.id}" for each in sharing)
            yield f"{len(sharing)} papers would share the citation key {key}, so they have their own keys: {now}"
    if index.chunking != TOKENS:
        yield (
            f"The index is cut into {index.chunking}; the paper writer is made for {TOKENS}, which "
            f"`python -m programs index PAPERS --index NEW --chunking {TOKENS}` gives"
        )


class PaperIndexer(dspy.Module):
    """The first phase, with the configured embedder if none is given; it asks no language model.

    Readers clean Markdown of what PDF converters leave in it. Code blocks and equations stay whole, and a short tail is
    merged backwards: see the ``tokens`` policy of ``programs.ingest.chunking``.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        super().__init__()
        self._embedder = embedder

    def __deepcopy__(self, memo: dict[int, Any]) -> PaperIndexer:
        # Optimizers copy programs; the embedding model is shared by all copies.
        return self

    def forward(self, papers: Iterable[str | Path | Document], place: str | Path) -> Index:
        """Index files, folders or documents at a folder or address, and return the open index, for the caller to close.

        What is indexed and unchanged is skipped.

        Raises:
            IngestError: A file cannot be read; the others are indexed.
            IndexMismatch: There is an index that is cut in another way.
        """
        given = list(papers)
        files = discover([Path(each) for each in given if not isinstance(each, Document)])
        index = Index.open(place, create=True, embedder=self._embedder, chunking=TOKENS)
        try:
            report_step("index", f"Indexing {len(given)} papers or folders", files=len(files))
            index.add(each for each in given if isinstance(each, Document))
            if files and (failures := index_files(index, files).failures):
                raise failures[0]  # noqa: TRY301 - once the index is closed
        except BaseException:
            index.close()
            raise
        return index


@dataclass(frozen=True, slots=True)
class Resources:
    """What is shared by the steps of one run."""

    library: Library
    calls: Calls
    settings: PaperWriterParameters
    drafts: Drafts = field(default_factory=Drafts)

    def ask(self, predictor: dspy.Module, **inputs: Any) -> dspy.Prediction:  # noqa: ANN401 - a signature's fields
        """Ask a predictor, as one of the calls."""
        return self.calls.one(lambda: attempt(predictor, self.settings.num_tries, **inputs))
