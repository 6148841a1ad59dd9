"""A collection of a Qdrant server: what one is made with, what one has, and where a cluster keeps it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qdrant_client import models

from programs.retrieval.store import DENSE, INT8, SPARSE, Keeping, Kept

_INT8 = models.ScalarQuantization(
    scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, quantile=0.99, always_ram=True)
)


def made_with(dimension: int, keeping: Keeping) -> dict[str, Any]:
    """Arguments of ``create_collection`` for an index."""
    dense = models.VectorParams(size=dimension, distance=models.Distance.COSINE, on_disk=keeping.on_disk)
    return {
        "vectors_config": {DENSE: dense},
        "sparse_vectors_config": {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
        "shard_number": keeping.shards,
        "replication_factor": keeping.replicas,
        "write_consistency_factor": keeping.write_consistency,
        "quantization_config": _INT8 if keeping.quantization == INT8 else None,
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


def keeping_of(config: models.CollectionConfig) -> Keeping:
    """The settings of a collection."""
    params = config.params
    dense = params.vectors.get(DENSE) if isinstance(params.vectors, dict) else None
    return Keeping(
        shards=params.shard_number,
        replicas=params.replication_factor,
        write_consistency=params.write_consistency_factor,
        quantization=INT8 if config.quantization_config else None,
        on_disk=bool(dense and dense.on_disk),
    )


def kept_by(cluster: Any, shards: models.CollectionClusterInfo, version: str, keeping: Keeping) -> Kept:  # noqa: ANN401 - a union without a name
    """Where a cluster keeps a collection, by its own word."""
    here = [(shard.shard_id, shards.peer_id, shard.state) for shard in shards.local_shards]
    copies = [*here, *((shard.shard_id, shard.peer_id, shard.state) for shard in shards.remote_shards)]
    return Kept(version, keeping, len(getattr(cluster, "peers", None) or {}) or 1, *_lone_and_broken(copies))


def _lone_and_broken(copies: Iterable[tuple[int, int, models.ReplicaState]]) -> tuple[dict[str, Any], tuple[int, ...]]:
    """By node the shards of which it holds the only active copy, and the shards with a copy that is not active."""
    holders: dict[int, list[int]] = {}
    broken: set[int] = set()
    for shard, peer, state in copies:
        holders.setdefault(shard, [])
        if state == models.ReplicaState.ACTIVE:
            holders[shard].append(peer)
        else:
            broken.add(shard)
    alone: dict[str, tuple[int, ...]] = {}
    for shard, peers in sorted(holders.items()):
        if len(peers) == 1:
            alone[str(peers[0])] = (*alone.get(str(peers[0]), ()), shard)
    return alone, tuple(sorted(broken))
