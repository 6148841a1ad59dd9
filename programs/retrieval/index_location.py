"""Where an index lives: a folder on this machine, or a collection on a Qdrant server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from programs.config import settings
from programs.errors import IndexMismatch, IndexNotFound, UsageError
from programs.extras import require
from programs.retrieval.manifest import Manifest
from programs.retrieval.store import Keeping, Store

if TYPE_CHECKING:
    from programs.retrieval.qdrant_server.store import ServerStore

DEFAULT_COLLECTION = "corroborate"

_MAKE_ONE = "make one with `python -m programs index PAPERS --index {place}`"


def open_store(
    place: str | Path, new_manifest: Callable[[], Manifest], *, create: bool, keeping: Keeping | None = None
) -> tuple[Store, Manifest | None]:
    """Open the store at a place.

    Args:
        place: A folder, or an ``http(s)://host:port[,host:port…][/collection]`` address.
        new_manifest: Says what a new index is to be made with; called only when one is made.
        create: Make the store when there is none.
        keeping: How a server is to keep it.

    Returns:
        The store, and the manifest it was made with if it was made now.

    Raises:
        IndexNotFound: There is none and ``create`` is off.
        UsageError: There can be none.
        IndexMismatch: It is kept otherwise.
    """
    keeping = keeping or Keeping()
    if "://" in str(place):
        return _open_server(str(place), new_manifest, keeping, create=create)
    if keeping.chosen:
        raise UsageError(
            f"{', '.join(keeping.chosen)} are for an index on a Qdrant server; give --index http://HOST:6333/NAME, or "
            f"leave them out for the folder {place}"
        )
    return _open_folder(Path(place), new_manifest, create=create)


def _open_folder(path: Path, new_manifest: Callable[[], Manifest], *, create: bool) -> tuple[Store, Manifest | None]:
    from programs.retrieval.embedded.store import EdgeStore

    with _usable(path):
        if EdgeStore.exists(path):
            return EdgeStore.load(path), None
        if path.is_file() or not EdgeStore.is_vacant(path):
            other = "name another place, such as papers.idx" if create else _MAKE_ONE.format(place="papers.idx")
            raise UsageError(f"{path} is not an index and not empty; {other}")
    if re.match(r"[\w.-]+:\d+(?:/|$)", str(path)):
        raise UsageError(f"{path} is neither a folder nor an address; did you mean http://{path} ?")
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


def _open_server(
    url: str, new_manifest: Callable[[], Manifest], keeping: Keeping, *, create: bool
) -> tuple[Store, Manifest | None]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.startswith("//"):
        raise UsageError(
            f"{url} is not an address of a Qdrant server; write it as http://HOST:6333, http://A:6333,B:6333/papers "
            "for nodes of a cluster, or a folder's name"
        )
    if "://" in parts.path or not all(map(_is_host, parts.netloc.split(","))):
        raise UsageError(f"{url} names an invalid host; write nodes of a cluster as http://A:6333,B:6333/papers")
    require("qdrant", "an index on a Qdrant server")
    from programs.retrieval.qdrant_server.store import ServerStore

    address = f"{parts.scheme}://{parts.netloc}"
    collection = parts.path.strip("/") or DEFAULT_COLLECTION
    store = ServerStore.connect(address, collection, settings().qdrant_api_key)
    try:
        return store, _made_or_found(store, url, new_manifest, keeping, create=create)
    except BaseException:
        store.close()
        raise


def _is_host(netloc: str) -> bool:
    """Whether it is one of "localhost", "10.0.0.1:6333", "[::1]:6333"."""
    try:
        parts = urlsplit(f"//{netloc.strip()}")
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _made_or_found(
    store: ServerStore, url: str, new_manifest: Callable[[], Manifest], keeping: Keeping, *, create: bool
) -> Manifest | None:
    there = store.exists()
    store.warn_if_untried()
    if not there and not create:
        raise IndexNotFound(f"no collection {store.collection!r} at {store.place}; {_MAKE_ONE.format(place=url)}")
    if not there:
        manifest = new_manifest()
        if store.create(manifest.dimension, keeping):
            return manifest
    if keeping.chosen and (difference := keeping.unlike(store.kept().keeping)):
        raise IndexMismatch(
            f"{url} is kept with {difference}, which is chosen when an index is made; leave the options out, or name "
            "another collection"
        )
    return None


def beside(place: str, name: str) -> str:
    """Where another collection of an index stands: inside its folder, or next to it on its server."""
    if "://" not in place:
        return str(Path(place, name))
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc}/{parts.path.strip('/') or DEFAULT_COLLECTION}__{name}"


def foreign(place: str, holds: str) -> IndexMismatch:
    """The error for a collection that someone made for something else."""
    return IndexMismatch(
        f"{place} holds {holds}, so it was made for something else and is left as it is; name another place for the "
        f"index, such as {place}-corroborate"
    )
