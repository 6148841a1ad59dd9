"""Room on the disk of an index, asked for before anything is written.

The engine writes through mapped memory: on a full disk the process would end by SIGBUS, without a word.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path

from programs.errors import NoRoom
from programs.retrieval.store import StoredPoint

_MIB = 2**20
_LEAST, _MOST = 4 * _MIB, 32 * _MIB
"""What is left free besides: a little for a little, more for what is only estimated."""
_A_POINT = 16 * 2**10
"""Bytes that a point takes in the log and in a segment, without its text."""
_COPIES_OF_TEXT = 4
FULL = (errno.ENOSPC, errno.EDQUOT)


def require_room(path: Path, needed: int) -> None:
    """Refuse to write so many bytes, about, where there is no room for them.

    Args:
        path: A folder, which need not be there yet.
        needed: Bytes.

    Raises:
        NoRoom: The disk is full, or nearly.
    """
    free = _free(path)
    wanted = needed + min(_MOST, _LEAST + 8 * needed)
    if free < wanted:
        raise _no_room(
            path, f"{free // _MIB} MiB are free on its disk, and the next step may take {wanted // _MIB} MiB"
        )


def has_room(path: Path, needed: int) -> bool:
    """Whether so many bytes can be written, and a little more."""
    return _free(path) >= needed + _LEAST


def _free(path: Path) -> int:
    there = next((each for each in (path, *path.absolute().parents) if each.is_dir()), Path())
    return shutil.disk_usage(there).free


def room_of(points: Sequence[StoredPoint]) -> int:
    """Bytes that points take, about."""
    return sum(_A_POINT + _COPIES_OF_TEXT * len(str(each.payload.get("text") or each.payload)) for each in points)


def taken(folder: Path, *, but: Collection[str] = ()) -> int:
    """Bytes that the files of a folder take, but for those with names of some patterns; holes take none.

    What another process takes away meanwhile takes nothing.
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
    """Have a disk that is full after all end as ``NoRoom``, and nothing else changed."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise _no_room(path, f"its disk is full ({error.strerror})") from error


def is_full(message: str) -> bool:
    """Whether the engine says that the disk is full."""
    return "No space left" in message or "os error 28" in message or "quota exceeded" in message.lower()


def told_by_engine(path: Path, message: str) -> NoRoom:
    """The error for what the engine said."""
    return _no_room(path, f"its disk is full ({message})")


def _no_room(path: Path, why: str) -> NoRoom:
    return NoRoom(
        f"there is too little room for the index at {path}: {why}. Free some space and run the same command again; "
        "what was committed is kept"
    )
