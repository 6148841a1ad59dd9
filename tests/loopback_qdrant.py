"""A loopback recorder that answers as Qdrant's REST interface does, for the calls that the server store makes.

    with LoopbackQdrant() as server:
        store = ServerStore.connect(server.url, "papers")
        store.count([])
        assert server.requests[-1].path == "/collections/papers/points/count"

It stores nothing: that requests mean what they should is tested over the client's own in-process mode; here is tested
what goes over the wire, and what comes of faults.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.loopback import Loopback

POINT = {"id": "00000000-0000-5000-8000-000000000001", "version": 1, "score": 0.5}
STORED = {"id": POINT["id"], "payload": {"record": "chunk"}}
VECTORS = {"dense": [0.6, 0.8]}
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


class LoopbackQdrant(Loopback):
    """Listens on a free port of this machine until it is left.

    Args:
        collections: Names of the collections that are there.
        api_key: Refuse requests without it, as a server with ``QDRANT__SERVICE__API_KEY`` does.
    """

    def __init__(self, collections: tuple[str, ...] = ("papers",), api_key: str | None = None) -> None:
        self.requests: list[Request] = []
        self.collections = set(collections)
        self.fault: Fault | None = None
        self._api_key = api_key

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return _handler(self)

    def answer(self, request: Request) -> Fault | object:
        """What to answer: a fault, or the value of ``result``."""
        self.requests.append(request)
        if self._api_key is not None and request.headers.get("api-key") != self._api_key:
            return Fault(401, "Must provide an API key or an Authorization bearer token")
        if self.fault is not None:
            return self.fault
        _, _, collection, *rest = request.path.split("/")
        if request.method == "GET" and rest == ["exists"]:
            return {"exists": collection in self.collections}
        if request.method == "PUT" and not rest:
            self.collections.add(collection)
            return True
        if collection not in self.collections:
            return Fault(404, f"Not found: Collection `{collection}` doesn't exist!")
        return _RESULTS[request.method, "/".join(rest)](request.body)


def _stored(body: Any) -> object:
    return {**STORED, "vector": VECTORS} if body.get("with_vector") else STORED


def _info(_body: Any) -> object:
    vectors = {"dense": {"size": 64, "distance": "Cosine"}}
    return {
        "status": "green",
        "optimizer_status": "ok",
        "segments_count": 1,
        "points_count": 1,
        "config": {
            "params": {"vectors": vectors, "sparse_vectors": {"bm25": {"modifier": "idf"}}},
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
    ("GET", ""): _info,
    ("PUT", "points"): lambda _: WRITTEN,
    ("PUT", "index"): lambda _: WRITTEN,
    ("POST", "points"): lambda body: [_stored(body)] if POINT["id"] in body["ids"] else [],
    ("POST", "points/delete"): lambda _: WRITTEN,
    ("POST", "points/count"): lambda _: {"count": 7},
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
                self._send(answer.status, {"status": {"error": answer.text}, "time": 0.0})
            else:
                self._send(200, {"result": answer, "status": "ok", "time": 0.0})

        do_GET = do_PUT = do_POST = do_DELETE = _respond  # noqa: N815 - the names that http.server looks for

        def _send(self, status: int, document: object) -> None:
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    return Handler
