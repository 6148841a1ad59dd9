"""Graphs of BERT beside the same weights in transformers."""

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

pytestmark = pytest.mark.inference

CONFIG = BertConfig(layers=2, heads=4, epsilon=1e-12)
WORDS = 50


@pytest.fixture(scope="module")
def bert():
    """A classifier with two random layers, of which one hidden channel reaches further than the others."""
    import torch
    import transformers

    torch.manual_seed(0)
    made = transformers.BertConfig(
        vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=20, initializer_range=0.2, num_labels=3, layer_norm_eps=CONFIG.epsilon,
    )  # fmt: skip
    model = transformers.BertForSequenceClassification(made).eval().requires_grad_(False)
    model.bert.encoder.layer[0].intermediate.dense.weight[3] *= 15.0
    return model


def weights_of(bert):
    return {name: value.numpy() for name, value in bert.state_dict().items()}


def vector(bert, ids):
    import torch

    mean = bert.bert(torch.tensor([ids])).last_hidden_state.mean(1)[0].numpy()
    return mean / np.linalg.norm(mean)


def random_ids(count, seed=1):
    random = np.random.default_rng(seed)
    return [random.integers(0, WORDS, random.integers(1, 20)).tolist() for _ in range(count)]


def run(model, *inputs):
    return Session(model).run([np.array([each], dtype=np.int32) for each in inputs])[0][0]


def test_float32_is_the_published_architecture_and_int8_stays_near_it(bert):
    encoder = {name.removeprefix("bert."): value for name, value in weights_of(bert).items()}
    exact, small = bert_graph(encoder, CONFIG), bert_graph(encoder, CONFIG, probe=random_ids(20, seed=5))
    for ids in random_ids(5):
        np.testing.assert_allclose(run(exact, ids), vector(bert, ids), atol=1e-5)
    assert min(run(small, ids) @ vector(bert, ids) for ids in random_ids(20, seed=6)) > 0.995


def test_a_classifier_reads_pairs(bert):
    import torch

    ids, kinds = [1, 7, 9, 2, 30, 31, 2], [0, 0, 0, 0, 1, 1, 1]
    expected = bert(torch.tensor([ids]), token_type_ids=torch.tensor([kinds])).logits[0].numpy()
    for probe, tolerance in (((), 1e-4), (random_ids(10), 0.2)):
        model = bert_graph(weights_of(bert), CONFIG, probe=probe, pairs=True)
        np.testing.assert_allclose(run(model, ids, kinds), expected, atol=tolerance)


@pytest.mark.parametrize(
    ("name", "value"), [("model_type", "roberta"), ("hidden_act", "relu"), ("position_embedding_type", "relative_key")]
)
def test_another_architecture_is_refused_by_name(name, value):
    with pytest.raises(ModelUnusable, match=f"{name} '\\w+', not '{value}'"):
        BertConfig.from_json({"num_hidden_layers": 2, "num_attention_heads": 4, "layer_norm_eps": 1e-12, name: value})


def test_what_is_missing_or_damaged_is_named(bert, tmp_path):
    with pytest.raises(ModelUnusable, match="num_hidden_layers"):
        BertConfig.from_json({})
    weights = weights_of(bert)
    for content in (b"", b"no model", bert_graph(weights, CONFIG)[:1000]):
        with pytest.raises(ModelUnusable, match="cannot load the model"):
            Session(content)
    del weights["bert.encoder.layer.1.output.dense.bias"]
    with pytest.raises(ModelUnusable, match=r"encoder\.layer\.1\.output\.dense\.bias"):
        bert_graph(weights, CONFIG)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelUnusable, match=r"a file of .* is damaged"):
        int8_embedder(tmp_path)


@pytest.mark.slow
@pytest.mark.needs("weights")
def test_the_shipped_embedder_is_what_its_weights_give():
    made = int8_embedder(find_weights(DEFAULT_EMBEDDER))
    shipped = read_files(SmallEmbedder.shipped)
    assert (made.manifest, made.tokenizer) == (shipped.manifest, shipped.tokenizer)
    ids = load_tokenizer(made.tokenizer, 256).encode("Low pH shortens yeast lifespan.").ids
    assert run(made.model, ids) @ run(shipped.model, ids) > 0.9999, "but for the last digit of a processor's sums"
