"""The papers that a server answers from, and the fields that filters can name."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from programs.retrieval.filters import OWN_VALUES, FieldType
from programs.retrieval.index import Index
from programs.server.answering import require_there

FRESH_SECONDS = 60.0
"""How long a list of papers counts as new: on a Qdrant server others may add some."""

MOST_VALUES = 60
"""A field with more different values is not a menu."""

_OF_ONE_PAPER = frozenset({"title", "doi", "pmcid", "url", "source", "document", "heading"})


@dataclass(frozen=True, slots=True)
class _Papers:
    rows: Sequence[Mapping[str, Any]]
    fields: Mapping[str, FieldType]
    state: str | None
    read_at: float

    def are_fresh(self, state: str | None, now: float) -> bool:
        """Whether the index is in the state in which they were read; where that is not known, for a while."""
        return state == self.state if state is not None else now - self.read_at <= FRESH_SECONDS


class Catalogue:
    """The papers of an index, read when it has changed, on a Qdrant server once a minute at most.

    Blocking; shared by all threads.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._papers: _Papers | None = None
        self._reading = threading.Lock()
        self._counting = threading.Lock()
        self._state = index.state()
        self._count = index.stats().documents

    def count(self) -> int:
        """How many papers there are, counted anew when an embedded index has changed; on a server, as last listed."""
        with self._counting:
            state = self._index.state()
            if state != self._state:
                self._count, self._state = self._index.stats().documents, state
            return self._count

    def documents(self, limit: int, offset: int) -> dict[str, Any]:
        """A page of the papers in the order of their ids."""
        rows = self._read().rows
        shown = [_row(row) for row in rows[offset : offset + limit]]
        return {"documents": shown, "total": len(rows), "limit": limit, "offset": offset}

    def fields(self) -> dict[str, Any]:
        """Every field that filters can name, with the values or the range it has."""
        papers = self._read()
        return {"fields": [_field(name, kind, papers.rows) for name, kind in sorted(papers.fields.items())]}

    def _read(self) -> _Papers:
        require_there(self._index)
        with self._reading:
            now, state = time.monotonic(), self._index.state()
            if self._papers is None or not self._papers.are_fresh(state, now):
                with self._index.reading():
                    rows = sorted(self._index.documents(), key=lambda row: str(row["id"]))
                    self._papers = _Papers(rows, self._index.fields(), state, now)
                with self._counting:
                    self._count, self._state = len(rows), state
            return self._papers


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A paper in a list; what else is known of it stands apart, for any field may be called anything."""
    known = {name: value for name, value in row.items() if name not in ("id", "chunks", "title", "year")}
    return {
        "id": row["id"],
        "title": row.get("title", ""),
        "year": row.get("year"),
        "chunks": row["chunks"],
        "metadata": known,
    }


def _field(name: str, kind: FieldType, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    values = OWN_VALUES.get(name) or _values(name, rows)
    described: dict[str, Any] = {"name": name, "type": kind, "values": [], "min": None, "max": None}
    if kind == "number":
        numbers = [value for value in values if isinstance(value, int | float)]
        return {**described, "min": min(numbers, default=None), "max": max(numbers, default=None)}
    if name in _OF_ONE_PAPER or len(values) > MOST_VALUES:
        return described
    return {**described, "values": sorted(map(str, values))}


def _values(name: str, rows: Sequence[Mapping[str, Any]]) -> set[Any]:
    found: set[Any] = set()
    for row in rows:
        value = row.get(name, [])
        found.update(value if isinstance(value, list) else [value])
    return found
