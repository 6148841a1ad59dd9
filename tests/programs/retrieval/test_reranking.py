"""Signals together: order, duplicates, modes and the reason."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from programs.errors import EmbedderUnavailable
from programs.retrieval.reranking import (
    SECOND_LOOK,
    Remembering,
    Reranked,
    SentenceTransformerCrossEncoder,
    SignalWeights,
    about,
    cross_encoded,
    cross_encoder,
    ordered,
    probabilities,
    rerank,
)
from programs.retrieval.signals import Keywords, duplicates, stems
from tests.programs.retrieval.candidates import LONG_ENOUGH, candidates, hit

QUESTION = Keywords.of("femur density")
FELL = "Femur density fell by 12 percent in flight mice. " + LONG_ENOUGH


def names(ranked):
    return [each.hit.chunk.id for each in ranked]


def test_the_final_score_is_the_weighted_sum_of_what_is_shown():
    hits = [
        hit("a.1", FELL, bm25=8.0, year=2016, doi="10.1038/x"),
        hit("b.1", section="methods", bm25=4.0, title="Femur"),
    ]
    first, second = rerank(candidates(hits, [[0.8, 0.6], [0.6, 0.8]], [1, 0]), QUESTION, now=2026)
    assert first.signals == pytest.approx(
        {
            "sim": 0.8,
            "bm25": 1.0,
            "keyword_overlap": 1.0,
            "sec_boost": 1.0,
            "recency": 0.5,
            "authority": 6 / 7,
            "length_fit": 1.0,
            "duplicate_penalty": 0.0,
        },
        abs=1e-6,
    )
    assert first.final == pytest.approx(0.36 * 0.8 + 0.18 + 0.14 + 0.12 + 0.08 * 0.5 + 0.07 * 6 / 7 + 0.05, abs=1e-6)
    assert second.signals["keyword_overlap"] == 0.5, "the title is read as well, as the search read it"


def test_raw_mode_keeps_the_boosts_of_the_tables():
    (only,) = rerank(candidates([hit("a.1", url="https://nasa.gov")], [[1, 0]], [1, 0]), QUESTION, now=2026, mode="raw")
    assert (only.signals["sec_boost"], only.signals["authority"]) == (0.10, 0.07)
    assert only.reason.startswith("Sim: 1.000 | Sec: 0.100 | Keyword: 0.000 | Authority: 0.070 | Final: ")


def test_a_weight_turns_the_order_round():
    hits = [hit("near.1"), hit("recent.1", "Other words. " + LONG_ENOUGH, year=2026)]
    found = candidates(hits, [[1, 0], [0, 1]], [1, 0])
    assert names(rerank(found, QUESTION, now=2026)) == ["near.1", "recent.1"]
    assert names(rerank(found, QUESTION, now=2026, weights=SignalWeights(sim=0, recency=1))) == ["recent.1", "near.1"]


def test_equal_scores_stay_in_the_order_of_the_search():
    hits = [hit(f"{name}.1", f"Telescopes saw star {name}{name}{name}.") for name in "dacb"]
    found = candidates(hits, [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]], [0, 0, 0, 0, 1])
    assert names(rerank(found, QUESTION, now=2026)) == ["d.1", "a.1", "c.1", "b.1"]


def test_only_the_lower_ranked_copy_is_penalised_and_nothing_of_nothing():
    hits = [hit("copy.1", FELL, bm25=1.0), hit("best.1", FELL, bm25=2.0), hit("other.1", "Nothing of the kind.")]
    ranked = rerank(candidates(hits, [[1, 0], [1, 0], [0, 1]], [1, 0]), QUESTION, now=2026)
    (copy,) = [each for each in ranked if each.is_duplicate]
    without = {name: value for name, value in copy.signals.items() if name != "duplicate_penalty"}
    assert (len(ranked), copy.hit.chunk.id) == (3, "copy.1")
    assert copy.final == pytest.approx(SignalWeights().final(without) - 0.10)
    assert rerank(candidates([], [], [1, 0]), QUESTION, now=2026) == []


FAR_APART = [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("scores", "vectors", "texts", "marked"),
    [
        ([1, 2], [[1, 0], [0.96, 0.28]], ["one", "two"], [True, False]),
        ([1, 2], [[1, 0], [0.94, 0.34]], ["one", "two"], [False, False]),
        ([2, 1], FAR_APART, [FELL, FELL.upper()], [False, True]),
        ([2, 1], FAR_APART, [FELL, FELL + " More words were said about it afterwards."], [False, False]),
        ([2, 1], FAR_APART, ["", ""], [False, False]),
        ([1, 3, 2], [[1, 0]] * 3, ["a", "b", "c"], [True, False, True]),
        ([1, 1, 1], [[1, 0]] * 3, ["a", "b", "c"], [False, True, True]),
    ],
)
def test_copies_are_told_by_vector_or_by_words_and_the_best_alone_is_not_marked(scores, vectors, texts, marked):
    found = candidates([hit("x", text) for text in texts], vectors, [1, 0])
    assert duplicates(scores, found.vectors, [stems(text) for text in texts]) == marked


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
    unweighed = cross_encoded(ranked, "femur density", CommonWords(), SignalWeights(), shortlist=3)
    assert [each.hit.chunk for each in unweighed] == [each.hit.chunk for each in ranked]


def test_what_was_scored_is_not_scored_again(monkeypatch):
    monkeypatch.setattr("programs.retrieval.reranking.MOST_KEPT", 3)
    asked = []

    class Asked(CommonWords):
        def scores(self, question, passages, about=()):
            asked.append((passages, about))
            return super().scores(question, passages, about)

    encoder = Remembering(Asked())
    assert encoder.scores("femur density", ["femur", "density femur", "femur"], ["A", "B", "A"]) == [0.5, 1.0, 0.5]
    assert encoder.scores("femur density", ["nothing", "density femur"], ["A", "B"]) == [0.0, 1.0]
    assert encoder.scores("femur density", ["femur"], ["C"]) == [0.5], "it stands elsewhere"
    assert asked == [(["femur", "density femur"], ["A", "B"]), (["nothing"], ["A"]), (["femur"], ["C"])]
    encoder.scores("femur density", ["femur"], ["A"])
    assert asked[3:] == [(["femur"], ["A"])], "it was the one that was not asked for longest"


def test_hits_are_ordered_by_what_they_say_and_equals_as_the_search_found_them():
    hits = [hit("a.2", "density"), hit("a.1", "femur", title="One"), hit("a.3", "femur density", title="Two")]
    found = ordered("femur density", hits, CommonWords())
    assert [(each.chunk.id, each.relevance) for each in found] == [("a.3", 1.0), ("a.2", 0.5), ("a.1", 0.5)]
    assert ordered("femur density", hits, None) == hits
    assert about(replace(hits[1].chunk, heading="Results"), {"title": "One"}) == "One. Results"
    assert about(hits[1].chunk, None) == ""


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
    first, second = encoder.scores("femur density", ["femur", "density nothing"], ["Bone", ""])
    assert 0 < min(first, second) <= max(first, second) < 1
    assert copy.deepcopy(encoder) is encoder


@pytest.mark.needs("models")
def test_a_model_that_is_not_there_is_named(tmp_path):
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded"):
        SentenceTransformerCrossEncoder(str(tmp_path / "none")).scores("femur", ["femur"])
