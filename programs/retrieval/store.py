"""What an index needs from a vector engine; one implementation is embedded, one talks to a server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from programs.retrieval.bm25 import SparseVector
from programs.retrieval.filters import Condition, FieldType
from programs.retrieval.qdrant_server.keeping import Kept

Vector: TypeAlias = NDArray[np.float32]
Payload: TypeAlias = dict[str, Any]

Ranking: TypeAlias = dict[str, float]
"""Ids of the points that a query found with their scores (cosine similarity or BM25), best first, equal scores in the
order of the ids: engines order those by when they were written, which differs between machines."""

DENSE = "dense"
SPARSE = "bm25"


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """One stored record: a chunk with its vectors, or a record without any.

    Attributes:
        id: A UUID as 32 hexadecimal digits; without hyphens they are made in two thirds of the time.
        payload: JSON-ready values.
        dense: Unit vector, or None.
        sparse: Term weights, or None.
    """

    id: str
    payload: Payload
    dense: Vector | None = None
    sparse: SparseVector | None = None


def ranked(found: Iterable[tuple[str, float]]) -> Ranking:
    """A ranking of ids with their scores, in whatever order the engine gave them."""
    ordered = sorted((-score, key) for key, score in found)
    return {key: -negated for negated, key in ordered}


def dense_of(found: Iterable[tuple[str, Any]]) -> dict[str, Vector]:
    """The dense vectors of points, out of their vectors by name; points without vectors are left out."""
    return {key: np.asarray(named[DENSE], dtype=np.float32) for key, named in found if isinstance(named, dict)}


class Store(Protocol):
    """A collection of points in a vector engine.

    Every method raises a ``RetrievalError`` when the engine fails. Nothing is written partly: one ``upsert`` or
    ``delete`` either survives a killed process or leaves no trace.
    """

    def reading(self) -> AbstractContextManager[None]:
        """Have all reads inside see one state, where the engine can do that: a server shows what it has."""

    def writing(self, *, keep: bool = False) -> AbstractContextManager[None]:
        """Be the only process that writes; what is written inside appears to others together, at the end.

        Reads inside see what was written. On a server any number of processes write, and see it at once. A single
        write outside is one of its own. After an exception the others see nothing of it: it stays where the next
        writer goes on, unless ``keep`` says that every write is whole by itself.
        """

    def is_unfinished(self) -> bool:
        """Whether a writer was killed that can be finished for, or is at work; not known of a server."""

    def is_in_place(self) -> bool:
        """Whether it is still the store that was opened, and not another in its place; always so on a server."""

    def state(self) -> str | None:
        """A name of what a read would see, which another state does not have; None where that is not known."""

    def unlike(self, dimension: int) -> str:
        """What keeps an empty store from holding an index of this dimension, in a few words; mostly nothing."""

    def require_whole(self) -> None:
        """Compare all files of a folder with what was committed; a server looks after its own.

        Raises:
            IndexCorrupt: One is not what was written.
        """

    def kept(self) -> Kept | None:
        """How a server keeps it; None for a folder."""

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Insert points, replacing those with the same id, in one atomic write.

        On a server that limits the size of a write there are several, in the order of the points.
        """

    def delete(self, conditions: Sequence[Condition]) -> None:
        """Delete every point that matches all conditions."""

    def query(
        self, vectors: Sequence[Vector | SparseVector], limit: int, conditions: Sequence[Condition]
    ) -> list[Ranking]:
        """Find the nearest points of each vector, all in one batch."""

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """Payloads of points by id; ids that do not exist are left out. ``fields`` limits what is read."""

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Dense vectors of points by id, float32 of unit length; ids that do not exist or have none are left out."""

    def scroll(self, conditions: Sequence[Condition], fields: Sequence[str] | None = None) -> Iterator[Payload]:
        """Payloads of every matching point, in the order of their ids."""

    def count(self, conditions: Sequence[Condition]) -> int:
        """How many points match."""

    def fields(self) -> Mapping[str, FieldType]:
        """Indexed payload paths with their types."""

    def create_field(self, key: str, kind: FieldType) -> None:
        """Index a payload path, so that filters on it are fast."""

    def optimize(self) -> None:
        """Bring the engine into its best state after many writes; may take a while."""

    def close(self) -> None:
        """Flush and let go of the engine; further calls fail."""
