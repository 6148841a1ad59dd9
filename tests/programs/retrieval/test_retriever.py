"""Candidates with their vectors: from an index, and from a retriever that has none."""

from __future__ import annotations

import threading

import dspy
import numpy as np
import pytest

import programs
from programs.errors import UsageError
from programs.rag_fusion import RagFusion
from programs.replay import replay
from programs.retrieval.index import Index
from programs.retrieval.rank_fusion import reciprocal_rank_fusion
from programs.retrieval.records import embedded_text
from programs.retrieval.retriever import CalledRetriever, as_retriever, find_candidates
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_qdrant import QUIET, SERVER, served
from tests.papers import PAPERS

QUERY, WORDS = "femur density", ["femur density of mice"]


class SearchOnly:
    """A retriever without vectors."""

    def __init__(self, index):
        self.embedder = index.embedder
        self.search = index.search
        self.document = index.document


pytestmark = QUIET


@pytest.fixture(params=["embedded", SERVER])
def index(request, tmp_path, monkeypatch):
    """An index in a folder, or on a server that lives in this process."""
    place = tmp_path / "papers.idx" if request.param == "embedded" else served(monkeypatch)
    with Index.open(place, create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


@pytest.mark.parametrize("seam", [lambda index: index, SearchOnly])
@pytest.mark.parametrize("words", [[], WORDS])
def test_every_candidate_brings_its_vector(index, seam, words):
    found = find_candidates(seam(index), QUERY, 5, words=words)
    searched = index.search([QUERY, *words], k=5)
    assert {hit.chunk.id for hit in found.hits} == {hit.chunk.id for hit in searched}
    texts = [embedded_text(hit.chunk, hit.metadata["title"]) for hit in found.hits]
    assert np.allclose(found.vectors, HashingEmbedder().embed(texts), atol=1e-6)
    assert np.allclose(found.query, HashingEmbedder().embed_query([QUERY])[0], atol=1e-6)
    assert found.vectors.dtype == np.float32


def test_the_query_alone_is_found_as_by_a_search_and_added_words_are_not_embedded(index):
    assert index.candidates(QUERY, 5).hits == index.search(QUERY, k=5)
    plain, added = (index.candidates(QUERY, 5, words=words) for words in ([], ["osteoclast counts"]))
    dense, worded = ({hit.chunk.id: hit for hit in found.hits} for found in (plain, added))
    for name, hit in worded.items():
        assert hit.dense_score == dense[name].dense_score
        assert hit.score >= dense[name].score
    assert any(hit.score > dense[name].score for name, hit in worded.items())
    with pytest.raises(UsageError, match="a query must hold text"):
        index.candidates(QUERY, words=[" "])


def test_filters_apply_and_nothing_found_is_an_empty_matrix(index):
    found = index.candidates("femur", filters={"year": {"gte": 2100}})
    assert (list(found.hits), found.vectors.shape, found.query.shape) == ([], (0, 64), (64,))
    with pytest.raises(UsageError, match="a query must hold text"):
        index.candidates(" ")


QUESTION = "How much bone did flight mice lose?"
FELL = "Femur density fell by 12.4 percent in flight mice after 30 days in orbit."
FOUND = [
    {"text": FELL, "id": "PMC1234567", "title": "Bone loss in flight mice", "year": 2014, "section": "results"},
    "Flight mice ate as much as ground mice.",
]


def listed(query, k=10):
    return FOUND[:k]


class Locked:
    """Cannot be copied, as few clients of databases can."""

    def __init__(self):
        self.lock = threading.Lock()

    def __call__(self, query):
        return dspy.Prediction(passages=FOUND)


@pytest.mark.parametrize("name", ["rag_fusion", "multi_signal"])
@pytest.mark.parametrize("search", [listed, Locked()], ids=["function", "dspy"])
def test_an_answer_from_a_function_is_proved(name, search):
    with dspy.context(lm=programs.LM("extractive")):
        qa = programs.load(name, retriever=search)
        found = qa(QUESTION)
    assert "12.4" in found.answer
    assert found.citations[0].verdict == "supported"
    assert found.passages[0].title == "Bone loss in flight mice"
    assert replay(found.to_dict(), qa.retriever.document) == []


def test_copies_of_a_program_share_its_retriever():
    for retriever in (Locked(), CalledRetriever(listed)):
        qa = RagFusion(retriever)
        assert qa.deepcopy().retriever is qa.retriever
        assert qa.reset_copy().retriever is qa.retriever


def test_passages_of_one_id_are_told_apart():
    retriever = CalledRetriever(lambda _: [{"text": "One.", "id": "a"}, {"text": "Two.", "id": "a"}])
    first, second = retriever.search("anything")
    assert first.chunk.document_id != second.chunk.document_id
    assert {retriever.document(each.chunk.document_id).text for each in (first, second)} == {"One.", "Two."}


def test_several_queries_are_fused_and_k_is_kept():
    asked = []

    def search(query, k):
        asked.append((query, k))
        return [f"{query} 1", f"{query} 2", "both"]

    hits = as_retriever(search).search(["a", "b"], 3)
    assert asked == [("a", 3), ("b", 3)]
    assert len(hits) == 3
    assert "both" in [hit.chunk.text for hit in hits]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (5, "5 is not a retriever; give programs.Index.open"),
        (lambda _: "one text", "returned 'one text'; return a list"),
        (lambda _: [{"title": "x"}], "has no text"),
        (lambda _: None, "returned None"),
    ],
)
def test_what_is_no_retriever_is_refused(source, said):
    with pytest.raises(UsageError, match=said):
        as_retriever(source).search("anything")


def test_filters_need_a_parameter():
    with pytest.raises(UsageError, match="takes no filters"):
        as_retriever(listed).search("anything", filters={"year": 2014})
    taken = []
    as_retriever(lambda _, filters: taken.append(filters) or []).search("anything", filters={"year": 2014})
    assert taken == [{"year": 2014}]


@pytest.mark.parametrize(
    ("lists", "fused"),
    [
        (
            [["a", "b"], ["b", "c"]],
            [("b", 1 / 62 + 1 / 61, (1, 0)), ("a", 1 / 61, (0, None)), ("c", 1 / 62, (None, 1))],
        ),
        ([["a", "a", "b"]], [("a", 1 / 61, (0,)), ("b", 1 / 62, (1,))]),
        ([["b"], ["a"]], [("a", 1 / 61, (None, 0)), ("b", 1 / 61, (0, None))]),
        ([[], []], []),
        ([], []),
    ],
    ids=["the published formula, ranks from 0", "twice in a list", "equal scores by id", "empty lists", "no lists"],
)
def test_each_item_of_fused_lists_comes_once_with_its_score_and_ranks(lists, fused):
    found = reciprocal_rank_fusion(lists)
    assert [(one.id, one.score, one.ranks) for one in found] == [(each, pytest.approx(x), at) for each, x, at in fused]
    assert reciprocal_rank_fusion(lists, limit=1) == found[:1]
