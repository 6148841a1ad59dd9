"""What the server store sends over the wire, and what it makes of a server's faults."""

from __future__ import annotations

import socket

import numpy as np
import pytest

from programs.config import settings
from programs.errors import IndexCorrupt, IndexNotFound, RetrievalError, StoreUnavailable, UsageError
from programs.retrieval.bm25 import Bm25
from programs.retrieval.filters import Bounds, Condition
from programs.retrieval.index import Index
from programs.retrieval.server_store import ServerStore
from programs.retrieval.store import Point
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_qdrant import POINT, Fault, LoopbackQdrant

DENSE = np.array([0.6, 0.8], dtype=np.float32)
SPARSE = Bm25().query("femur density")
DIGITS = POINT["id"].replace("-", "")
RESULTS = Condition("section", "keyword", values=("results",))
SINCE_2010 = Condition("metadata.year", "number", bounds=Bounds(gte=2010))
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
    (request,) = server.requests
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


def test_writes_wait_until_they_are_durable(server, store):
    store.upsert([Point(POINT["id"], {"record": "chunk"}, DENSE, SPARSE)])
    store.delete([RESULTS])
    store.create_field("metadata.year", "number")
    assert [(one.method, one.path.removeprefix("/collections/papers/")) for one in server.requests] == [
        ("PUT", "points"),
        ("POST", "points/delete"),
        ("PUT", "index"),
    ]
    assert all(one.query["wait"] == "true" for one in server.requests)
    upsert, delete, field = (one.body for one in server.requests)
    assert [point["id"] for point in upsert["points"]] == [POINT["id"]]
    assert set(upsert["points"][0]["vector"]) == {"dense", "bm25"}
    assert delete["filter"]["must"] == [{"key": "section", "match": {"any": ["results"]}}]
    assert field == {"field_name": "metadata.year", "field_schema": "float"}


def test_a_collection_is_made_for_both_arms(server):
    store = ServerStore.connect(server.url, "new")
    assert not store.exists()
    store.create(64)
    assert store.exists()
    assert server.requests[1].body["vectors"] == {"dense": {"size": 64, "distance": "Cosine"}}
    assert server.requests[1].body["sparse_vectors"] == {"bm25": {"modifier": "idf"}}
    store.close()


def test_reads_ask_for_no_more_than_is_wanted(server, store):
    assert store.count([RESULTS]) == 7
    assert store.retrieve([POINT["id"]], ["record"]) == {DIGITS: {"record": "chunk"}}
    count, retrieve = (one.body for one in server.requests)
    assert count["exact"] is True
    assert retrieve["with_payload"] == ["record"]
    assert not retrieve.get("with_vector")


def test_scrolling_follows_the_pages(server, store):
    assert list(store.scroll([])) == [{"page": 1}, {"page": 2}]
    assert [one.body.get("offset") for one in server.requests] == [None, POINT["id"]]


def test_fields_are_those_of_the_server(store):
    assert store.fields() == {"document": "keyword", "metadata.year": "number"}


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_the_api_key_of_the_environment_goes_with_every_request(monkeypatch):
    monkeypatch.setenv("QDRANT_API_KEY", "secret")
    settings.cache_clear()
    try:
        with LoopbackQdrant(api_key="secret") as server, pytest.raises(IndexCorrupt, match="has no manifest"):
            Index.open(f"{server.url}/papers", embedder=HashingEmbedder())
        assert {one.headers.get("api-key") for one in server.requests} == {"secret"}
    finally:
        settings.cache_clear()


def test_a_refused_key_names_the_variable():
    with LoopbackQdrant(api_key="secret") as server:
        store = ServerStore.connect(server.url, "papers", api_key=None)
        with pytest.raises(StoreUnavailable, match=rf"{server.url} refuses the API key; set QDRANT_API_KEY"):
            store.count([])
        store.close()


def test_a_server_that_fails_is_quoted(server, store):
    server.fault = Fault(500, "Service internal error: disk full")
    with pytest.raises(RetrievalError, match=r"answered 500: Service internal error: disk full;") as caught:
        store.query([DENSE], 3, [])
    assert not isinstance(caught.value, StoreUnavailable)


def test_an_answer_of_no_known_form_is_quoted_as_it_is(server, store):
    server.fault = Fault(502, "")
    with pytest.raises(RetrievalError, match="answered 502: "):
        store.count([])


def test_a_server_that_is_gone_says_how_to_go_on():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    store = ServerStore.connect(url, "papers")
    with pytest.raises(StoreUnavailable, match=rf"no Qdrant server answers at {url} .*start it, or check the address"):
        store.exists()
    store.close()


def test_a_collection_that_is_not_there_is_not_made_unasked(server):
    with pytest.raises(IndexNotFound, match=rf"no collection 'other' at {server.url}; make one with"):
        Index.open(f"{server.url}/other")
    assert "other" not in server.collections


def test_a_collection_that_vanishes_while_open_says_how_to_make_it_again(server, store):
    server.collections.clear()
    with pytest.raises(IndexNotFound, match=rf"index PAPERS --index {server.url}/papers"):
        store.count([])


@pytest.mark.parametrize("place", ["ftp://host/papers", "http://", "qdrant://host"])
def test_an_address_of_another_kind_is_refused(place):
    with pytest.raises(UsageError, match="no address of a Qdrant server"):
        Index.open(place)
