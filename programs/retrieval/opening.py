"""Opening an index: its store, the manifest that says what it was made with, and whether both fit what is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from programs.config import settings
from programs.errors import IndexCorrupt
from programs.ingest.chunking import WORDS, Chunking
from programs.retrieval import records
from programs.retrieval.bm25 import Bm25
from programs.retrieval.manifest import Manifest
from programs.retrieval.store import Store

if TYPE_CHECKING:
    from programs.retrieval.embedder import Embedder


def open_stored(
    place: str | Path, *, create: bool, embedder: Embedder | None, chunking: Chunking | None
) -> tuple[Store, Manifest]:
    """Open a store, or make one, and check its manifest; arguments and errors as for ``Index.open``."""
    from programs.retrieval.indexing import finish_replacements
    from programs.retrieval.places import open_store

    def new_manifest() -> Manifest:
        model = embedder or load_embedder(settings().embedder)
        return Manifest(model.name, model.dimension, str(chunking or WORDS), Bm25.name)

    store, made = open_store(place, new_manifest, create=create)
    try:
        manifest = None if made else _stored_manifest(store, str(place))
        if manifest is None:
            manifest = _initialise(store, made or _made_again(store, str(place), new_manifest, create=create))
        manifest.require(
            str(place),
            embedder=embedder.name if embedder else None,
            dimension=embedder.dimension if embedder else None,
            chunking=str(chunking) if chunking else None,
            sparse=Bm25.name,
        )
        if store.exclusive:
            finish_replacements(store)
    except BaseException:
        store.close()
        raise
    return store, manifest


def load_embedder(name: str) -> Embedder:
    """The embedding model of that name."""
    from programs.retrieval.embedder import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(name)


def identity(place: str) -> tuple[tuple[int, int] | None, ...]:
    """Device and inode of an index's folder and of its lock file, None for what is not there; nothing on a server.

    The store holds the lock file open, so its inode cannot come back in a new folder, as the folder's own may.
    """
    if "://" in place:
        return ()
    return tuple(_inode(path) for path in (Path(place), Path(place, ".lock")))


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:  # not there, or not to be reached: either way not what was opened
        return None
    return found.st_dev, found.st_ino


def _initialise(store: Store, manifest: Manifest) -> Manifest:
    for key, kind in records.OWN_FIELDS.items():
        store.create_field(key, kind)
    store.upsert([records.manifest_point(manifest.as_dict())])
    return manifest


def _stored_manifest(store: Store, place: str) -> Manifest | None:
    payload = store.retrieve([records.MANIFEST_ID]).get(records.MANIFEST_ID)
    return Manifest.from_dict(payload["manifest"], place) if payload else None


def _made_again(store: Store, place: str, new_manifest: Callable[[], Manifest], *, create: bool) -> Manifest:
    """What an index is to be made with whose making was cut short before it held anything."""
    if create and store.count([]) == 0:
        return new_manifest()
    raise IndexCorrupt(
        f"the index at {place} has no manifest, so its making was cut short; make it again with "
        f"`python -m programs index PAPERS --index {place}`, and delete it first if that does not help"
    )
