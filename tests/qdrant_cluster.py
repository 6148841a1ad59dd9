"""A Qdrant cluster on the loopback interface that really stores: nodes hold shards, and can be killed and started.

    with QdrantCluster(nodes=3, shards=6, replicas=2) as cluster:
        index = Index.open(f"{cluster.address}/papers", create=True)
        cluster.kill(0)

What is stored is in the client's in-process mode, for all nodes together; shards say which nodes are needed. As with
the real one, a request fails while there is a shard of which no holder lives.
"""

from __future__ import annotations

import socket
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, Self

from pydantic import BaseModel, TypeAdapter
from qdrant_client import QdrantClient, models

from tests.loopback_qdrant import Fault, LoopbackQdrant, Request, in_process

_DOWN = Fault(500, "Service internal error: Tonic status error: status: Unavailable, message: tcp connect error")
_POINTS = TypeAdapter(list[models.PointStruct])
_SEARCHES = TypeAdapter(list[models.QueryRequest])


class QdrantCluster:
    """Nodes that listen on free ports of this machine until it is left.

    Args:
        nodes: How many.
        shards: Pieces of the collection.
        replicas: Nodes that hold each of them.
    """

    def __init__(self, nodes: int = 3, shards: int = 6, replicas: int = 2) -> None:
        self.shards = [[(shard + copy) % nodes for copy in range(replicas)] for shard in range(shards)]
        """Of each shard the nodes that hold it."""
        held = {node: [at for at, holders in enumerate(self.shards) if node in holders] for node in range(nodes)}
        self.nodes = [_Node(self, held) for _ in range(nodes)]
        self.points = in_process()
        self.lock = threading.Lock()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        for node in self.nodes:
            self._open.enter_context(node)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def address(self) -> str:
        """Of all nodes, as an index takes it."""
        return "http://" + ",".join(node.url.removeprefix("http://") for node in self.nodes)

    def kill(self, number: int) -> None:
        """End a node as a killed process ends: no request is answered any more, whatever was done for it."""
        self.nodes[number].kill()

    def is_whole(self) -> bool:
        """Whether a holder of each shard lives."""
        return all(any(self.nodes[number].lives for number in holders) for holders in self.shards)


class _Node(LoopbackQdrant):
    def __init__(self, cluster: QdrantCluster, held: Mapping[int, list[int]]) -> None:
        super().__init__((), nodes={node: shards for node, shards in held.items() if shards})
        self.lives = True
        self._whole = cluster
        self._connections: set[socket.socket] = set()

    def kill(self) -> None:
        self.lives = False
        self._server.socket.close()
        for each in list(self._connections):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def handler(self) -> type[BaseHTTPRequestHandler]:
        node, answering = self, super().handler()

        class Handler(answering):  # type: ignore[misc, valid-type]
            def setup(self) -> None:
                super().setup()
                node._connections.add(self.connection)
                if not node.lives:
                    self.connection.shutdown(socket.SHUT_RDWR)

            def finish(self) -> None:
                node._connections.discard(self.connection)
                with suppress(OSError):
                    super().finish()

        return Handler

    def answer(self, request: Request) -> Fault | object:
        """As a node of a cluster does, for one collection."""
        cluster, rest = self._whole, "/".join(request.path.split("/")[3:])
        if request.path in ("/", "/cluster") or rest == "cluster":
            return super().answer(request)
        with cluster.lock:
            is_made = cluster.points.collection_exists("papers")
            if rest == "exists":
                return {"exists": is_made}
            if request.method == "PUT" and not rest:
                return self._made(request.body) or Fault(409, "Wrong input: Collection `papers` already exists!")
            if not is_made:
                return Fault(404, "Not found: Collection `papers` doesn't exist!")
            if request.method == "GET" and not rest:
                self.collections.add("papers")
                schema = cluster.points.get_collection("papers").payload_schema
                return {**super().answer(request), "payload_schema": _plain(schema)}  # type: ignore[dict-item]
            if not cluster.is_whole():
                return _DOWN
            return _plain(_ANSWERS[request.method, rest](cluster.points, request.body))

    def _made(self, body: Mapping[str, Any]) -> bool:
        if self._whole.points.collection_exists("papers"):
            return False
        made = models.CreateCollection.model_validate(body)
        self._whole.points.create_collection(
            "papers", vectors_config=made.vectors, sparse_vectors_config=made.sparse_vectors
        )
        for node in self._whole.nodes:
            node.vectors = body["vectors"]
        return True


def _filter(body: Mapping[str, Any]) -> models.Filter | None:
    return models.Filter.model_validate(body["filter"]) if body.get("filter") else None


def _scrolled(store: QdrantClient, body: Mapping[str, Any]) -> object:
    asked = {name: body.get(name) for name in ("limit", "offset", "with_payload")}
    points, following = store.scroll("papers", _filter(body), **asked)
    return {"points": points, "next_page_offset": following}


def _plain(value: Any) -> Any:
    """JSON of what the client returns."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


_ANSWERS: Mapping[tuple[str, str], Callable[[QdrantClient, Any], object]] = {
    ("PUT", "points"): lambda store, body: store.upsert("papers", _POINTS.validate_python(body["points"])),
    ("PUT", "index"): lambda store, body: store.create_payload_index(
        "papers", body["field_name"], body["field_schema"]
    ),
    ("POST", "points/delete"): lambda store, body: store.delete("papers", _filter(body)),
    ("POST", "points/query/batch"): lambda store, body: store.query_batch_points(
        "papers", _SEARCHES.validate_python(body["searches"])
    ),
    ("POST", "points"): lambda store, body: store.retrieve(
        "papers", body["ids"], body.get("with_payload", True), body.get("with_vector", False)
    ),
    ("POST", "points/scroll"): _scrolled,
    ("POST", "points/count"): lambda store, body: store.count("papers", _filter(body)),
}
warnings.filterwarnings("ignore", "Local mode", UserWarning)
