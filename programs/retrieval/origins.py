"""Where an indexed paper came from: what its file held, and where the file stands.

    9f2c…e1 /home/ada/papers/bone.md

The first tells whether a file has to be read again, the second whether two files are two papers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from programs.ingest.formats import reading

_READ_SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class Origin:
    """A file as the index remembers it.

    Attributes:
        fingerprint: SHA-256 (hex) over name and bytes of the file, and what else its document depends on: its reader's
            version is part of it, so that files are read again when their reader has changed.
        place: The file's absolute path on the machine that indexed it; empty when that was not kept.
    """

    fingerprint: str
    place: str = ""

    @classmethod
    def of(cls, path: Path, salt: str = "") -> Self:
        """A file's origin.

        Args:
            path: The file.
            salt: What else its document depends on.

        Raises:
            OSError: It cannot be read.
        """
        return cls(fingerprint(path, salt), place(path))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what ``str`` wrote."""
        digest, _, where = text.partition(" ")
        return cls(digest, where)

    def __str__(self) -> str:
        return f"{self.fingerprint} {self.place}".rstrip()


def fingerprint(path: Path, salt: str = "") -> str:
    """SHA-256 (hex) over a file's reader, name and bytes and a salt; the file is read in blocks."""
    digest = hashlib.sha256(f"{reading(path.name)}/{path.name}/{salt}/".encode("utf-8", "replace"))
    with path.open("rb") as file:
        while block := file.read(_READ_SIZE):
            digest.update(block)
    return digest.hexdigest()


def place(path: Path) -> str:
    """The absolute path as it can be stored: bytes of a file name that are no text become "?"."""
    return str(path.resolve()).encode("utf-8", "replace").decode("utf-8")
