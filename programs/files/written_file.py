"""Files and folders that are written whole or not at all, files never through a link that stands in their place."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from programs.errors import UsageError


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file beside its place, under an unpredictable name, and rename it into place.

    Raises:
        UsageError: A symbolic link stands in its place.
    """
    if path.is_symlink():
        raise UsageError(
            f"{path} is a link to {path.readlink()}, which is not written over; delete it, or name another"
        )
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with unfinished.open("xb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def put_folder(finished: Path, folder: Path) -> Path:
    """Put a finished folder in the place of another, which is deleted; both lie on one disk.

    A process that is killed in between leaves the other one where ``standing_folder`` finds it.
    """
    if folder.exists():
        shutil.rmtree(_aside(folder), ignore_errors=True)
        os.replace(folder, _aside(folder))
    os.replace(finished, folder)
    shutil.rmtree(_aside(folder), ignore_errors=True)
    return folder


def standing_folder(folder: Path) -> Path:
    """The folder, or the one before it where a process was killed while it put the folder in its place."""
    return _aside(folder) if not folder.exists() and _aside(folder).exists() else folder


def _aside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.old")
