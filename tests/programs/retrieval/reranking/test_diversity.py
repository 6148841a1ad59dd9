"""Which passages are chosen out of a ranking."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from programs.retrieval.reranking.diversity import diversified
from tests.programs.retrieval.reranking.candidates import ranked


def choose(*names, count=6, shortlist=12, max_per_document=2, min_sources=3):
    chosen = diversified(
        ranked(*names),
        count=count,
        shortlist=shortlist,
        max_per_document=max_per_document,
        min_sources=min_sources,
    )
    return [each.hit.chunk.id for each in chosen]


def test_a_paper_brings_two_passages_at_most():
    assert choose("a.1", "a.2", "a.3", "b.1", "b.2", "b.3", "c.1") == ["a.1", "a.2", "b.1", "b.2", "c.1"]


def test_behind_the_shortlist_nothing_is_taken_while_there_are_papers_enough():
    assert choose("a.1", "b.1", "c.1", "d.1", shortlist=3, count=3) == ["a.1", "b.1", "c.1"]
    assert choose("a.1", "a.2", "a.3", "b.1", "c.1", "d.1", shortlist=5, count=5) == ["a.1", "a.2", "b.1", "c.1"]


def test_missing_papers_are_fetched_from_behind_the_shortlist():
    names = [f"a.{number}" for number in range(12)] + ["b.1", "b.2", "c.1", "d.1"]
    assert choose(*names) == ["a.0", "a.1", "b.1", "c.1"]


def test_a_newcomer_takes_the_place_of_the_lowest_passage_that_its_paper_can_spare():
    assert choose("a.1", "b.1", "a.2", "b.2", "c.1", count=4) == ["a.1", "b.1", "a.2", "c.1"]
    assert choose("a.1", "a.2", "b.1", count=2, min_sources=2) == ["a.1", "b.1"]
    assert choose("a.1", "a.2", "b.1", "c.1", "d.1", count=2) == ["a.1", "b.1"]


def test_without_further_papers_the_best_are_taken():
    assert choose("a.1", "a.2", "a.3") == ["a.1", "a.2"]
    assert choose() == []


@given(
    st.lists(st.sampled_from("abcde"), max_size=40),
    st.integers(1, 8),
    st.integers(1, 12),
    st.integers(1, 3),
    st.integers(1, 4),
)
def test_the_rules_hold_for_any_ranking(documents, count, shortlist, most, sources):
    names = [f"{name}.{number}" for number, name in enumerate(documents)]
    chosen = choose(*names, count=count, shortlist=shortlist, max_per_document=most, min_sources=sources)
    papers = Counter(name.partition(".")[0] for name in chosen)
    assert len(chosen) <= count
    assert all(number <= most for number in papers.values())
    assert len(papers) >= min(sources, count, len(set(documents)))
    assert chosen == sorted(chosen, key=names.index)
    assert not names or names[0] in chosen
