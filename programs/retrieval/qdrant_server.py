"""The store on a Qdrant server or cluster: one collection, through qdrant-client."""

from __future__ import annotations

import functools
import json
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlsplit

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from programs.config import is_loopback
from programs.errors import IndexNotFound, RetrievalError, StoreUnavailable
from programs.retrieval.filters import Condition, FieldType
from programs.retrieval.qdrant_cluster import NodesTransport
from programs.retrieval.store import (
    DENSE,
    HNSW_EF,
    INT8,
    SCROLL_PAGE,
    SPARSE,
    AnyVector,
    CollectionOptions,
    CollectionStatus,
    Payload,
    Ranking,
    SparseVector,
    Store,
    StoredPoint,
    Vector,
    dense_of,
    engine_filter,
    ranked,
)

logger = logging.getLogger(__name__)
T = TypeVar("T")

_SECONDS = 30
"""That a request may take."""
_NODE_DOWN = "Tonic status error"


class AlreadyThere(RetrievalError):
    """Another process has made a collection of that name."""


@contextmanager
def translated(place: str, collection: str) -> Iterator[None]:
    """Turn the client's exceptions into ours."""
    try:
        yield
    except ResponseHandlingException as error:
        who, start = ("none of the nodes", "one of them") if "," in place else ("no Qdrant server", "it")
        raise StoreUnavailable(
            f"{who} answers at {place} ({error.source}); start {start}, or check the address"
        ) from error
    except UnexpectedResponse as error:
        raise _refusal(error, place, collection) from error
    except ApiException as error:
        raise RetrievalError(f"the request to {place} failed: {error}") from error


def _refusal(error: UnexpectedResponse, place: str, collection: str) -> RetrievalError:
    try:  # {"status": {"error": …}}, but of proxies and of some refusals
        said = str(json.loads(error.content)["status"]["error"])
    except (ValueError, LookupError, TypeError):
        said = error.content.decode(errors="replace").strip() or error.reason_phrase
    if _NODE_DOWN in said:
        return StoreUnavailable(
            f"a node of the cluster at {place} is down that alone holds a part of {collection!r}; start it again. An "
            "index that is made with --replicas 2 outlives the loss of a node"
        )
    match error.status_code:
        case HTTPStatus.UNAUTHORIZED:
            return StoreUnavailable(
                f"the Qdrant server at {place} refuses the API key; set QDRANT_API_KEY to one that it accepts"
            )
        case HTTPStatus.FORBIDDEN:
            return StoreUnavailable(
                f"the key in QDRANT_API_KEY may not do this at {place} ({said}): it is for reading only, or for other "
                "collections; set one that may write"
            )
        case HTTPStatus.NOT_FOUND:
            return IndexNotFound(
                f"the collection {collection!r} is not at {place} any more; make it again with "
                f"`python -m programs index PAPERS --index {place}/{collection}`"
            )
        case HTTPStatus.CONFLICT:
            return AlreadyThere(f"{place}: {said}; run the command again")
    return RetrievalError(f"the Qdrant server at {place} answered {error.status_code}: {said}; see its log")


TRIED = ("1.18",)
"""Versions of the server that this store has been tested with."""

_WHOLE_VECTORS = models.QuantizationSearchParams(rescore=True)
"""Where vectors are quantized, what they find is ordered by the whole ones; elsewhere it changes nothing."""

_SCHEMAS: Mapping[FieldType, models.PayloadSchemaType] = {
    "keyword": models.PayloadSchemaType.KEYWORD,
    "number": models.PayloadSchemaType.FLOAT,
}
_TYPES: Mapping[str, FieldType] = {"keyword": "keyword", "float": "number", "integer": "number"}


class ServerStore(Store):
    """Points in one collection of a Qdrant server; ``place`` is the server's address."""

    def __init__(self, client: QdrantClient, collection: str, place: str) -> None:
        self._client = client
        self.collection = collection
        self.place = place

    @classmethod
    def connect(cls, url: str, collection: str, api_key: str | None = None) -> ServerStore:
        """Connect to a server, or to nodes ("http://a:6333,b:6333"); nothing is sent until the first request."""
        scheme, _, hosts = url.partition("://")
        nodes = [f"{scheme}://{host.strip()}" for host in hosts.split(",")]
        several: dict[str, Any] = {"transport": NodesTransport(nodes)} if len(nodes) > 1 else {}
        if api_key and nodes[0].startswith("http://") and not is_loopback(urlsplit(nodes[0]).hostname or ""):
            logger.warning("the API key goes to %s unencrypted; use https:// where others share the network", nodes[0])
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Api key is used with an insecure connection")  # said above
            client = QdrantClient(url=nodes[0], api_key=api_key, timeout=_SECONDS, check_compatibility=False, **several)
        return cls(client, collection, url)

    def exists(self) -> bool:
        """Whether the server has the collection."""
        return self._asked(self._client.collection_exists)

    def create(self, dimension: int, options: CollectionOptions | None = None) -> bool:
        """Create the collection; False where another process was quicker."""
        chosen = options or CollectionOptions()
        int8 = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, quantile=0.99, always_ram=True)
        dense = models.VectorParams(size=dimension, distance=models.Distance.COSINE, on_disk=chosen.on_disk)
        try:
            self._asked(
                self._client.create_collection,
                vectors_config={DENSE: dense},
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                shard_number=chosen.shards,
                replication_factor=chosen.replicas,
                write_consistency_factor=chosen.write_consistency,
                quantization_config=models.ScalarQuantization(scalar=int8) if chosen.quantization == INT8 else None,
            )
        except AlreadyThere:
            return False
        return True

    def warn_if_untried(self) -> None:
        """Warn, once per server, about a version that this store has not been tested with."""
        with translated(self.place, self.collection):
            _warn_if_untried(self.place, str(self._client.info().version))

    def unlike(self, dimension: int) -> str:
        """What an empty collection has that an index cannot use, in a few words; empty where it can."""
        params = self._info().config.params
        vectors = params.vectors if isinstance(params.vectors, dict) else {"": params.vectors}
        dense, sparse = vectors.get(DENSE), (params.sparse_vectors or {}).get(SPARSE)
        if dense is None or sparse is None or len(vectors) > 1:
            named = ", ".join(repr(name) if name else "one without a name" for name in sorted(vectors))
            return f"other vectors ({named})"
        if (dense.size, dense.distance) != (dimension, models.Distance.COSINE):
            return f"vectors of {dense.size} dimensions by {dense.distance.value}, not of {dimension} by Cosine"
        return "" if sparse.modifier == models.Modifier.IDF else "word weights without inverse document frequencies"

    def kept(self) -> CollectionStatus:
        """How the server, or the cluster, keeps the collection."""
        config = self._info().config
        params = config.params
        dense = params.vectors.get(DENSE) if isinstance(params.vectors, dict) else None
        options = CollectionOptions(
            shards=params.shard_number,
            replicas=params.replication_factor,
            write_consistency=params.write_consistency_factor,
            quantization=INT8 if config.quantization_config else None,
            on_disk=bool(dense and dense.on_disk),
        )
        shards = self._asked(self._client.collection_cluster_info)
        with translated(self.place, self.collection):
            version, cluster = str(self._client.info().version), self._client.cluster_status()
        nodes = len(getattr(cluster, "peers", None) or {}) or 1
        copies = [(each.shard_id, shards.peer_id, each.state) for each in shards.local_shards]
        copies += [(each.shard_id, each.peer_id, each.state) for each in shards.remote_shards]
        broken = sorted({shard for shard, _, state in copies if state != models.ReplicaState.ACTIVE})
        alone: dict[str, tuple[int, ...]] = {}
        for shard in sorted({shard for shard, _, _ in copies}):
            holders = [peer for each, peer, state in copies if each == shard and state == models.ReplicaState.ACTIVE]
            if len(holders) == 1:
                alone[str(holders[0])] = (*alone.get(str(holders[0]), ()), shard)
        return CollectionStatus(version, options, nodes, alone, tuple(broken))

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Insert points, in one request where the server allows it, acknowledged when it is durable."""
        size = self._limits.upsert_max_batchsize or max(len(points), 1)
        for start in range(0, len(points), size):
            batch = [_to_engine(point) for point in points[start : start + size]]
            self._asked(self._client.upsert, batch, wait=True)

    def delete(self, conditions: Sequence[Condition]) -> None:
        """Delete every point that matches all conditions."""
        self._asked(self._client.delete, _filter(conditions), wait=True)

    def query(self, vectors: Sequence[AnyVector], limit: int, conditions: Sequence[Condition]) -> list[Ranking]:
        """Search all vectors in one request."""
        matching = _filter(conditions)
        limits = self._limits
        params = models.SearchParams(hnsw_ef=_within(HNSW_EF, limits.search_max_hnsw_ef), quantization=_WHOLE_VECTORS)
        requests = [
            models.QueryRequest(
                query=_vector(vector),
                using=SPARSE if isinstance(vector, SparseVector) else DENSE,
                filter=matching,
                params=params,
                limit=_within(limit, limits.max_query_limit),
                with_payload=False,
            )
            for vector in vectors
        ]
        responses = self._asked(self._client.query_batch_points, requests)
        return [ranked((_digits(point.id), point.score) for point in response.points) for response in responses]

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """Payloads by point id."""
        records = self._asked(self._client.retrieve, list(ids), with_payload=fields is None or list(fields))
        return {_digits(record.id): _in_order(record.payload or {}) for record in records}

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Dense vectors by point id."""
        records = self._asked(self._client.retrieve, list(ids), with_payload=False, with_vectors=[DENSE])
        return dense_of((_digits(record.id), record.vector) for record in records)

    def scroll(self, conditions: Sequence[Condition], fields: Sequence[str] | None = None) -> Iterator[Payload]:
        """Payloads of every matching point, a page at a time."""
        offset: Any = None
        while True:
            records, offset = self._asked(
                self._client.scroll,
                scroll_filter=_filter(conditions),
                limit=_within(SCROLL_PAGE, self._limits.max_query_limit),
                offset=offset,
                with_payload=fields is None or list(fields),
            )
            for record in records:
                yield _in_order(record.payload or {})
            if offset is None:
                return

    def count(self, conditions: Sequence[Condition]) -> int:
        """Exact number of matching points."""
        return self._asked(self._client.count, count_filter=_filter(conditions), exact=True).count

    def fields(self) -> Mapping[str, FieldType]:
        """Indexed payload paths with their types, also those that other machines created."""
        return {key: _TYPES[info.data_type.value] for key, info in self._info().payload_schema.items()}

    def create_field(self, key: str, kind: FieldType) -> None:
        """Index a payload path."""
        self._asked(self._client.create_payload_index, key, _SCHEMAS[kind], wait=True)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _info(self) -> models.CollectionInfo:
        return self._asked(self._client.get_collection)

    @cached_property
    def _limits(self) -> models.StrictModeConfigOutput:
        """The limits of strict mode; read once, so a process must be restarted when they are changed."""
        limits = self._info().config.strict_mode_config
        return limits if limits is not None and limits.enabled else models.StrictModeConfigOutput()

    def _asked(self, call: Callable[..., T], *arguments: Any, **options: Any) -> T:  # noqa: ANN401 - the client's own
        """The result of a call about the collection."""
        with translated(self.place, self.collection):
            return call(self.collection, *arguments, **options)


@functools.cache
def _warn_if_untried(place: str, version: str) -> None:
    if ".".join(version.split(".")[:2]) not in TRIED:
        said = "The Qdrant server at %s has version %s; tested versions: %s. Requests may fail."
        logger.warning(said, place, version, " and ".join(TRIED))


def _within(wanted: int, allowed: int | None) -> int:
    return wanted if allowed is None else min(wanted, allowed)


def _in_order(payload: Payload) -> Payload:
    """A payload with its keys in alphabetical order: servers send them in a different order each time."""
    return {key: _in_order(value) if isinstance(value, dict) else value for key, value in sorted(payload.items())}


def _digits(point_id: object) -> str:
    """Servers answer with hyphens."""
    return str(point_id).replace("-", "")


def _vector(vector: AnyVector) -> models.SparseVector | list[float]:
    if isinstance(vector, SparseVector):
        return models.SparseVector(indices=vector.indices, values=vector.values)
    dense: list[float] = vector.tolist()
    return dense


def _to_engine(point: StoredPoint) -> models.PointStruct:
    named = {DENSE: point.dense, SPARSE: point.sparse}
    vectors: Any = {name: _vector(vector) for name, vector in named.items() if vector is not None}
    return models.PointStruct(id=point.id, vector=vectors, payload=point.payload)


def _filter(conditions: Sequence[Condition]) -> Any:  # noqa: ANN401 - None, or the client's class
    return engine_filter(conditions, models, models.Range)
