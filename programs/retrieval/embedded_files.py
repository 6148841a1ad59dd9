"""The files of an embedded engine: sparse copies, hashes, and whether there is room for more.

The engine's files are mostly holes, a few kilobytes in a file of 32 MiB, which copies keep. They are hashed when a
generation is committed, and a damaged one is refused before the engine opens it: a flipped bit can end the process.
Left out are pages of records, each of which has a seal that names its paper, and the write-ahead log, which has
checksums. The engine writes through mapped memory: on a full disk SIGBUS would end the process without a message, so
free space is checked first.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from programs.errors import NoRoom

NOT_REWRITTEN = ("matrix.dat", "chunk_*.mmap", "page_*.dat", "inverted_index.dat", "*.bin")
"""Patterns of the data files, which the engine does not change while it only reads. Even then it rewrites others,
always in the same way: flags, trackers and descriptions, all of them small."""

_BLOCK = 1 << 14


def copy_tree(source: Path, target: Path, *, skip: Collection[str] = (), share: Collection[str] = ()) -> None:
    """Copy a folder but for the names to ``skip`` at its top; the target is made if it is not there.

    Files whose names match the patterns ``share`` are hard-linked where the file system can; the others are copied.
    """
    target.mkdir(exist_ok=True)
    for entry in os.scandir(source):
        copy = target / entry.name
        if entry.name in skip:
            continue
        if entry.is_dir():
            copy_tree(Path(entry.path), copy, share=share)
            continue
        if _matches(entry.name, share):
            with suppress(OSError):  # another file system, one without links, or another user's file
                os.link(entry.path, copy)
                continue
        with copy.open("wb") as file:
            file.truncate(entry.stat().st_size)
            for at, block in _written_blocks(Path(entry.path)):
                file.seek(at)
                file.write(block)


def _matches(name: str, patterns: Collection[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _written_blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """The blocks of a file that are not all zeros, each with its place; the same ones whether it has holes or not."""
    with path.open("rb", buffering=0) as file:
        at = 0
        while True:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                return  # nothing but a hole from here on, or the end
            at -= at % _BLOCK
            file.seek(at)
            block = file.read(_BLOCK)
            if block.strip(b"\0"):
                yield at, block
            at += _BLOCK


SUMS = "sums.json"
_LEFT_OUT = ("wal", "payload_storage/page_", "views", SUMS)
_SMALL = 1 << 20
"""Bytes on disk up to which a file is hashed at every opening."""


def write_sums(folder: Path) -> None:
    """Store size, modification time and hash of each file of a generation in its folder."""
    sums = {name: [path.stat().st_size, path.stat().st_mtime_ns, _sum(path)] for name, path in _files(folder)}
    written = folder / f"{SUMS}.making"
    written.write_text(json.dumps(sums), encoding="ascii")
    written.replace(folder / SUMS)


def damaged_file(folder: Path, *, thorough: bool) -> str | None:
    """Find the first file that is not what was committed; None if all are.

    Large files whose size and modification time have not changed are hashed only if ``thorough``.
    """
    try:
        sums: dict[str, Any] = json.loads((folder / SUMS).read_text(encoding="ascii"))
        known = {name: (size, changed, digest) for name, (size, changed, digest) in sums.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return SUMS
    found = dict(_files(folder))
    if other := known.keys() ^ found.keys():
        return min(other)
    for name, path in found.items():
        stat, (size, changed, digest) = path.stat(), known[name]
        is_trusted = stat.st_mtime_ns == changed and stat.st_blocks * 512 > _SMALL and not thorough
        if stat.st_size != size or not (is_trusted or _sum(path) == digest):
            return name
    return None


def _files(folder: Path, at: str = "") -> Iterator[tuple[str, Path]]:
    """The files that are hashed, by their path in the folder."""
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
    for at, block in _written_blocks(path):
        digest.update(at.to_bytes(8, "little") + block)
    return digest.hexdigest()[:32]


_MIB = 2**20
_LEAST, _MOST = 4 * _MIB, 32 * _MIB
"""Reserve on top of the estimate: it grows with the estimate between these bounds."""


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
            if not _matches(name, but):
                with suppress(FileNotFoundError):
                    total += Path(parent, name).stat().st_blocks * 512
    return total


@contextmanager
def disk_errors_reported(path: Path) -> Iterator[None]:
    """Raise ``NoRoom`` instead of the OSError of a full disk; other errors pass."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise no_room(path, f"its disk is full ({error.strerror})") from error


def no_room(path: Path, why: str) -> NoRoom:
    """The error for a disk that is full, or nearly."""
    return NoRoom(
        f"there is too little room for the index at {path}: {why}. Free some space and run the same command again; "
        "what was committed is kept"
    )
