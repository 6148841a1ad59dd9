"""The embedded store: Qdrant Edge in this process, over a folder that any number of processes read while one writes.

A reader holds the committed generation of the folder and changes to a newer one between two reads. A writer works in a
copy, made at its first write; at the end of ``writing`` the copy becomes the committed generation, atomically.

The engine wants a folder to itself: it locks its write-ahead log, and rewrites small files even when it only reads. It
holds Python's global lock for the whole of a call, so calls are kept short and threads add no throughput.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from programs.errors import IndexCorrupt, IndexLocked, IndexNotFound, RetrievalError
from programs.retrieval.embedded_files import disk_errors_reported, no_room, require_room, taken
from programs.retrieval.filters import Condition, FieldType
from programs.retrieval.generations import Committed, Generations
from programs.retrieval.store import (
    DENSE,
    HNSW_EF,
    SCROLL_PAGE,
    SPARSE,
    AnyVector,
    Payload,
    Ranking,
    SnapshotStore,
    SparseVector,
    StoredPoint,
    Vector,
    View,
    dense_of,
    engine_filter,
    ranked,
)

logger = logging.getLogger(__name__)

STALE_SHARE = 0.05
"""Above this share of replaced or removed points ``optimize`` rebuilds a segment: until then they still count in the
engine's document frequencies, and so in BM25 scores."""

_A_POINT = 16 * 2**10
"""Bytes that a point takes in the log and in a segment, without its text."""
_COPIES_OF_TEXT = 4
_SCHEMAS: Mapping[FieldType, Any] = {"keyword": edge.PayloadSchemaType.Keyword, "number": edge.PayloadSchemaType.Float}
_TYPES: Mapping[str, FieldType] = {"Keyword": "keyword", "Float": "number", "Integer": "number"}


class EdgeStore(SnapshotStore[edge.EdgeShard]):
    """Points in one folder on this machine; the first read opens its files and may raise ``IndexCorrupt``."""

    def __init__(self, generations: Generations) -> None:
        super().__init__()
        self._generations = generations
        self._path = generations.path
        self._mutex = threading.Lock()
        self._latest: tuple[Committed, edge.EdgeShard] | None = None
        self._closed = False

    @classmethod
    def create(cls, path: Path, dimension: int) -> EdgeStore:
        """Make an empty store, in a new or an empty folder; it is there for readers once something was written."""
        require_room(path, 0)
        path.mkdir(parents=True, exist_ok=True)
        generations = Generations(path)

        def make(folder: Path) -> None:
            config = edge.EdgeConfig(
                vectors={DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine)},
                sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
                optimizers=edge.EdgeOptimizersConfig(deleted_threshold=STALE_SHARE, vacuum_min_vector_number=1),
            )
            with _translated(folder):
                edge.EdgeShard.create(str(folder), config).close()

        with generations.writing():
            if generations.committed() is None:
                generations.begin(make)
        return cls(generations)

    def is_in_place(self) -> bool:
        """Whether the folder is there, and is the one that was opened."""
        committed = self._generations.committed()
        return committed is not None and (self._latest is None or committed.index == self._latest[0].index)

    def is_unfinished(self) -> bool:
        """Whether a writer was killed, or is at work."""
        return self._generations.working().is_dir()

    def require_whole(self) -> None:
        """Compare the committed files with their hashes."""
        self._generations.require_whole()

    def state(self) -> str | None:
        """The number of the generation that a read would see, and the name of the index."""
        if view := self._seen.get():
            return view.name
        committed = self._generations.committed()
        return _named(committed) if committed else None

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Insert points in one entry of the write-ahead log, which makes the write atomic."""
        texts = (str(each.payload.get("text") or each.payload) for each in points)
        room = sum(_A_POINT + _COPIES_OF_TEXT * len(text) for text in texts)
        self._update(edge.UpdateOperation.upsert_points([_to_engine(point) for point in points]), room)

    def delete(self, conditions: Sequence[Condition]) -> None:
        """Delete every point that matches all conditions."""
        self._update(edge.UpdateOperation.delete_points_by_filter(_filter(conditions)))

    def create_field(self, key: str, kind: FieldType) -> None:
        """Index a payload path."""
        self._update(edge.UpdateOperation.create_field_index(key, _SCHEMAS[kind]))

    def _update(self, operation: edge.UpdateOperation, room: int = 0) -> None:
        with self.writing():
            work = self._work()
            shard = work.state = work.state or self._copy()
            require_room(self._path, room)
            with _translated(self._path):
                shard.update(operation)

    def optimize(self) -> None:
        """Build the HNSW graph over what this ``writing`` has added, or a killed one before it, and flush."""
        with self.writing():
            if (shard := self._work().state) is not None:
                require_room(self._path, taken(self._generations.working()))
                with _translated(self._path):
                    shard.optimize()
                    shard.flush()

    def query(self, vectors: Sequence[AnyVector], limit: int, conditions: Sequence[Condition]) -> list[Ranking]:
        """Search all vectors in one batch."""
        params, matching = edge.SearchParams(hnsw_ef=HNSW_EF), _filter(conditions)
        requests = [
            edge.QueryRequest(limit=limit, query=_nearest(vector), filter=matching, params=params, with_payload=False)
            for vector in vectors
        ]
        with self._shard() as shard:
            results = shard.query_batch(edge.QueryBatchRequest(requests))
        return [ranked((_digits(point.id), point.score) for point in found) for found in results]

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """Payloads by point id."""
        with self._shard() as shard:
            records = shard.retrieve(list(ids), with_payload=fields is None or list(fields), with_vector=False)
        return {_digits(record.id): record.payload or {} for record in records}

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Dense vectors by point id."""
        with self._shard() as shard:
            records = shard.retrieve(list(ids), with_payload=False, with_vector=[DENSE])
        return dense_of((_digits(record.id), record.vector) for record in records)

    def scroll(self, conditions: Sequence[Condition], fields: Sequence[str] | None = None) -> Iterator[Payload]:
        """Payloads of every matching point of one state, a page at a time."""
        offset: Any = None
        wanted, matching = fields is None or list(fields), _filter(conditions)
        with self._shard() as shard:
            while True:
                request = edge.ScrollRequest(offset=offset, limit=SCROLL_PAGE, filter=matching, with_payload=wanted)
                records, offset = shard.scroll(request)
                yield from (record.payload or {} for record in records)
                if offset is None:
                    return

    def count(self, conditions: Sequence[Condition]) -> int:
        """Exact number of matching points."""
        with self._shard() as shard:
            return shard.count(edge.CountRequest(exact=True, filter=_filter(conditions)))

    def fields(self) -> Mapping[str, FieldType]:
        """Indexed payload paths with their types."""
        with self._shard() as shard:
            schema = shard.info().payload_schema
        return {key: _TYPES[str(info.data_type).rpartition(".")[2]] for key, info in schema.items()}

    def close(self) -> None:
        """Release the files; a read that is under way finishes first."""
        self._closed = True
        self._latest = None

    @contextmanager
    def _shard(self) -> Iterator[edge.EdgeShard]:
        shard = self._state()
        with _translated(self._path):
            yield shard

    def _committed(self) -> View[edge.EdgeShard]:
        """The committed generation, opened; its engine is freed with the last read that holds it."""
        with self._mutex:
            if self._closed:
                raise RetrievalError(f"the index at {self._path} was closed; open it again")
            if self._latest is None or self._latest[0] != self._generations.committed():
                self._latest = self._opened()
            committed, shard = self._latest
            return View(shard, _named(committed))

    def _opened(self) -> tuple[Committed, edge.EdgeShard]:
        """Open the committed generation; not if the folder is another index's than the one that was open."""
        index = self._latest[0].index if self._latest else None
        while (committed := self._generations.committed()) is not None and index in (None, committed.index):
            try:
                with self._generations.view(committed) as folder:
                    shard = load_engine(folder, self._path)
            except (IndexCorrupt, FileNotFoundError):
                if self._generations.committed() == committed:
                    raise
                continue
            if self._generations.committed() == committed:  # else it may have been deleted meanwhile
                return committed, shard
        if index is None:
            raise IndexLocked(f"the index at {self._path} is being made by another process; wait until it is done")
        raise IndexNotFound(f"the index at {self._path} was deleted or replaced since it was opened; open it again")

    def _locked(self) -> AbstractContextManager[None]:
        return self._generations.writing()

    def _resumed(self) -> View[edge.EdgeShard]:
        return View(self._copy() if self.is_unfinished() else None)

    def _copy(self) -> edge.EdgeShard:
        """The copy that a writer works in, opened; one that a killed writer left damaged is made again."""

        def loaded() -> edge.EdgeShard:
            with disk_errors_reported(self._path):
                folder = self._generations.begin()
            return load_engine(folder, self._path)

        try:
            return loaded()
        except IndexCorrupt:
            if not self._generations.discard():
                raise
            logger.warning(
                "the last write to %s was interrupted and is damaged: it is discarded, and the state before it is "
                "intact; index those papers again",
                self._path,
            )
            return loaded()

    def _end(self, work: View[edge.EdgeShard], *, commit: bool) -> None:
        if work.state is None:
            return
        with _translated(self._path):
            work.state.close()
        if commit:
            with disk_errors_reported(self._path):
                self._generations.commit()


def load_engine(folder: Path, path: Path) -> edge.EdgeShard:
    """Open an engine on the files in a folder; ``path`` is the place of the index, for messages."""
    with _translated(path, opening=True):
        return edge.EdgeShard.load(str(folder))


def _named(committed: Committed) -> str:
    return f"{committed.number} {committed.index}"


def _digits(point_id: Any) -> str:  # noqa: ANN401 - the engine's ids may be numbers, ours are UUIDs
    return str(point_id.hex)


def _to_engine(point: StoredPoint) -> edge.Point:
    named = {DENSE: None if point.dense is None else point.dense.tolist(), SPARSE: point.sparse}
    vectors: Any = {name: vector for name, vector in named.items() if vector is not None}
    return edge.Point(point.id, vectors, point.payload)


def _nearest(vector: AnyVector) -> edge.Query:
    if isinstance(vector, SparseVector):
        return edge.Query.Nearest(vector, using=SPARSE)
    return edge.Query.Nearest(vector.tolist(), using=DENSE)


def _filter(conditions: Sequence[Condition]) -> Any:  # noqa: ANN401 - None, or the engine's class
    return engine_filter(conditions, edge, edge.RangeFloat)


@contextmanager
def _translated(path: Path, *, opening: bool = False) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        # The engine raises plain Exceptions, and panics, which are not Exceptions; anything else is a bug of ours.
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        message = str(error)
        if "No space left" in message or "os error 28" in message or "quota exceeded" in message.lower():
            raise no_room(path, f"its disk is full ({message})") from error
        if opening:
            raise IndexCorrupt(
                f"the index at {path} cannot be opened ({message}); restore the folder from a copy, or make the index "
                "again with `python -m programs index PAPERS`"
            ) from error
        raise RetrievalError(f"the engine at {path} failed: {message}") from error
