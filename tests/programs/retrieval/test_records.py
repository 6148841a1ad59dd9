"""A bit that flips in the files of an index is an error of the paper it belongs to, and never an answer."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from programs.errors import IndexCorrupt, IndexMismatch
from programs.retrieval.collection import Manifest
from programs.retrieval.embedded_files import copy_tree
from programs.retrieval.file_indexing import soundness
from programs.retrieval.index import Index
from programs.retrieval.records import belongs_to, record_is
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper

pytestmark = [pytest.mark.slow, pytest.mark.engine]

SENTENCE = "Femur density fell by 81.0 percent in the mice that were in orbit."
DAMAGED = paper("PMC81", SENTENCE)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    place = tmp_path_factory.mktemp("stored") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as index:
        index.add([*PAPERS, DAMAGED])
    return place


@pytest.fixture
def place(stored, tmp_path):
    copy_tree(stored, tmp_path / "papers.idx")
    return tmp_path / "papers.idx"


def flip(place, before=b"81.0 percent", after=b"81.1 percent"):
    """Flip one bit of every copy of a text in records, and in the log; how many there were."""
    assert sum((one ^ other).bit_count() for one, other in zip(before, after, strict=True)) == 1
    found = 0
    for path in (*place.rglob("payload_storage/*"), *place.rglob("wal/*")):
        if path.is_file() and (count := (content := path.read_bytes()).count(before)):
            path.write_bytes(content.replace(before, after))
            found += count
    return found


def test_no_flipped_bit_is_shown(place):
    assert flip(place)
    with Index.open(place, embedder=HashingEmbedder()) as index:
        for read in (
            lambda: index.search(SENTENCE, 1),
            lambda: index.chunks("PMC81"),
            lambda: index.document("PMC81"),
        ):
            with pytest.raises(IndexCorrupt, match=r"'PMC81' is not what was stored.*programs remove PMC81"):
                read()
        assert index.document(PAPERS[0].id) == PAPERS[0]
        index.remove("PMC81")
        index.add([replace(DAMAGED, title="Bone at 81.0 percent")])
    assert flip(place)
    with Index.open(place, embedder=HashingEmbedder()) as index:
        for read in (lambda: list(index.documents()), lambda: index.search("bone", 20)):
            with pytest.raises(IndexCorrupt):
                read()


def test_check_names_the_paper_and_removing_it_mends_the_index(place):
    flip(place)
    ran = run("check", "--index", place)
    assert ran.code == 1
    assert "is not what was stored: PMC81\n" in ran.stdout
    assert "python -m programs remove PAPER" in " ".join(ran.stdout.split())
    with Index.open(place, embedder=HashingEmbedder()) as index:
        index.remove("PMC81")
        index.add([DAMAGED])
        assert index.document("PMC81") == DAMAGED
        assert not soundness(index, lambda *_: None).damaged
        index.store.delete([record_is("chunk"), belongs_to("PMC81")])
        assert soundness(index, lambda *_: None).damaged == ("PMC81",)


def test_numbers_of_any_size_are_what_was_stored(tmp_path):
    numbers = {f"PMC{at}": each for at, each in enumerate([10**20, -(10**20), 2**64 - 1, 2**63, 0.1, 1e22, -0.0, 5.0])}
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add([paper(name, SENTENCE, dose=number, doses=[number]) for name, number in numbers.items()])
        assert {hit.chunk.document_id: hit.metadata["dose"] for hit in index.search(SENTENCE, 8)} == numbers
        assert {name: index.document(name).metadata["dose"] for name in numbers} == numbers


def test_an_index_of_another_format_is_not_read():
    manifest = asdict(Manifest("m", 3, "words", "bm25"))
    assert Manifest.from_dict(manifest, "papers.idx") == Manifest("m", 3, "words", "bm25")
    with pytest.raises(IndexMismatch, match=r"has format 9, this version reads 1; make it again"):
        Manifest.from_dict({**manifest, "version": 9}, "papers.idx")
