"""Opening an index: its store, the manifest that says what it was made with, and whether both fit what is asked for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from programs.config import settings
from programs.errors import IndexCorrupt, IndexLocked
from programs.ingest.chunking import PASSAGES, Chunking
from programs.retrieval import records
from programs.retrieval.bm25 import Bm25
from programs.retrieval.collection import Collection
from programs.retrieval.index_location import foreign, open_store
from programs.retrieval.indexing import finish_replacements
from programs.retrieval.manifest import Manifest
from programs.retrieval.store import Keeping, Store

if TYPE_CHECKING:
    from programs.retrieval.embedding.embedder import Embedder


def open_collection(
    place: str | Path,
    *,
    create: bool,
    embedder: Embedder | None,
    chunking: Chunking | None,
    keeping: Keeping | None = None,
) -> Collection:
    """Open a collection of passages, or make one, and check its manifest; arguments, errors as for ``Index.open``."""
    from programs.retrieval.embedding.embedder import load_embedder

    def new_manifest() -> Manifest:
        model = embedder or load_embedder(settings().embedder)
        return Manifest(model.name, model.dimension, str(chunking or PASSAGES), Bm25.name, sealed=True)

    store, made = open_store(place, new_manifest, create=create, keeping=keeping)
    try:
        if made is not None or store.is_unfinished():
            _finish(store, made)
        manifest = _stored_manifest(store, str(place))
        if manifest is None:
            manifest = _initialise(store, _made_again(store, str(place), new_manifest, create=create))
        manifest.require(
            str(place),
            embedder=embedder.name if embedder else None,
            dimension=embedder.dimension if embedder else None,
            chunking=str(chunking) if chunking else None,
            sparse=Bm25.name,
        )
    except BaseException:
        store.close()
        raise
    return Collection(store, manifest, str(place), embedder)


def _finish(store: Store, made: Manifest | None) -> None:
    """Do what a killed writer left undone, or what is left to do for a new index; a writer at work is left alone."""
    with suppress(IndexLocked), store.writing():
        if made is not None and store.count([]) == 0:
            _initialise(store, made)
        finish_replacements(store)


def _initialise(store: Store, manifest: Manifest) -> Manifest:
    with store.writing():
        for key, kind in records.OWN_FIELDS.items():
            store.create_field(key, kind)
        store.upsert([records.manifest_point(manifest.as_dict())])
    return manifest


def _stored_manifest(store: Store, place: str) -> Manifest | None:
    payload = store.retrieve([records.MANIFEST_ID]).get(records.MANIFEST_ID)
    return Manifest.from_dict(payload["manifest"], place) if payload else None


def _made_again(store: Store, place: str, new_manifest: Callable[[], Manifest], *, create: bool) -> Manifest:
    """What an index is to be made with where there is a store without a manifest, before anything is written to it.

    Its making was cut short or is under way, or it is a collection that someone made for something else.
    """
    points = store.count([])
    if points and (manifest := _stored_manifest(store, place)) is not None:
        return manifest  # of another process, which wrote it meanwhile
    is_ours = "://" not in place  # no other program writes into an index's folder
    if (points and is_ours) or not (points or create):
        raise IndexCorrupt(
            f"the index at {place} has no manifest, so its making was cut short; make it again with "
            f"`python -m programs index PAPERS --index {place}`, or under another name if that does not help"
        )
    if points:
        raise foreign(place, f"{points:,} points and no manifest of an index")
    manifest = new_manifest()
    if difference := store.unlike(manifest.dimension):
        raise foreign(place, difference)
    return manifest
