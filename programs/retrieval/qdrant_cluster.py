"""Collections on a Qdrant cluster: requests to several nodes, what a collection is made with, and where it is kept.

    http://a:6333,b:6333,c:6333/papers

A request that one node does not answer goes to the next. Every request of an index may be sent twice: reads change
nothing, points have their own ids, and deleting or making something twice has the effect of doing it once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
from qdrant_client import models

from programs.retrieval.store import DENSE, INT8, SPARSE, CollectionOptions, CollectionStatus

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 3.0
"""For one of several nodes: a machine that is switched off does not refuse a connection, it stays silent."""

_ASK_ANOTHER = frozenset((httpx.codes.BAD_GATEWAY, httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.GATEWAY_TIMEOUT))
"""Answers of a node that starts or stops, or of a proxy in front of one that is gone."""


def nodes_of(address: str) -> list[str]:
    """The address of each node: "http://a:6333,b:6333" is two."""
    parts = urlsplit(address)
    return [f"{parts.scheme}://{each.strip()}" for each in parts.netloc.split(",") if each.strip()]


class NodesTransport(httpx.BaseTransport):
    """Sends each request to the node that answered last, and to the others in turn when it does not."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self._nodes = [httpx.URL(each) for each in nodes]
        self._answering = 0
        self._transport = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to each node in turn until one answers; otherwise return or raise what the last one did."""
        first, count = self._answering, len(self._nodes)
        request.read()
        for turn in range(count):
            number, is_last = (first + turn) % count, turn == count - 1
            try:
                response = self._transport.handle_request(self._to(number, request))
                response.read()
            except httpx.TransportError as error:
                self._warn(number, error)
                if is_last:
                    raise
                continue
            if response.status_code not in _ASK_ANOTHER or is_last:
                break
            self._warn(number, response.status_code)
        self._answering = number
        return response

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def _to(self, number: int, request: httpx.Request) -> httpx.Request:
        node = self._nodes[number]
        url = request.url.copy_with(scheme=node.scheme, host=node.host, port=node.port)
        headers = request.headers.copy()
        headers["Host"] = node.netloc.decode("ascii")
        allowed = dict(request.extensions.get("timeout") or {})
        allowed["connect"] = min(allowed.get("connect") or CONNECT_SECONDS, CONNECT_SECONDS)
        extensions = {**request.extensions, "timeout": allowed}
        return httpx.Request(request.method, url, headers=headers, stream=request.stream, extensions=extensions)

    def _warn(self, number: int, why: object) -> None:
        logger.warning("The Qdrant node at %s does not answer (%s); the next is asked.", self._nodes[number], why)


def made_with(dimension: int, options: CollectionOptions) -> dict[str, Any]:
    """Arguments of ``create_collection`` for an index."""
    dense = models.VectorParams(size=dimension, distance=models.Distance.COSINE, on_disk=options.on_disk)
    int8 = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, quantile=0.99, always_ram=True)
    return {
        "vectors_config": {DENSE: dense},
        "sparse_vectors_config": {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
        "shard_number": options.shards,
        "replication_factor": options.replicas,
        "write_consistency_factor": options.write_consistency,
        "quantization_config": models.ScalarQuantization(scalar=int8) if options.quantization == INT8 else None,
    }


def difference(params: models.CollectionParams, dimension: int) -> str:
    """What a collection has that an index cannot use, in a few words; empty where it can."""
    vectors = params.vectors if isinstance(params.vectors, dict) else {"": params.vectors}
    dense, sparse = vectors.get(DENSE), (params.sparse_vectors or {}).get(SPARSE)
    if dense is None or sparse is None or len(vectors) > 1:
        named = ", ".join(repr(name) if name else "one without a name" for name in sorted(vectors))
        return f"other vectors ({named})"
    if (dense.size, dense.distance) != (dimension, models.Distance.COSINE):
        return f"vectors of {dense.size} dimensions by {dense.distance.value}, not of {dimension} by Cosine"
    if sparse.modifier != models.Modifier.IDF:
        return "word weights without inverse document frequencies"
    return ""


def options_of(config: models.CollectionConfig) -> CollectionOptions:
    """The settings of a collection."""
    params = config.params
    dense = params.vectors.get(DENSE) if isinstance(params.vectors, dict) else None
    return CollectionOptions(
        shards=params.shard_number,
        replicas=params.replication_factor,
        write_consistency=params.write_consistency_factor,
        quantization=INT8 if config.quantization_config else None,
        on_disk=bool(dense and dense.on_disk),
    )


def collection_status(
    cluster: Any,  # noqa: ANN401 - what qdrant-client answers, which its own models do not describe
    shards: models.CollectionClusterInfo,
    version: str,
    options: CollectionOptions,
) -> CollectionStatus:
    """Where a cluster says that it keeps a collection."""
    copies = [(each.shard_id, shards.peer_id, each.state) for each in shards.local_shards]
    copies += [(each.shard_id, each.peer_id, each.state) for each in shards.remote_shards]
    active = models.ReplicaState.ACTIVE
    alone: dict[str, tuple[int, ...]] = {}
    for shard in sorted({shard for shard, _, _ in copies}):
        holders = [str(peer) for each, peer, state in copies if (each, state) == (shard, active)]
        if len(holders) == 1:
            alone[holders[0]] = (*alone.get(holders[0], ()), shard)
    broken = tuple(sorted({shard for shard, _, state in copies if state != active}))
    return CollectionStatus(version, options, len(getattr(cluster, "peers", None) or {}) or 1, alone, broken)
