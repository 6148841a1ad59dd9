import math

import numpy as np
import pytest

from optimize.training.bert_graph import BertConfig, bert_graph
from optimize.training.shipped_files import int8_embedder
from programs.config import DEFAULT_EMBEDDER
from programs.errors import ModelUnusable
from programs.models import read_files
from programs.models.minilm import SmallEmbedder
from programs.models.session import Session, load_tokenizer
from programs.retrieval.model_files import find_weights

CONFIG = BertConfig(layers=2, heads=4, epsilon=1e-12)
WORDS, WIDTH, INNER = 50, 32, 64


def random_weights(seed=0, outlier=1.0):
    """A BERT with two layers; one hidden channel can be made to reach further than the others."""
    random = np.random.default_rng(seed)
    weights = {}

    def linear(name, inputs, outputs):
        weights[f"{name}.weight"] = random.normal(0, 0.2, (outputs, inputs)).astype(np.float32)
        weights[f"{name}.bias"] = random.normal(0, 0.2, outputs).astype(np.float32)

    def norm(name):
        weights[f"{name}.weight"] = random.normal(1, 0.1, WIDTH).astype(np.float32)
        weights[f"{name}.bias"] = random.normal(0, 0.1, WIDTH).astype(np.float32)

    for name, rows in (("word", WORDS), ("position", 20), ("token_type", 2)):
        weights[f"embeddings.{name}_embeddings.weight"] = random.normal(0, 1, (rows, WIDTH)).astype(np.float32)
    norm("embeddings.LayerNorm")
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        for kind in ("query", "key", "value"):
            linear(f"{layer}.attention.self.{kind}", WIDTH, WIDTH)
        linear(f"{layer}.attention.output.dense", WIDTH, WIDTH)
        norm(f"{layer}.attention.output.LayerNorm")
        linear(f"{layer}.intermediate.dense", WIDTH, INNER)
        weights[f"{layer}.intermediate.dense.weight"][3] *= outlier
        linear(f"{layer}.output.dense", INNER, WIDTH)
        norm(f"{layer}.output.LayerNorm")
    return weights


def encoded(weights, ids, kinds):
    """The encoder as Devlin et al. (2018) describe it, in plain numpy and float64: vectors of the tokens."""

    def linear(values, name):
        return values @ weights[f"{name}.weight"].T.astype(float) + weights[f"{name}.bias"]

    def norm(values, name):
        centred = values - values.mean(-1, keepdims=True)
        return centred / values.std(-1, keepdims=True) * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def heads(values):
        return values.reshape(len(ids), CONFIG.heads, -1).transpose(1, 0, 2)

    words, places, types = (
        weights[f"embeddings.{name}_embeddings.weight"].astype(float) for name in ("word", "position", "token_type")
    )
    tokens = norm(words[ids] + places[: len(ids)] + types[kinds], "embeddings.LayerNorm")
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        query, key, value = (
            heads(linear(tokens, f"{layer}.attention.self.{kind}")) for kind in ("query", "key", "value")
        )
        scores = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(WIDTH / CONFIG.heads))
        seen = (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), WIDTH)
        tokens = norm(tokens + linear(seen, f"{layer}.attention.output.dense"), f"{layer}.attention.output.LayerNorm")
        inner = linear(tokens, f"{layer}.intermediate.dense")
        inner = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
        tokens = norm(tokens + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    return tokens


def pooled(weights, ids):
    mean = encoded(weights, ids, [0] * len(ids)).mean(axis=0)
    return mean / np.linalg.norm(mean)


def random_ids(count, seed=1):
    random = np.random.default_rng(seed)
    return [random.integers(0, WORDS, random.integers(1, 20)).tolist() for _ in range(count)]


def run(model, *inputs):
    return Session(model).run([np.array([each], dtype=np.int32) for each in inputs])[0][0]


def test_float32_is_the_published_architecture():
    weights = random_weights()
    model = bert_graph(weights, CONFIG)
    for ids in random_ids(5):
        np.testing.assert_allclose(run(model, ids), pooled(weights, ids), atol=1e-5)


def test_a_classifier_reads_pairs():
    weights = {f"bert.{name}": value for name, value in random_weights().items()}
    random = np.random.default_rng(2)
    for name, outputs in (("bert.pooler.dense", WIDTH), ("classifier", 3)):
        weights[f"{name}.weight"] = random.normal(0, 0.5, (outputs, WIDTH)).astype(np.float32)
        weights[f"{name}.bias"] = random.normal(0, 0.5, outputs).astype(np.float32)
    ids, kinds = [1, 7, 9, 2, 30, 31, 2], [0, 0, 0, 0, 1, 1, 1]
    first = encoded(random_weights(), ids, kinds)[0]
    first = np.tanh(weights["bert.pooler.dense.weight"] @ first + weights["bert.pooler.dense.bias"])
    expected = weights["classifier.weight"] @ first + weights["classifier.bias"]
    np.testing.assert_allclose(run(bert_graph(weights, CONFIG, pairs=True), ids, kinds), expected, atol=1e-4)
    small = bert_graph(weights, CONFIG, probe=random_ids(10), pairs=True)
    np.testing.assert_allclose(run(small, ids, kinds), expected, atol=0.2)


def test_int8_stays_near_float32_also_with_a_channel_that_reaches_far():
    weights = random_weights(outlier=15.0)
    model = bert_graph(weights, CONFIG, probe=random_ids(20, seed=5))
    assert min(run(model, ids) @ pooled(weights, ids) for ids in random_ids(20, seed=6)) > 0.995


@pytest.mark.parametrize(
    ("name", "value"), [("model_type", "roberta"), ("hidden_act", "relu"), ("position_embedding_type", "relative_key")]
)
def test_another_architecture_is_refused_by_name(name, value):
    with pytest.raises(ModelUnusable, match=f"{name} '\\w+', not '{value}'"):
        BertConfig.from_json({"num_hidden_layers": 2, "num_attention_heads": 4, "layer_norm_eps": 1e-12, name: value})


def test_a_missing_setting_and_a_missing_weight_are_named():
    with pytest.raises(ModelUnusable, match="num_hidden_layers"):
        BertConfig.from_json({})
    weights = random_weights()
    del weights["encoder.layer.1.output.dense.bias"]
    with pytest.raises(ModelUnusable, match=r"encoder\.layer\.1\.output\.dense\.bias"):
        bert_graph(weights, CONFIG)


def test_bytes_that_are_no_model_are_refused():
    for content in (b"", b"no model", bert_graph(random_weights(), CONFIG)[:1000]):
        with pytest.raises(ModelUnusable, match="cannot load the model"):
            Session(content)


@pytest.mark.slow
@pytest.mark.needs("weights")
def test_the_shipped_embedder_is_what_its_weights_give():
    made = int8_embedder(find_weights(DEFAULT_EMBEDDER))
    shipped = read_files(SmallEmbedder.shipped)
    assert (made.manifest, made.tokenizer) == (shipped.manifest, shipped.tokenizer)
    ids = load_tokenizer(made.tokenizer, 256).encode("Low pH shortens yeast lifespan.").ids
    assert run(made.model, ids) @ run(shipped.model, ids) > 0.9999, "but for the last digit of a processor's sums"


def test_a_damaged_package_is_named(tmp_path):
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelUnusable, match=r"a file of .* is damaged"):
        int8_embedder(tmp_path)
