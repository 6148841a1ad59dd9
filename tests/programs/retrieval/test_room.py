"""A full disk is told of before anything is written to it; ``bench.hard_ends`` fills real ones."""

from __future__ import annotations

import errno
import shutil
from typing import NamedTuple

import pytest

from programs.errors import IndexCorrupt, NoRoom
from programs.retrieval.embedded import engine as edge_engine
from programs.retrieval.embedded import files, generations
from programs.retrieval.index import Index
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS, ROOTS

SAID = r"too little room for the index at .* MiB are free .*Free some space and run the same command again"


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def disk(monkeypatch):
    """Says how much is free: ``disk(3)`` leaves 3 MiB from there on."""

    def leave(free):
        monkeypatch.setattr(files.shutil, "disk_usage", lambda _: Usage(2**40, 2**40, free * 2**20))

    return leave


def opened(place):
    return Index.open(place, create=True, embedder=HashingEmbedder())


def test_an_index_is_not_begun_where_there_is_no_room(tmp_path, disk):
    disk(1)
    with pytest.raises(NoRoom, match=SAID):
        opened(tmp_path / "papers.idx")
    assert list(tmp_path.iterdir()) == []


def test_what_is_committed_stays_and_the_next_run_completes(tmp_path, disk):
    place = tmp_path / "papers.idx"
    with opened(place) as index:
        index.add([BONE])
    with opened(place) as index:
        assert index.document_ids() == [BONE.id]
        disk(2)
        with pytest.raises(NoRoom, match=SAID):
            index.add(PAPERS)
    disk(500)
    with opened(place) as index:
        assert index.document_ids() == [BONE.id]
        assert index.add(PAPERS).added == len(PAPERS) - 1
        assert index.search("Roots of thale cress", 1)[0].chunk.document_id == ROOTS.id


def test_a_disk_that_fills_up_in_the_middle_keeps_what_was_written(tmp_path, disk):
    place = tmp_path / "papers.idx"
    with opened(place) as index:
        with index.writing():
            index.add([BONE])
            disk(2)
            with pytest.raises(NoRoom):
                index.add([ROOTS])
        disk(500)
        assert index.add([BONE, ROOTS]).chunks
        assert set(index.document_ids()) == {BONE.id, ROOTS.id}


def test_papers_are_read_from_a_full_disk(tmp_path, disk, monkeypatch):
    place = tmp_path / "papers.idx"
    with opened(place) as index:
        index.add(PAPERS)
    monkeypatch.setattr(generations, "has_room", lambda *_: False)
    with opened(place) as index:
        assert index.document(BONE.id) == BONE
    disk(1)
    with pytest.raises(NoRoom, match="too little room"):
        opened(place)


def test_the_command_says_it_in_a_line(tmp_path, disk):
    (tmp_path / "bone.md").write_text("# Bone\n\n## Results\n\nFemur density fell.\n", "utf-8")
    disk(1)
    ran = run("index", tmp_path / "bone.md", "--index", tmp_path / "papers.idx")
    assert ran.code == 1
    assert "Error: there is too little room for the index" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("message", "expected"),
    [("Service internal error: No space left on device (os error 28)", NoRoom), ("bad magic", IndexCorrupt)],
)
def test_what_the_engine_says_of_the_disk_is_no_damage(tmp_path, message, expected):
    with pytest.raises(expected), edge_engine._translated(tmp_path, opening=True):
        raise Exception(message)


def test_other_faults_of_the_disk_are_left_as_they_are(tmp_path):
    with pytest.raises(NoRoom), files.room_told(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(PermissionError), files.room_told(tmp_path):
        raise PermissionError(errno.EACCES, "Permission denied")
    assert shutil.disk_usage(tmp_path).free
