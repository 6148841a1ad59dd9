"""A Qdrant cluster on the loopback interface that really stores: nodes hold shards, and can be killed and started.

    with QdrantCluster(nodes=3, shards=6, replicas=2) as cluster:
        index = Index.open(f"{cluster.address}/papers", create=True)
        cluster.kill(0)

Shards are collections of the client's in-process mode. A node that is asked reads every shard from a node that lives
and holds it, and writes it to all that do. As with the real one, a shard of which no holder lives fails the request.
"""

from __future__ import annotations

import socket
import threading
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, Self

from pydantic import TypeAdapter
from qdrant_client import QdrantClient, models

from tests.loopback_qdrant import WRITTEN, Fault, LoopbackQdrant, Request

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
        self.nodes = [_Node(self) for _ in range(nodes)]
        self.is_made = False
        self.fields: dict[str, str] = {}
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

    def holders(self, shard: int) -> list[_Node]:
        """Nodes that live and hold a shard."""
        return [self.nodes[number] for number in self.shards[shard] if self.nodes[number].lives]

    def of_point(self, point_id: str) -> int:
        """The shard of a point."""
        return zlib.crc32(str(point_id).replace("-", "").encode()) % len(self.shards)


class _Node(LoopbackQdrant):
    def __init__(self, cluster: QdrantCluster) -> None:
        held = {node: [] for node in range(len(cluster.shards))}
        for shard, nodes in enumerate(cluster.shards):
            for node in nodes:
                held[node].append(shard)
        super().__init__((), nodes={node: shards for node, shards in held.items() if shards})
        self.lives = True
        self.shards: dict[int, QdrantClient] = {}
        self._whole = cluster
        self._lock = threading.Lock()
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
        if rest == "exists":
            return {"exists": cluster.is_made}
        if request.method == "PUT" and not rest:
            return self._made(request.body)
        if not cluster.is_made:
            return Fault(404, "Not found: Collection `papers` doesn't exist!")
        if request.method == "GET" and not rest:
            kinds = {name: {"data_type": kind, "points": 1} for name, kind in cluster.fields.items()}
            self.collections.add("papers")
            return {**super().answer(request), "payload_schema": kinds}  # type: ignore[dict-item]
        return _ANSWERS[request.method, rest](self, request.body)

    def _made(self, body: Mapping[str, Any]) -> Fault | object:
        cluster = self._whole
        with _MAKING:
            if cluster.is_made:
                return Fault(409, "Wrong input: Collection `papers` already exists!")
            for shard, nodes in enumerate(cluster.shards):
                for number in nodes:
                    store = cluster.nodes[number].shards[shard] = QdrantClient(":memory:")
                    made = models.CreateCollection.model_validate(body)
                    store.create_collection(
                        "papers", vectors_config=made.vectors, sparse_vectors_config=made.sparse_vectors
                    )
            for node in cluster.nodes:
                node.vectors = body["vectors"]
            cluster.is_made = True
        return True

    def everywhere(self, ask: Callable[[QdrantClient], Any]) -> Fault | list[Any]:
        """What one living holder of each shard says."""
        said = []
        for shard in range(len(self._whole.shards)):
            holders = self._whole.holders(shard)
            if not holders:
                return _DOWN
            with holders[0]._lock:
                said.append(ask(holders[0].shards[shard]))
        return said

    def written(self, write: Callable[[QdrantClient, int], Any]) -> Fault | object:
        """Have all living holders of each shard write."""
        for shard in range(len(self._whole.shards)):
            holders = self._whole.holders(shard)
            if not holders:
                return _DOWN
            for each in holders:
                with each._lock:
                    write(each.shards[shard], shard)
        return WRITTEN

    def upsert(self, body: Any) -> Fault | object:
        points = _POINTS.validate_python(body["points"])

        def write(store: QdrantClient, shard: int) -> None:
            if own := [each for each in points if self._whole.of_point(str(each.id)) == shard]:
                store.upsert("papers", own)

        return self.written(write)

    def delete(self, body: Any) -> Fault | object:
        chosen = models.Filter.model_validate(body["filter"])
        return self.written(lambda store, _: store.delete("papers", chosen))

    def index(self, body: Any) -> Fault | object:
        self._whole.fields[body["field_name"]] = body["field_schema"]
        return WRITTEN

    def search(self, body: Any) -> Fault | object:
        searches = _SEARCHES.validate_python(body["searches"])
        said = self.everywhere(lambda store: store.query_batch_points("papers", searches))
        if isinstance(said, Fault):
            return said
        return [_best([each[place].points for each in said], search.limit) for place, search in enumerate(searches)]

    def retrieve(self, body: Any) -> Fault | object:
        payload, vectors = body.get("with_payload", True), body.get("with_vector", False)
        said = self.everywhere(
            lambda store: store.retrieve("papers", body["ids"], with_payload=payload, with_vectors=vectors)
        )
        return said if isinstance(said, Fault) else [_plain(each) for found in said for each in found]

    def scroll(self, body: Any) -> Fault | object:
        chosen = body.get("filter") and models.Filter.model_validate(body["filter"])
        limit, offset = body["limit"], str(body.get("offset") or "")
        said = self.everywhere(
            lambda store: store.scroll("papers", chosen, limit=100_000, with_payload=body["with_payload"])[0]
        )
        if isinstance(said, Fault):
            return said
        reached = (each for found in said for each in found if str(each.id) >= offset)
        found = sorted(reached, key=lambda each: str(each.id))
        following = str(found[limit].id) if len(found) > limit else None
        return {"points": [_plain(each) for each in found[:limit]], "next_page_offset": following}

    def count(self, body: Any) -> Fault | object:
        chosen = body.get("filter") and models.Filter.model_validate(body["filter"])
        said = self.everywhere(lambda store: store.count("papers", chosen).count)
        return said if isinstance(said, Fault) else {"count": sum(said)}


def _best(found: Sequence[Sequence[models.ScoredPoint]], limit: int | None) -> object:
    points = sorted((each for shard in found for each in shard), key=lambda each: -each.score)[:limit]
    return {"points": [{"id": each.id, "version": 1, "score": each.score} for each in points]}


def _plain(record: models.Record) -> object:
    return {name: value for name, value in record.model_dump(mode="json").items() if value is not None}


_MAKING = threading.Lock()
_ANSWERS: Mapping[tuple[str, str], Callable[[_Node, Any], Fault | object]] = {
    ("PUT", "points"): _Node.upsert,
    ("PUT", "index"): _Node.index,
    ("POST", "points/delete"): _Node.delete,
    ("POST", "points/query/batch"): _Node.search,
    ("POST", "points"): _Node.retrieve,
    ("POST", "points/scroll"): _Node.scroll,
    ("POST", "points/count"): _Node.count,
}
warnings.filterwarnings("ignore", "Payload indexes have no effect|Local mode", UserWarning)
