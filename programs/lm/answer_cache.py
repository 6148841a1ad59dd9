"""DSPy's cache in a folder of ours: it reads back nothing but plain data, and closes its databases.

diskcache opens a connection to each of its databases in every thread that asks it, and closes those of one thread
alone; what is left open is reported as a leak by Python 3.13. So one thread asks it, for all others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import dspy

_ADDRESS = frozenset({"api_base", "base_url"})
"""What DSPy leaves out of a key; two servers can serve other models under one name."""


def keep_answers_in(folder: Path) -> OneThreadCache:
    """Keep the answers of models in a folder, as ``dspy.cache``; by default DSPy unpickles what it reads.

    Returns what the cache reads and writes the folder through; close it when the cache is used no more.

    Raises:
        sqlite3.DatabaseError: The folder's databases cannot be opened.
    """
    # Find a damaged database first: diskcache leaves its connection open when it meets one.
    for path in folder.glob("*/cache.db"):
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA schema_version")
    dspy.configure_cache(disk_cache_dir=str(folder), restrict_pickle=True)
    dspy.cache.disk_cache = kept = OneThreadCache(dspy.cache.disk_cache)
    dspy.cache.cache_key = partial(_with_address, dspy.cache.cache_key)
    return kept


def _with_address(cache_key: Callable[..., str], request: dict[str, Any], ignored: Iterable[str] | None = None) -> str:
    """The key of a request, the address of its server included."""
    return cache_key(request, [name for name in ignored or () if name not in _ADDRESS])


class OneThreadCache:
    """What DSPy asks of its ``diskcache.FanoutCache``, done in one separate thread."""

    def __init__(self, cache: Any) -> None:  # noqa: ANN401 - diskcache ships no types
        cache.close()
        self._cache = cache
        self._thread = ThreadPoolExecutor(1, "kept-answers")

    def get(self, key: str) -> Any:  # noqa: ANN401 - whatever was kept
        """What is kept under a key; None without it."""
        return self._thread.submit(self._cache.get, key).result()

    def set(self, key: str, value: Any) -> None:  # noqa: ANN401 - whatever is to be kept
        """Keep a value."""
        self._thread.submit(self._cache.set, key, value).result()

    def delete(self, key: str) -> None:
        """Forget a value that cannot be read."""
        self._thread.submit(self._cache.delete, key).result()

    def __contains__(self, key: str) -> bool:
        return bool(self._thread.submit(self._cache.__contains__, key).result())

    def close(self) -> None:
        """Finish what was asked and close the databases; to be called once or more."""
        with suppress(RuntimeError):  # it was closed
            self._thread.submit(self._cache.close)
        self._thread.shutdown()
