"""The same tests run over all stores: the embedded engine, the one in memory, and the server's client."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace

import pytest

from programs.errors import IndexCorrupt, IndexMismatch, IndexNotFound, UnknownFilterField, UsageError
from programs.ingest.chunking import SENTENCES
from programs.retrieval.index import Index
from programs.retrieval.passage_collection import Indexed
from programs.retrieval.records import point_id
from tests.folders_in_memory import in_memory
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_qdrant import QUIET, SERVER, served
from tests.papers import BONE, PAPERS, ROOTS, YEAST, paper

pytestmark = [*QUIET, pytest.mark.engine]


@pytest.fixture(params=["memory", SERVER])
def place(request, tmp_path, monkeypatch):
    """A place for an index: a folder, one in memory, or the address of a server that lives in this process."""
    if request.param == "server":
        yield served(monkeypatch)
        return
    with in_memory() if request.param == "memory" else nullcontext():
        yield str(tmp_path / "papers.idx")


@pytest.fixture(scope="module", params=["edge", "memory", SERVER])
def shared(request, tmp_path_factory):
    """The papers in each store, for tests that only read."""
    with pytest.MonkeyPatch.context() as patch, in_memory() if request.param == "memory" else nullcontext():
        folder = tmp_path_factory.mktemp("shared") / "papers.idx"
        place = served(patch) if request.param == "server" else str(folder)
        index = Index.open(place, create=True, embedder=HashingEmbedder())
        index.add(PAPERS)
    with index:
        yield index


EDGE = pytest.param("edge", marks=pytest.mark.slow)
IN_THE_ENGINE_TOO = pytest.mark.parametrize("place", [EDGE, "memory", SERVER], indirect=True)


def opened(place, **options):
    return Index.open(place, **{"create": True, "embedder": HashingEmbedder(), **options})


@pytest.fixture
def index(place):
    with opened(place) as index:
        yield index


@pytest.fixture
def filled(index):
    index.add(PAPERS)
    return index


class Killed(BaseException):
    """Stands for the end of the process."""


def killed(*_):
    raise Killed


def ids(hits):
    return [hit.chunk.document_id for hit in hits]


def test_the_passage_that_shares_the_words_comes_first_with_its_scores_and_ranks(shared):
    best, *_ = shared.search("femur density of flight mice", k=3)
    assert (best.chunk.document_id, best.chunk.section, best.metadata["mission_env"]) == ("bone", "results", "ISS")
    assert BONE.text[best.chunk.start : best.chunk.end] == best.chunk.text
    assert (best.dense_rank, best.sparse_rank) == (0, 0)
    assert 0 < best.dense_score <= 1.0001
    assert best.sparse_score > 0
    assert best.score == pytest.approx(2 / 61)
    only_dense = [hit for hit in shared.search("buffering", k=3) if hit.chunk.document_id == "roots"]
    assert (only_dense[0].sparse_score, only_dense[0].sparse_rank) == (None, None)


def test_several_wordings_are_one_search_and_k_limits_it(shared):
    hits = shared.search(["auxin transport in roots", "acetic acid and yeast"], k=2)
    assert set(ids(hits)) == {"roots", "yeast"}
    assert hits[0].score >= hits[1].score
    assert len(shared.search("the", k=2)) == 2
    assert len(shared.search("the", k=50)) == 3


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"organism": ["Mus musculus"]}, {"bone"}),
        ({"organism": ["Mus musculus", "Arabidopsis thaliana"]}, {"bone", "roots"}),
        ({"organism": {"not": "Mus musculus"}}, {"roots", "yeast"}),
        ({"year": {"gte": 2014}}, {"bone", "yeast"}),
        ({"year": {"gt": 2009, "lt": 2017}}, {"bone"}),
        ({"year": 2017}, {"yeast"}),
        ({"year": [2009, 2017]}, {"roots", "yeast"}),
        ({"year": {"not": 2009}}, {"bone", "yeast"}),
        ({"year": {"gte": 2009.5, "lte": 2014}}, {"bone"}),
        ({"controlled": {"not": True}}, {"bone", "roots"}),
        ({"organism": "mus musculus"}, set()),
        ({"controlled": True}, {"yeast"}),
        ({"document": ["bone", "roots"], "mission_env": "ISS"}, {"bone"}),
        ({"section": "methods"}, set()),
        ({"section": [" Results", "METHODS"], "kind": {"not": "Figure"}}, {"bone", "roots", "yeast"}),
        ({"year": {"gte": 2009, "lt": 2020, "not": 2014}}, {"roots", "yeast"}),
        ({}, {"bone", "roots", "yeast"}),
    ],
)
def test_filters_are_evaluated_by_the_engine(shared, filters, expected):
    assert set(ids(shared.search("growth in orbit", filters=filters))) == expected


@pytest.mark.parametrize(("query", "k"), [("", 5), ("  ", 5), ([], 5), (["bone", ""], 5), ("bone", 0), ("bone", -1)])
def test_a_senseless_search_is_refused(shared, query, k):
    with pytest.raises(UsageError):
        shared.search(query, k=k)
    with pytest.raises(UnknownFilterField, match="organism"):
        shared.search("bone", filters={"organisms": "mouse"})


@IN_THE_ENGINE_TOO
def test_unchanged_documents_are_not_embedded_again_and_changed_ones_are_replaced_whole(index):
    assert index.add(PAPERS) == Indexed(added=3, chunks=3)
    before, embedded = index.stats(), index.embedder.embedded
    assert index.add(PAPERS) == Indexed(unchanged=3)
    assert (index.stats(), index.embedder.embedded) == (before, embedded)
    changed = paper("bone", "Femur density rose slightly.", title="Bone, corrected", year=2015)
    # The later of two versions in one run wins.
    assert index.add([replace(BONE, title="Second"), changed]) == Indexed(replaced=2, chunks=2)
    assert index.document("bone") == changed
    assert [chunk.text for chunk in index.chunks("bone")] == ["Femur density rose slightly."]
    assert index.stats().chunks == 3


def test_documents_come_back_as_they_went_in_and_are_listed_with_what_filters_can_use(shared):
    assert [shared.document(one.id) for one in PAPERS] == list(PAPERS)
    listed = {one["id"]: one for one in shared.documents()}
    assert (listed.keys(), listed["yeast"]["year"], listed["yeast"]["chunks"]) == ({"bone", "roots", "yeast"}, 2017, 1)
    with pytest.raises(UsageError, match="no document 'nowhere'"):
        shared.document("nowhere")
    stats = shared.stats()
    assert (stats.documents, stats.chunks) == (3, 3)
    assert {"organism": "keyword", "year": "number", "controlled": "keyword"}.items() <= stats.fields.items()
    assert not {"record", "hash", "state"} & set(stats.fields)


@IN_THE_ENGINE_TOO
def test_removing_takes_the_document_and_its_chunks(filled):
    filled.remove("roots")
    assert filled.stats().documents == 2
    assert filled.chunks("roots") == []
    assert "roots" not in ids(filled.search("roots of thale cress"))
    with pytest.raises(UsageError, match="no document 'roots'"):
        filled.remove("roots")


def test_a_metadata_field_keeps_its_type(filled):
    with pytest.raises(UsageError, match=r"'odd' brings 'year_of_flight' as keyword, but the index holds it as number"):
        filled.add([paper("even", "Text.", year_of_flight=2001), paper("odd", "Text.", year_of_flight="spring")])


def test_origins_remember_files(index):
    index.add(PAPERS, origin_of=lambda document: f"hash of {document.id}")
    assert index.origins() == {"hash of bone": "bone", "hash of roots": "roots", "hash of yeast": "yeast"}
    index.add([BONE], origin_of=lambda _: "moved")
    assert index.origins() == {"moved": "bone", "hash of roots": "roots", "hash of yeast": "yeast"}


@IN_THE_ENGINE_TOO
def test_an_index_is_opened_again_without_its_model(place, filled):
    expected = filled.search("femur density")
    filled.close()
    with opened(place, create=False) as again:
        assert again.search("femur density") == expected
    with Index.open(place) as again:
        assert (again.stats().documents, again.manifest) == (3, filled.manifest)
        assert "embedder" not in vars(again)


def test_a_missing_index_says_how_to_make_one(place):
    with pytest.raises(IndexNotFound, match="python -m programs index PAPERS --index"):
        Index.open(place, embedder=HashingEmbedder())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"embedder": HashingEmbedder(name="tests/other")}, "made with embedder 'tests/hashing', not 'tests/other'"),
        ({"embedder": HashingEmbedder(dimension=32)}, "made with dimension 64, not 32"),
        ({"chunking": SENTENCES}, "made with chunking 'passages:200:0', not 'sentences:100:0'"),
    ],
)
def test_an_index_made_otherwise_is_refused_and_stays_whole(place, filled, changed, message):
    filled.close()
    with pytest.raises(IndexMismatch, match=message):
        opened(place, create=False, **changed)
    with opened(place, create=False) as again:
        assert again.stats().documents == 3


def test_eight_threads_search_at_once(shared):
    questions = ["femur density of mice", "roots in orbit", "acetic acid and yeast"] * 25
    expected = {question: shared.search(question) for question in questions[:3]}
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(shared.search, questions)) == [expected[question] for question in questions]


def test_progress_reports_committed_totals_and_a_paper_without_text_is_harmless(index, monkeypatch):
    monkeypatch.setattr("programs.retrieval.passage_collection.BATCH_CHUNKS", 1)
    seen = []
    index.add([BONE, ROOTS, YEAST, paper("empty")], on_progress=seen.append)
    assert [(one.added, one.chunks) for one in seen] == [(1, 1), (2, 2), (3, 3), (4, 3)]
    assert index.stats().documents == 4


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.md").write_text("Years of work.")
    with pytest.raises(UsageError, match="is not an index and not empty; name another place"):
        opened(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.md"]


@IN_THE_ENGINE_TOO
def test_making_that_was_cut_short_is_done_again(place, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("programs.retrieval.collection._initialise", killed)
        with pytest.raises(Killed):
            opened(place)
    with pytest.raises(IndexCorrupt, match="has no manifest, so making it was interrupted"):
        opened(place, create=False)
    with opened(place) as index:
        assert index.add(PAPERS).added == 3


@pytest.mark.parametrize("finished_by", ["opening", "the next run"])
@IN_THE_ENGINE_TOO
def test_a_replacement_that_was_cut_short_is_finished(place, monkeypatch, finished_by):
    long = paper("long", *(f"Sentence number {n} of a long paper about orbit." for n in range(60)))
    with opened(place, chunking=SENTENCES) as index:
        index.add([long, BONE])
        with monkeypatch.context() as patch:
            patch.setattr(type(index.store), "delete", killed)
            with pytest.raises(Killed):
                index.add([paper("long", "One sentence is left.")])
        if finished_by == "the next run" or "://" in place:
            index.add([])
    with opened(place, create=False) as again:
        assert [chunk.text for chunk in again.chunks("long")] == ["One sentence is left."]
        assert [hit.chunk.text for hit in again.search("sentence of a long paper", k=1)] == ["One sentence is left."]
        assert again.stats().chunks == 2


@IN_THE_ENGINE_TOO
def test_equal_scores_are_ordered_by_id(filled):
    # Local mode multiplies in float32 by blocks, so that its twins may differ in the last bit.
    twins = [paper(f"twin{n}", "Twins grow alike in the cold.") for n in range(6)]
    filled.add(twins[3:])
    filled.add(twins[2::-1])
    hits = filled.search("twins in the cold", k=6)
    assert [hit.dense_rank for hit in sorted(hits, key=lambda hit: (-hit.dense_score, point_id(hit.chunk.id)))] == [
        *range(6)
    ]
