"""Indexing files: reads what is new or changed, and goes on past what is broken."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from programs.errors import IngestError
from programs.ingest.document import Document
from programs.ingest.metadata import MetadataTable
from programs.ingest.reader import read_all
from programs.retrieval.index import Index
from programs.retrieval.indexing import Indexed

_READ_SIZE = 1 << 20

READER_VERSION = "1"
"""Part of every file's fingerprint: raise it when a reader's output changes, and files are read again."""

FileProgress: TypeAlias = Callable[[int, str], None]
"""Told how many files are behind, and the name of the last."""


@dataclass(frozen=True, slots=True)
class FilesIndexed:
    """What happened to a run's files.

    Attributes:
        indexed: What happened to the documents; unchanged ones include the files that were not read again.
        failures: Files that could not be read, with their reasons.
        skipped: How many files were the same as last time and not read again.
    """

    indexed: Indexed
    failures: tuple[IngestError, ...]
    skipped: int


def index_files(
    index: Index,
    files: Sequence[Path],
    *,
    metadata: MetadataTable | None = None,
    metadata_file: Path | None = None,
    on_progress: FileProgress | None = None,
) -> FilesIndexed:
    """Bring an index up to date with files.

    A file whose bytes (and metadata file) are those of the last run is not read again. A file that cannot be read is
    reported and the others go on.

    Args:
        index: Where to.
        files: As ``programs.ingest.reader.discover`` finds them.
        metadata: What else is known of them.
        metadata_file: Where ``metadata`` came from; when it changes, every file is read again.
        on_progress: Called after each file that was read; the others count as behind.
    """
    run = _Run(index, metadata, _fingerprint(metadata_file, "") if metadata_file else "", on_progress or _ignore)
    indexed = index.add(run.documents(files), origin_of=lambda document: run.origins[document.id])
    counted = Indexed(indexed.added, indexed.replaced, indexed.unchanged + run.skipped, indexed.chunks)
    return FilesIndexed(counted, tuple(run.failures), run.skipped)


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    fingerprint: str


class _Run:
    """Streams documents into the index, and remembers what the stream cannot carry."""

    def __init__(self, index: Index, metadata: MetadataTable | None, salt: str, on_progress: FileProgress) -> None:
        self._known = index.origins()
        self._metadata = metadata
        self._salt = salt
        self._on_progress = on_progress
        self._behind = 0
        self.origins: dict[str, str] = {}
        self.failures: list[IngestError] = []
        self.skipped = 0

    def documents(self, files: Sequence[Path]) -> Iterator[Document]:
        found = [file for path in files if (file := self._identified(path))]
        taken = {self._known[file.fingerprint]: file.path for file in found if file.fingerprint in self._known}
        fresh = [file for file in found if file.fingerprint not in self._known]
        self.skipped = len(found) - len(fresh)
        self._behind += self.skipped
        for file, result in zip(fresh, read_all([file.path for file in fresh], self._metadata, taken), strict=True):
            if isinstance(result, IngestError):
                self.failures.append(result)
            else:
                self.origins[result.id] = file.fingerprint
                yield result
            self._step(file.path)
        if not fresh and files:
            self._on_progress(self._behind, files[-1].name)

    def _identified(self, path: Path) -> _File | None:
        try:
            return _File(path, _fingerprint(path, self._salt))
        except OSError as error:
            self.failures.append(
                IngestError(path, f"cannot be read ({error.strerror})", "check the path and its permissions")
            )
            self._step(path)
            return None

    def _step(self, path: Path) -> None:
        self._behind += 1
        self._on_progress(self._behind, path.name)


def _fingerprint(path: Path, salt: str) -> str:
    digest = hashlib.sha256(f"{READER_VERSION}/{path.name}/{salt}/".encode())
    with path.open("rb") as file:
        while block := file.read(_READ_SIZE):
            digest.update(block)
    return digest.hexdigest()


def _ignore(_done: int, _name: str) -> None: ...
