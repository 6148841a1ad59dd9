import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from programs.errors import EmbedderUnavailable
from programs.retrieval.embedding.embedder import DEFAULT_MODEL, load_embedder
from programs.retrieval.embedding.model_files import DEFAULT_SHA256, find_weights

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


def test_like_meanings_are_nearer_than_unlike_ones(embedder):
    question = embedder.embed_query(["Does acid make yeast die sooner?"])[0]
    low_ph, acidic, railway, *_ = embedder.embed(SENTENCES) @ question
    assert min(low_ph, acidic) > railway + 0.3


@pytest.mark.needs("models")
def test_agrees_with_sentence_transformers_itself(embedder):
    from sentence_transformers import SentenceTransformer

    texts = [*SENTENCES, *neighbours(8), "", "word " * 600]
    reference = SentenceTransformer(str(find_weights(DEFAULT_MODEL).folder), device="cpu").encode(texts)
    cosines = (embedder.embed(texts) * reference).sum(axis=1)
    assert cosines.mean() > 0.995
    assert cosines.min() > 0.99


def test_same_texts_give_the_same_bits(embedder):
    np.testing.assert_array_equal(embedder.embed(SENTENCES), embedder.embed(SENTENCES))


def test_order_is_that_of_the_texts_however_they_are_batched(embedder):
    texts = neighbours(30)
    vectors = embedder.embed(texts)
    np.testing.assert_array_equal(embedder.embed(texts[::-1])[::-1], vectors)
    assert np.argmax(vectors[[5, 21, 29]] @ embedder.embed(texts).T, axis=1).tolist() == [5, 21, 29]


def test_a_text_does_not_depend_on_its_neighbours(embedder):
    alone = np.concatenate([embedder.embed([text]) for text in SENTENCES])
    among = embedder.embed([*neighbours(12), *SENTENCES])[-len(SENTENCES) :]
    np.testing.assert_array_equal(among, alone)


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed([]).shape == embedder.embed_query([]).shape == (0, 384)


def test_one_string_is_not_a_list_of_letters(embedder):
    with pytest.raises(TypeError, match="not the one string 'Low pH'"):
        embedder.embed("Low pH")


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
    texts = [SENTENCES, neighbours(9), SENTENCES[::-1], neighbours(3)] * 3
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(embedder.embed, texts))
    for each, vectors in zip(texts, together, strict=True):
        np.testing.assert_array_equal(vectors, embedder.embed(each))


def test_fingerprint_names_model_and_weights(embedder):
    assert embedder.fingerprint == f"sentence-transformers/all-MiniLM-L6-v2@sha256:{DEFAULT_SHA256}"


def test_a_bare_name_belongs_to_sentence_transformers():
    assert load_embedder("all-MiniLM-L6-v2").name == DEFAULT_MODEL


def test_changed_weights_of_the_default_model_are_refused(copied):
    with (copied / "model.safetensors").open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)[0]
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last ^ 1]))
    changed = load_embedder(folder=copied)
    with pytest.raises(
        EmbedderUnavailable, match=rf"SHA-256 (?!{DEFAULT_SHA256})\w+, but .*{DEFAULT_SHA256}.*pip install"
    ):
        changed.embed(["anything"])


OFFLINE = """
from programs.errors import EmbedderUnavailable
from programs.retrieval.embedding.embedder import load_embedder
try:
    load_embedder("nobody/no-such-model").fingerprint
except EmbedderUnavailable as error:
    print(error)
"""


def test_an_unknown_model_without_network_says_what_to_do(tmp_path):
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    said = run(OFFLINE, environment)
    assert said.startswith("the embedding model 'nobody/no-such-model' cannot be fetched: ")
    assert "give the path of a folder" in said


def test_importing_it_leaves_heavy_libraries_alone():
    heavy = "{'torch', 'transformers', 'numpy'}"
    loaded = f"import sys, programs.retrieval.embedding.embedder; print({heavy} & set(sys.modules))"
    assert run(loaded, dict(os.environ)) == "set()"


def run(code, environment):
    root = Path(__file__).resolve().parents[4]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout.strip()
