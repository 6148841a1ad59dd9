"""Where an indexed paper came from: what its file held, and where the file stands.

    9f2c…e1:07aa…3d /home/ada/papers/bone.md

The first tells whether a file has to be read again, the second whether it is still the same file, the third whether two
files are two papers.
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
        content: SHA-256 (hex) over the file's bytes; empty in indexes that did not keep it.
    """

    fingerprint: str
    place: str = ""
    content: str = ""

    @classmethod
    def of(cls, path: Path, salt: str = "") -> Self:
        """A file's origin.

        Args:
            path: The file.
            salt: What else its document depends on.

        Raises:
            OSError: It cannot be read.
        """
        return cls(fingerprint(path, salt), place(path), content_hash(path))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what ``str`` wrote."""
        digests, _, where = text.partition(" ")
        digest, _, content = digests.partition(":")
        return cls(digest, where, content)

    def __str__(self) -> str:
        digests = f"{self.fingerprint}:{self.content}" if self.content else self.fingerprint
        return f"{digests} {self.place}".rstrip()

    def is_held_by(self, path: Path) -> bool:
        """Whether a file is byte for byte the one that was indexed; not, where the index cannot tell.

        Raises:
            OSError: It cannot be read.
        """
        return content_hash(path) == self.content if self.content else fingerprint(path) == self.fingerprint


def fingerprint(path: Path, salt: str = "") -> str:
    """SHA-256 (hex) over a file's reader, name and bytes and a salt; the file is read in blocks."""
    return _digest(path, f"{reading(path.name)}/{path.name}/{salt}/".encode("utf-8", "replace"))


def content_hash(path: Path) -> str:
    """SHA-256 (hex) over a file's bytes."""
    return _digest(path, b"")


def _digest(path: Path, before: bytes) -> str:
    digest = hashlib.sha256(before)
    with path.open("rb") as file:
        while block := file.read(_READ_SIZE):
            digest.update(block)
    return digest.hexdigest()


def place(path: Path) -> str:
    """The absolute path as it can be stored: bytes of a file name that are not text become "?"."""
    return str(path.resolve()).encode("utf-8", "replace").decode("utf-8")
