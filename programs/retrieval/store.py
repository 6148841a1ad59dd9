"""What an index needs from a vector engine: one implementation is embedded, one talks to a Qdrant server.

``CollectionOptions`` says how a server is to keep a collection, ``CollectionStatus`` how it does.

    CollectionOptions(shards=6, replicas=2)  # on three nodes: one may be lost
    CollectionOptions(quantization="int8", on_disk=True)  # a quarter of the memory for vectors
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast

import numpy as np
import qdrant_edge
from numpy.typing import NDArray

from programs.errors import UsageError
from programs.retrieval.filters import Condition, FieldType

K1 = 1.2
B = 0.75
AVERAGE_LENGTH = 128.0
"""Terms left of a 220-word passage once stop words are gone; kept fixed, because a length that follows the corpus would
change vectors already stored."""


SparseVector: TypeAlias = qdrant_edge.SparseVector
"""``indices``, term ids, and ``values``, their weights, of equal length."""


class Bm25:
    """Turns texts into sparse vectors; k1 = 1.2, b = 0.75 (Robertson & Zaragoza, 2009).

    ``document`` weighs a passage's terms, saturated by frequency and normalised by length; ``query`` gives each
    distinct term of a query weight 1.
    """

    name = f"bm25:k={K1}:b={B}:length={AVERAGE_LENGTH:g}:english"

    def __init__(self) -> None:
        model = qdrant_edge.Bm25(qdrant_edge.Bm25Config(k=K1, b=B, avg_len=AVERAGE_LENGTH))
        self.document, self.query = model.embed_document, model.embed_query


INT8 = "int8"


@dataclass(frozen=True, slots=True)
class CollectionOptions:
    """Settings of a collection on a server, chosen when it is made; None leaves one to the server.

    Attributes:
        shards: Pieces, spread over the nodes of a cluster; a few a node leave room to grow.
        replicas: Copies of each piece, on different nodes; with 2 a node may be lost.
        write_consistency: Copies that must have a write before it counts as done.
        quantization: "int8" searches vectors of a quarter of the size, and orders the results by the full ones.
        on_disk: Full vectors stay on disk and are read when needed.
    """

    shards: int | None = None
    replicas: int | None = None
    write_consistency: int | None = None
    quantization: str | None = None
    on_disk: bool | None = None

    def __post_init__(self) -> None:
        for name in ("shards", "replicas", "write_consistency"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"{name}={value} is too few; give 1 or more, or leave it out")
        if self.quantization not in (None, INT8):
            raise UsageError(f"quantization={self.quantization!r} is not known; give {INT8}, or leave it out")
        if (self.write_consistency or 1) > (self.replicas or self.write_consistency or 1):
            raise UsageError(f"write_consistency={self.write_consistency} is more than there are replicas")

    @property
    def chosen(self) -> dict[str, Any]:
        """The settings that are not left to the server."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def unlike(self, found: CollectionOptions) -> str:
        """Where a collection differs from the chosen settings, in words; empty if it does not."""
        there = asdict(found)
        return ", ".join(
            f"{name} {there[name] or 'off'} and not {value}"
            for name, value in self.chosen.items()
            if (there[name] or False) != value
        )


@dataclass(frozen=True, slots=True)
class CollectionStatus:
    """How a server keeps an index, and the effect of losing a node.

    Attributes:
        server: Version of the server.
        alone: By node, the pieces of which it holds the only copy that can be read.
        broken: Pieces of which a copy cannot be read at present.
    """

    server: str
    options: CollectionOptions
    nodes: int = 1
    alone: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    broken: tuple[int, ...] = ()

    @property
    def loss(self) -> str:
        """The effect of losing one node, in a sentence."""
        if self.nodes == 1:
            return "One server: while it is down there is no search and no write."
        if not self.alone:
            return f"{self.nodes} nodes: the loss of any one changes nothing."
        pieces = sum(len(each) for each in self.alone.values())
        which = "any" if len(self.alone) == self.nodes else "one"
        return (
            f"{self.nodes} nodes: the loss of {which} ends every search and every write until it is back, for {pieces} "
            f"of {self.options.shards} pieces have one copy."
        )


Vector: TypeAlias = NDArray[np.float32]
AnyVector: TypeAlias = Vector | SparseVector
Payload: TypeAlias = dict[str, Any]

Ranking: TypeAlias = dict[str, float]
"""Ids of the points that a query found with their scores (cosine similarity or BM25), best first, equal scores in the
order of the ids: engines order those by when they were written, which differs between machines."""

DENSE = "dense"
SPARSE = "bm25"

HNSW_EF = 256
"""Recall of the exact top 20 on 20,000 real-text chunks: 0.989 with the engine's default, 0.999 with 256."""
SCROLL_PAGE = 512


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """One stored record: a chunk with a unit vector and term weights, or a record without any.

    The id is a UUID as 32 hexadecimal digits; without hyphens they are made in two thirds of the time.
    """

    id: str
    payload: Payload
    dense: Vector | None = None
    sparse: SparseVector | None = None


def ranked(found: Iterable[tuple[str, float]]) -> Ranking:
    """A ranking from ids with their scores, in any order."""
    ordered = sorted((-score, key) for key, score in found)
    return {key: -negated for negated, key in ordered}


def dense_of(found: Iterable[tuple[str, Any]]) -> dict[str, Vector]:
    """The dense vectors of points, from their named vectors; points without vectors are left out."""
    return {key: np.asarray(named[DENSE], dtype=np.float32) for key, named in found if DENSE in (named or ())}


def engine_filter(conditions: Sequence[Condition], engine: Any, range_of: Callable[..., Any]) -> Any:  # noqa: ANN401
    """Conditions as a filter in the classes of an engine's module, with its class for ranges; None without any."""
    if not conditions:
        return None

    def translated(one: Condition) -> Any:  # noqa: ANN401 - the engine's own class
        if one.bounds is not None:
            return engine.FieldCondition(key=one.key, range=range_of(**one.bounds))
        if one.type == "keyword":
            return engine.FieldCondition(key=one.key, match=engine.MatchAny(any=[str(value) for value in one.values]))
        ranges = [range_of(gte=float(value), lte=float(value)) for value in one.values]
        return engine.Filter(should=[engine.FieldCondition(key=one.key, range=each) for each in ranges])

    met = [translated(one) for one in conditions if not one.negated]
    return engine.Filter(must=met, must_not=[translated(one) for one in conditions if one.negated])


class Store(Protocol):
    """A collection of points in a vector engine; the methods with a body are those that not every engine needs.

    Every method raises a ``RetrievalError`` when the engine fails. Nothing is written partly: one ``upsert`` or
    ``delete`` either survives a killed process or leaves no trace.
    """

    def reading(self) -> AbstractContextManager[None]:
        """Let all reads inside see one state; on a server each read sees the present one."""
        return nullcontext()

    def writing(self, *, keep: bool = False) -> AbstractContextManager[None]:
        """Be the only process that writes; what is written inside becomes visible to others together, at the end.

        Reads inside see what was written. A write outside is a separate ``writing``. After an exception others see
        nothing of it, and the next writer continues from it; ``keep`` commits it, for writes that are each complete.
        On a server any number of processes write, and all see it at once.
        """
        return nullcontext()

    def is_unfinished(self) -> bool:
        """Whether a writer was killed, whose work can be completed, or is at work; False on a server."""
        return False

    def is_in_place(self) -> bool:
        """Whether it is still the store that was opened, not another in its place; always True on a server."""
        return True

    def require_whole(self) -> None:
        """Compare all files of a folder with what was committed; raises ``IndexCorrupt`` if one differs."""
        return

    def state(self) -> str | None:
        """A unique name for the state that a read would see; None where it may change: on a server, for a writer."""
        return None

    def unlike(self, dimension: int) -> str:
        """Why an empty store cannot hold an index of this dimension, in a few words; empty if it can."""
        return ""

    def kept(self) -> CollectionStatus | None:
        """How a server keeps it; None for a folder."""
        return None

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Insert points, replacing those with the same id, in one atomic write.

        On a server that limits the size of a write there are several, in the order of the points.
        """

    def delete(self, conditions: Sequence[Condition]) -> None:
        """Delete every point that matches all conditions."""

    def query(self, vectors: Sequence[AnyVector], limit: int, conditions: Sequence[Condition]) -> list[Ranking]:
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
        """Optimize the engine after many writes; may take a while."""
        return

    def close(self) -> None:
        """Flush and release the engine; further calls fail."""


S = TypeVar("S")


@dataclass
class View(Generic[S]):
    """What the reads of a context see: a committed state by its unique name, or without a name what a writer makes.

    Before a writer's first write its ``state`` is None, and its reads see the committed one.
    """

    state: S | None
    name: str | None = None


class SnapshotStore(Store, Generic[S]):
    """A store of whole states: readers see the committed one, while one writer makes the next."""

    def __init__(self) -> None:
        # What a context reads or writes; None for whatever is committed at each read.
        self._seen: ContextVar[View[S] | None] = ContextVar("seen", default=None)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let all reads inside see one state, also those of threads started with a copy of the context."""
        if self._seen.get() is not None:
            yield
            return
        with self._seeing(self._committed()):
            yield

    @contextmanager
    def writing(self, *, keep: bool = False) -> Iterator[None]:
        """As for ``Store``; raises ``IndexLocked`` if another writer does not finish soon."""
        view = self._seen.get()
        if view is not None and view.name is None:
            yield
            return
        with self._locked():
            work = self._resumed()
            try:
                with self._seeing(work):
                    yield
            except BaseException:
                self._end(work, commit=keep)
                raise
            self._end(work, commit=True)

    @contextmanager
    def _seeing(self, view: View[S]) -> Iterator[None]:
        token = self._seen.set(view)
        try:
            yield
        finally:
            self._seen.reset(token)

    def _work(self) -> View[S]:
        """What this context writes; only inside ``writing``."""
        return cast("View[S]", self._seen.get())

    def _state(self) -> S:
        """What this context sees."""
        view = self._seen.get()
        if view is None or view.state is None:
            view = self._committed()
        return cast("S", view.state)

    @abstractmethod
    def _committed(self) -> View[S]:
        """The committed state; raises ``RetrievalError`` once the store is closed."""

    @abstractmethod
    def _locked(self) -> AbstractContextManager[None]:
        """Be the only writer."""

    @abstractmethod
    def _resumed(self) -> View[S]:
        """What a writer begins with: what an interrupted one left, or nothing."""

    @abstractmethod
    def _end(self, work: View[S], *, commit: bool) -> None:
        """Make a writer's state the committed one, or leave it to the next writer."""
