"""The store in memory gives what the embedded engine gives, to the order of every hit."""

from __future__ import annotations

import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from operator import attrgetter

import numpy as np
import pytest

from optimize.dataset.loading import load_dataset
from programs.errors import IndexLocked, IndexNotFound, RetrievalError
from programs.retrieval.collection import IN_MEMORY
from programs.retrieval.embedded_store import EdgeStore
from programs.retrieval.index import Index
from programs.retrieval.memory_store import Contents, MemoryStore
from programs.retrieval.store import SparseVector, StoredPoint
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS, ROOTS

pytestmark = pytest.mark.engine


class RandomWords(HashingEmbedder):
    """A random direction for each word: no two texts are equally near by accident, as hashed counts often are."""

    def embed(self, texts):
        rows = [sum(map(self._direction, text.lower().split()), start=self._direction(text)) for text in texts]
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    @cache  # noqa: B019 - one embedder, for this module
    def _direction(self, word):
        return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(self.dimension)


@pytest.fixture(scope="module")
def bundled():
    return load_dataset("space_biology")


@pytest.fixture(scope="module")
def both(bundled, tmp_path_factory):
    """The bundled papers in the engine and in memory."""
    places = (str(tmp_path_factory.mktemp("both") / "papers.idx"), IN_MEMORY)
    engine, memory = (Index.open(place, create=True, embedder=RandomWords()) for place in places)
    with engine, memory:
        asked = {name for example in bundled.split("val") for name in example.document_ids}
        for index in (engine, memory):
            index.add([bundled.documents[name] for name in sorted(asked)])
        yield engine, memory


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"organism": ["Mus musculus"]},
        {"organism": {"not": "Mus musculus"}},
        {"year": {"gte": 2012, "lt": 2020}},
        {"section": ["results", "abstract"], "kind": {"not": "table"}},
    ],
    ids=["all", "keyword", "not", "range", "sections"],
)
def test_the_order_is_the_engines_on_the_bundled_papers(bundled, both, filters):
    engine, memory = both
    for question in (example.question for example in bundled.split("val", 8)):
        # As deep as there are passages: of equal scores at the end of a list the engine keeps any.
        expected, found = (index.search(question, k=20, filters=filters, depth=999) for index in (engine, memory))
        assert [hit.chunk for hit in found] == [hit.chunk for hit in expected]
        assert [hit.metadata for hit in found] == [hit.metadata for hit in expected]
        for score in ("dense_score", "sparse_score"):
            of = attrgetter(score)
            assert [of(hit) is None for hit in found] == [of(hit) is None for hit in expected]
            assert [of(hit) or 0 for hit in found] == pytest.approx([of(hit) or 0 for hit in expected], abs=1e-5)


@pytest.fixture(params=["edge", "memory"])
def store(request, tmp_path):
    """An empty store of two dimensions."""
    made = EdgeStore.create(tmp_path / "papers.idx", 2) if request.param == "edge" else MemoryStore(Contents(2))
    with made.writing():
        made.create_field("year", "number")
        made.create_field("kind", "keyword")
    yield made
    made.close()


def point(number, **payload):
    return StoredPoint(f"{number:032x}", {"n": number, **payload})


def test_points_without_vectors_are_not_found_and_what_is_read_is_a_part_and_nobody_elses(store):
    vector = np.array([0.6, 0.8], np.float32)
    assert store.query([vector, SparseVector([1], [1.0])], 5, []) == [{}, {}]
    store.upsert([point(1, names=["a"]), StoredPoint(point(2).id, {}, vector, SparseVector([7], [1.0]))])
    assert [[*each] for each in store.query([vector, SparseVector([7], [1.0])], 9, [])] == [[point(2).id]] * 2
    for _ in range(2):
        found = store.retrieve([point(1).id, point(9).id], ["names"])
        assert found == {point(1).id: {"names": ["a"]}}
        found[point(1).id]["names"].append("b")


@pytest.fixture
def elsewhere():
    """Runs a call in another thread, which sees nothing of what this one writes or reads, to its end."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda call, *arguments: pool.submit(call, *arguments).result()


def test_others_see_a_write_at_its_end_and_none_writes_beside_it(store, elsewhere, monkeypatch):
    for module in ("memory_store", "generations"):
        monkeypatch.setattr(f"programs.retrieval.{module}.WAIT_FOR_WRITER", 0.05)
    with store.writing():
        store.upsert([point(1)])
        with store.writing():
            store.upsert([point(2)])
        assert (elsewhere(store.count, []), store.count([]), store.is_unfinished()) == (0, 2, True)
        with pytest.raises(IndexLocked):
            elsewhere(store.upsert, [point(3)])
    assert elsewhere(store.count, []) == 2


def test_a_reader_keeps_the_state_it_began_with(store, elsewhere):
    store.upsert([point(1)])
    before = store.state()
    with store.reading():
        elsewhere(store.upsert, [point(2)])
        assert (store.count([]), store.state()) == (1, before)
    assert store.count([]) == 2
    assert store.state() != before


@pytest.mark.parametrize(("keep", "left"), [(False, 1), (True, 2)])
def test_what_was_interrupted_is_continued_by_the_next_writer(store, keep, left):
    store.upsert([point(1)])

    def fail():
        with store.writing(keep=keep):
            store.upsert([point(2)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (store.count([]), store.is_unfinished()) == (left, not keep)
    store.upsert([point(3)])
    assert [each["n"] for each in store.scroll([])] == [1, 2, 3]


def test_a_vector_of_another_length_is_refused_and_a_closed_store_too(store):
    with pytest.raises(RetrievalError):
        store.upsert([StoredPoint(point(1).id, {}, np.ones(3, np.float32))])
    store.close()
    with pytest.raises(RetrievalError, match="was closed"):
        store.count([])


def test_an_index_in_memory_is_a_new_one_each_time():
    with Index.open(IN_MEMORY, create=True, embedder=HashingEmbedder()) as index:
        index.add(PAPERS)
        with Index.open(IN_MEMORY, create=True, embedder=HashingEmbedder()) as other:
            assert other.add([BONE]).added == 1
        assert [hit.chunk.document_id for hit in index.search("roots in orbit", k=1)] == [ROOTS.id]
        assert index.summaries() is None
        assert index.make_summaries().stored() == {}
    with pytest.raises(IndexNotFound, match="is a new index each time"):
        Index.open(IN_MEMORY)
