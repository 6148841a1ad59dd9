import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from programs.config import DEFAULT_EMBEDDER, settings
from programs.errors import EmbedderUnavailable, IndexMismatch, UsageError
from programs.retrieval.embedder import BATCH, ServedEmbedder, load_embedder
from programs.retrieval.index import Index
from programs.retrieval.model_files import find_weights
from tests.hashing_embedder import HashingEmbedder
from tests.loopback import LoopbackOpenAI
from tests.loopback_ollama import LoopbackOllama
from tests.papers import PAPERS

pytestmark = pytest.mark.inference

SENTENCES = [
    "Low pH shortens the chronological lifespan of yeast.",
    "Acidic media reduce how long budding yeast survive in stationary phase.",
    "The committee approved the railway timetable for the winter season.",
    "Mice",
    "Spaceflight alters bone density in mice: trabecular bone volume fell by 18 % after 37 days in orbit.",
]


def neighbours(count):
    return [f"Passage {number}: " + "microgravity changes gene expression. " * (number % 23) for number in range(count)]


def test_rows_have_the_model_s_length_and_unit_norm(embedder):
    vectors = embedder.embed(SENTENCES)
    assert vectors.shape == (len(SENTENCES), embedder.dimension) == (5, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == embedder.embed_query([]).shape == (0, 384)
    with pytest.raises(TypeError, match="not the one string 'Low pH'"):
        embedder.embed("Low pH")
    assert load_embedder("all-MiniLM-L6-v2").name == DEFAULT_EMBEDDER


def test_like_meanings_are_nearer_than_unlike_ones(embedder):
    question = embedder.embed_query(["Does acid make yeast die sooner?"])[0]
    low_ph, acidic, railway, *_ = embedder.embed(SENTENCES) @ question
    assert min(low_ph, acidic) > railway + 0.3


@pytest.mark.slow
@pytest.mark.needs("models")
@pytest.mark.needs("weights")
def test_agrees_with_sentence_transformers_itself(embedder):
    from sentence_transformers import SentenceTransformer

    texts = [*SENTENCES, *neighbours(8), "", "word " * 600]
    reference = SentenceTransformer(str(find_weights(DEFAULT_EMBEDDER)), device="cpu").encode(texts)
    cosines = (embedder.embed(texts) * reference).sum(axis=1)
    assert cosines.mean() > 0.995
    assert cosines.min() > 0.99


@pytest.mark.parametrize("text", ["", " \n\t", "α-Synuclein ↑ 3×; 東京大学; نص; 👩‍🔬", "\x00\ufeff\u202e", "x" * 5000])
def test_any_text_has_a_vector(embedder, text):
    vectors = embedder.embed([text, "neighbour"])
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-5)


def test_a_long_text_is_cut_at_what_the_model_reads(embedder):
    read = "orbit " * 254  # and two tokens for beginning and end make the model's 256
    cut, whole = embedder.embed([read + "mice " * 500, read])
    assert cut @ whole > 0.9999


def test_threads_share_it_and_neither_order_nor_batches_matter(embedder):
    texts = neighbours(12)
    vectors = embedder.embed(texts)
    batches = [texts, texts[::-1], texts[7:8], texts[2:9]] * 2
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(embedder.embed, batches))
    for batch, found in zip(batches, together, strict=True):
        np.testing.assert_array_equal(found, vectors[[texts.index(text) for text in batch]])


OFFLINE = """
import sys
import programs.retrieval.embedder
print({"torch", "transformers", "numpy"} & set(sys.modules))
from programs.errors import EmbedderUnavailable
from programs.retrieval.model_files import find_weights
try:
    find_weights("nobody/no-such-model")
except EmbedderUnavailable as error:
    print(error)
"""


def test_importing_it_leaves_heavy_libraries_alone_and_an_unknown_model_offline_says_what_to_do(tmp_path):
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    heavy, _, said = done.stdout.partition("\n")
    assert heavy == "set()"
    assert said.startswith("the embedding model 'nobody/no-such-model' cannot be fetched: ")
    assert "give the path of a folder" in said


TEXTS = [f"text {'x' * number}" for number in range(2 * BATCH + 1)]


def hashed(text):
    return [float(value) for value in 3 * HashingEmbedder().embed([text])[0]]


def of_openai(server):
    return ServedEmbedder(f"{server.url}/v1/embeddings?model=bge")


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("CORROBORATE_EMBEDDER_KEY", "secret")
    settings.cache_clear()
    yield
    monkeypatch.undo()
    settings.cache_clear()


@pytest.mark.usefixtures("key")
def test_servers_embed_in_batches_and_the_order_of_the_texts_is_kept_whatever_theirs():
    with LoopbackOllama() as ollama, LoopbackOpenAI() as other:
        embedder = load_embedder(f"{ollama.url}/api/embed?model=tiny")
        for vectors in (embedder.embed(TEXTS), of_openai(other).embed(TEXTS)):
            assert (vectors.shape, vectors.dtype, embedder.dimension) == ((len(TEXTS), 2), np.float32, 2)
            assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
            assert vectors[:, 0] / vectors[:, 1] == pytest.approx([len(text) for text in TEXTS])
        assert [len(body["input"]) for body in ollama.asked("/api/embed")] == [BATCH, BATCH, 1]
        assert set(other.keys) == {"Bearer secret"}


def test_what_passes_is_tried_again_and_what_does_not_is_named(monkeypatch):
    monkeypatch.setattr("programs.retrieval.embedder.time.sleep", lambda _: None)
    with LoopbackOpenAI(faults=[503, 429]) as server:
        assert of_openai(server).embed(["a"]).shape == (1, 2)
        server.faults[:] = [503] * 4
        with pytest.raises(EmbedderUnavailable, match=r"HTTP 503: .*not now"):
            of_openai(server).embed(["a"])
        assert len(server.requests) == 3 + 4
        server.faults[:] = [401]
        with pytest.raises(EmbedderUnavailable, match=r"HTTP 401.*CORROBORATE_EMBEDDER_KEY"):
            of_openai(server).embed(["a"])
        assert len(server.requests) == 3 + 4 + 1


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        (lambda text: [0.0, 0.0], "some empty"),
        (lambda text: [1.0] * len(text), "no embeddings of one length"),
        (lambda text: [float("nan")], "some empty"),
        (lambda text: None, "no embeddings"),
        (lambda text: [1.0, 2.0, 3.0], "vectors of 3 dimensions, and of 2 before"),
    ],
)
def test_vectors_that_are_none_or_of_another_length_are_refused(vector, said):
    with LoopbackOpenAI() as server:
        embedder = of_openai(server)
        assert embedder.dimension == 2
        server.vector = vector
        with pytest.raises(EmbedderUnavailable, match=said):
            embedder.embed(["a", "bb"])


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
    with pytest.raises(UsageError, match="is not the address of an embedding server"):
        load_embedder(name)
