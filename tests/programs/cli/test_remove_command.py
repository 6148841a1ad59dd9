"""`python -m programs remove`: papers leave an index; no model is needed."""

from __future__ import annotations

import pytest

from programs.retrieval.index import Index
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS


@pytest.fixture
def place(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add(PAPERS)
    return tmp_path / "papers.idx"


def held(place):
    with Index.open(place, embedder=HashingEmbedder()) as index:
        return sorted(each["id"] for each in index.documents())


def test_papers_are_removed_with_their_passages(place):
    ran = run("remove", "bone", "yeast", "bone", "--index", place)
    assert (ran.code, ran.stdout) == (0, f"{place}: 2 removed, 0 unknown; 1 papers\n")
    assert held(place) == ["roots"]
    with Index.open(place, embedder=HashingEmbedder()) as index:
        assert [hit.chunk.document_id for hit in index.search("femur density", k=9)] == ["roots"]


def test_an_unknown_paper_is_told_and_the_others_are_removed(place):
    ran = run("remove", "moss", "bone", "--index", place, "--format", "json")
    assert (ran.code, ran.json["removed"], ran.json["unknown"], ran.json["documents"]) == (1, ["bone"], ["moss"], 2)
    assert f"Not removed: the index at {place} has no paper 'moss'" in ran.stderr
    assert held(place) == ["roots", "yeast"]


def test_without_an_index_it_says_so(tmp_path):
    ran = run("remove", "bone", "--index", tmp_path / "nowhere.idx")
    assert (ran.code, ran.stdout) == (1, "")
    assert "no index at" in ran.stderr
