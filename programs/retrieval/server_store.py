"""The store beyond one machine: a collection on a Qdrant server or cluster, through qdrant-client."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from http import HTTPStatus
from typing import Any

import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from programs.errors import IndexNotFound, RetrievalError, StoreUnavailable
from programs.retrieval.bm25 import SparseVector
from programs.retrieval.filters import Condition, FieldType
from programs.retrieval.store import DENSE, SPARSE, Payload, Point, Ranking, Vector

HNSW_EF = 256
"""As in the embedded store, where its recall was measured."""

_SCROLL_PAGE = 512
_SCHEMAS: Mapping[FieldType, models.PayloadSchemaType] = {
    "keyword": models.PayloadSchemaType.KEYWORD,
    "number": models.PayloadSchemaType.FLOAT,
}
_TYPES: Mapping[str, FieldType] = {"keyword": "keyword", "float": "number", "integer": "number"}


class ServerStore:
    """Points in one collection of a Qdrant server.

    Args:
        client: A connected client.
        collection: Name of the collection.
        place: The server's address, for messages.
    """

    def __init__(self, client: QdrantClient, collection: str, place: str) -> None:
        self._client = client
        self._collection = collection
        self._place = place
        # qdrant-client's local mode keeps no payload schema, so what this object created is remembered here too.
        self._created: dict[str, FieldType] = {}

    @classmethod
    def connect(cls, url: str, collection: str, api_key: str | None = None, timeout: int = 30) -> ServerStore:
        """Connect to a server; nothing is sent until the first request.

        Args:
            url: Its address, such as ``http://localhost:6333``.
            collection: Name of the collection.
            api_key: Sent with every request when the server asks for one.
            timeout: Seconds a request may take.
        """
        client = QdrantClient(url=url, api_key=api_key, timeout=timeout, check_compatibility=False)
        return cls(client, collection, url)

    def exists(self) -> bool:
        """Whether the server has the collection."""
        with self._translated():
            return self._client.collection_exists(self._collection)

    def create(self, dimension: int) -> None:
        """Create the collection."""
        with self._translated():
            self._client.create_collection(
                self._collection,
                vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            )

    def reading(self) -> AbstractContextManager[None]:
        """Nothing: a server shows what it has at each read."""
        return nullcontext()

    def writing(self, *, keep: bool = False) -> AbstractContextManager[None]:
        """Nothing: a server has many writers, and shows at once what each has written."""
        return nullcontext()

    def is_unfinished(self) -> bool:
        """False: whether a writer on another machine was killed is not known here."""
        return False

    def is_in_place(self) -> bool:
        """True: what is asked is the server at its address, whatever it holds."""
        return True

    def state(self) -> None:
        """None: whether another machine has written is not known here."""
        return

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert points in one request, acknowledged when it is durable."""
        with self._translated():
            self._client.upsert(self._collection, [_to_engine(point) for point in points], wait=True)

    def delete(self, conditions: Sequence[Condition]) -> None:
        """Delete every point that matches all conditions."""
        with self._translated():
            self._client.delete(self._collection, _required_filter(conditions), wait=True)

    def query(
        self, vectors: Sequence[Vector | SparseVector], limit: int, conditions: Sequence[Condition]
    ) -> list[Ranking]:
        """Search all vectors in one request."""
        matching = _filter(conditions)
        params = models.SearchParams(hnsw_ef=HNSW_EF)
        requests = [
            models.QueryRequest(
                query=_vector(vector),
                using=SPARSE if isinstance(vector, SparseVector) else DENSE,
                filter=matching,
                params=params,
                limit=limit,
                with_payload=False,
            )
            for vector in vectors
        ]
        with self._translated():
            responses = self._client.query_batch_points(self._collection, requests)
        return [_ranking(response.points) for response in responses]

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """Payloads by point id."""
        with self._translated():
            records = self._client.retrieve(
                self._collection, list(ids), with_payload=True if fields is None else list(fields)
            )
        return {_digits(record.id): record.payload or {} for record in records}

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Dense vectors by point id."""
        with self._translated():
            records = self._client.retrieve(self._collection, list(ids), with_payload=False, with_vectors=[DENSE])
        found = ((_digits(record.id), record.vector) for record in records)
        return {key: np.asarray(named[DENSE], dtype=np.float32) for key, named in found if isinstance(named, dict)}

    def scroll(self, conditions: Sequence[Condition], fields: Sequence[str] | None = None) -> Iterator[Payload]:
        """Payloads of every matching point, a page at a time."""
        offset: Any = None
        wanted = True if fields is None else list(fields)
        while True:
            with self._translated():
                records, offset = self._client.scroll(
                    self._collection,
                    scroll_filter=_filter(conditions),
                    limit=_SCROLL_PAGE,
                    offset=offset,
                    with_payload=wanted,
                )
            for record in records:
                yield record.payload or {}
            if offset is None:
                return

    def count(self, conditions: Sequence[Condition]) -> int:
        """Exact number of matching points."""
        with self._translated():
            return self._client.count(self._collection, count_filter=_filter(conditions), exact=True).count

    def fields(self) -> Mapping[str, FieldType]:
        """Indexed payload paths with their types, also those that other machines created."""
        with self._translated():
            schema = self._client.get_collection(self._collection).payload_schema
        return {**self._created, **{key: _TYPES[info.data_type.value] for key, info in schema.items()}}

    def create_field(self, key: str, kind: FieldType) -> None:
        """Index a payload path."""
        with self._translated():
            self._client.create_payload_index(self._collection, key, _SCHEMAS[kind], wait=True)
        self._created[key] = kind

    def optimize(self) -> None:
        """Nothing to do: a server optimizes by itself."""

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn the client's exceptions into ours."""
        try:
            yield
        except ResponseHandlingException as error:
            raise StoreUnavailable(
                f"no Qdrant server answers at {self._place} ({error.source}); start it, or check the address"
            ) from error
        except UnexpectedResponse as error:
            if error.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
                raise StoreUnavailable(
                    f"the Qdrant server at {self._place} refuses the API key; set QDRANT_API_KEY"
                ) from error
            if error.status_code == HTTPStatus.NOT_FOUND:
                raise IndexNotFound(
                    f"the collection {self._collection!r} is not at {self._place} any more; make it again with "
                    f"`python -m programs index PAPERS --index {self._place}/{self._collection}`"
                ) from error
            raise RetrievalError(
                f"the Qdrant server at {self._place} answered {error.status_code}: {_said(error)}; see its log"
            ) from error
        except ApiException as error:
            raise RetrievalError(f"the request to {self._place} failed: {error}") from error


def _said(error: UnexpectedResponse) -> str:
    """The server's own words, out of ``{"status": {"error": …}}`` where the answer has that form."""
    try:
        return str(json.loads(error.content)["status"]["error"])
    except (ValueError, LookupError, TypeError):
        return error.content.decode(errors="replace").strip() or error.reason_phrase


def _ranking(found: Sequence[models.ScoredPoint]) -> Ranking:
    ordered = sorted((-point.score, _digits(point.id)) for point in found)
    return {key: -negated for negated, key in ordered}


def _digits(point_id: object) -> str:
    """Servers answer with hyphens."""
    return str(point_id).replace("-", "")


def _vector(vector: Vector | SparseVector) -> models.SparseVector | list[float]:
    if isinstance(vector, SparseVector):
        return models.SparseVector(indices=vector.indices, values=vector.values)
    dense: list[float] = vector.tolist()
    return dense


def _to_engine(point: Point) -> models.PointStruct:
    vectors: dict[str, Any] = {}
    if point.dense is not None:
        vectors[DENSE] = _vector(point.dense)
    if point.sparse is not None:
        vectors[SPARSE] = _vector(point.sparse)
    return models.PointStruct(id=point.id, vector=vectors, payload=point.payload)


def _filter(conditions: Sequence[Condition]) -> models.Filter | None:
    return _required_filter(conditions) if conditions else None


def _required_filter(conditions: Sequence[Condition]) -> models.Filter:
    return models.Filter(
        must=[_to_engine_condition(one) for one in conditions if not one.negated],
        must_not=[_to_engine_condition(one) for one in conditions if one.negated],
    )


def _to_engine_condition(condition: Condition) -> models.FieldCondition | models.Filter:
    key = condition.key
    if condition.bounds is not None:
        bounds = condition.bounds
        window = models.Range(gte=bounds.gte, gt=bounds.gt, lte=bounds.lte, lt=bounds.lt)
        return models.FieldCondition(key=key, range=window)
    if condition.type == "keyword":
        return models.FieldCondition(key=key, match=models.MatchAny(any=[str(value) for value in condition.values]))
    return models.Filter(
        should=[
            models.FieldCondition(key=key, range=models.Range(gte=float(value), lte=float(value)))
            for value in condition.values
        ]
    )
