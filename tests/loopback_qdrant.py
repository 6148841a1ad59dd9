"""A loopback recorder that answers as Qdrant's REST interface does, for the calls that the server store makes.

    with LoopbackQdrant() as server:
        store = ServerStore.connect(server.url, "papers")
        store.count([])
        assert server.requests[-1].path == "/collections/papers/points/count"

It stores nothing: that requests mean what they should is tested over the client's own in-process mode; here is tested
what goes over the wire, and what comes of faults. It refuses what a real server refused
(``tests/programs/retrieval/test_recorded_qdrant.py`` compares them).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.loopback import Loopback

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

POINT = {"id": "00000000-0000-5000-8000-000000000001", "version": 1, "score": 0.5}
STORED = {"id": POINT["id"], "payload": {"record": "chunk"}}
VECTORS = {"dense": [0.6, 0.8]}
VECTORS_CONFIG = {"dense": {"size": 64, "distance": "Cosine"}}
WRITTEN = {"operation_id": 1, "status": "completed"}


@dataclass(frozen=True)
class Request:
    """What a client sent: its path without the query, the query's values, headers by lower-case name, JSON or None."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Fault:
    """An answer that is none: a status and the text that Qdrant puts beside it."""

    status: int
    text: str
    is_plain: bool = False


class LoopbackQdrant(Loopback):
    """Listens on a free port of this machine until it is left.

    Args:
        collections: Names of the collections that are there.
        api_key: Refuse requests without it, as a server with ``QDRANT__SERVICE__API_KEY`` does.
        read_only_key: Takes reads.
        strict: Limits of strict mode, as ``strict_mode_config`` names them.
        vectors: Vectors of its collections.
        nodes: Nodes of a cluster, each with the shards of which it holds an active copy; none for a single server.
        points: How many points its collections hold.
        version: As it reports it.
    """

    def __init__(
        self,
        collections: tuple[str, ...] = ("papers",),
        api_key: str | None = None,
        *,
        read_only_key: str | None = None,
        strict: Mapping[str, int] | None = None,
        vectors: Mapping[str, Any] | None = None,
        nodes: Mapping[int, Sequence[int]] | None = None,
        points: int = 7,
        version: str = "1.18.3",
    ) -> None:
        self.requests: list[Request] = []
        self.read_only_key = read_only_key
        self.strict = dict(strict or {})
        self.vectors = vectors or VECTORS_CONFIG
        self.nodes = dict(nodes or {})
        self.points = points
        self.version = version
        self.payload: Mapping[str, Any] = STORED["payload"]
        self.refused: list[str] = []
        """Names of limits that a request went beyond."""
        self.collections = set(collections)
        self.fault: Fault | None = None
        self._api_key = api_key

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return _handler(self)

    @property
    def sent(self) -> list[Request]:
        """What was asked of points and fields, without the questions for a collection's settings."""
        return [one for one in self.requests if one.method != "GET"]

    def answer(self, request: Request) -> Fault | object:
        """What to answer: a fault, or the value of ``result``."""
        if request.path == "/":
            return {"title": "qdrant - vector search engine", "version": self.version}
        self.requests.append(request)
        refusal = self._without_right(request) or self.fault
        if refusal is not None:
            return refusal
        if request.path == "/cluster":
            return self._cluster()
        _, _, collection, *rest = request.path.split("/")
        if request.method == "GET" and rest == ["exists"]:
            return {"exists": collection in self.collections}
        if request.method == "PUT" and not rest:
            if collection in self.collections:
                return Fault(409, f"Wrong input: Collection `{collection}` already exists!")
            self.collections.add(collection)
            return True
        if collection not in self.collections:
            return Fault(404, f"Not found: Collection `{collection}` doesn't exist!")
        if request.method == "GET" and not rest:
            return _info(self.vectors, self.strict)
        if rest == ["cluster"]:
            return self._shards()
        if rest == ["points", "count"]:
            return {"count": self.points}
        if rest == ["points"] and request.method == "POST":
            return self._stored(request.body)
        return self._beyond(request.body or {}) or _RESULTS[request.method, "/".join(rest)](request.body)

    def _stored(self, body: Any) -> object:
        found = {**STORED, "payload": self.payload, **({"vector": VECTORS} if body.get("with_vector") else {})}
        return [found] if POINT["id"] in body["ids"] else []

    def _without_right(self, request: Request) -> Fault | None:
        if self._api_key is None:
            return None
        key = request.headers.get("api-key")
        if key is None:
            return Fault(401, "Must provide an API key or an Authorization bearer token", is_plain=True)
        if key not in (self._api_key, self.read_only_key):
            return Fault(401, "Invalid API key or JWT", is_plain=True)
        writes = request.method in ("PUT", "DELETE") or request.path.endswith("/delete")
        if writes and key != self._api_key:
            return Fault(403, "Forbidden: Global manage access is required")
        return None

    def _beyond(self, body: Any) -> Fault | None:
        """What the server says to a request of vectors it does not have, or beyond a limit of strict mode."""
        searches = body.get("searches", [body])
        names = {name for point in body.get("points", []) for name in point["vector"]} - {"bm25"}
        if unknown := sorted(names - self.vectors.keys()):
            return Fault(400, f"Wrong input: Not existing vector name error: {unknown[0]}")
        conditions = (body.get("filter") or {}).get("must", [])
        if "unindexed_filtering_retrieve" in self.strict and any(each["key"] == "nofield" for each in conditions):
            return Fault(
                400,
                'Bad request: Index required but not found for "nofield" of one of the following types: [keyword]. '
                "Help: Create an index for this key or use a different filter.",
            )
        asked = {
            "max_query_limit": ("limit", max((each.get("limit") or 0 for each in searches), default=0)),
            "search_max_hnsw_ef": (
                "hnsw_ef",
                max(((each.get("params") or {}).get("hnsw_ef") or 0 for each in searches), default=0),
            ),
            "upsert_max_batchsize": ("upsert limit", len(body.get("points", []))),
        }
        for limit, (name, value) in asked.items():
            if value > self.strict.get(limit, value):
                self.refused.append(name)
                most = self.strict[limit]
                exceeded = f'Bad request: Limit exceeded {value} > {most} for "{name}".'
                return Fault(400, f'{exceeded} Help: Reduce the "{name}" parameter to or below {most}.')
        return None

    def _cluster(self) -> object:
        if not self.nodes:
            return {"status": "disabled"}
        raft = {"term": 1, "commit": 39, "pending_operations": 0, "leader": 1, "role": "Leader", "is_voter": True}
        return {
            "status": "enabled",
            "peer_id": min(self.nodes),
            "peers": {str(node): {"uri": f"http://127.0.0.1:{7000 + node}/"} for node in self.nodes},
            "raft_info": raft,
            "consensus_thread_status": {"consensus_thread_status": "working", "last_update": "2026-11-22T07:02:16Z"},
            "message_send_failures": {},
        }

    def _shards(self) -> object:
        nodes = self.nodes or {1: [0]}
        first = min(nodes)
        remote = [(node, shard) for node, shards in nodes.items() for shard in shards if node != first]
        return {
            "peer_id": first,
            "shard_count": len({shard for shards in nodes.values() for shard in shards}),
            "local_shards": [{"shard_id": shard, "points_count": 1, "state": "Active"} for shard in nodes[first]],
            "remote_shards": [{"shard_id": shard, "peer_id": node, "state": "Active"} for node, shard in remote],
            "shard_transfers": [],
        }


def _info(vectors: Mapping[str, Any], strict: Mapping[str, int]) -> object:
    strict_mode = {"strict_mode_config": {"enabled": True, **strict}} if strict else {}
    return {
        "status": "green",
        "optimizer_status": "ok",
        "segments_count": 1,
        "points_count": 1,
        "config": {
            **strict_mode,
            "params": {"vectors": vectors, "sparse_vectors": {"bm25": {"modifier": "idf"}}, "shard_number": 3},
            "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
            "optimizer_config": {
                "deleted_threshold": 0.2,
                "vacuum_min_vector_number": 1000,
                "default_segment_number": 0,
                "flush_interval_sec": 5,
            },
        },
        "payload_schema": {
            "document": {"data_type": "keyword", "points": 1},
            "metadata.year": {"data_type": "integer", "points": 1},
        },
    }


_RESULTS: Mapping[tuple[str, str], Callable[[Any], object]] = {
    ("PUT", "points"): lambda _: WRITTEN,
    ("PUT", "index"): lambda _: WRITTEN,
    ("POST", "points/delete"): lambda _: WRITTEN,
    ("POST", "points/query/batch"): lambda body: [{"points": [POINT]} for _ in body["searches"]],
    ("POST", "points/scroll"): lambda body: (
        {"points": [{"id": POINT["id"], "payload": {"page": 2}}], "next_page_offset": None}
        if body.get("offset")
        else {"points": [{"id": POINT["id"], "payload": {"page": 1}}], "next_page_offset": POINT["id"]}
    ),
}


def _handler(server: LoopbackQdrant) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _respond(self) -> None:
            parts = urlsplit(self.path)
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, parts.path, query, headers, json.loads(sent) if sent else None)
            answer = server.answer(request)
            if isinstance(answer, Fault):
                status = answer.text if answer.is_plain else {"status": {"error": answer.text}, "time": 0.0}
                self._send(answer.status, status)
            else:
                self._send(200, answer if parts.path == "/" else {"result": answer, "status": "ok", "time": 0.0})

        do_GET = do_PUT = do_POST = do_DELETE = _respond  # noqa: N815 - the names that http.server looks for

        def _send(self, status: int, document: object) -> None:
            data = document.encode() if isinstance(document, str) else json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    return Handler


ADDRESS = "http://127.0.0.1:6333/papers"

SERVER = pytest.param("server", marks=pytest.mark.needs("qdrant"))
"""For a fixture that gives a place of an index, beside a folder."""

# The client's in-process mode says that it searches exactly, which suits tests.
QUIET = [pytest.mark.filterwarnings("ignore:Local mode performs exact")]


def in_process() -> QdrantClient:
    """The in-memory mode of the client, with what it lacks: a schema of payloads, and the state of a cluster."""
    from qdrant_client import QdrantClient, models

    class InProcess(QdrantClient):
        def __init__(self) -> None:
            super().__init__(":memory:")
            self._schemas: dict[str, dict[str, models.PayloadIndexInfo]] = {}

        def create_payload_index(self, collection_name: str, field_name: str, field_schema: Any, **_: Any) -> Any:
            kind = models.PayloadSchemaType(field_schema)
            fields = self._schemas.setdefault(collection_name, {})
            fields[field_name] = models.PayloadIndexInfo(data_type=kind, points=0)
            return models.UpdateResult(operation_id=1, status=models.UpdateStatus.COMPLETED)

        def get_collection(self, collection_name: str, **_: Any) -> models.CollectionInfo:
            schema = self._schemas.get(collection_name, {})
            return super().get_collection(collection_name).model_copy(update={"payload_schema": schema})

        def cluster_status(self) -> Any:
            return None

        def collection_cluster_info(self, collection_name: str) -> models.CollectionClusterInfo:
            nothing: dict[str, Any] = {"local_shards": [], "remote_shards": [], "shard_transfers": []}
            return models.CollectionClusterInfo(peer_id=1, shard_count=1, **nothing)

        def close(self, grpc_grace: float | None = None, **_: Any) -> None:
            """The "server" outlives its connections."""

    return InProcess()


def served(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a server that lives in this process: stores find their collections there until the test ends."""
    from programs.retrieval.qdrant_server import ServerStore

    client = in_process()
    monkeypatch.setattr(ServerStore, "connect", lambda url, collection, *_: ServerStore(client, collection, url))
    return ADDRESS
