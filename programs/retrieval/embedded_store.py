"""The embedded store: a folder that any number of processes read while one of them writes.

A reader holds the committed generation of the folder and changes to a newer one between two reads. A writer works in a
copy, made at its first write; at the end of ``writing`` the copy becomes the committed generation, atomically. Inside
``reading`` several reads see one generation.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import cast

from programs.errors import IndexCorrupt, IndexLocked, IndexNotFound, RetrievalError
from programs.retrieval.embedded_engine import EdgeEngine, require_room, room_told, taken
from programs.retrieval.filters import Condition, FieldType
from programs.retrieval.generations import Generations, Held
from programs.retrieval.store import Payload, Ranking, SparseVector, StoredPoint, Vector

logger = logging.getLogger(__name__)

# What the reads of a context see, by the id of the store.
_SEEN: ContextVar[Mapping[int, _Opened | _Work]] = ContextVar("seen", default=MappingProxyType({}))


class EdgeStore:
    """Points in one folder on this machine.

    Args:
        generations: The folder.
    """

    def __init__(self, generations: Generations) -> None:
        self._generations = generations
        self._mutex = threading.Lock()
        self._latest: _Opened | None = None
        self._closed = False

    @staticmethod
    def exists(path: Path) -> bool:
        """Whether the folder holds a store, or one that was begun."""
        return Generations(path).exist()

    @staticmethod
    def is_vacant(path: Path) -> bool:
        """Whether a store can be made in the folder."""
        return Generations(path).is_vacant()

    @classmethod
    def create(cls, path: Path, dimension: int) -> EdgeStore:
        """Make an empty store, in a new or an empty folder; it is there for readers once something was written."""
        require_room(path, 0)
        path.mkdir(parents=True, exist_ok=True)
        generations = Generations(path)
        with generations.writing():
            if generations.committed() is None:
                generations.begin(lambda folder: EdgeEngine.create(folder, dimension))
        return cls(generations)

    @classmethod
    def load(cls, path: Path) -> EdgeStore:
        """Open an existing store; its files are opened by the first read, which may raise ``IndexCorrupt``."""
        return cls(Generations(path))

    def is_in_place(self) -> bool:
        """Whether the folder is there, and is the one that was opened."""
        committed = self._generations.committed()
        opened = self._latest
        return committed is not None and (opened is None or committed.index == opened.held.committed.index)

    def is_unfinished(self) -> bool:
        """Whether a writer was killed, or is at work."""
        return self._generations.is_unfinished()

    def state(self) -> str | None:
        """The number of the committed generation, and the name of the index."""
        committed = self._generations.committed()
        return f"{committed.number} {committed.index}" if committed else None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let all reads inside see one state, also those of threads started with a copy of the context."""
        if self._view() is not None:
            yield
            return
        opened = self._opened()
        try:
            with self._seen(opened):
                yield
        finally:
            self._release(opened)

    @contextmanager
    def writing(self, *, keep: bool = False) -> Iterator[None]:
        """Make several writes that become visible to others together, at the end; reads inside see them.

        Args:
            keep: Commit after an exception, too; otherwise the next writer continues from what was written.

        Raises:
            IndexLocked: Another writer does not finish soon.
        """
        if isinstance(self._view(), _Work):
            yield
            return
        with self._generations.writing():
            work = _Work(self._generations)
            try:
                with self._seen(work):
                    yield
            except BaseException:
                self._end(work, commit=keep)
                raise
            self._end(work, commit=True)

    def _end(self, work: _Work, *, commit: bool) -> None:
        if work.end(commit=commit):
            self._let_go()
            self._generations.sweep()

    def unlike(self, dimension: int) -> str:
        """Empty: this project makes the files."""
        return ""

    def require_whole(self) -> None:
        """Compare all files of the committed generation with their hashes."""
        self._generations.require_whole()

    def kept(self) -> None:
        """None: it is a folder on this machine."""
        return

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Insert points in one entry of the write-ahead log, which makes the write atomic."""
        with self._changed() as engine:
            engine.upsert(points)

    def delete(self, conditions: Sequence[Condition]) -> None:
        """Delete every point that matches all conditions."""
        with self._changed() as engine:
            engine.delete(conditions)

    def create_field(self, key: str, kind: FieldType) -> None:
        """Index a payload path."""
        with self._changed() as engine:
            engine.create_field(key, kind)

    def optimize(self) -> None:
        """Build the HNSW graph over what was added since the last time, and flush."""
        with self.writing():
            work = self._work()
            if work.engine is not None or not self._generations.is_optimized():
                engine = work.begun()
                require_room(self._generations.path, taken(self._generations.working()))
                engine.optimize()
                work.is_optimized = True

    def query(
        self, vectors: Sequence[Vector | SparseVector], limit: int, conditions: Sequence[Condition]
    ) -> list[Ranking]:
        """Search all vectors in one batch."""
        with self._seen_engine() as engine:
            return engine.query(vectors, limit, conditions)

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """Payloads by point id."""
        with self._seen_engine() as engine:
            return engine.retrieve(ids, fields)

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Dense vectors by point id."""
        with self._seen_engine() as engine:
            return engine.vectors(ids)

    def scroll(self, conditions: Sequence[Condition], fields: Sequence[str] | None = None) -> Iterator[Payload]:
        """Payloads of every matching point of one state, a page at a time."""
        with self._seen_engine() as engine:
            yield from engine.scroll(conditions, fields)

    def count(self, conditions: Sequence[Condition]) -> int:
        """Exact number of matching points."""
        with self._seen_engine() as engine:
            return engine.count(conditions)

    def fields(self) -> Mapping[str, FieldType]:
        """Indexed payload paths with their types."""
        with self._seen_engine() as engine:
            return engine.fields()

    def close(self) -> None:
        """Release the files; a read that is under way finishes first."""
        self._closed = True
        self._let_go()
        self._generations.sweep()

    def _view(self) -> _Opened | _Work | None:
        return _SEEN.get().get(id(self))

    def _work(self) -> _Work:
        """What this context writes; only inside ``writing``."""
        return cast("_Work", self._view())

    @contextmanager
    def _seen(self, view: _Opened | _Work) -> Iterator[None]:
        """Have the reads of this context see a generation, or a writer's copy."""
        token = _SEEN.set({**_SEEN.get(), id(self): view})
        try:
            yield
        finally:
            _SEEN.reset(token)

    @contextmanager
    def _seen_engine(self) -> Iterator[EdgeEngine]:
        view = self._view()
        engine = view.engine if view is not None else None
        if engine is not None:
            yield engine
        else:
            opened = self._opened()
            try:
                yield opened.engine
            finally:
                self._release(opened)

    @contextmanager
    def _changed(self) -> Iterator[EdgeEngine]:
        with self.writing():
            work = self._work()
            work.is_optimized = False
            yield work.begun()

    def _opened(self) -> _Opened:
        """The committed generation, opened, with one more user.

        Raises:
            IndexNotFound: The folder was deleted, or replaced by another index.
        """
        with self._mutex:
            if self._closed:
                raise RetrievalError(f"the index at {self._generations.path} was closed; open it again")
            committed = self._generations.committed()
            if self._latest is None or self._latest.held.committed != committed:
                self._latest = self._gone_over()
            self._latest.users += 1
            return self._latest

    def _gone_over(self) -> _Opened:
        """Open the committed generation in place of the one that was open."""
        before, held = self._latest, self._generations.hold()
        path = self._generations.path
        if held is None and before is None:
            raise IndexLocked(f"the index at {path} is being made by another process; wait until it is done")
        if held is None or (before is not None and before.held.committed.index != held.committed.index):
            if held is not None:
                held.lock.close()
            raise IndexNotFound(f"the index at {path} was deleted or replaced since it was opened; open it again")
        try:
            with self._generations.view(held) as folder:
                engine = EdgeEngine.load(folder, path)
        except BaseException:
            held.lock.close()
            raise
        if before is not None:
            before.release()
            self._generations.sweep()
        return _Opened(engine, held)

    def _release(self, opened: _Opened) -> None:
        with self._mutex:
            opened.release()

    def _let_go(self) -> None:
        """Release what is open, so that it can be deleted once it has no other reader."""
        with self._mutex:
            if self._latest is not None:
                self._latest.release()
                self._latest = None


class _Opened:
    """A generation that is open, until its last user releases it; the store that opened it is the first."""

    def __init__(self, engine: EdgeEngine, held: Held) -> None:
        self.engine = engine
        self.held = held
        self.users = 1

    def release(self) -> None:
        self.users -= 1
        if not self.users:
            try:
                self.engine.close()
            finally:
                self.held.lock.close()


class _Work:
    """What a writer does under the lock; ``engine`` is open once there is a copy to work in."""

    def __init__(self, generations: Generations) -> None:
        self._generations = generations
        self.is_optimized = False
        self.engine: EdgeEngine | None = None
        if generations.is_unfinished():
            self.begun()

    def begun(self) -> EdgeEngine:
        if self.engine is None:
            try:
                self.engine = self._loaded()
            except IndexCorrupt:
                if not self._generations.discard():
                    raise
                logger.warning(
                    "the last write to %s was interrupted and is damaged: it is discarded, and the state before it is "
                    "intact; index those papers again",
                    self._generations.path,
                )
                self.engine = self._loaded()
        return self.engine

    def _loaded(self) -> EdgeEngine:
        with room_told(self._generations.path):
            folder = self._generations.begin()
        return EdgeEngine.load(folder, self._generations.path)

    def end(self, *, commit: bool) -> bool:
        """Make the copy the index, or leave it to the next writer; returns whether it was committed."""
        if self.engine is None:
            return False
        self.engine.close()
        if commit:
            with room_told(self._generations.path):
                self._generations.commit(is_optimized=self.is_optimized)
        return commit
