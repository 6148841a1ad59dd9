"""Candidates with their vectors: from an index, and from a retriever that has none."""

from __future__ import annotations

import numpy as np
import pytest
from qdrant_client import QdrantClient

from programs.errors import UsageError
from programs.retrieval.candidates import find_candidates
from programs.retrieval.index import Index
from programs.retrieval.indexing import embedded_text
from programs.retrieval.server_store import ServerStore
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_qdrant import POINT, LoopbackQdrant
from tests.papers import PAPERS

QUERIES = ["femur density", "femur density of mice"]


class SearchOnly:
    """A retriever without vectors."""

    def __init__(self, index):
        self.embedder = index.embedder
        self.search = index.search
        self.document = index.document


pytestmark = [
    pytest.mark.filterwarnings("ignore:Local mode performs exact"),
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect"),
]


@pytest.fixture(params=["embedded", "server"])
def index(request, tmp_path, monkeypatch):
    """An index in a folder, or on a server that lives in this process."""
    server = ServerStore(QdrantClient(":memory:"), "papers", "this process")
    monkeypatch.setattr(ServerStore, "connect", lambda *_, **__: server)
    place = tmp_path / "papers.idx" if request.param == "embedded" else "http://127.0.0.1:6333/papers"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


@pytest.mark.parametrize("seam", [lambda index: index, SearchOnly])
def test_every_candidate_brings_its_vector(index, seam):
    found = find_candidates(seam(index), QUERIES, 5)
    assert found.hits == index.search(QUERIES, k=5)
    texts = [embedded_text(hit.chunk, hit.metadata["title"]) for hit in found.hits]
    assert np.allclose(found.vectors, HashingEmbedder().embed(texts), atol=1e-6)
    assert np.allclose(found.queries, HashingEmbedder().embed_query(QUERIES), atol=1e-6)
    assert found.vectors.dtype == np.float32


def test_filters_apply_and_nothing_found_is_an_empty_matrix(index):
    found = index.candidates("femur", filters={"year": {"gte": 2100}})
    assert (list(found.hits), found.vectors.shape, found.queries.shape) == ([], (0, 64), (1, 64))
    with pytest.raises(UsageError, match="a query must hold text"):
        index.candidates(" ")


def test_a_server_is_asked_for_the_dense_vectors_alone():
    digits = POINT["id"].replace("-", "")
    with LoopbackQdrant() as server:
        store = ServerStore.connect(server.url, "papers")
        found = store.vectors([POINT["id"], "0" * 32])
        store.close()
    (request,) = server.requests
    assert (request.body["with_vector"], request.body["with_payload"]) == (["dense"], False)
    assert {key: vector.tolist() for key, vector in found.items()} == {digits: pytest.approx([0.6, 0.8])}
