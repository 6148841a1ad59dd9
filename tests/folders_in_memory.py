"""Folders of indexes that hold a marker in place of an engine's files; the points are in memory, in this process.

An embedded engine takes a tenth of a second to make and to open, and some tens of megabytes of sparse files: tests of
what is done with an index do without. Places that cannot hold an index are refused by the same code as ever, a folder
that is deleted is gone, one that is copied is a copy, and it can be opened as often as an engine's.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from programs.retrieval import collection
from programs.retrieval.memory_store import Contents, MemoryStore

MARKER = "CURRENT"
"""Where an engine's folder names its committed generation."""

_MADE: dict[str, tuple[Path, Contents]] = {}
"""By the name in a marker, where it was made and what it holds."""

_open_folder = collection._open_folder  # the real one, before ``opened`` takes its place


class FolderInMemory(MemoryStore):
    """Points of a folder; it is another once the folder is deleted or replaced."""

    def __init__(self, path: Path, contents: Contents) -> None:
        super().__init__(contents)
        self._path, self._name = path, contents.name

    def is_in_place(self) -> bool:
        return marked(self._path) == self._name


def marked(path: Path) -> str | None:
    """What a folder's marker says; None where there is none."""
    try:
        return (path / MARKER).read_text("ascii").removeprefix("memory ")
    except (OSError, UnicodeDecodeError):
        return None


def made(path: Path, dimension: int) -> FolderInMemory:
    """Make an empty index in a folder."""
    path.mkdir(parents=True, exist_ok=True)
    return _at(path, Contents(dimension))


def _at(path: Path, contents: Contents) -> FolderInMemory:
    (path / MARKER).write_text(f"memory {contents.name}", "ascii")
    _MADE[contents.name] = path.resolve(), contents
    return FolderInMemory(path, contents)


def opened(path: Path, new_manifest, *, create: bool):
    """In place of ``collection._open_folder``: what is in memory is opened from there, all else as ever."""
    name = marked(path)
    if name not in _MADE:
        return _open_folder(path, new_manifest, create=create)
    where, contents = _MADE[name]
    if where == path.resolve() or not where.exists():
        return FolderInMemory(path, contents)
    return _at(path, replace(contents, name=uuid.uuid4().hex, lock=threading.Lock()))


@contextmanager
def in_memory() -> Iterator[None]:
    """Make new folders of indexes in memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("programs.retrieval.embedded_store.EdgeStore.create", made)
        yield


collection._open_folder = opened
