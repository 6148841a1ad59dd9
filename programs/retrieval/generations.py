"""The folder of an embedded index: whole states side by side, and a file that says which of them is the index.

    papers.idx/CURRENT                  "7 3c9e…": the number of the committed generation, and what names this index
    papers.idx/.lock                    locked by the process that writes
    papers.idx/generations/7/           an engine's files, which no longer change
    papers.idx/generations/7/.lock      locked, shared, by every process that reads them
    papers.idx/generations/8/           the copy that a writer works in; becomes the index when CURRENT names it

A writer that is killed leaves its copy, with every batch that it had written, and the next one continues in it. A
generation that has been succeeded is deleted once no process reads it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import portalocker

from programs.errors import IndexCorrupt, IndexLocked, RetrievalError
from programs.retrieval import embedded_files as files

_CURRENT, _GENERATIONS, _LOCK = "CURRENT", "generations", ".lock"
_VIEWS, _UNOPTIMIZED, _UNFINISHED, _ADOPTED = "views", "unoptimized", ".making", "adopted"

WAIT_FOR_WRITER = 2.0
"""Seconds that a writer waits for another: longer than a process that only finishes what a killed one left."""
_WAIT_STEP = 0.05

_EARLIER_LAYOUT = ("wal", "segments", "edge_config.json")
"""What was in the folder itself before there were generations; the last says that such an index is there."""


@dataclass(frozen=True, slots=True)
class Committed:
    """The generation that is the index: its number, from 1 and never reused, and a unique name of the index.

    By the name another index that was put in its place is noticed.
    """

    number: int
    index: str


@dataclass(frozen=True, slots=True)
class Held:
    """A generation that is not deleted as long as ``lock`` is open."""

    committed: Committed
    folder: Path
    lock: IO[bytes]


class Generations:
    """The generations in an index's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exist(self) -> bool:
        """Whether the folder holds an index, or the files of one whose making was interrupted."""
        return self._is_of_earlier_layout() or any(
            not folder.name.endswith(_UNFINISHED) for folder in _children(self.path / _GENERATIONS)
        )

    def is_vacant(self) -> bool:
        """Whether an index can be made here: the folder is empty, or holds only the first traces of making one."""
        return not self.exist() and {each.name for each in _children(self.path)} <= {_LOCK, _GENERATIONS}

    def committed(self) -> Committed | None:
        """The generation that is the index now; None when there is none, or not yet."""
        try:
            number, index = (self.path / _CURRENT).read_text("ascii").split()
            return Committed(int(number), index)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise self._corrupt(f"{_CURRENT} cannot be read: {error}") from error

    def hold(self) -> Held | None:
        """Keep the committed generation from being deleted; None when there is none."""
        while (committed := self.committed()) is not None:
            folder = self._folder(committed.number)
            lock = _shared(folder / _LOCK)
            if lock is not None:
                return Held(committed, folder, lock)
            if self.committed() == committed:
                raise self._corrupt(f"generation {committed.number} is missing")
        return None

    def working(self) -> Path:
        """Where a writer works: the folder of the generation after the committed one."""
        committed = self.committed()
        return self._folder(committed.number + 1 if committed else 1)

    def is_unfinished(self) -> bool:
        """Whether there is uncommitted work, of a writer that was killed or is at work."""
        return self.working().is_dir() or self._is_of_earlier_layout()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only writer, in this process too; ``IndexLocked`` if another writer does not finish soon."""
        lock = portalocker.Lock(self.path / _LOCK, "ab", WAIT_FOR_WRITER, _WAIT_STEP)
        try:
            lock.acquire()
        except portalocker.LockException as error:
            raise IndexLocked(
                f"the index at {self.path} is being written to by another process; wait until it is done"
            ) from error
        except OSError as error:
            raise RetrievalError(
                f"the index at {self.path} cannot be written to ({error.strerror}); make the folder writable"
            ) from error
        try:
            if self._is_of_earlier_layout():
                self._adopt_earlier_layout()
            yield
        finally:
            lock.release()

    def begin(self, make: Callable[[Path], None] | None = None) -> Path:
        """The folder that a writer works in: the one that is there, or a new copy of the committed generation.

        ``make`` makes the files of an empty engine, for an index that has no generation yet.
        """
        working = self.working()
        if working.is_dir():
            return working
        unfinished = self._cleared(working)
        unfinished.mkdir(parents=True)
        if make is not None:
            make(unfinished)
        else:
            committed = self._folder(int(working.name) - 1)
            files.require_room(self.path, files.taken(committed))
            self._require_whole(committed, thorough=True)
            files.copy_tree(committed, unfinished, skip={_LOCK, _VIEWS, files.SUMS})
        (unfinished / _UNOPTIMIZED).touch()
        unfinished.rename(working)
        return working

    def discard(self) -> bool:
        """Delete a writer's folder if there is a committed generation to start from again; whether it did."""
        working = self.working()
        if self.committed() is None or not working.is_dir():
            return False
        unfinished = self._cleared(working)
        working.rename(unfinished)
        self._cleared(working)
        return True

    def _cleared(self, working: Path) -> Path:
        """Where a writer's folder is while it is made or deleted; nothing is there."""
        unfinished = working.with_name(working.name + _UNFINISHED)
        shutil.rmtree(unfinished, ignore_errors=True)
        return unfinished

    def is_optimized(self) -> bool:
        """Whether the committed generation was optimized after its last write."""
        committed = self.committed()
        return committed is not None and not (self._folder(committed.number) / _UNOPTIMIZED).exists()

    def commit(self, *, is_optimized: bool) -> None:
        """Make the writer's folder the index, atomically; its files must be closed."""
        committed, working = self.committed(), self.working()
        (working / _LOCK).touch()
        if is_optimized:
            (working / _UNOPTIMIZED).unlink(missing_ok=True)
        files.write_sums(working)
        name = committed.index if committed else uuid.uuid4().hex
        written = self.path / f"{_CURRENT}{_UNFINISHED}"
        written.write_text(f"{working.name} {name}\n", "ascii")
        written.replace(self.path / _CURRENT)

    def sweep(self) -> None:
        """Delete generations that were replaced and have no reader; those that cannot be deleted are left for later."""
        committed = self.committed()
        for folder in (self.path / _GENERATIONS).iterdir() if committed else ():
            if committed and folder.name.isdecimal() and int(folder.name) < committed.number:
                _delete(folder)

    @contextmanager
    def view(self, held: Held) -> Iterator[Path]:
        """A generation's files in a folder that an engine may open as its own; it is deleted afterwards.

        An engine writes even when it only reads, always the same small files: these are copied, the others are shared
        with the generation. Where nothing can be written, all are copied to the folder for temporary files.

        Raises ``IndexCorrupt`` where a file is not what was committed, ``NoRoom`` where no copy has room.
        """
        self._require_whole(held.folder, thorough=False)
        is_writable = os.access(held.folder, os.W_OK) and files.has_room(
            held.folder, files.taken(held.folder, but=files.NOT_REWRITTEN)
        )
        place = held.folder / _VIEWS if is_writable else None
        if place is None:
            files.require_room(Path(tempfile.gettempdir()), files.taken(held.folder))
        else:
            place.mkdir(exist_ok=True)
        view = Path(tempfile.mkdtemp(prefix="corroborate-", dir=place))
        try:
            with files.disk_errors_reported(view):
                own = {_LOCK, _VIEWS, _UNOPTIMIZED, files.SUMS, "wal"}
                files.copy_tree(held.folder, view, skip=own, share=files.NOT_REWRITTEN if place else ())
            yield view
        finally:
            shutil.rmtree(view, ignore_errors=True)

    def require_whole(self) -> None:
        """Compare every file of the committed generation with its hash; ``IndexCorrupt`` if one differs."""
        if held := self.hold():
            with held.lock:
                self._require_whole(held.folder, thorough=True)

    def _require_whole(self, folder: Path, *, thorough: bool) -> None:
        if name := files.damaged_file(folder, thorough=thorough):
            raise self._corrupt(f"{name} is not what was written; disk or memory may be failing")

    def _folder(self, number: int) -> Path:
        return self.path / _GENERATIONS / str(number)

    def _is_of_earlier_layout(self) -> bool:
        return (self.path / _EARLIER_LAYOUT[-1]).is_file() or (self.path / _GENERATIONS / _ADOPTED).is_dir()

    def _adopt_earlier_layout(self) -> None:
        """Move an index without generations to where a writer works; if killed, the next call continues."""
        adopted = self.path / _GENERATIONS / _ADOPTED
        adopted.mkdir(parents=True, exist_ok=True)
        for name in _EARLIER_LAYOUT:
            if (self.path / name).exists():
                (self.path / name).rename(adopted / name)
        (adopted / _UNOPTIMIZED).touch()
        adopted.rename(self._folder(1))

    def _corrupt(self, why: str) -> IndexCorrupt:
        return IndexCorrupt(
            f"the index at {self.path} cannot be opened ({why}); restore the folder from a copy, or make the index "
            "again with `python -m programs index PAPERS`"
        )


def _children(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _shared(path: Path) -> IO[bytes] | None:
    """A file, locked for reading; None when it does not exist or is being deleted."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    if _lock(file, portalocker.LockFlags.SHARED) and _is_at(file, path):
        return file
    file.close()
    return None


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Whether an open file is still at its path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _delete(folder: Path) -> None:
    try:
        lock = (folder / _LOCK).open("rb")
    except FileNotFoundError:  # the process that deleted it was killed midway
        shutil.rmtree(folder, ignore_errors=True)
        return
    with lock:
        if _lock(lock, portalocker.LockFlags.EXCLUSIVE):
            shutil.rmtree(folder, ignore_errors=True)


def _lock(file: IO[bytes], kind: portalocker.LockFlags) -> bool:
    """Lock an open file if no other lock forbids it; closing it, or the process's end, releases it."""
    try:
        portalocker.lock(file, kind | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.LockException:
        return False
    return True
