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


@pytest.mark.slow
def test_order_is_that_of_the_texts_however_they_are_batched(embedder):
    texts = neighbours(12)
    vectors = embedder.embed(texts)
    np.testing.assert_array_equal(embedder.embed(texts[::-1])[::-1], vectors)
    np.testing.assert_array_equal(embedder.embed(texts[7:8]), vectors[7:8])


@pytest.mark.parametrize("text", ["", " \n\t", "α-Synuclein ↑ 3×; 東京大学; نص; 👩‍🔬", "\x00\ufeff\u202e", "x" * 5000])
def test_any_text_has_a_vector(embedder, text):
    vectors = embedder.embed([text, "neighbour"])
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-5)


def test_a_long_text_is_cut_at_what_the_model_reads(embedder):
    read = "orbit " * 254  # and two tokens for beginning and end make the model's 256
    cut, whole = embedder.embed([read + "mice " * 500, read])
    assert cut @ whole > 0.9999


def test_threads_share_it(embedder):
    texts = [SENTENCES, neighbours(4), SENTENCES[::-1], neighbours(3)] * 2
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(embedder.embed, texts))
    for each, vectors in zip(texts, together, strict=True):
        np.testing.assert_array_equal(vectors, embedder.embed(each))


def test_a_bare_name_belongs_to_sentence_transformers():
    assert load_embedder("all-MiniLM-L6-v2").name == DEFAULT_EMBEDDER


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
        (lambda text: [1.0] * len(text), "no embeddings of one length"),
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
    with pytest.raises(UsageError, match="is not the address of an embedding server"):
        load_embedder(name)
