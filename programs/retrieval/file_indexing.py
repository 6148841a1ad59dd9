"""Indexes files: reads what is new or changed, and continues after broken files; judges what an index holds.

A file that has changed replaces its paper. A file that gives the same document id from another place is another paper
or an edited copy: it is reported, and indexed only on request.

The index keeps an origin with each paper: fingerprint, hash of the content, and path of its file.

    9f2c…e1:07aa…3d /home/ada/papers/bone.md
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

from programs.errors import DuplicateDocument, IndexCorrupt, IngestError, NoText, UnreadableText
from programs.ingest.document import Document
from programs.ingest.formats import read_all, reading, require_file
from programs.ingest.metadata import MetadataTable
from programs.ingest.readability import Readability, doubts, judge_document
from programs.retrieval import records
from programs.retrieval.filters import OWN_VALUES, FieldType
from programs.retrieval.index import Index
from programs.retrieval.passage_collection import Indexed
from programs.retrieval.store import CollectionStatus


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
        """The origin of a file; ``salt`` is what else its document depends on. Raises OSError if it cannot be read."""
        return cls(fingerprint(path, salt), place(path), _digest(path))

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
        """Whether a file has the bytes that were indexed and, without a stored content hash, the name."""
        return _digest(path) == self.content if self.content else fingerprint(path) == self.fingerprint


def fingerprint(path: Path, salt: str = "") -> str:
    """SHA-256 (hex) over a file's reader, name and bytes and a salt; the file is read in blocks."""
    return _digest(path, f"{reading(path.name)}/{path.name}/{salt}/".encode("utf-8", "replace"))


def _digest(path: Path, before: bytes = b"") -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.sha256(before)).hexdigest()


def place(path: Path) -> str:
    """The absolute path as it can be stored: bytes of a file name that are not text become "?"."""
    return str(path.resolve()).encode("utf-8", "replace").decode("utf-8")


_WORDS: Mapping[FieldType, str] = {"keyword": "text", "number": "a number"}

FileProgress: TypeAlias = Callable[[int, str], None]
"""Called with the number of files that are done, and the name of the last; at the end also that embedding continues."""


@dataclass(slots=True)
class FilesIndexed:
    """What happened to a run's files, filled in as it continues.

    Attributes:
        indexed: Of documents; unchanged ones include the files that were not read again, as many as ``skipped``.
        renewed: Papers that an older version of their reader had read, and that were read again.
        withdrawn: Those of the renewed ones whose files the present reader finds unreadable: they were removed.
        doubtful: Papers that were indexed and are hard to read or have pages that were not read, with the reasons.
        same: Papers that were indexed though another has the same DOI or text, with that other paper.
        papers: The papers that were read and are in the index now, with their origins.
    """

    indexed: Indexed = field(default_factory=Indexed)
    failures: list[IngestError] = field(default_factory=list)
    skipped: int = 0
    renewed: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    doubtful: dict[str, str] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    papers: dict[str, str] = field(default_factory=dict)


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
    indexed is reported and the others continue. What an older reader made of a file that turns out to be unreadable is
    removed.

    Args:
        index: Where to.
        files: As ``programs.ingest.formats.discover`` finds them.
        metadata: What else is known of them.
        metadata_file: Where ``metadata`` came from; when it changes, every file is read again.
        replace: Let a file replace the paper of the same document id that came from another file.
        only_new: Let none replace any: for files of strangers. Papers that were added without a file are others' too.
        apart: Read files in separate processes, as ``read_all`` says; for a server's threads.
        on_progress: Called after each file that was read; the others count as done.
    """
    salt = fingerprint(metadata_file) if metadata_file else ""
    kept = frozenset(index.document_ids()) if only_new else frozenset[str]()
    run = _Run(index, metadata, salt, replace, kept, apart, on_progress or (lambda _done, _name: None))
    found = run.found
    done = index.add(run.documents(files), origin_of=lambda document: found.papers[document.id])
    found.indexed = Indexed(done.added, done.replaced, done.unchanged + found.skipped, done.chunks)
    for document_id in found.withdrawn:
        index.remove(document_id)
    return found


def gone_papers(index: Index, folders: Sequence[Path]) -> list[str]:
    """Ids of the papers whose files were in these folders and are gone; not those of a folder that cannot be read."""
    kept = {document_id: Origin.parse(text).place for text, document_id in index.origins().items()}
    inside = tuple(os.path.join(place(folder), "") for folder in folders)
    return sorted(each for each, where in kept.items() if where.startswith(inside) and _is_gone(where))


def prune(index: Index, folders: Sequence[Path]) -> list[str]:
    """Remove the papers whose files were in these folders and are gone; returns their ids."""
    if gone := gone_papers(index, folders):
        with index.writing():
            for document_id in gone:
                index.remove(document_id)
            index.add(())  # which brings the engine into its best state after the removals
    return gone


def _is_gone(where: str) -> bool:
    """Whether no file is there, as far as that can be known: one that may not be accessed is not gone."""
    try:
        os.stat(where)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


class _File(NamedTuple):
    path: Path
    origin: Origin


@dataclass
class _Run:
    """Streams documents into the index, and remembers what the stream cannot carry."""

    index: Index
    metadata: MetadataTable | None
    salt: str
    replace: bool
    kept: frozenset[str]
    apart: bool
    on_progress: FileProgress
    found: FilesIndexed = field(default_factory=FilesIndexed)
    done: int = 0
    total: int = 0

    def __post_init__(self) -> None:
        origins = {document_id: Origin.parse(text) for text, document_id in self.index.origins().items()}
        self._known = {origin.fingerprint: document_id for document_id, origin in origins.items()}
        self._places = {document_id: origin.place for document_id, origin in origins.items()}
        self._outdated = {self._places[each]: each for each in self.index.outdated() if self._places.get(each)}
        self._types = {f"metadata.{name}": kind for name, kind in self.index.fields().items()}
        self._is_shared = "://" in self.index.place
        self._first = {str(each["doi"]).lower(): str(each["id"]) for each in self.index.documents() if each.get("doi")}

    def documents(self, files: Sequence[Path]) -> Iterator[Document]:
        self.total = len(files)
        if self.metadata is not None:
            self.metadata.expect(files)
        fresh: list[_File] = []
        taken: dict[str, Path] = {}
        for file in filter(None, map(self._identified, files)):
            known = self._known.get(file.origin.fingerprint)
            # One that was moved is read again, so that its place is known.
            if known is not None and not self._was_moved(known, file):
                taken[known] = file.path
                self.found.skipped += 1
            else:
                fresh.append(file)
        self.done += self.found.skipped
        results = read_all([file.path for file in fresh], self.metadata, taken, apart=self.apart)
        for file, result in zip(fresh, results, strict=True):
            refused = result if isinstance(result, IngestError) else self._refused(file, result)
            if outdated := self._outdated.get(file.origin.place):
                self.found.renewed.append(outdated)
                if isinstance(result, NoText | UnreadableText):
                    self.found.withdrawn.append(outdated)
            if refused is not None:
                self.found.failures.append(refused)
            elif isinstance(result, Document):
                self.found.papers[result.id] = str(file.origin)
                self._compare(result)
                if reasons := doubts(result):
                    self.found.doubtful[result.id] = "; ".join(reasons)
                yield result
            self._step(file.path)
        if not fresh and files:
            self.on_progress(self.done, files[-1].name)

    def _identified(self, path: Path) -> _File | None:
        try:
            require_file(path)
            return _File(path, Origin.of(path, self.salt))
        except IngestError as error:
            self.found.failures.append(error)
        except OSError as error:
            said = f"cannot be read ({error.strerror})"
            self.found.failures.append(IngestError(path, said, "check the path and its permissions"))
        self._step(path)
        return None

    def _was_moved(self, document_id: str, file: _File) -> bool:
        """Whether the file that a paper came from is gone; the files of a shared index may be on other machines."""
        held = self._places.get(document_id, "")
        return bool(held) and held != file.origin.place and not self._is_shared and _is_gone(held)

    def _refused(self, file: _File, document: Document) -> IngestError | None:
        if document.id in self.kept:
            return DuplicateDocument(
                file.path,
                f"the same document id {document.id} as a paper that the index holds",
                "rename it if it is another paper, or have that paper taken out",
            )
        held = self._places.get(document.id, "")
        if held and held != file.origin.place and not self.replace and not self._was_moved(document.id, file):
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
                self.found.same[document.id] = first

    def _step(self, path: Path) -> None:
        self.done += 1
        is_embedding = self.done == self.total and bool(self.found.papers)
        self.on_progress(self.done, f"{path.name}; embedding what was read" if is_embedding else path.name)


@dataclass(frozen=True, slots=True)
class DoubtfulPaper:
    """A paper whose stored text is hard to read, or that has pages of which nothing was read, with the reasons."""

    paper: str
    file: str
    verdict: str
    reasons: tuple[str, ...]
    figures: Readability


@dataclass(frozen=True, slots=True)
class Soundness:
    """What an index holds, and what is wrong with it.

    Attributes:
        formats: Papers by format; "given" for those that came from no file.
        sections: Passages by the kind of section they are in; ``kinds`` by their own: text, figure, table.
        outdated: Ids of the papers that an older version of their reader read.
        damaged: Ids of the papers of which the index no longer holds what was stored.
        kept: How a server keeps it; None for a folder.
    """

    papers: int
    passages: int
    formats: Mapping[str, int]
    sections: Mapping[str, int]
    kinds: Mapping[str, int]
    embedder: str
    dimension: int
    chunking: str
    doubtful: tuple[DoubtfulPaper, ...]
    outdated: tuple[str, ...]
    damaged: tuple[str, ...]
    kept: CollectionStatus | None = None

    @property
    def is_sound(self) -> bool:
        """Whether there are papers, and none is doubtful, outdated or damaged."""
        return self.papers > 0 and not (self.doubtful or self.outdated or self.damaged)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            **asdict(self),
            "kept": {**asdict(self.kept), "loss": self.kept.loss} if self.kept else None,
            "sound": self.is_sound,
        }


def soundness(index: Index, on_progress: Callable[[int, str], None]) -> Soundness:
    """Read every paper of an index, and judge it; ``on_progress`` gets how many are done, and the id of the last.

    Raises ``IndexCorrupt`` where a file of the index is not what was written.
    """
    index.store.require_whole()
    formats: Counter[str] = Counter()
    doubtful, damaged = [], []
    for done, name in enumerate(index.document_ids(), start=1):
        on_progress(done, name)
        try:
            is_whole = len(index.chunks(name)) == index.description(name)["chunks"]
            document, summaries = index.document(name), index.summaries()
            if summaries:
                summaries.of([name])
        except IndexCorrupt:
            is_whole = False
        if not is_whole:
            damaged.append(name)
            continue
        formats[reading(document.source).partition(" ")[0] or "given"] += 1
        if reasons := doubts(document):
            judged = judge_document(document)
            verdict = "doubtful" if judged.verdict == "readable" else judged.verdict
            doubtful.append(DoubtfulPaper(name, document.source, verdict, reasons, judged))
    return Soundness(
        papers=formats.total() + len(damaged),
        passages=index.count(),
        formats=dict(sorted(formats.items())),
        sections=_counts(index, "section"),
        kinds=_counts(index, "kind"),
        embedder=index.manifest.embedder,
        dimension=index.manifest.dimension,
        chunking=index.manifest.chunking,
        doubtful=tuple(doubtful),
        outdated=tuple(index.outdated()),
        damaged=tuple(damaged),
        kept=index.store.kept(),
    )


def _counts(index: Index, name: str) -> dict[str, int]:
    """Passages by a field of theirs, in the order of its values; without values that no passage has."""
    return {value: count for value in OWN_VALUES[name] if (count := index.count({name: value}))}
