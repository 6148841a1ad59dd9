"""Where an index lives: a folder on this machine, or a collection on a Qdrant server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from programs.config import settings
from programs.errors import IndexNotFound, UsageError
from programs.extras import require
from programs.retrieval.manifest import Manifest
from programs.retrieval.store import Store

DEFAULT_COLLECTION = "corroborate"

_MAKE_ONE = "make one with `python -m programs index PAPERS --index {place}`"


def open_store(
    place: str | Path, new_manifest: Callable[[], Manifest], *, create: bool
) -> tuple[Store, Manifest | None]:
    """Open the store at a place.

    Args:
        place: A folder, or an ``http(s)://host:port[/collection]`` address.
        new_manifest: Says what a new index is to be made with; called only when one is made.
        create: Make the store when there is none.

    Returns:
        The store, and the manifest it was made with if it was made now.

    Raises:
        IndexNotFound: There is none and ``create`` is off.
        UsageError: There can be none.
    """
    if "://" in str(place):
        return _open_server(str(place), new_manifest, create=create)
    return _open_folder(Path(place), new_manifest, create=create)


def _open_folder(path: Path, new_manifest: Callable[[], Manifest], *, create: bool) -> tuple[Store, Manifest | None]:
    from programs.retrieval.edge_store import EdgeStore

    with _usable(path):
        if EdgeStore.exists(path):
            return EdgeStore.load(path), None
        if path.is_file() or not EdgeStore.is_vacant(path):
            raise UsageError(f"{path} is not an index and not empty; name another place, such as papers.idx")
    if not create:
        raise IndexNotFound(f"no index at {path}; {_MAKE_ONE.format(place=path)}")
    manifest = new_manifest()
    with _usable(path):
        return EdgeStore.create(path, manifest.dimension), manifest


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    """Tell of a place where no folder can be: below a file, not permitted, with too long a name, on a full disk."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{path} cannot hold an index ({error.strerror}); name another place, such as papers.idx"
        ) from error


def _open_server(url: str, new_manifest: Callable[[], Manifest], *, create: bool) -> tuple[Store, Manifest | None]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UsageError(f"{url} is no address of a Qdrant server; write it as http://HOST:6333 or a folder's name")
    require("qdrant", "an index on a Qdrant server")
    from programs.retrieval.server_store import ServerStore

    address = f"{parts.scheme}://{parts.netloc}"
    collection = parts.path.strip("/") or DEFAULT_COLLECTION
    store = ServerStore.connect(address, collection, settings().qdrant_api_key)
    if store.exists():
        return store, None
    if not create:
        store.close()
        raise IndexNotFound(f"no collection {collection!r} at {address}; {_MAKE_ONE.format(place=url)}")
    manifest = new_manifest()
    store.create(manifest.dimension)
    return store, manifest


def beside(place: str, name: str) -> str:
    """Where another collection of an index stands: inside its folder, or next to it on its server."""
    if "://" not in place:
        return str(Path(place, name))
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc}/{parts.path.strip('/') or DEFAULT_COLLECTION}__{name}"
