"""Indexing files: reads what is new or changed, and goes on past what is broken.

A file that has changed replaces its paper. A file that gives the same document id from another place is another paper
or an edited copy: it is reported, and indexed only on request.

The index keeps an origin with each paper: fingerprint, hash of the content, and path of its file.

    9f2c…e1:07aa…3d /home/ada/papers/bone.md
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, TypeAlias

from programs.errors import DuplicateDocument, IngestError, NoText, UnreadableText
from programs.ingest.document import Document
from programs.ingest.formats import reading
from programs.ingest.metadata import MetadataTable
from programs.ingest.readability import doubts
from programs.ingest.reader import read_all, require_file
from programs.retrieval import records
from programs.retrieval.filters import FieldType
from programs.retrieval.index import Index
from programs.retrieval.indexing import Indexed


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that a paper came from, as the index keeps it.

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
        """The origin of a file.

        Args:
            path: The file.
            salt: What else its document depends on.

        Raises:
            OSError: It cannot be read.
        """
        return cls(fingerprint(path, salt), place(path), content_hash(path))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the result of ``str``."""
        digests, _, where = text.partition(" ")
        digest, _, content = digests.partition(":")
        return cls(digest, where, content)

    def __str__(self) -> str:
        digests = f"{self.fingerprint}:{self.content}" if self.content else self.fingerprint
        return f"{digests} {self.place}".rstrip()

    def is_held_by(self, path: Path) -> bool:
        """Whether a file has the bytes that were indexed; without a stored content hash its name must be the same too.

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
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.sha256(before)).hexdigest()


def place(path: Path) -> str:
    """The absolute path as it can be stored: bytes of a file name that are not text become "?"."""
    return str(path.resolve()).encode("utf-8", "replace").decode("utf-8")


_WORDS: Mapping[FieldType, str] = {"keyword": "text", "number": "a number"}

FileProgress: TypeAlias = Callable[[int, str], None]
"""Told how many files are behind, and the name of the last; with the last of all, that embedding goes on."""


@dataclass(frozen=True, slots=True)
class FilesIndexed:
    """What happened to a run's files.

    Attributes:
        indexed: What happened to the documents; unchanged ones include the files that were not read again.
        failures: Why files were not indexed.
        skipped: How many files were the same as last time and not read again.
        renewed: Papers that an older version of their reader had read, and that were read again.
        doubtful: Papers that were indexed and are hard to read or have pages that were not read, with the reasons.
        same: Papers that were indexed though another has the same DOI or text, with that other paper.
        papers: Ids of the papers that were read and are in the index now.
        withdrawn: Those of the renewed ones whose files the present reader finds unreadable: they were taken out.
    """

    indexed: Indexed
    failures: tuple[IngestError, ...]
    skipped: int
    renewed: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    doubtful: Mapping[str, str] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)
    papers: tuple[str, ...] = ()


def index_files(
    index: Index,
    files: Sequence[Path],
    *,
    metadata: MetadataTable | None = None,
    metadata_file: Path | None = None,
    replace: bool = False,
    only_new: bool = False,
    apart: bool = False,
    on_progress: FileProgress | None = None,
) -> FilesIndexed:
    """Bring an index up to date with files.

    A file whose bytes (and metadata file and reader) are those of the last run is not read again. A file that cannot be
    indexed is reported and the others go on. What an older reader made of a file that turns out to be unreadable is
    taken out.

    Args:
        index: Where to.
        files: As ``programs.ingest.reader.discover`` finds them.
        metadata: What else is known of them.
        metadata_file: Where ``metadata`` came from; when it changes, every file is read again.
        replace: Let a file replace the paper of the same document id that came from another file.
        only_new: Let none replace any: for files of strangers. Papers that were added without a file are others' too.
        apart: Read files in processes of their own, as ``read_all`` says; for a server's threads.
        on_progress: Called after each file that was read; the others count as behind.
    """
    salt = fingerprint(metadata_file) if metadata_file else ""
    kept = frozenset(index.document_ids()) if only_new else frozenset[str]()
    run = _Run(index, metadata, salt, replace=replace, kept=kept, apart=apart, on_progress=on_progress or _ignore)
    indexed = index.add(run.documents(files), origin_of=lambda document: run.origins[document.id])
    counted = Indexed(indexed.added, indexed.replaced, indexed.unchanged + run.skipped, indexed.chunks)
    for document_id in run.withdrawn:
        index.remove(document_id)
    return FilesIndexed(
        counted,
        tuple(run.failures),
        run.skipped,
        tuple(run.renewed),
        tuple(run.withdrawn),
        run.doubtful,
        run.same,
        tuple(run.origins),
    )


def gone_papers(index: Index, folders: Sequence[Path]) -> list[str]:
    """Ids of the papers whose files stood in these folders and are gone; not those of a folder that cannot be read."""
    kept = {document_id: Origin.parse(text).place for text, document_id in index.origins().items()}
    inside = tuple(os.path.join(place(folder), "") for folder in folders)
    return sorted(each for each, where in kept.items() if where.startswith(inside) and _is_gone(where))


def prune(index: Index, folders: Sequence[Path]) -> list[str]:
    """Take out the papers whose files stood in these folders and are gone; the ids of what was taken out."""
    gone = gone_papers(index, folders)
    if gone:
        with index.writing():
            for document_id in gone:
                index.remove(document_id)
            index.add(())  # which brings the engine into its best state after the removals
    return gone


def _is_gone(where: str) -> bool:
    """Whether no file is there, as far as that can be known: one that may not be looked at is not gone."""
    try:
        os.stat(where)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    origin: Origin


class _Run:
    """Streams documents into the index, and remembers what the stream cannot carry."""

    def __init__(
        self,
        index: Index,
        metadata: MetadataTable | None,
        salt: str,
        *,
        replace: bool,
        kept: frozenset[str],
        apart: bool,
        on_progress: FileProgress,
    ) -> None:
        origins = {document_id: Origin.parse(text) for text, document_id in index.origins().items()}
        self._known = {origin.fingerprint: document_id for document_id, origin in origins.items()}
        self._places = {document_id: origin.place for document_id, origin in origins.items()}
        self._outdated = {self._places[each]: each for each in index.outdated() if self._places.get(each)}
        self._types = {f"metadata.{field}": kind for field, kind in index.fields().items()}
        self._is_shared = "://" in index.place
        self._first = {str(each["doi"]).lower(): str(each["id"]) for each in index.documents() if each.get("doi")}
        self._metadata = metadata
        self._salt = salt
        self._replace = replace
        self._kept = kept
        self._apart = apart
        self._on_progress = on_progress
        self._behind = self._total = 0
        self.origins: dict[str, str] = {}
        self.failures: list[IngestError] = []
        self.skipped = 0
        self.renewed: list[str] = []
        self.withdrawn: list[str] = []
        self.doubtful: dict[str, str] = {}
        self.same: dict[str, str] = {}

    def documents(self, files: Sequence[Path]) -> Iterator[Document]:
        self._total = len(files)
        found = [file for path in files if (file := self._identified(path))]
        fresh = [file for file in found if not self._is_unchanged(file)]
        taken = {self._known[file.origin.fingerprint]: file.path for file in found if self._is_unchanged(file)}
        self.skipped = len(found) - len(fresh)
        self._behind += self.skipped
        results = read_all([file.path for file in fresh], self._metadata, taken, apart=self._apart)
        for file, result in zip(fresh, results, strict=True):
            refused = result if isinstance(result, IngestError) else self._refused(file, result)
            if outdated := self._outdated.get(file.origin.place):
                self.renewed.append(outdated)
                if isinstance(result, NoText | UnreadableText):
                    self.withdrawn.append(outdated)
            if refused is not None:
                self.failures.append(refused)
            elif isinstance(result, Document):
                self.origins[result.id] = str(file.origin)
                self._compare(result)
                if reasons := doubts(result):
                    self.doubtful[result.id] = "; ".join(reasons)
                yield result
            self._step(file.path)
        if not fresh and files:
            self._on_progress(self._behind, files[-1].name)

    def _identified(self, path: Path) -> _File | None:
        try:
            require_file(path)
            return _File(path, Origin.of(path, self._salt))
        except IngestError as error:
            self.failures.append(error)
        except OSError as error:
            self.failures.append(
                IngestError(path, f"cannot be read ({error.strerror})", "check the path and its permissions")
            )
        self._step(path)
        return None

    def _is_unchanged(self, file: _File) -> bool:
        """Whether the index holds what the file holds; one that was moved is read again, so that its place is known."""
        document_id = self._known.get(file.origin.fingerprint)
        return document_id is not None and not self._was_moved(document_id, file)

    def _was_moved(self, document_id: str, file: _File) -> bool:
        """Whether the file that a paper came from is gone; the files of a shared index may be on other machines."""
        held = self._places.get(document_id, "")
        return bool(held) and held != file.origin.place and not self._is_shared and _is_gone(held)

    def _refused(self, file: _File, document: Document) -> IngestError | None:
        """Why a document that was read is not indexed, if so."""
        if document.id in self._kept:
            return DuplicateDocument(
                file.path,
                f"the same document id {document.id} as a paper that the index holds",
                "rename it if it is another paper, or have that paper taken out",
            )
        held = self._places.get(document.id, "")
        if held and held != file.origin.place and not self._replace and not self._was_moved(document.id, file):
            return DuplicateDocument(
                file.path,
                f"the same document id {document.id} as {held}, which the index holds",
                "rename it if it is another paper, or have it take the other's place with --replace",
            )
        types = records.field_types(records.filterable(document))
        for key, kind in types.items():
            if (known := self._types.get(key, kind)) != kind:
                return IngestError(
                    file.path,
                    f"its {key.removeprefix('metadata.')!r} is {_WORDS[kind]}, that of other papers is {_WORDS[known]}",
                    "give it the same kind of value for every paper",
                )
        self._types.update(types)
        return None

    def _compare(self, document: Document) -> None:
        """Note a paper that another one is too: by its DOI one of the index, by its text one of this run."""
        text = hashlib.sha256(document.text.encode()).hexdigest()
        for mark in filter(None, (text, document.doi.lower())):
            if (first := self._first.setdefault(mark, document.id)) != document.id:
                self.same[document.id] = first

    def _step(self, path: Path) -> None:
        self._behind += 1
        is_embedding = self._behind == self._total and bool(self.origins)
        self._on_progress(self._behind, f"{path.name}; embedding what was read" if is_embedding else path.name)


def _ignore(_done: int, _name: str) -> None: ...
