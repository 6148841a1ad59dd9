"""A Qdrant server that lives in this process: the in-memory mode of its own client."""

from __future__ import annotations

import pytest

ADDRESS = "http://127.0.0.1:6333/papers"

SERVER = pytest.param("server", marks=pytest.mark.needs("qdrant"))
"""For a fixture that gives a place of an index, beside a folder."""

# The client's in-process mode says that it searches exactly and without payload indexes, which suits tests.
QUIET = [
    pytest.mark.filterwarnings("ignore:Local mode performs exact"),
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect"),
]


def served(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the server, at which stores find their collections again until the test ends."""
    from qdrant_client import QdrantClient

    from programs.retrieval.qdrant_server import ServerStore

    client = QdrantClient(":memory:")
    monkeypatch.setattr(client, "close", lambda: None)  # the "server" outlives its connections
    stores: dict[str, ServerStore] = {}

    def connect(url: str, collection: str, api_key: str | None = None, timeout: int = 30) -> ServerStore:
        return stores.setdefault(collection, ServerStore(client, collection, url))

    monkeypatch.setattr(ServerStore, "connect", connect)
    return ADDRESS
