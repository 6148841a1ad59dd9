"""The original interface of `paper_retriever`: `retrieve`, `get_ref_info` and `from_storage`."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import dspy
import pytest

from programs.errors import IndexNotFound, UsageError
from programs.paper_retriever import PaperRetriever, PaperRetrieverParameters
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.rated_papers import QUESTION, by_title, made
from tests.scripted_lm import Script


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """An index that tests only read."""
    with made(tmp_path_factory.mktemp("index")) as index:
        yield index


@pytest.fixture
def own_index(tmp_path):
    """An index for a test that changes it."""
    with made(tmp_path) as index:
        yield index


def test_retrieve_and_get_ref_info(index):
    script = Script(selections=by_title(**{"Mice in": 9, "Bone": 8}))
    with dspy.context(lm=script.lm()):
        retriever = PaperRetriever(index)
        assert retriever.get_ref_info() == []
        texts = retriever.retrieve(QUESTION)
        again = asyncio.run(retriever.aretrieve(QUESTION))
    assert texts == again
    infos = {info.document_id: info for info in retriever.get_ref_info()}
    assert infos.keys() == {text.document_id for text in texts} == {"long", "bone"}
    assert (infos["long"].title, infos["long"].possessor, infos["long"].file_path) == ("Mice in flight", "Ada", "")
    assert (infos["bone"].possessor, infos["bone"].year) == ("", 2014)


def test_from_storage_takes_the_original_names(own_index, tmp_path):
    own_index.close()
    script = Script(selections=by_title(**{"Mice in": 9, "Bone": 8}))
    retriever = PaperRetriever.from_storage(
        llm=script.lm(),
        embed_model=HashingEmbedder(),
        vector_persist_dir=tmp_path / "papers.idx",
        paper_summary_persist_dir=tmp_path / "papers.idx" / "summaries",
        vector_similarity_top_k=5,
        summary_similarity_top_k=2,
        service_context=None,
        docs_top_k=1,
        re_retrieve_top_k=1,
        final_use_context=False,
        final_use_summary=False,
    )
    assert [text.document_id for text in retriever.retrieve(QUESTION)] == ["long"]
    given = {"vector_similarity_top_k": 5, "summary_similarity_top_k": 2, "docs_top_k": 1, "re_retrieve_top_k": 1}
    assert retriever.settings == replace(
        PaperRetrieverParameters.seed(), **given, final_use_context=False, final_use_summary=False
    )
    retriever.close()
    with pytest.raises(IndexNotFound, match="no summaries at"):
        PaperRetriever.from_storage(None, HashingEmbedder(), tmp_path / "papers.idx", tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="service_context"):
        PaperRetriever.from_storage(vector_persist_dir=tmp_path / "papers.idx", service_context={})
    Index.open(tmp_path / "papers.idx", embedder=HashingEmbedder()).close()  # nothing was left locked


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("docs_top_k", 2.5),
        ("docs_top_k", "2"),
        ("docs_top_k", True),
        ("final_use_context", 1),
        ("embed_model", 3),
        ("vector_persist_dir", 3),
    ],
)
def test_from_storage_says_what_is_of_the_wrong_kind(name, value):
    with pytest.raises(UsageError, match=name):
        PaperRetriever.from_storage(**{name: value})
