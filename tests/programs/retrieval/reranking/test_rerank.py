"""Signals together: order, duplicates, modes and the reason."""

from __future__ import annotations

import pytest

from programs.retrieval.reranking.rerank import SignalWeights, rerank
from programs.retrieval.reranking.signals import Keywords, duplicates, stems
from tests.programs.retrieval.reranking.candidates import LONG_ENOUGH, candidates, hit

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


def test_nothing_in_nothing_out():
    assert rerank(candidates([], [], [1, 0]), QUESTION, now=2026) == []


def test_only_the_lower_ranked_copy_is_penalised():
    hits = [hit("copy.1", FELL, bm25=1.0), hit("best.1", FELL, bm25=2.0), hit("other.1", "Nothing of the kind.")]
    ranked = rerank(candidates(hits, [[1, 0], [1, 0], [0, 1]], [1, 0]), QUESTION, now=2026)
    assert {each.hit.chunk.id: each.is_duplicate for each in ranked} == {
        "best.1": False,
        "copy.1": True,
        "other.1": False,
    }
    copy = next(each for each in ranked if each.is_duplicate)
    without = {name: value for name, value in copy.signals.items() if name != "duplicate_penalty"}
    assert copy.final == pytest.approx(SignalWeights().final(without) - 0.10)


def marked(scores, vectors, texts):
    hits = [hit("x", text) for text in texts]
    found = candidates(hits, vectors, [1, 0])
    return duplicates(scores, found.vectors, [stems(text) for text in texts])


def test_copies_are_told_by_vector_or_by_words():
    far_apart = [[1, 0], [0, 1]]
    assert marked([1, 2], [[1, 0], [0.96, 0.28]], ["one", "two"]) == [True, False]
    assert marked([1, 2], [[1, 0], [0.94, 0.34]], ["one", "two"]) == [False, False]
    assert marked([2, 1], far_apart, [FELL, FELL.upper()]) == [False, True]
    assert marked([2, 1], far_apart, [FELL, FELL + " More words were said about it afterwards."]) == [False, False]
    assert marked([2, 1], far_apart, ["", ""]) == [False, False]


def test_of_several_copies_the_best_alone_is_not_marked():
    assert marked([1, 3, 2], [[1, 0]] * 3, ["a", "b", "c"]) == [True, False, True]
    assert marked([1, 1, 1], [[1, 0]] * 3, ["a", "b", "c"]) == [False, True, True]
