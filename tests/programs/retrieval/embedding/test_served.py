"""Embedding servers over real HTTP: Ollama's and OpenAI's interface."""

import numpy as np
import pytest

from programs.config import settings
from programs.errors import EmbedderUnavailable, IndexMismatch, UsageError
from programs.retrieval.embedding.embedder import BATCH, ServedEmbedder, load_embedder
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_ollama import LoopbackOllama
from tests.loopback_openai import LoopbackOpenAI
from tests.papers import PAPERS

TEXTS = [f"text {'x' * number}" for number in range(2 * BATCH + 1)]


def hashed(text):
    return [float(value) for value in 3 * HashingEmbedder().embed([text])[0]]


def of_openai(server, **options):
    return ServedEmbedder(f"{server.url}/v1/embeddings?model=bge", **options)


def test_ollama_embeds_in_batches_in_the_order_of_the_texts():
    with LoopbackOllama() as server:
        embedder = load_embedder(f"{server.url}/api/embed?model=tiny")
        vectors = embedder.embed(TEXTS)
        assert [len(body["input"]) for body in server.asked("/api/embed")] == [BATCH, BATCH, 1]
    assert (vectors.shape, vectors.dtype, embedder.dimension) == ((len(TEXTS), 2), np.float32, 2)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert vectors[0][0] / vectors[0][1] == pytest.approx(len(TEXTS[0]))


def test_others_embed_too_in_whatever_order_they_answer(monkeypatch):
    monkeypatch.setenv("CORROBORATE_EMBEDDER_KEY", "secret")
    settings.cache_clear()
    try:
        with LoopbackOpenAI() as server:
            vectors = of_openai(server).embed(["a", "bbb"])
            assert server.keys == ["Bearer secret"]
    finally:
        settings.cache_clear()
    assert [row[0] / row[1] for row in vectors] == pytest.approx([1, 3])


def test_what_passes_is_tried_again_and_what_does_not_is_named():
    with LoopbackOpenAI(faults=[503, 429]) as server:
        assert of_openai(server, first_pause=0).embed(["a"]).shape == (1, 2)
        server.faults[:] = [503] * 4
        with pytest.raises(EmbedderUnavailable, match=r"HTTP 503: .*not now"):
            of_openai(server, first_pause=0).embed(["a"])
        assert len(server.requests) == 3 + 4
        server.faults[:] = [401]
        with pytest.raises(EmbedderUnavailable, match=r"HTTP 401.*CORROBORATE_EMBEDDER_KEY"):
            of_openai(server, first_pause=0).embed(["a"])
        assert len(server.requests) == 3 + 4 + 1


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        (lambda text: [0.0, 0.0], "some empty"),
        (lambda text: [1.0] * len(text), r"lengths \[1, 2\]"),
        (lambda text: [float("nan")], "some empty"),
        (lambda text: None, "no embeddings"),
    ],
)
def test_vectors_that_are_none_are_refused(vector, said):
    with LoopbackOpenAI(vector=vector) as server, pytest.raises(EmbedderUnavailable, match=said):
        of_openai(server).embed(["a", "bb"])


def test_another_dimension_than_before_is_refused():
    with LoopbackOpenAI() as server:
        embedder = of_openai(server)
        assert embedder.dimension == 2
        server.vector = lambda text: [1.0, 2.0, 3.0]
        with pytest.raises(EmbedderUnavailable, match="vectors of 3 dimensions, and of 2 before"):
            embedder.embed(["a"])


def test_an_index_keeps_the_server_that_embeds_for_it(tmp_path):
    with LoopbackOpenAI(vector=hashed) as server:
        name = f"{server.url}/v1/embeddings?model=bge"
        with Index.open(tmp_path / "papers.idx", create=True, embedder=load_embedder(name)) as index:
            index.add(PAPERS)
        with Index.open(tmp_path / "papers.idx") as index:
            assert index.manifest.embedder == name
            assert index.search("bone density", k=3)
        other = load_embedder(name.replace("bge", "e5"))
        with pytest.raises(IndexMismatch):
            Index.open(tmp_path / "papers.idx", embedder=other)


@pytest.mark.parametrize(
    "name", ["http://host:1", "http://host:1/v1?model=x", "http://host:1/v1/embeddings", "http:///api/embed?model=x"]
)
def test_an_address_that_names_no_model_is_refused(name):
    with pytest.raises(UsageError, match="names no embedding server"):
        load_embedder(name)
