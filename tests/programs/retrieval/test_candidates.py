"""Candidates with their vectors: from an index, and from a retriever that has none."""

from __future__ import annotations

import numpy as np
import pytest

from programs.errors import UsageError
from programs.retrieval.index import Index
from programs.retrieval.records import embedded_text
from programs.retrieval.retriever import find_candidates
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_qdrant import POINT, LoopbackQdrant
from tests.papers import PAPERS
from tests.qdrant_server import QUIET, SERVER, served

QUERY, WORDS = "femur density", ["femur density of mice"]


class SearchOnly:
    """A retriever without vectors."""

    def __init__(self, index):
        self.embedder = index.embedder
        self.search = index.search
        self.document = index.document


pytestmark = QUIET


@pytest.fixture(params=["embedded", SERVER])
def index(request, tmp_path, monkeypatch):
    """An index in a folder, or on a server that lives in this process."""
    place = tmp_path / "papers.idx" if request.param == "embedded" else served(monkeypatch)
    with Index.open(place, create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


@pytest.mark.parametrize("seam", [lambda index: index, SearchOnly])
@pytest.mark.parametrize("words", [[], WORDS])
def test_every_candidate_brings_its_vector(index, seam, words):
    found = find_candidates(seam(index), QUERY, 5, words=words)
    searched = index.search([QUERY, *words], k=5)
    assert {hit.chunk.id for hit in found.hits} == {hit.chunk.id for hit in searched}
    texts = [embedded_text(hit.chunk, hit.metadata["title"]) for hit in found.hits]
    assert np.allclose(found.vectors, HashingEmbedder().embed(texts), atol=1e-6)
    assert np.allclose(found.query, HashingEmbedder().embed_query([QUERY])[0], atol=1e-6)
    assert found.vectors.dtype == np.float32


def test_the_query_alone_is_found_as_by_a_search_and_added_words_are_not_embedded(index):
    assert index.candidates(QUERY, 5).hits == index.search(QUERY, k=5)
    plain, added = (index.candidates(QUERY, 5, words=words) for words in ([], ["osteoclast counts"]))
    dense, worded = ({hit.chunk.id: hit for hit in found.hits} for found in (plain, added))
    for name, hit in worded.items():
        assert hit.dense_score == dense[name].dense_score
        assert hit.score >= dense[name].score
    assert any(hit.score > dense[name].score for name, hit in worded.items())
    with pytest.raises(UsageError, match="a query must hold text"):
        index.candidates(QUERY, words=[" "])


def test_filters_apply_and_nothing_found_is_an_empty_matrix(index):
    found = index.candidates("femur", filters={"year": {"gte": 2100}})
    assert (list(found.hits), found.vectors.shape, found.query.shape) == ([], (0, 64), (64,))
    with pytest.raises(UsageError, match="a query must hold text"):
        index.candidates(" ")


@pytest.mark.needs("qdrant")
def test_a_server_is_asked_for_the_dense_vectors_alone():
    from programs.retrieval.qdrant_server.store import ServerStore

    digits = POINT["id"].replace("-", "")
    with LoopbackQdrant() as server:
        store = ServerStore.connect(server.url, "papers")
        found = store.vectors([POINT["id"], "0" * 32])
        store.close()
    (request,) = server.requests
    assert (request.body["with_vector"], request.body["with_payload"]) == (["dense"], False)
    assert {key: vector.tolist() for key, vector in found.items()} == {digits: pytest.approx([0.6, 0.8])}
