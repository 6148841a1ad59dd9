"""Copies of a folder's files that take no more room than they must: holes stay holes, and files may be shared.

An engine's files are mostly holes, a few kilobytes in a file of 32 MiB, and the file system copies the rest without
reading it where it can (``copy_file_range`` makes reflinks on btrfs and xfs).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path

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
        behind = 0
        for start, end in _written_ranges(file.fileno()):
            for at in range(max(behind, start - start % _SMALL_BLOCK), end, _SMALL_BLOCK):
                file.seek(at)
                block = file.read(_SMALL_BLOCK)
                behind = at + _SMALL_BLOCK
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
