"""A collection, as ``Index`` and ``Summaries`` are: a store, the manifest of what it was made with, an embedder.

The store is a folder on this machine or a collection on a Qdrant server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from programs.config import settings
from programs.errors import IndexCorrupt, IndexLocked, IndexMismatch, IndexNotFound, UsageError
from programs.extras import require
from programs.ingest.chunking import Chunking
from programs.retrieval import records
from programs.retrieval.filters import CHUNK_FIELDS, FieldType
from programs.retrieval.store import Bm25, CollectionOptions, Payload, Store

if TYPE_CHECKING:
    from programs.retrieval.embedder import Embedder

DEFAULT_COLLECTION = "corroborate"
IN_MEMORY = ":memory:"
"""The place of an index that is kept in memory: a new one each time, gone with its process."""
FORMAT_VERSION = 1

_MAKE_ONE = "make one with `python -m programs index PAPERS --index {place}`"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The choices that are baked into every stored vector.

    The embedder's number format is left out: the default model's vectors in 8-bit integers lie within a mean cosine of
    0.998 of those in float32. Questions in integers find as well among passages in float32 as questions in float32 do;
    the other way round nDCG@10 on SciFact falls by 0.002. ``chunking`` is as in ``words:220:40``.
    """

    embedder: str
    dimension: int
    chunking: str
    sparse: str
    version: int = FORMAT_VERSION

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], place: str) -> Manifest:
        """Read a stored manifest; ``IndexMismatch`` where another version of this project made it."""
        if values.get("version") != FORMAT_VERSION:
            raise IndexMismatch(
                f"the index at {place} has format {values.get('version')!r}, this version reads {FORMAT_VERSION}; "
                "make it again with `python -m programs index PAPERS`"
            )
        return cls(**{each.name: values[each.name] for each in fields(cls)})

    def require(self, place: str, **wanted: object) -> None:
        """Raise ``IndexMismatch`` for the first of the given values, None left out, that it was not made with."""
        for name, value in wanted.items():
            own = getattr(self, name)
            if value is not None and value != own:
                raise IndexMismatch(
                    f"the index at {place} was made with {name} {own!r}, not {value!r}; open it with {own!r}, or make "
                    "another index with `python -m programs index PAPERS --index OTHER`"
                )


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a collection is for.

    Attributes:
        new_manifest: What a new one is made with; called only when one is made.
        check: Raises an error where a stored manifest does not fit.
        fields: Payload paths that are indexed from the start.
        command: Makes it again, for messages.
        finish: Completes what a killed writer left undone.
    """

    new_manifest: Callable[[], Manifest]
    check: Callable[[Manifest], None]
    fields: Mapping[str, FieldType]
    command: str
    finish: Callable[[Store], None] = lambda _: None


class Collection:
    """A store with its manifest and its embedding model, by default the one that the manifest names."""

    def __init__(self, store: Store, manifest: Manifest, place: str, embedder: Embedder | None = None) -> None:
        self.store = store
        self.manifest = manifest
        self.place = place
        self.bm25 = Bm25()
        self.given_embedder = embedder

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Optimizers copy programs; a collection is a connection, which copies share.
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.place!r}, {self.manifest.embedder!r}, {self.manifest.chunking!r})"

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model, loaded at first use."""
        from programs.retrieval.embedder import load_embedder

        return self.given_embedder or load_embedder(self.manifest.embedder)

    def close(self) -> None:
        """Flush and release the store."""
        self.store.close()

    @property
    def chunking(self) -> Chunking:
        """How documents are cut into passages."""
        return Chunking.parse(self.manifest.chunking)

    def fields(self) -> Mapping[str, FieldType]:
        """Fields that filters can name, with their types."""
        of_papers, paths = "metadata.", self.store.fields()
        known = {path.removeprefix(of_papers): kind for path, kind in paths.items() if path.startswith(of_papers)}
        return {**known, **{field: paths[field] for field in CHUNK_FIELDS if field in paths}}

    def content_hashes(self, document_ids: Iterable[str]) -> dict[str, str]:
        """``Document.content_hash`` by document id; unknown ids are left out."""
        keys = [records.document_point_id(each) for each in document_ids]
        return {each["document"]: each["hash"] for each in self.store.retrieve(keys, ["document", "hash"]).values()}

    def intact(self, payload: Payload, paper: str = "") -> Payload:
        """A record's payload without its seal; ``IndexCorrupt`` where that does not fit."""
        return records.require_seal(payload, paper or payload.get("document"), self.place)


def opened(
    place: str,
    purpose: Purpose,
    *,
    create: bool,
    complete: bool | None = None,
    options: CollectionOptions | None = None,
) -> tuple[Store, Manifest]:
    """Open the store of a collection, or make one; arguments and errors as for ``Index.open``.

    ``complete``, by default as ``create``, is whether to write the manifest of one whose making was interrupted.
    """
    complete = create if complete is None else complete
    store = _open_store(place, purpose.new_manifest, options or CollectionOptions(), create=create)
    try:
        if store.is_unfinished():
            with suppress(IndexLocked), store.writing():  # a writer at work is left alone
                if complete and store.count([]) == 0:
                    _initialise(store, purpose.new_manifest(), purpose.fields)
                purpose.finish(store)
        manifest = _stored_manifest(store, place) or _completed(store, place, purpose, complete=complete)
        purpose.check(manifest)
    except BaseException:
        store.close()
        raise
    return store, manifest


def _initialise(store: Store, manifest: Manifest, fields: Mapping[str, FieldType]) -> Manifest:
    with store.writing():
        for key, kind in fields.items():
            store.create_field(key, kind)
        store.upsert([records.manifest_point(asdict(manifest))])
    return manifest


def _stored_manifest(store: Store, place: str) -> Manifest | None:
    payload = store.retrieve([records.MANIFEST_ID]).get(records.MANIFEST_ID)
    return Manifest.from_dict(payload["manifest"], place) if payload else None


def _completed(store: Store, place: str, purpose: Purpose, *, complete: bool) -> Manifest:
    """The manifest of a store that has none: its making was interrupted or is under way, or it is something else."""
    points = store.count([])
    if points and (manifest := _stored_manifest(store, place)) is not None:
        return manifest  # another process wrote it meanwhile
    is_ours = "://" not in place  # no other program writes into an index's folder
    if (points and is_ours) or not (points or complete):
        raise IndexCorrupt(
            f"the index at {place} has no manifest, so making it was interrupted; make it again with "
            f"`{purpose.command}`, or under another name if that does not help"
        )
    manifest = None if points else purpose.new_manifest()
    holds = store.unlike(manifest.dimension) if manifest else f"{points:,} points and no manifest of an index"
    if holds or manifest is None:
        raise IndexMismatch(
            f"{place} holds {holds}, so it was made for something else and is left as it is; name another place for "
            f"the index, such as {place}-corroborate"
        )
    return _initialise(store, manifest, purpose.fields)


def _open_store(place: str, new_manifest: Callable[[], Manifest], options: CollectionOptions, *, create: bool) -> Store:
    if "://" in place:
        return _open_server(place, new_manifest, options, create=create)
    if options.chosen:
        raise UsageError(
            f"{', '.join(options.chosen)} are for an index on a Qdrant server; give --index http://HOST:6333/NAME, or "
            f"leave them out for the folder {place}"
        )
    if place.partition("/")[0] != IN_MEMORY:
        return _open_folder(Path(place), new_manifest, create=create)
    if not create:
        raise IndexNotFound(
            f"{place} is a new index each time, for one process; make it there with Index.open({IN_MEMORY!r}, "
            "create=True), or name a folder, such as papers.idx"
        )
    from programs.retrieval.memory_store import Contents, MemoryStore

    return MemoryStore(Contents(new_manifest().dimension))


def _open_folder(path: Path, new_manifest: Callable[[], Manifest], *, create: bool) -> Store:
    from programs.retrieval.embedded_store import EdgeStore
    from programs.retrieval.generations import Generations

    generations = Generations(path)
    try:
        if generations.exist():
            return EdgeStore(generations)
        if path.is_file() or not generations.is_vacant():
            other = "name another place, such as papers.idx" if create else _MAKE_ONE.format(place="papers.idx")
            raise UsageError(f"{path} is not an index and not empty; {other}")
        if re.match(r"[\w.-]+:\d+(?:/|$)", str(path)):
            raise UsageError(f"{path} is neither a folder nor an address; did you mean http://{path} ?")
        if not create:
            raise IndexNotFound(f"no index at {path}; {_MAKE_ONE.format(place=path)}")
        return EdgeStore.create(path, new_manifest().dimension)
    except OSError as error:  # below a file, not permitted, name too long, disk full
        raise UsageError(
            f"{path} cannot hold an index ({error.strerror}); name another place, such as papers.idx"
        ) from error


def _open_server(url: str, new_manifest: Callable[[], Manifest], options: CollectionOptions, *, create: bool) -> Store:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.startswith("//"):
        raise UsageError(
            f"{url} is not an address of a Qdrant server; write it as http://HOST:6333, http://A:6333,B:6333/papers "
            "for nodes of a cluster, or a folder's name"
        )
    if "://" in parts.path or not all(map(_is_host, parts.netloc.split(","))):
        raise UsageError(f"{url} names an invalid host; write nodes of a cluster as http://A:6333,B:6333/papers")
    require("qdrant", "an index on a Qdrant server")
    from programs.retrieval.qdrant_server import ServerStore

    address = f"{parts.scheme}://{parts.netloc}"
    collection = parts.path.strip("/") or DEFAULT_COLLECTION
    with ExitStack() as unless_it_opens:
        store = ServerStore.connect(address, collection, settings().qdrant_api_key)
        unless_it_opens.callback(store.close)
        there = store.exists()
        store.warn_if_untried()
        if not there and not create:
            raise IndexNotFound(f"no collection {collection!r} at {address}; {_MAKE_ONE.format(place=url)}")
        is_new = not there and store.create(new_manifest().dimension, options)
        if not is_new and options.chosen and (difference := options.unlike(store.kept().options)):
            raise IndexMismatch(
                f"{url} is kept with {difference}, which is chosen when an index is made; leave the options out, or "
                "name another collection"
            )
        unless_it_opens.pop_all()
    return store


def _is_host(netloc: str) -> bool:
    """Whether it is one of "localhost", "10.0.0.1:6333", "[::1]:6333"."""
    try:
        parts = urlsplit(f"//{netloc.strip()}")
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def beside(place: str, name: str) -> str:
    """Where another collection of an index is: inside its folder, or next to it on its server."""
    if "://" not in place:
        return str(Path(place, name))
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc}/{parts.path.strip('/') or DEFAULT_COLLECTION}__{name}"
