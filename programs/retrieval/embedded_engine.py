"""Qdrant Edge, Qdrant's own engine inside this process, over the files of one folder.

The engine wants a folder to itself: it locks its write-ahead log, and rewrites small files even when it only reads. It
holds Python's global lock for the whole of a call, so calls are kept short and threads add no throughput. It writes
through mapped memory: on a full disk SIGBUS would end the process without a message, so free space is checked first.

Its files are mostly holes, a few kilobytes in a file of 32 MiB, which copies keep. They are hashed when a generation is
committed, and a damaged one is refused before the engine opens it: a flipped bit can end the process. Left out are
pages of records, each of which has a seal that names its paper, and the write-ahead log, which has checksums.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from programs.errors import IndexCorrupt, NoRoom, RetrievalError
from programs.retrieval.filters import Condition, FieldType
from programs.retrieval.store import (
    DENSE,
    SPARSE,
    Payload,
    Ranking,
    SparseVector,
    StoredPoint,
    Vector,
    dense_of,
    engine_filter,
    ranked,
)

_BLOCK = 1 << 20
_SMALL_BLOCK = 1 << 14
_ZEROS = bytes(_SMALL_BLOCK)


def copy_tree(source: Path, target: Path, *, skip: Collection[str] = (), share: Collection[str] = ()) -> None:
    """Copy a folder.

    Args:
        source: The folder.
        target: Where to; made if it is not there.
        skip: Names of files and folders at the top that are left out.
        share: Patterns of file names that are hard-linked where the file system can, so that both folders hold the same
            file; the others are copied.
    """
    target.mkdir(exist_ok=True)
    for entry in os.scandir(source):
        if entry.name in skip:
            continue
        if entry.is_dir():
            copy_tree(Path(entry.path), target / entry.name, share=share)
        elif not (any(fnmatch(entry.name, pattern) for pattern in share) and _linked(entry.path, target / entry.name)):
            _copy_file(Path(entry.path), target / entry.name)


def _linked(source: str, target: Path) -> bool:
    try:
        os.link(source, target)
    except OSError:  # another file system, one without links, or another user's file
        return False
    return True


def _copy_file(source: Path, target: Path) -> None:
    if not hasattr(os, "SEEK_DATA"):
        shutil.copyfile(source, target)
        return
    with source.open("rb") as read, target.open("wb") as written:
        written.truncate(os.fstat(read.fileno()).st_size)
        for at, end in _written_ranges(read.fileno()):
            _copy_range(read.fileno(), written.fileno(), at, end)


def written_blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """The blocks of a file that are not all zeros, each with its place; the same ones whether it has holes or not."""
    with path.open("rb", buffering=0) as file:
        done = 0
        for start, end in _written_ranges(file.fileno()):
            for at in range(max(done, start - start % _SMALL_BLOCK), end, _SMALL_BLOCK):
                file.seek(at)
                block = file.read(_SMALL_BLOCK)
                done = at + _SMALL_BLOCK
                if block != _ZEROS[: len(block)]:
                    yield at, block


def _written_ranges(file: int) -> Iterator[tuple[int, int]]:
    """Start and end of the parts of an open file that are not holes; the whole file where the system cannot say."""
    size, at = os.fstat(file).st_size, 0
    while at < size:
        if not hasattr(os, "SEEK_DATA"):
            yield 0, size
            return
        try:
            at = os.lseek(file, at, os.SEEK_DATA)
        except OSError:  # ENXIO: nothing but a hole from here on
            return
        end = os.lseek(file, at, os.SEEK_HOLE)
        yield at, end
        at = end


def _copy_range(source: int, target: int, at: int, end: int) -> None:
    copy: Callable[[int, int, int, int], int] = _in_kernel if hasattr(os, "copy_file_range") else _through_memory
    while at < end:
        try:
            at += copy(source, target, at, end) or end
        except OSError:
            if copy is _through_memory:
                raise
            copy = _through_memory  # the file system does not have it


def _in_kernel(source: int, target: int, at: int, end: int) -> int:
    return os.copy_file_range(source, target, end - at, at, at)


def _through_memory(source: int, target: int, at: int, end: int) -> int:
    return os.pwrite(target, os.pread(source, min(_BLOCK, end - at), at), at)


SUMS = "sums.json"
_LEFT_OUT = ("wal", "payload_storage/page_", "views", ".lock", "unoptimized", SUMS)
_SMALL = 1 << 20
"""Bytes on disk up to which a file is hashed at every opening."""
_SUM_BYTES = 16


def write_sums(folder: Path) -> None:
    """Store size, modification time and hash of each file of a generation in its folder."""
    sums = {name: [path.stat().st_size, path.stat().st_mtime_ns, _sum(path)] for name, path in _files(folder)}
    written = folder / f"{SUMS}.making"
    written.write_text(json.dumps(sums), encoding="ascii")
    written.replace(folder / SUMS)


def damaged_file(folder: Path, *, thorough: bool) -> str | None:
    """Find the first file that is not what was committed; None if all are, or if an earlier version kept no hashes.

    Args:
        folder: The generation's folder.
        thorough: Also hash large files whose size and modification time have not changed.
    """
    try:
        sums: dict[str, Any] = json.loads((folder / SUMS).read_text(encoding="ascii"))
        if not all(len(each) == 3 for each in sums.values()):
            return SUMS
    except FileNotFoundError:
        return None
    except (OSError, ValueError, AttributeError, TypeError):
        return SUMS
    found = dict(_files(folder))
    if other := sums.keys() ^ found.keys():
        return min(other)
    return next((name for name, path in found.items() if _differs(path, *sums[name], thorough=thorough)), None)


def _differs(path: Path, size: object, changed: object, known: object, *, thorough: bool) -> bool:
    stat = path.stat()
    if stat.st_size != size:
        return True
    taken = stat.st_blocks * 512 if hasattr(stat, "st_blocks") else stat.st_size
    is_trusted = stat.st_mtime_ns == changed and taken > _SMALL and not thorough
    return not is_trusted and _sum(path) != known


def _files(folder: Path, at: str = "") -> Iterator[tuple[str, Path]]:
    for entry in sorted(os.scandir(folder), key=lambda each: each.name):
        name = f"{at}{entry.name}"
        inside = name.split("/", 2)[-1] if name.startswith("segments/") else name  # without the segment's id
        if inside.startswith(_LEFT_OUT):
            continue
        if entry.is_dir():
            yield from _files(Path(entry.path), f"{name}/")
        else:
            yield name, Path(entry.path)


def _sum(path: Path) -> str:
    """A hash of what is written in a file and where; holes count as zeros, so that copies without holes have it too."""
    digest = hashlib.sha256()
    for at, block in written_blocks(path):
        digest.update(at.to_bytes(8, "little") + block)
    return digest.hexdigest()[: 2 * _SUM_BYTES]


_MIB = 2**20
_LEAST, _MOST = 4 * _MIB, 32 * _MIB
"""Reserve on top of the estimate: it grows with the estimate between these bounds."""
FULL = (errno.ENOSPC, errno.EDQUOT)


def require_room(path: Path, needed: int) -> None:
    """Check that there is room for about as many bytes as needed.

    Args:
        path: A folder, which need not exist yet.
        needed: Bytes.

    Raises:
        NoRoom: The disk is full, or nearly.
    """
    free, wanted = _free(path), needed + min(_MOST, _LEAST + 8 * needed)
    if free < wanted:
        why = f"{free // _MIB} MiB are free on its disk, and the next step may take {wanted // _MIB} MiB"
        raise _no_room(path, why)


def has_room(path: Path, needed: int) -> bool:
    """Whether the needed bytes can be written, with a small reserve."""
    return _free(path) >= needed + _LEAST


def _free(path: Path) -> int:
    there = next((each for each in (path, *path.absolute().parents) if each.is_dir()), Path())
    return shutil.disk_usage(there).free


def taken(folder: Path, *, but: Collection[str] = ()) -> int:
    """Bytes on disk of a folder's files, except those that match the patterns ``but``; holes count as nothing.

    Files that another process deletes meanwhile count as nothing too.
    """
    total = 0
    for parent, _, names in os.walk(folder):  # which passes over folders that are gone
        for name in names:
            if not any(fnmatch(name, one) for one in but):
                with suppress(FileNotFoundError):
                    total += Path(parent, name).stat().st_blocks * 512
    return total


@contextmanager
def room_told(path: Path) -> Iterator[None]:
    """Raise ``NoRoom`` instead of the OSError of a full disk; other errors pass."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise _no_room(path, f"its disk is full ({error.strerror})") from error


def _no_room(path: Path, why: str) -> NoRoom:
    return NoRoom(
        f"there is too little room for the index at {path}: {why}. Free some space and run the same command again; "
        "what was committed is kept"
    )


HNSW_EF = 256
"""Recall of the exact top 20 on 20,000 real-text chunks: 0.989 with the engine's default, 0.999 with 256."""

STALE_SHARE = 0.05
"""Above this share of replaced or removed points ``optimize`` rebuilds a segment: until then they still count in the
engine's document frequencies, and so in BM25 scores."""

NOT_REWRITTEN = ("matrix.dat", "chunk_*.mmap", "page_*.dat", "inverted_index.dat", "*.bin")
"""Patterns of the data files, which the engine does not change while it only reads. Even then it rewrites others,
always in the same way: flags, trackers and descriptions, all of them small."""

_A_POINT = 16 * 2**10
"""Bytes that a point takes in the log and in a segment, without its text."""
_COPIES_OF_TEXT = 4
_SCROLL_PAGE = 512
_SCHEMAS: Mapping[FieldType, Any] = {
    "keyword": edge.PayloadSchemaType.Keyword,
    "number": edge.PayloadSchemaType.Float,
}
_TYPES: Mapping[str, FieldType] = {"Keyword": "keyword", "Float": "number", "Integer": "number"}


class EdgeEngine:
    """Points in one folder that belongs to this process.

    Args:
        shard: An open engine.
        path: Where the index stands, for messages.
    """

    def __init__(self, shard: edge.EdgeShard, path: Path) -> None:
        self._shard = shard
        self._path = path

    @staticmethod
    def create(folder: Path, dimension: int) -> None:
        """Make the files of an empty engine in a folder that exists."""
        config = edge.EdgeConfig(
            vectors={DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine)},
            sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            optimizers=edge.EdgeOptimizersConfig(deleted_threshold=STALE_SHARE, vacuum_min_vector_number=1),
        )
        with _translated(folder):
            edge.EdgeShard.create(str(folder), config).close()

    @classmethod
    def load(cls, folder: Path, path: Path) -> EdgeEngine:
        """Open the files in a folder.

        Args:
            folder: Where the files are.
            path: Where the index stands, for messages.

        Raises:
            IndexCorrupt: They cannot be read.
        """
        with _translated(path, opening=True):
            return cls(edge.EdgeShard.load(str(folder)), path)

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Insert points in one entry of the write-ahead log, which makes the write atomic."""
        texts = (str(each.payload.get("text") or each.payload) for each in points)
        require_room(self._path, sum(_A_POINT + _COPIES_OF_TEXT * len(text) for text in texts))
        with _translated(self._path):
            self._shard.update(edge.UpdateOperation.upsert_points([_to_engine(point) for point in points]))

    def delete(self, conditions: Sequence[Condition]) -> None:
        """Delete every point that matches all conditions."""
        require_room(self._path, 0)
        with _translated(self._path):
            self._shard.update(edge.UpdateOperation.delete_points_by_filter(_required_filter(conditions)))

    def query(
        self, vectors: Sequence[Vector | SparseVector], limit: int, conditions: Sequence[Condition]
    ) -> list[Ranking]:
        """Search all vectors in one batch."""
        matching = _filter(conditions)
        params = edge.SearchParams(hnsw_ef=HNSW_EF)
        requests = [
            edge.QueryRequest(limit=limit, query=_nearest(vector), filter=matching, params=params, with_payload=False)
            for vector in vectors
        ]
        with _translated(self._path):
            results = self._shard.query_batch(edge.QueryBatchRequest(requests))
        return [ranked((_digits(point.id), point.score) for point in found) for found in results]

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """Payloads by point id."""
        with _translated(self._path):
            wanted = True if fields is None else list(fields)
            records = self._shard.retrieve(list(ids), with_payload=wanted, with_vector=False)
        return {_digits(record.id): record.payload or {} for record in records}

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Dense vectors by point id."""
        with _translated(self._path):
            records = self._shard.retrieve(list(ids), with_payload=False, with_vector=[DENSE])
        return dense_of((_digits(record.id), record.vector) for record in records)

    def scroll(self, conditions: Sequence[Condition], fields: Sequence[str] | None = None) -> Iterator[Payload]:
        """Payloads of every matching point, a page at a time."""
        offset: Any = None
        wanted = True if fields is None else list(fields)
        while True:
            request = edge.ScrollRequest(
                offset=offset, limit=_SCROLL_PAGE, filter=_filter(conditions), with_payload=wanted
            )
            with _translated(self._path):
                records, offset = self._shard.scroll(request)
            for record in records:
                yield record.payload or {}
            if offset is None:
                return

    def count(self, conditions: Sequence[Condition]) -> int:
        """Exact number of matching points."""
        with _translated(self._path):
            return self._shard.count(edge.CountRequest(exact=True, filter=_filter(conditions)))

    def fields(self) -> Mapping[str, FieldType]:
        """Indexed payload paths with their types."""
        with _translated(self._path):
            schema = self._shard.info().payload_schema
        return {key: _TYPES[str(info.data_type).rpartition(".")[2]] for key, info in schema.items()}

    def create_field(self, key: str, kind: FieldType) -> None:
        """Index a payload path."""
        require_room(self._path, 0)
        with _translated(self._path):
            self._shard.update(edge.UpdateOperation.create_field_index(key, _SCHEMAS[kind]))

    def optimize(self) -> None:
        """Build the HNSW graph over what was added, and flush."""
        with _translated(self._path):
            self._shard.optimize()
            self._shard.flush()

    def close(self) -> None:
        """Flush and release the files."""
        with _translated(self._path):
            self._shard.close()


def _digits(point_id: Any) -> str:  # noqa: ANN401 - the engine's ids may be numbers, ours are UUIDs
    return str(point_id.hex)


def _to_engine(point: StoredPoint) -> edge.Point:
    vectors: dict[str, Any] = {}
    if point.dense is not None:
        vectors[DENSE] = point.dense.tolist()
    if point.sparse is not None:
        vectors[SPARSE] = edge.SparseVector(point.sparse.indices, point.sparse.values)
    return edge.Point(point.id, vectors, point.payload)


def _nearest(vector: Vector | SparseVector) -> edge.Query:
    if isinstance(vector, SparseVector):
        return edge.Query.Nearest(edge.SparseVector(vector.indices, vector.values), using=SPARSE)
    return edge.Query.Nearest(vector.tolist(), using=DENSE)


def _filter(conditions: Sequence[Condition]) -> edge.Filter | None:
    return _required_filter(conditions) if conditions else None


def _required_filter(conditions: Sequence[Condition]) -> edge.Filter:
    found: edge.Filter = engine_filter(conditions, edge.Filter, edge.FieldCondition, edge.MatchAny, edge.RangeFloat)
    return found


@contextmanager
def _translated(path: Path, *, opening: bool = False) -> Iterator[None]:
    """Translate the engine's untyped exceptions."""
    try:
        yield
    except BaseException as error:
        # The engine raises plain Exceptions, and panics, which are not Exceptions; anything else is a bug of ours.
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        message = str(error)
        if "No space left" in message or "os error 28" in message or "quota exceeded" in message.lower():
            raise _no_room(path, f"its disk is full ({message})") from error
        if opening:
            raise IndexCorrupt(
                f"the index at {path} cannot be opened ({message}); restore the folder from a copy, or make the index "
                "again with `python -m programs index PAPERS`"
            ) from error
        raise RetrievalError(f"the engine at {path} failed: {message}") from error
