"""Files that are written whole or not at all, and never through a link that somebody put in their place."""

from __future__ import annotations

import secrets
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
