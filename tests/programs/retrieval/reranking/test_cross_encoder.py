"""The ninth signal: with a scorer that counts common words, and with a real model of four neurons."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from programs.errors import EmbedderUnavailable
from programs.retrieval.reranking.cross_encoder import (
    SECOND_LOOK,
    Remembering,
    SentenceTransformerCrossEncoder,
    about,
    cross_encoded,
    cross_encoder,
    ordered,
    probabilities,
)
from programs.retrieval.reranking.rerank import Reranked, SignalWeights
from tests.programs.retrieval.reranking.candidates import hit

WEIGHTS = SignalWeights(cross_encoder=0.5)


class CommonWords:
    """Scores a pair by the share of the question's words."""

    def scores(self, question, passages, about=()):
        asked = set(question.split())
        return [len(asked & set(text.split())) / len(asked) for text in passages]

    def parts(self, passage):
        return passage.split(" | ") if " | " in passage else ()


def found(place, text, meaning, words):
    return replace(hit(place, text), dense_score=meaning, sparse_score=words)


def ranking(*texts):
    return [Reranked(hit(f"d.{place}", text), {"sim": 0.5}, 0.18) for place, text in enumerate(texts)]


def test_the_shortlist_is_ordered_anew_and_the_rest_stays_behind():
    ranked = ranking("nothing", "femur density", "femur", "femur density too")
    found = cross_encoded(ranked, "femur density", CommonWords(), WEIGHTS, shortlist=3)
    assert [each.hit.chunk.text for each in found] == ["femur density", "femur", "nothing", "femur density too"]
    signals = [each.signals.get("cross_encoder", -1.0) for each in found]
    assert signals == pytest.approx([1.0, 0.5, 0.0, -1.0], abs=1e-6)
    assert [each.hit.relevance for each in found] == [1.0, 0.5, 0.0, None]
    assert found[0].final == pytest.approx(0.36 * 0.5 + 0.5)
    assert found[0].reason.endswith("Cross-encoder: 1.000")


def test_without_a_weight_it_changes_nothing():
    ranked = ranking("nothing", "femur density")
    found = cross_encoded(ranked, "femur density", CommonWords(), SignalWeights(), shortlist=2)
    assert [each.final for each in found] == pytest.approx([0.18, 0.18])
    assert [each.hit.chunk for each in found] == [each.hit.chunk for each in ranked]


def test_what_was_scored_is_not_scored_again():
    asked = []

    class Asked(CommonWords):
        def scores(self, question, passages, about=()):
            asked.append((passages, about))
            return super().scores(question, passages, about)

    encoder = Remembering(Asked(), most=3)
    assert encoder.scores("femur density", ["femur", "density femur", "femur"], ["A", "B", "A"]) == [0.5, 1.0, 0.5]
    assert encoder.scores("femur density", ["nothing", "density femur"], ["A", "B"]) == [0.0, 1.0]
    assert encoder.scores("femur density", ["femur"], ["C"]) == [0.5], "it stands elsewhere"
    assert asked == [(["femur", "density femur"], ["A", "B"]), (["nothing"], ["A"]), (["femur"], ["C"])]
    encoder.scores("femur density", ["femur"], ["A"])
    assert asked[3:] == [(["femur"], ["A"])], "it was the one that was not asked for longest"


def test_of_equal_passages_the_one_that_the_search_found_first_stays_first():
    hits = [hit("a.2", "density"), hit("a.1", "femur"), hit("a.3", "femur density")]
    found = ordered("femur density", hits, CommonWords())
    assert [each.chunk.id for each in found] == ["a.3", "a.2", "a.1"]


def test_hits_are_ordered_by_what_they_say_and_where():
    hits = [hit("a.1", "femur", title="One"), hit("b.1", "femur density", title="Two")]
    found = ordered("femur density", hits, CommonWords())
    assert [(each.chunk.id, each.relevance) for each in found] == [("b.1", 1.0), ("a.1", 0.5)]
    assert ordered("femur density", hits, None) == hits
    assert about(replace(hits[0].chunk, heading="Results"), {"title": "One"}) == "One. Results"
    assert about(hits[0].chunk, None) == ""


def test_what_the_search_found_better_counts_more_than_its_words_say():
    hits = [
        found("a.1", "femur of one", 0.2, None),
        found("b.1", "femur of two", 0.4, 2.0),
        found("b.2", "femur of three", 0.3, 1.0),
        found("c.1", "femur density", None, 1.0),
    ]
    order = ordered("femur density", hits, CommonWords())
    assert [each.chunk.id for each in order] == ["c.1", "b.1", "b.2", "a.1"]
    assert [each.relevance for each in order] == [1.0, 0.5, 0.5, 0.5], "what a passage says itself"


def test_the_best_passages_are_read_to_the_end():
    texts = ["femur", *["nothing"] * SECOND_LOOK, "mice in orbit | femur density"]
    asked = []

    class Cut(CommonWords):
        def scores(self, question, passages, about=()):
            asked.append(list(about))
            return super().scores(question, [text.split(" | ")[0] for text in passages], about)

    places = [f"paper {at}" for at in range(len(texts))]
    far = [0.0] * len(texts)
    near = [*far[:-1], 1.0]
    assert probabilities("femur density", texts, places, far, Cut())[-1] == 0.0, "it is not among the best"
    assert probabilities("femur density", texts, places, near, Cut())[-1] == 1.0
    assert asked[-1] == [places[-1]] * 2
    assert probabilities("femur density", [], [], [], Cut()) == []


def test_models_are_known_by_name():
    assert cross_encoder("") is None
    assert cross_encoder("learned") is cross_encoder("learned")
    assert copy.deepcopy(cross_encoder("learned")) is cross_encoder("learned")
    assert cross_encoder("learned").scores("", ["femur"]) == [0.0]


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
