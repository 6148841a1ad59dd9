"""The folder of an embedded index: whole states side by side, and a file that says which of them is the index.

    papers.idx/CURRENT                  "7 3c9e…": the number of the committed generation, and what names this index
    papers.idx/.lock                    locked by the process that writes
    papers.idx/generations/7/           an engine's files, which no longer change
    papers.idx/generations/8/           the copy that a writer works in; becomes the index when CURRENT names it

A writer that is killed leaves its copy, with every batch that it had written, and the next one continues in it. A
generation that has been succeeded is deleted at once: processes that read it have its files open.
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

import portalocker

from programs.errors import IndexCorrupt, IndexLocked, RetrievalError
from programs.retrieval import embedded_files as files

_CURRENT, _GENERATIONS, _LOCK, _VIEWS, _UNFINISHED = "CURRENT", "generations", ".lock", "views", ".making"

WAIT_FOR_WRITER = 2.0
"""Seconds that a writer waits for another: longer than a process that only finishes what a killed one left."""
_WAIT_STEP = 0.05


@dataclass(frozen=True, slots=True)
class Committed:
    """The generation that is the index: its number, from 1 and never reused, and a unique name of the index.

    By the name another index that was put in its place is noticed.
    """

    number: int
    index: str


class Generations:
    """The generations in an index's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exist(self) -> bool:
        """Whether the folder holds an index, or the files of one whose making was interrupted."""
        return any(not folder.name.endswith(_UNFINISHED) for folder in _children(self.path / _GENERATIONS))

    def is_vacant(self) -> bool:
        """Whether an index can be made here: the folder is empty, or holds only the first traces of making one."""
        return not self.exist() and {each.name for each in _children(self.path)} <= {_LOCK, _GENERATIONS}

    def committed(self) -> Committed | None:
        """The generation that is the index now; None when there is none, or not yet."""
        try:
            named = (self.path / _CURRENT).read_text("ascii", errors="replace").split()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._corrupt(f"{_CURRENT} cannot be read: {error}") from error
        if len(named) != 2 or not named[0].isdecimal():
            held = " ".join(named)[:40]
            raise self._corrupt(f"{_CURRENT} holds {held!r}, not the number of a generation and a name of the index")
        return Committed(int(named[0]), named[1])

    def working(self) -> Path:
        """Where a writer works: the folder of the generation after the committed one.

        It is there while there is uncommitted work, of a writer that was killed or is at work.
        """
        committed = self.committed()
        return self._folder(committed.number + 1 if committed else 1)

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
            files.copy_tree(committed, unfinished, skip={_VIEWS, files.SUMS})
        unfinished.rename(working)
        return working

    def discard(self) -> bool:
        """Delete a writer's folder if there is a committed generation to start from again; whether it did."""
        working = self.working()
        if self.committed() is None or not working.is_dir():
            return False
        working.rename(self._cleared(working))
        self._cleared(working)
        return True

    def _cleared(self, working: Path) -> Path:
        """Where a writer's folder is while it is made or deleted; nothing is there."""
        unfinished = working.with_name(working.name + _UNFINISHED)
        shutil.rmtree(unfinished, ignore_errors=True)
        return unfinished

    def commit(self) -> None:
        """Make the writer's folder, whose files must be closed, the index, atomically; and delete what it replaced.

        Generations that cannot be deleted are left for the next commit.
        """
        committed, working = self.committed(), self.working()
        files.write_sums(working)
        name = committed.index if committed else uuid.uuid4().hex
        written = self.path / f"{_CURRENT}{_UNFINISHED}"
        written.write_text(f"{working.name} {name}\n", "ascii")
        written.replace(self.path / _CURRENT)
        for folder in _children(self.path / _GENERATIONS):
            if folder.name.isdecimal() and int(folder.name) < int(working.name):
                shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def view(self, committed: Committed) -> Iterator[Path]:
        """A generation's files in a folder that an engine may open as its own; it is deleted afterwards.

        An engine writes even when it only reads, always the same small files: these are copied, the others are shared
        with the generation. Where nothing can be written, all are copied to the folder for temporary files. What was
        opened is whole if this generation is still the committed one afterwards.

        Raises ``IndexCorrupt`` where the generation is missing or a file is not what was committed, ``NoRoom`` where no
        copy has room.
        """
        folder = self._folder(committed.number)
        if not folder.is_dir():
            raise self._corrupt(f"generation {committed.number} is missing")
        self._require_whole(folder, thorough=False)
        rewritten = files.taken(folder, but=files.NOT_REWRITTEN)
        is_writable = os.access(folder, os.W_OK) and files.has_room(folder, rewritten)
        place = folder / _VIEWS if is_writable else Path(tempfile.gettempdir())
        if is_writable:
            place.mkdir(exist_ok=True)
        else:
            files.require_room(place, files.taken(folder))
        share = files.NOT_REWRITTEN if is_writable else ()
        with tempfile.TemporaryDirectory(prefix="corroborate-", dir=place, ignore_cleanup_errors=True) as view:
            with files.disk_errors_reported(Path(view)):
                files.copy_tree(folder, Path(view), skip={_VIEWS, files.SUMS, "wal"}, share=share)
            yield Path(view)

    def require_whole(self) -> None:
        """Compare every file of the committed generation with its hash; ``IndexCorrupt`` if one differs."""
        while committed := self.committed():
            try:
                self._require_whole(self._folder(committed.number), thorough=True)
            except (IndexCorrupt, FileNotFoundError):  # it may have been deleted meanwhile
                if self.committed() == committed:
                    raise
            else:
                return

    def _require_whole(self, folder: Path, *, thorough: bool) -> None:
        if name := files.damaged_file(folder, thorough=thorough):
            raise self._corrupt(f"{name} is not what was written; disk or memory may be failing")

    def _folder(self, number: int) -> Path:
        return self.path / _GENERATIONS / str(number)

    def _corrupt(self, why: str) -> IndexCorrupt:
        return IndexCorrupt(
            f"the index at {self.path} cannot be opened ({why}); restore the folder from a copy, or delete it "
            f"and make the index again: python -m programs index PAPERS --index {self.path}"
        )


def _children(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []
