"""What the server store sends over the wire, and what it makes of a server's faults."""

from __future__ import annotations

import json
import re
import socket

import numpy as np
import pytest

from programs.config import settings
from programs.errors import IndexMismatch, IndexNotFound, RetrievalError, StoreUnavailable, UsageError
from programs.retrieval.filters import Condition
from programs.retrieval.index import Index
from programs.retrieval.qdrant_server import ServerStore
from programs.retrieval.store import Bm25, CollectionOptions, StoredPoint
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_qdrant import POINT, Fault, LoopbackQdrant

DENSE = np.array([0.6, 0.8], dtype=np.float32)
SPARSE = Bm25().query("femur density")
DIGITS = POINT["id"].replace("-", "")
RESULTS = Condition("section", "keyword", values=("results",))
SINCE_2010 = Condition("metadata.year", "number", bounds={"gte": 2010})
NOT_MICE = Condition("metadata.organism", "keyword", values=("Mus musculus",), negated=True)


@pytest.fixture
def server():
    with LoopbackQdrant() as server:
        yield server


@pytest.fixture
def store(server):
    store = ServerStore.connect(server.url, "papers")
    yield store
    store.close()


def test_a_search_is_one_batch_with_the_filters_inside(server, store):
    found = store.query([DENSE, DENSE, SPARSE, SPARSE], 40, [RESULTS, SINCE_2010, NOT_MICE])
    assert found == [{DIGITS: 0.5}] * 4
    (request,) = server.sent
    assert (request.method, request.path) == ("POST", "/collections/papers/points/query/batch")
    searches = request.body["searches"]
    assert [each["using"] for each in searches] == ["dense", "dense", "bm25", "bm25"]
    assert searches[0]["query"]["nearest"] == pytest.approx([0.6, 0.8])
    assert searches[2]["query"]["nearest"] == {"indices": SPARSE.indices, "values": SPARSE.values}
    for each in searches:
        assert (each["limit"], each["with_payload"], each["params"]["hnsw_ef"]) == (40, False, 256)
        assert each["filter"]["must"] == [
            {"key": "section", "match": {"any": ["results"]}},
            {"key": "metadata.year", "range": {"gte": 2010.0}},
        ]
        assert each["filter"]["must_not"] == [{"key": "metadata.organism", "match": {"any": ["Mus musculus"]}}]


def test_writes_wait_until_they_are_durable_and_reads_ask_for_no_more_than_is_wanted(server, store):
    store.upsert([StoredPoint(POINT["id"], {"record": "chunk"}, DENSE, SPARSE)])
    store.delete([RESULTS])
    store.create_field("metadata.year", "number")
    assert store.count([RESULTS]) == 7
    assert store.retrieve([POINT["id"]], ["record"]) == {DIGITS: {"record": "chunk"}}
    found = store.vectors([POINT["id"], "0" * 32])
    assert {key: vector.tolist() for key, vector in found.items()} == {DIGITS: pytest.approx([0.6, 0.8])}
    assert [(one.method, one.path.removeprefix("/collections/papers/")) for one in server.sent] == [
        ("PUT", "points"),
        ("POST", "points/delete"),
        ("PUT", "index"),
        ("POST", "points/count"),
        ("POST", "points"),
        ("POST", "points"),
    ]
    assert all(one.query["wait"] == "true" for one in server.sent[:3])
    upsert, delete, field, count, retrieve, vectors = (one.body for one in server.sent)
    assert [point["id"] for point in upsert["points"]] == [POINT["id"]]
    assert set(upsert["points"][0]["vector"]) == {"dense", "bm25"}
    assert delete["filter"]["must"] == [{"key": "section", "match": {"any": ["results"]}}]
    assert field == {"field_name": "metadata.year", "field_schema": "float"}
    assert (count["exact"], retrieve["with_payload"], bool(retrieve.get("with_vector"))) == (True, ["record"], False)
    assert (vectors["with_vector"], vectors["with_payload"]) == (["dense"], False)


def test_scrolling_follows_the_pages_and_fields_are_those_of_the_server(server, store):
    assert list(store.scroll([])) == [{"page": 1}, {"page": 2}]
    assert [one.body.get("offset") for one in server.sent] == [None, POINT["id"]]
    assert store.fields() == {"document": "keyword", "metadata.year": "number"}


def test_the_api_key_of_the_environment_goes_with_every_request(monkeypatch):
    monkeypatch.setenv("QDRANT_API_KEY", "secret")
    settings.cache_clear()
    try:
        with LoopbackQdrant(api_key="secret") as server, pytest.raises(IndexMismatch, match="no manifest"):
            Index.open(f"{server.url}/papers", embedder=HashingEmbedder())
        assert {one.headers.get("api-key") for one in server.requests} == {"secret"}
    finally:
        settings.cache_clear()


@pytest.mark.parametrize(
    ("url", "warnings"),
    [("http://qdrant.example:6333", 1), ("http://127.0.0.1:6333", 0), ("https://qdrant.example", 0)],
)
def test_a_key_that_goes_unencrypted_beyond_this_machine_is_told(caplog, url, warnings):
    ServerStore.connect(url, "papers", api_key="secret").close()
    assert sum("unencrypted" in each.message for each in caplog.records) == warnings


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(500, "Service internal error: disk full"), r"answered 500: Service internal error: disk full;"),
        (Fault(502, ""), "answered 502: "),
        (Fault(401, "Invalid API key or JWT", is_plain=True), "refuses the API key; set QDRANT_API_KEY"),
        (
            Fault(403, "Forbidden: Global manage access is required"),
            "may not do this .*Global manage access .*set one that may write",
        ),
        (
            Fault(500, "Service internal error: 1 of 1 read operations failed: Tonic status error: code: 'The"),
            r"a node of the cluster at .* is down .*--replicas 2",
        ),
    ],
)
def test_what_a_server_answers_is_told_with_what_to_do(server, store, fault, said):
    server.fault = fault
    with pytest.raises(RetrievalError, match=said) as caught:
        store.query([DENSE], 3, [])
    is_refusal = fault.status in (401, 403) or "Tonic" in fault.text
    assert isinstance(caught.value, StoreUnavailable) == is_refusal
    assert "Tonic" not in str(caught.value)


def test_a_server_that_is_gone_says_how_to_go_on():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    store = ServerStore.connect(url, "papers")
    with pytest.raises(StoreUnavailable, match=rf"no Qdrant server answers at {url} .*start it, or check the address"):
        store.exists()
    store.close()


def test_a_collection_that_is_not_there_is_not_made_unasked_and_one_that_vanishes_is_named(server, store):
    with pytest.raises(IndexNotFound, match=rf"no collection 'other' at {server.url}; make one with"):
        Index.open(f"{server.url}/other")
    assert "other" not in server.collections
    server.collections.clear()
    with pytest.raises(IndexNotFound, match=rf"index PAPERS --index {server.url}/papers"):
        store.count([])


# Collections of others, and other writers


@pytest.mark.parametrize(
    ("vectors", "points", "holds"),
    [
        ({"size": 8, "distance": "Dot"}, 0, r"other vectors \(one without a name\)"),
        ({"dense": {"size": 8, "distance": "Cosine"}}, 0, "vectors of 8 dimensions by Cosine, not of 64"),
        ({"dense": {"size": 64, "distance": "Dot"}}, 0, "vectors of 64 dimensions by Dot, not of 64 by Cosine"),
        ({"dense": {"size": 64, "distance": "Cosine"}}, 12, "12 points and no manifest"),
    ],
)
def test_a_collection_of_someone_else_is_named_and_left_as_it_is(vectors, points, holds):
    with LoopbackQdrant(vectors=vectors, points=points) as server:
        with pytest.raises(IndexMismatch, match=rf"{holds}.* name another place .*papers-corroborate") as caught:
            Index.open(f"{server.url}/papers", create=True, embedder=HashingEmbedder())
        assert "delete" not in str(caught.value)
        assert [one for one in server.sent if one.method == "PUT" or one.path.endswith("delete")] == []


def test_an_index_is_made_for_both_arms_and_as_it_is_to_be_kept(server):
    store = ServerStore.connect(server.url, "new")
    assert not store.exists()
    store.create(64, CollectionOptions(shards=6, replicas=2, write_consistency=1, quantization="int8", on_disk=True))
    body = server.sent[0].body
    assert (body["shard_number"], body["replication_factor"], body["write_consistency_factor"]) == (6, 2, 1)
    assert body["vectors"] == {"dense": {"size": 64, "distance": "Cosine", "on_disk": True}}
    assert body["sparse_vectors"] == {"bm25": {"modifier": "idf"}}
    assert store.exists()
    assert store.create(64) is False, "another was quicker"
    assert body["quantization_config"]["scalar"]["type"] == "int8"
    store.close()


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ({}, "One server: while it is down there is no search"),
        ({1: [1], 2: [0], 3: [2]}, "3 nodes: the loss of any ends every search .* 3 of 3 pieces have one copy"),
        ({1: [0, 1], 2: [1, 2], 3: [0, 2]}, "3 nodes: the loss of any one changes nothing"),
        ({1: [0, 1], 2: [1, 2], 3: [2]}, "3 nodes: the loss of one ends every .* 1 of 3 pieces have one copy"),
    ],
)
def test_what_the_loss_of_a_node_would_do_is_known(nodes, said):
    with LoopbackQdrant(nodes=nodes) as server:
        store = ServerStore.connect(server.url, "papers")
        assert re.search(said, store.kept().loss)
        store.close()


def test_an_index_that_is_kept_otherwise_is_not_taken_for_it(server):
    with pytest.raises(IndexMismatch, match=r"kept with shards 3 and not 6, quantization off and not int8,"):
        Index.open(f"{server.url}/papers", create=True, options=CollectionOptions(shards=6, quantization="int8"))


def test_a_folder_has_no_replicas(tmp_path):
    with pytest.raises(UsageError, match="replicas are for an index on a Qdrant server"):
        Index.open(tmp_path / "papers.idx", create=True, options=CollectionOptions(replicas=2))


@pytest.mark.parametrize("wrong", [{"shards": 0}, {"quantization": "int4"}, {"replicas": 1, "write_consistency": 2}])
def test_a_way_to_keep_that_cannot_be_is_refused(wrong):
    with pytest.raises(UsageError):
        CollectionOptions(**wrong)


# Limits, rights, versions


def test_searches_pages_and_writes_keep_to_the_limits_of_strict_mode():
    strict = {"max_query_limit": 100, "search_max_hnsw_ef": 128, "upsert_max_batchsize": 10}
    with LoopbackQdrant(strict=strict) as server:
        store = ServerStore.connect(server.url, "papers")
        store.query([DENSE, SPARSE], 200, [])
        assert len(list(store.scroll([]))) == 2
        store.upsert([StoredPoint(f"{number:032x}", {"record": "chunk"}, DENSE, SPARSE) for number in range(25)])
        store.close()
        assert server.refused == []
        assert [len(one.body["points"]) for one in server.sent if one.path.endswith("/points")] == [10, 10, 5]


def test_a_version_that_was_not_tried_is_said_once(caplog):
    with LoopbackQdrant(version="1.16.2") as server:
        store = ServerStore.connect(server.url, "papers")
        store.warn_if_untried()
        store.warn_if_untried()
        store.close()
    assert [record.getMessage() for record in caplog.records] == [
        f"The Qdrant server at {server.url} has version 1.16.2; tested versions: 1.18. Requests may fail."
    ]


def test_payloads_come_in_one_order(store, server):
    server.payload = {"b": 1, "metadata": {"year": 2001, "organism": "mouse"}, "a": 2}
    (payload,) = store.retrieve([POINT["id"]]).values()
    assert json.dumps(payload) == '{"a": 2, "b": 1, "metadata": {"organism": "mouse", "year": 2001}}'
