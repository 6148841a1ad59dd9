"""The store in memory: exact search by numpy, for an index that need not outlive its process.

    index = Index.open(":memory:", create=True)

It gives what the embedded engine gives, without an approximate graph: cosine similarity to every vector, BM25 over all
postings with the engine's IDF, filters on every payload. States are immutable: a writer works in a copy, which replaces
the committed state at the end of ``writing``, and a reader keeps the one that it began with.
"""

from __future__ import annotations

import operator
import threading
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from programs.errors import IndexLocked, RetrievalError
from programs.retrieval.filters import Condition, FieldType
from programs.retrieval.store import (
    AnyVector,
    Payload,
    Ranking,
    SparseVector,
    Store,
    StoredPoint,
    Vector,
    ranked,
    seeing,
)

WAIT_FOR_WRITER = 2.0
"""Seconds that a writer waits for another thread's."""

Rows = NDArray[np.int64]


class State:
    """Points by id, ids ascending, and indexed fields; what is searched is arranged at the first search."""

    def __init__(self, points: Mapping[str, StoredPoint], fields: Mapping[str, FieldType]) -> None:
        self.points = dict(points)
        self.fields = dict(fields)

    @cached_property
    def ids(self) -> list[str]:
        """All ids, ascending."""
        return sorted(self.points)

    @cached_property
    def dense(self) -> tuple[list[str], Vector]:
        """Ids with their unit vectors, one a row."""
        ids = [key for key in self.ids if self.points[key].dense is not None]
        return ids, np.array([self.points[key].dense for key in ids], dtype=np.float32)

    @cached_property
    def postings(self) -> Postings:
        """Term weights by term."""
        return Postings({key: sparse for key in self.ids if (sparse := self.points[key].sparse) is not None})

    def matching(self, conditions: Sequence[Condition]) -> list[str]:
        """Ids of the points that match all conditions, ascending."""
        return [key for key in self.ids if all(_holds(self.points[key].payload, one) for one in conditions)]


class Postings:
    """Term weights of texts, arranged by term."""

    def __init__(self, texts: Mapping[str, SparseVector]) -> None:
        self.ids = list(texts)
        lengths = [len(each.indices) for each in texts.values()]
        terms = np.array([term for each in texts.values() for term in each.indices], dtype=np.int64)
        order = np.argsort(terms, kind="stable")
        self._terms = terms[order]
        self._rows = np.repeat(np.arange(len(texts)), np.array(lengths, dtype=np.int64))[order]
        weights = [weight for each in texts.values() for weight in each.values]
        self._weights = np.array(weights, dtype=np.float32)[order]

    def scores(self, query: SparseVector) -> tuple[Rows, Vector]:
        """Rows that share a term with the query, and the sums of weights times IDF.

        IDF is ln(1 + (N - n + 0.5) / (n + 0.5)) for a term in n of N texts (Robertson & Zaragoza, 2009).
        """
        total = np.zeros(len(self.ids), dtype=np.float32)
        found = np.zeros(len(self.ids), dtype=bool)
        for term, weight in zip(query.indices, query.values, strict=True):
            start, end = np.searchsorted(self._terms, [term, term + 1])
            rows, count = self._rows[start:end], int(end - start)
            idf = np.float32(np.log1p((len(self.ids) - count + 0.5) / (count + 0.5)))
            total[rows] += np.float32(weight) * idf * self._weights[start:end]
            found[rows] = True
        rows = np.flatnonzero(found)
        return rows, total[rows]


@dataclass
class Contents:
    """What the stores of one index share: the committed state, and what a writer left or works in."""

    dimension: int
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    number: int = 0
    committed: State = field(default_factory=lambda: State({}, {}))
    working: State | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def commit(self, *, wanted: bool) -> None:
        """Make what was written the committed state, or leave it to the next writer."""
        if wanted and self.working is not None:
            self.committed, self.working = self.working, None
            self.number += 1

    def copy(self) -> Contents:
        """The same points under another name; changes of one are not seen in the other."""
        return replace(self, name=uuid.uuid4().hex, lock=threading.Lock())


class MemoryStore(Store):
    """Points in memory; several stores may share their contents, as several openings of one folder do."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._closed = False
        # What a context sees: the state that it reads, or the contents that it writes; None for the committed state.
        self._seen: ContextVar[State | Contents | None] = ContextVar("seen", default=None)

    def is_unfinished(self) -> bool:
        """Whether a writer was interrupted, or is at work."""
        return self._contents.working is not None

    def require_whole(self) -> None:
        """Memory loses no files."""

    def state(self) -> str | None:
        """The number of the committed state, and the name of the contents."""
        is_committed = self._seen.get() in (None, self._contents.committed)
        return f"{self._contents.number} {self._contents.name}" if is_committed else None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let all reads inside see one state, also those of threads started with a copy of the context."""
        if self._seen.get() is not None:
            yield
            return
        with seeing(self._seen, self._state()):
            yield

    @contextmanager
    def writing(self, *, keep: bool = False) -> Iterator[None]:
        """Make several writes that become visible to others together; ``IndexLocked`` if another thread is writing."""
        contents = self._contents
        if self._seen.get() is contents:
            yield
            return
        if not contents.lock.acquire(timeout=WAIT_FOR_WRITER):
            raise IndexLocked("the index in memory is being written to by another thread; wait until it is done")
        try:
            with seeing(self._seen, contents):
                yield
        except BaseException:
            contents.commit(wanted=keep)
            raise
        else:
            contents.commit(wanted=True)
        finally:
            contents.lock.release()

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Insert points in one step; a vector of another dimension is a ``RetrievalError``."""
        kept = {point.id: self._as_stored(point) for point in points}
        with self.writing():
            state = self._state()
            self._contents.working = State({**state.points, **kept}, state.fields)

    def _as_stored(self, point: StoredPoint) -> StoredPoint:
        wanted = self._contents.dimension
        if point.dense is None:
            return replace(point, payload=_copied(point.payload))
        if point.dense.shape != (wanted,):
            raise RetrievalError(f"the index in memory holds vectors of {wanted} numbers, got {point.dense.shape}")
        return replace(point, payload=_copied(point.payload), dense=_unit(point.dense))

    def delete(self, conditions: Sequence[Condition]) -> None:
        """Delete every point that matches all conditions."""
        with self.writing():
            state = self._state()
            gone = set(state.matching(conditions))
            left = {key: point for key, point in state.points.items() if key not in gone}
            self._contents.working = State(left, state.fields)

    def create_field(self, key: str, kind: FieldType) -> None:
        """Note a payload path as one that filters can name."""
        with self.writing():
            state = self._state()
            self._contents.working = State(state.points, {**state.fields, key: kind})

    def query(self, vectors: Sequence[AnyVector], limit: int, conditions: Sequence[Condition]) -> list[Ranking]:
        """Compare each vector with every matching point."""
        state = self._state()
        allowed = set(state.matching(conditions)) if conditions else None
        return [_nearest(state, vector, limit, allowed) for vector in vectors]

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """Payloads by point id."""
        points = self._state().points
        return {key: _copied(points[key].payload, fields) for key in ids if key in points}

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Dense vectors by point id."""
        points = self._state().points
        return {key: one.dense.copy() for key in ids if (one := points.get(key)) and one.dense is not None}

    def scroll(self, conditions: Sequence[Condition], fields: Sequence[str] | None = None) -> Iterator[Payload]:
        """Payloads of every matching point of one state."""
        state = self._state()
        return (_copied(state.points[key].payload, fields) for key in state.matching(conditions))

    def count(self, conditions: Sequence[Condition]) -> int:
        """How many points match."""
        return len(self._state().matching(conditions))

    def fields(self) -> Mapping[str, FieldType]:
        """Noted payload paths with their types."""
        return dict(self._state().fields)

    def optimize(self) -> None:
        """There is nothing to do: each state is arranged at its first search."""

    def close(self) -> None:
        """Refuse further calls; the points are freed with the last store that shares them."""
        self._closed = True

    def _state(self) -> State:
        """What this context sees: the state it began to read, the one it writes, else the committed one."""
        if self._closed:
            raise RetrievalError("the index in memory was closed; make another")
        seen = self._seen.get()
        if isinstance(seen, Contents):
            return seen.working or seen.committed
        return seen or self._contents.committed


def _nearest(state: State, vector: AnyVector, limit: int, allowed: Collection[str] | None) -> Ranking:
    if isinstance(vector, SparseVector):
        ids, (rows, scores) = state.postings.ids, state.postings.scores(vector)
    elif not state.dense[0]:
        return {}
    else:
        ids, matrix = state.dense
        # Row by row: a matrix product goes by blocks, in which the scores of equal vectors may differ in the last bit.
        rows, scores = np.arange(len(ids)), np.einsum("ij,j->i", matrix, _unit(vector))
    if allowed is not None:
        kept = np.array([ids[row] in allowed for row in rows], dtype=bool)
        rows, scores = rows[kept], scores[kept]
    best = np.argsort(-scores, kind="stable")[:limit]
    return ranked((ids[rows[at]], float(scores[at])) for at in best)


def _holds(payload: Payload, condition: Condition) -> bool:
    """Whether a payload meets a condition; an absent field meets those that are negated."""
    value: Any = payload
    for name in condition.key.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    values = value if isinstance(value, list) else [value]
    return condition.negated != any(_meets(each, condition) for each in values)


def _meets(value: object, condition: Condition) -> bool:
    if condition.bounds is None and condition.type == "keyword":
        return isinstance(value, str) and value in map(str, condition.values)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    if condition.bounds is None:
        return float(value) in map(float, condition.values)
    return all(_COMPARED[name](float(value), float(bound)) for name, bound in condition.bounds.items())


_COMPARED = {"gte": operator.ge, "gt": operator.gt, "lte": operator.le, "lt": operator.lt}


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length else vector, dtype=np.float32)


def _copied(payload: Payload, fields: Sequence[str] | None = None) -> Payload:
    """A payload as an engine gives it back: JSON's own types, and shared with nobody."""
    wanted = payload if fields is None else {name: payload[name] for name in fields if name in payload}
    copied: Payload = orjson.loads(orjson.dumps(wanted))
    return copied
