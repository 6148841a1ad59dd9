"""The ninth signal: with a scorer that counts common words, and with a real model of four neurons."""

from __future__ import annotations

import copy

import pytest

from programs.errors import EmbedderUnavailable
from programs.retrieval.reranking.cross_encoder import SentenceTransformerCrossEncoder, cross_encoded
from programs.retrieval.reranking.rerank import Reranked
from programs.retrieval.reranking.weights import Weights
from tests.programs.retrieval.reranking.candidates import hit

WEIGHTS = Weights(cross_encoder=0.5)


class CommonWords:
    """Scores a pair by the share of the question's words."""

    def scores(self, question, passages, about=()):
        asked = set(question.split())
        return [len(asked & set(text.split())) / len(asked) for text in passages]


def ranking(*texts):
    return [Reranked(hit(f"d{place}.1", text), {"sim": 0.5}, 0.18) for place, text in enumerate(texts)]


def test_the_shortlist_is_ordered_anew_and_the_rest_stays_behind():
    ranked = ranking("nothing", "femur density", "femur", "femur density too")
    found = cross_encoded(ranked, "femur density", CommonWords(), WEIGHTS, shortlist=3)
    assert [each.hit.chunk.text for each in found] == ["femur density", "femur", "nothing", "femur density too"]
    assert [each.signals.get("cross_encoder") for each in found] == [1.0, 0.5, 0.0, None]
    assert found[0].final == pytest.approx(0.36 * 0.5 + 0.5)
    assert found[0].reason.endswith("Cross-encoder: 1.000")


def test_without_a_weight_it_changes_nothing():
    ranked = ranking("nothing", "femur density")
    found = cross_encoded(ranked, "femur density", CommonWords(), Weights(), shortlist=2)
    assert [each.final for each in found] == pytest.approx([0.18, 0.18])
    assert [each.hit for each in found] == [each.hit for each in ranked]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A BERT with one layer and random weights, saved as a cross-encoder is."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("cross-encoder")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "femur", "density", "nothing"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    size = {"hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 4}
    config = BertConfig(vocab_size=len(words), max_position_embeddings=32, num_labels=1, **size)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.mark.needs("models")
def test_a_model_scores_each_pair_between_0_and_1(model):
    encoder = SentenceTransformerCrossEncoder(str(model))
    scores = encoder.scores("femur density", ["femur", "density nothing"])
    assert len(scores) == 2
    assert all(0 < score < 1 for score in scores)
    assert copy.deepcopy(encoder) is encoder


@pytest.mark.needs("models")
def test_a_model_that_is_not_there_is_named(tmp_path):
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded"):
        SentenceTransformerCrossEncoder(str(tmp_path / "none")).scores("femur", ["femur"])
