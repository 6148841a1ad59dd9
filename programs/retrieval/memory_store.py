"""The store in memory: exact search by numpy, for an index that need not outlive its process.

    index = Index.open(":memory:", create=True)

It gives what the embedded engine gives, without an approximate graph: cosine similarity to every vector, BM25 over all
postings with the engine's IDF, filters on every payload.
"""

from __future__ import annotations

import operator
import threading
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    SnapshotStore,
    SparseVector,
    StoredPoint,
    Vector,
    View,
    ranked,
)

WAIT_FOR_WRITER = 2.0
"""Seconds that a writer waits for another thread's."""


class State:
    """Points by id, ids ascending, and indexed fields; immutable, and arranged for search at the first one."""

    def __init__(self, points: Mapping[str, StoredPoint], fields: Mapping[str, FieldType]) -> None:
        self.points = {key: points[key] for key in sorted(points)}
        self.fields = dict(fields)

    @cached_property
    def _dense(self) -> tuple[list[str], Vector]:
        """Ids with their unit vectors, one a row."""
        found = {key: point.dense for key, point in self.points.items() if point.dense is not None}
        return list(found), np.array(list(found.values()), dtype=np.float32)

    @cached_property
    def _postings(self) -> Postings:
        return Postings({key: point.sparse for key, point in self.points.items() if point.sparse is not None})

    def matching(self, conditions: Sequence[Condition]) -> list[str]:
        """Ids of the points that match all conditions, ascending."""
        return [key for key, point in self.points.items() if all(_holds(point.payload, one) for one in conditions)]

    def query(self, vectors: Sequence[AnyVector], limit: int, conditions: Sequence[Condition]) -> list[Ranking]:
        """Compare each vector with every matching point; as ``Store.query``."""
        allowed = set(self.matching(conditions)) if conditions else None
        return [self._nearest(vector, limit, allowed) for vector in vectors]

    def _nearest(self, vector: AnyVector, limit: int, allowed: Collection[str] | None) -> Ranking:
        if isinstance(vector, SparseVector):
            ids, (rows, scores) = self._postings.ids, self._postings.scores(vector)
        elif not self._dense[0]:
            return {}
        else:
            ids, matrix = self._dense
            # Row by row: a matrix product goes by blocks, in which the scores of equal vectors may differ in the last
            # bit.
            rows, scores = np.arange(len(ids)), np.einsum("ij,j->i", matrix, _unit(vector))
        if allowed is not None:
            kept = np.array([ids[row] in allowed for row in rows], dtype=bool)
            rows, scores = rows[kept], scores[kept]
        best = np.argsort(-scores, kind="stable")[:limit]
        return ranked((ids[rows[at]], float(scores[at])) for at in best)


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

    def scores(self, query: SparseVector) -> tuple[NDArray[np.int64], Vector]:
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


class MemoryStore(SnapshotStore[State]):
    """Points in memory; several stores may share their contents, as several openings of one folder do."""

    def __init__(self, contents: Contents) -> None:
        super().__init__()
        self._contents = contents
        self._closed = False

    def is_unfinished(self) -> bool:
        """Whether a writer was interrupted, or is at work."""
        return self._contents.working is not None

    def state(self) -> str | None:
        """The number of the committed state, and the name of the contents."""
        return (self._seen.get() or self._committed()).name

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Insert points in one step; a vector of another dimension is a ``RetrievalError``."""
        stored = {point.id: self._as_stored(point) for point in points}
        self._write(lambda state: State({**state.points, **stored}, state.fields))

    def _as_stored(self, point: StoredPoint) -> StoredPoint:
        dense, wanted = point.dense, self._contents.dimension
        if dense is not None and dense.shape != (wanted,):
            raise RetrievalError(f"the index in memory holds vectors of {wanted} numbers, got {dense.shape}")
        return replace(point, payload=_copied(point.payload), dense=None if dense is None else _unit(dense))

    def delete(self, conditions: Sequence[Condition]) -> None:
        """Delete every point that matches all conditions."""

        def left(state: State) -> State:
            gone = set(state.matching(conditions))
            return State({key: point for key, point in state.points.items() if key not in gone}, state.fields)

        self._write(left)

    def create_field(self, key: str, kind: FieldType) -> None:
        """Note a payload path as one that filters can name."""
        self._write(lambda state: State(state.points, {**state.fields, key: kind}))

    def query(self, vectors: Sequence[AnyVector], limit: int, conditions: Sequence[Condition]) -> list[Ranking]:
        """Compare each vector with every matching point."""
        return self._state().query(vectors, limit, conditions)

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

    def close(self) -> None:
        """Refuse further calls; the points are freed with the last store that shares them."""
        self._closed = True

    def _write(self, change: Callable[[State], State]) -> None:
        with self.writing():
            self._work().state = self._contents.working = change(self._state())

    def _committed(self) -> View[State]:
        if self._closed:
            raise RetrievalError("the index in memory was closed; make another")
        return View(self._contents.committed, f"{self._contents.number} {self._contents.name}")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if not self._contents.lock.acquire(timeout=WAIT_FOR_WRITER):
            raise IndexLocked("the index in memory is being written to by another thread; wait until it is done")
        try:
            yield
        finally:
            self._contents.lock.release()

    def _resumed(self) -> View[State]:
        return View(self._contents.working)

    def _end(self, work: View[State], *, commit: bool) -> None:
        if commit and work.state is not None:
            self._contents.committed, self._contents.working = work.state, None
            self._contents.number += 1


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
    compared = {"gte": operator.ge, "gt": operator.gt, "lte": operator.le, "lt": operator.lt}
    return all(compared[name](float(value), float(bound)) for name, bound in condition.bounds.items())


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length else vector, dtype=np.float32)


def _copied(payload: Payload, fields: Sequence[str] | None = None) -> Payload:
    """A payload as an engine gives it back: JSON's own types, and shared with nobody."""
    wanted = payload if fields is None else {name: payload[name] for name in fields if name in payload}
    copied: Payload = orjson.loads(orjson.dumps(wanted))
    return copied
