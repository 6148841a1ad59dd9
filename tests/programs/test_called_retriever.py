"""Any function as a retriever: what it returns is cited, proved, and replayed against itself."""

import threading

import dspy
import pytest

import programs
from programs.errors import UsageError
from programs.rag_fusion import RagFusion
from programs.replay import replay
from programs.retrieval.retriever import CalledRetriever, as_retriever

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
