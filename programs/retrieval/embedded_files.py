"""The files of an embedded engine: sparse copies, and whether there is room for more.

The engine's files are mostly holes, a few kilobytes in a file of 32 MiB, which copies keep. It writes through mapped
memory: on a full disk SIGBUS would end the process without a message, so free space is checked first.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path

from programs.errors import NoRoom

NOT_REWRITTEN = ("matrix.dat", "chunk_*.mmap", "page_*.dat", "inverted_index.dat", "*.bin")
"""Patterns of the data files, which the engine does not change while it only reads. Even then it rewrites others,
always in the same way: flags, trackers and descriptions, all of them small."""

_BLOCK = 1 << 16
_ZEROS = bytes(_BLOCK)


def copy_tree(source: Path, target: Path, *, skip: Collection[str] = (), share: Collection[str] = ()) -> None:
    """Copy a folder but for the names to ``skip`` at its top; the target is made if it is not there.

    Files whose names match the patterns ``share`` are hard-linked where the file system can; the others are copied.
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
    """Copy what is written in a file, and leave holes where it has holes or zeros."""
    with source.open("rb", buffering=0) as read, target.open("wb") as written:
        size = os.fstat(read.fileno()).st_size
        written.truncate(size)
        for start, end in _written_ranges(read.fileno(), size):
            for at in range(start, end, _BLOCK):
                read.seek(at)
                block = read.read(min(_BLOCK, end - at))
                if block != _ZEROS[: len(block)]:
                    written.seek(at)
                    written.write(block)


def _written_ranges(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Start and end of the parts of an open file that are not holes; the whole file where the system cannot say."""
    if not hasattr(os, "SEEK_DATA"):
        yield 0, size
        return
    end = 0
    with suppress(OSError):  # ENXIO: nothing but a hole from here on
        while end < size:
            start = os.lseek(file, end, os.SEEK_DATA)
            end = os.lseek(file, start, os.SEEK_HOLE)
            yield start, end


_MIB = 2**20
_LEAST, _MOST = 4 * _MIB, 32 * _MIB
"""Reserve on top of the estimate: it grows with the estimate between these bounds."""
FULL = (errno.ENOSPC, errno.EDQUOT)


def require_room(path: Path, needed: int) -> None:
    """Raise ``NoRoom`` unless there is room for about as many bytes as needed, in a folder which need not exist yet."""
    free, wanted = _free(path), needed + min(_MOST, _LEAST + 8 * needed)
    if free < wanted:
        raise no_room(path, f"{free // _MIB} MiB are free on its disk, and the next step may take {wanted // _MIB} MiB")


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
def disk_errors_reported(path: Path) -> Iterator[None]:
    """Raise ``NoRoom`` instead of the OSError of a full disk; other errors pass."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise no_room(path, f"its disk is full ({error.strerror})") from error


def no_room(path: Path, why: str) -> NoRoom:
    """The error for a disk that is full, or nearly."""
    return NoRoom(
        f"there is too little room for the index at {path}: {why}. Free some space and run the same command again; "
        "what was committed is kept"
    )
