"""Hashes of a generation's files, taken when it is committed: a damaged file is refused before the engine opens it.

The engine trusts its own files; a flipped bit in a description or a tracker can end the process or have it ask for
gigabytes. Pages of records are left out, because each record has a seal that names its paper, and so is the write-ahead
log, whose entries have sums of their own. Small files are hashed at every opening, larger ones when their size or time
of change is another than at the commit; ``check --index`` hashes all.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from programs.retrieval.embedded.file_trees import written_blocks

SUMS = "sums.json"
_LEFT_OUT = ("wal", "payload_storage/page_", "views", ".lock", "unoptimized", SUMS)
_SMALL = 1 << 20
"""Bytes on disk up to which a file is hashed at every opening."""
_BYTES = 16


def write_sums(folder: Path) -> None:
    """Keep size, time of change and hash of each file of a generation in the folder."""
    sums = {}
    for name, path in _files(folder):
        stat = path.stat()
        sums[name] = [stat.st_size, stat.st_mtime_ns, _sum(path)]
    written = folder / f"{SUMS}.making"
    written.write_text(json.dumps(sums), encoding="ascii")
    written.replace(folder / SUMS)


def damaged_file(folder: Path, *, thorough: bool) -> str | None:
    """The first file that is not what was committed; None where all are, or where an earlier version kept no hashes.

    Args:
        folder: Of the generation.
        thorough: Hash large files, too, whose size and time of change are as they were.
    """
    try:
        sums: dict[str, Any] = json.loads((folder / SUMS).read_text(encoding="ascii"))
        if not all(len(each) == 3 for each in sums.values()):
            return SUMS
    except FileNotFoundError:
        return None
    except (OSError, ValueError, AttributeError, TypeError):
        return SUMS
    found = dict(_files(folder))
    if other := sums.keys() ^ found.keys():
        return min(other)
    return next((name for name, path in found.items() if _differs(path, *sums[name], thorough=thorough)), None)


def _differs(path: Path, size: object, changed: object, known: object, *, thorough: bool) -> bool:
    stat = path.stat()
    if stat.st_size != size:
        return True
    taken = stat.st_blocks * 512 if hasattr(stat, "st_blocks") else stat.st_size
    is_trusted = stat.st_mtime_ns == changed and taken > _SMALL and not thorough
    return not is_trusted and _sum(path) != known


def _files(folder: Path, at: str = "") -> Iterator[tuple[str, Path]]:
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
    for at, block in written_blocks(path):
        digest.update(at.to_bytes(8, "little"))
        digest.update(block)
    return digest.hexdigest()[: 2 * _BYTES]
