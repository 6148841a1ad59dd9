"""One index, read by many while one writes: what readers see, what is kept for them, and what is deleted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from programs.errors import IndexLocked, IndexNotFound, RetrievalError
from programs.retrieval.generations import Generations
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper

pytestmark = [pytest.mark.slow, pytest.mark.engine]

ROOT = Path(__file__).resolve().parents[3]
QUESTION = "bone density in orbit"
READERS, SEARCHES, VERSIONS, PAPERS = 2, 10, 4, 3


def opened(place: Path, *, create: bool = False) -> Index:
    return Index.open(place, create=create, embedder=HashingEmbedder())


def papers(version: int) -> list:
    text = [f"Bone density in orbit fell by {number} % in version {version}." for number in range(8)]
    return [paper(f"paper{number}", *text, title=f"Version {version}") for number in range(PAPERS)]


@pytest.fixture
def place(tmp_path):
    with opened(tmp_path / "papers.idx", create=True) as index:
        index.add(papers(1))
    return tmp_path / "papers.idx"


def titles(index: Index) -> set[str]:
    return {hit.metadata["title"] for hit in index.search(QUESTION, k=50)}


def kept(place: Path) -> list[int]:
    return sorted(int(each.name) for each in (place / "generations").iterdir())


def test_a_state_that_is_succeeded_is_deleted_and_still_read_and_nothing_is_copied_when_nothing_changes(place):
    (first,) = kept(place)
    with opened(place) as writer, opened(place) as reader, reader.reading():
        assert titles(reader) == {"Version 1"}
        writer.add(papers(2))
        writer.add(papers(3))
        assert kept(place) == [first + 2]
        assert titles(reader) == {"Version 1"}
        assert reader.document("paper2").title == "Version 1"
        assert writer.add(papers(3)).unchanged == PAPERS
        assert kept(place) == [first + 2]


@pytest.mark.parametrize("left", [".lock", "generations", "generations/1.making/segments"])
def test_a_maker_killed_before_there_was_anything_leaves_a_folder_to_make_the_index_in(tmp_path, left):
    folder = tmp_path / "papers.idx"
    folder.mkdir()
    (folder / ".lock").touch()
    if left != ".lock":
        (folder / left).mkdir(parents=True)
    with pytest.raises(IndexNotFound, match="no index at"):
        opened(folder)
    with opened(folder, create=True) as index:
        assert index.add(papers(1)).added == PAPERS


def test_an_index_that_is_being_made_cannot_be_read_yet(tmp_path, monkeypatch):
    monkeypatch.setattr("programs.retrieval.generations.WAIT_FOR_WRITER", 0.0)
    (tmp_path / "papers.idx").mkdir()
    folder = Generations(tmp_path / "papers.idx")
    with folder.writing():
        folder.begin(lambda _: None)
        with pytest.raises(IndexLocked, match="is being made by another process"):
            opened(folder.path)


def test_an_index_that_was_deleted_or_replaced_is_not_searched(place):
    with opened(place) as index:
        assert titles(index)
        shutil.rmtree(place)
        for other in (False, True):
            if other:
                with opened(place, create=True) as another:
                    another.add(papers(2))
            assert not index.store.is_in_place()
            with pytest.raises(IndexNotFound, match="was deleted or replaced since it was opened"):
                index.search(QUESTION)


def test_a_folder_that_cannot_be_written_to_is_read_and_left_alone(place, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write whatever the permissions say
    everything = [place, *place.rglob("*")]
    modes = {each: each.stat().st_mode for each in everything}
    for each in everything:
        each.chmod(modes[each] & ~0o222)
    before = {each: (each.stat().st_mtime_ns, each.stat().st_size) for each in everything}
    try:
        with opened(place) as index:
            assert titles(index) == {"Version 1"}
            if os.geteuid():
                with pytest.raises(RetrievalError, match=r"cannot be written to.*make the folder writable"):
                    index.add(papers(2))
        assert {each: (each.stat().st_mtime_ns, each.stat().st_size) for each in [place, *place.rglob("*")]} == before
    finally:
        for each in everything:
            each.chmod(modes[each])


def read_until_told(place: str) -> None:
    """A reader's work: every search is of one version, whole; prints how many searches and which versions."""
    with opened(Path(place)) as index:
        seen = []
        print("reading", flush=True)
        while len(seen) < SEARCHES or seen[-1] != f"Version {VERSIONS}":
            hits = index.search(QUESTION, k=50)
            (version,) = {hit.metadata["title"] for hit in hits}
            assert all(f"in version {version.split()[1]}." in hit.chunk.text for hit in hits)
            assert {hit.chunk.document_id for hit in hits} == {f"paper{number}" for number in range(PAPERS)}
            seen.append(version)
    assert seen == sorted(seen), "an earlier state was seen after a later one"
    print(len(seen), flush=True)


def test_readers_in_other_processes_see_only_committed_states(place):
    code = (
        "import sys; from tests.programs.retrieval.test_many_readers import read_until_told; "
        "read_until_told(sys.argv[1])"
    )
    command = [sys.executable, "-c", code, str(place)]
    readers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(READERS)]
    assert [reader.stdout.readline() for reader in readers] == ["reading\n"] * READERS
    for version in range(2, VERSIONS + 1):
        with opened(place) as writer:
            writer.add(papers(version))
    ends = [(reader.communicate()[0], reader.returncode) for reader in readers]
    assert all(code == 0 and int(searches) >= SEARCHES for searches, code in ends)
    assert len(kept(place)) == 1
