"""The files of an index: a damaged one is refused by its hash before the engine opens it; copies; full disks."""

from __future__ import annotations

import errno
import os
import shutil
from typing import NamedTuple

import pytest

from programs.errors import IndexCorrupt, NoRoom
from programs.retrieval import embedded_files, embedded_store
from programs.retrieval.embedded_files import copy_tree, disk_errors_reported
from programs.retrieval.index import Index
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS, ROOTS

pytestmark = pytest.mark.engine

FILES = ("segment.json", "mutable_id_tracker.versions", "vectors/status.dat", "store/tracker.dat", "edge_config.json")


def opened(place, *, create=False):
    return Index.open(place, create=create, embedder=HashingEmbedder())


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    place = tmp_path_factory.mktemp("stored") / "papers.idx"
    with opened(place, create=True) as index:
        index.add(PAPERS)
    return place


@pytest.fixture
def place(stored, tmp_path):
    place = tmp_path / "papers.idx"
    copy_tree(stored, place)
    for path in place.rglob("*"):
        shutil.copystat(stored / path.relative_to(place), path)
    return place


def flip(place, name, *, unseen=False):
    (path,) = [each for each in place.rglob("*") if each.as_posix().endswith(name)]
    stat, content = path.stat(), bytearray(path.read_bytes())
    content[len(content) // 2 if any(content) else 0] ^= 1
    path.write_bytes(content)
    if unseen:
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.parametrize("unseen", [False, True], ids=["time changed", "time as it was"])
@pytest.mark.parametrize("name", FILES)
def test_the_engine_never_sees_a_damaged_file(place, name, unseen, monkeypatch):
    flip(place, name, unseen=unseen)
    monkeypatch.setattr(embedded_store, "load_engine", lambda *_: pytest.fail("the engine was started"))
    with pytest.raises(IndexCorrupt, match=rf"{name} is not what was written.*restore the folder.*make the index"):
        opened(place)


def test_missing_and_other_files_and_damaged_hashes_are_refused(place):
    (versions,) = place.rglob("mutable_id_tracker.versions")
    (sums,) = place.rglob(embedded_files.SUMS)
    (versions.parent / "more.dat").write_bytes(b"1")
    with pytest.raises(IndexCorrupt, match=r"more\.dat"):
        opened(place)
    (versions.parent / "more.dat").unlink()
    versions.rename(versions.with_suffix(".gone"))
    with pytest.raises(IndexCorrupt, match="mutable_id_tracker"):
        opened(place)
    for content in (b"", b"[]", b'{"x": 1}', b'{"x": []}', b"\xff"):
        sums.write_bytes(content)
        with pytest.raises(IndexCorrupt, match=r"sums\.json"):
            opened(place)


def test_large_files_that_opening_trusts_are_hashed_by_check_and_before_they_are_copied(place, monkeypatch):
    monkeypatch.setattr(embedded_files, "_SMALL", 0)
    flip(place, "segment.json", unseen=True)
    with opened(place) as index, pytest.raises(IndexCorrupt):
        index.remove(PAPERS[0].id)
    ran = run("check", "--index", place)
    assert ran.code != 0
    assert "segment.json is not what was written" in " ".join(ran.stderr.split())


def test_copies_keep_holes_and_make_them_where_there_are_zeros(tmp_path):
    (tmp_path / "from").mkdir()
    with (tmp_path / "from" / "holes").open("wb") as file:
        file.seek(1_000_003)
        file.write(b"x")
        file.truncate(3_000_000)
    (tmp_path / "from" / "full").write_bytes((tmp_path / "from" / "holes").read_bytes())
    copy_tree(tmp_path / "from", tmp_path / "to")
    for name in ("holes", "full"):
        assert (tmp_path / "to" / name).read_bytes() == (tmp_path / "from" / name).read_bytes()
        assert (tmp_path / "to" / name).stat().st_blocks * 512 < 100_000


def test_a_damaged_copy_that_a_killed_writer_left_is_given_up_unless_it_is_all_there_is(place, caplog):
    (generation,) = (place / "generations").iterdir()
    left = shutil.copytree(generation, generation.with_name(str(int(generation.name) + 1)))
    for path in left.rglob("segment.json"):
        path.write_text("{")
    with opened(place) as index:
        assert index.document_ids() == sorted(each.id for each in PAPERS)
        assert index.add(PAPERS).unchanged == len(PAPERS)
    assert "index those papers again" in caplog.text
    (place / "CURRENT").unlink()
    (generation,) = (place / "generations").iterdir()
    left = generation.rename(generation.with_name("1"))
    for path in left.rglob("segment.json"):
        path.write_text("{")
    with pytest.raises(IndexCorrupt, match="make the index"):
        opened(place)


@pytest.mark.parametrize("text", ["999", "x 3c9e", "", "\xff 1 2"])
def test_a_file_that_names_no_generation_is_told_as_it_is(tmp_path, text):
    (tmp_path / "generations" / "1").mkdir(parents=True)
    (tmp_path / "CURRENT").write_text(text, "latin-1")
    with pytest.raises(IndexCorrupt, match=r"CURRENT holds '.*', not the number of a generation.*make the index again"):
        opened(tmp_path)


SAID = r"too little room for the index at .* MiB are free .*Free some space and run the same command again"


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def disk(monkeypatch):
    """Says how much is free: ``disk(3)`` leaves 3 MiB from there on."""

    def leave(free):
        monkeypatch.setattr(embedded_files.shutil, "disk_usage", lambda _: Usage(2**40, 2**40, free * 2**20))

    return leave


def test_an_index_is_not_begun_where_there_is_no_room_and_the_command_says_so_in_a_line(tmp_path, disk):
    (tmp_path / "bone.md").write_text("# Bone\n\n## Results\n\nFemur density fell.\n", "utf-8")
    disk(1)
    with pytest.raises(NoRoom, match=SAID):
        opened(tmp_path / "papers.idx", create=True)
    ran = run("index", tmp_path / "bone.md", "--index", tmp_path / "papers.idx")
    assert ran.code == 1
    assert "Error: there is too little room for the index" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["bone.md"]


def test_a_disk_that_fills_up_keeps_what_was_written_and_is_read_when_full(tmp_path, disk, monkeypatch):
    place = tmp_path / "papers.idx"
    with opened(place, create=True) as index:
        with index.writing():
            index.add([BONE])
            disk(2)
            with pytest.raises(NoRoom, match=SAID):
                index.add([ROOTS])
        with pytest.raises(NoRoom, match=SAID):
            index.add(PAPERS)
        disk(500)
        assert index.document_ids() == [BONE.id]
        assert index.add(PAPERS).added == len(PAPERS) - 1
        assert index.search("Roots of thale cress", 1)[0].chunk.document_id == ROOTS.id
    monkeypatch.setattr(embedded_files, "has_room", lambda *_: False)
    with opened(place) as index:
        assert index.document(BONE.id) == BONE
    disk(1)
    with pytest.raises(NoRoom, match="too little room"):
        opened(place)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Exception("Service internal error: No space left on device (os error 28)"), NoRoom),
        (Exception("bad magic"), IndexCorrupt),
        (OSError(errno.ENOSPC, "No space left on device"), NoRoom),
        (PermissionError(errno.EACCES, "Permission denied"), PermissionError),
    ],
)
def test_what_is_said_of_the_disk_is_no_damage_and_other_faults_stay_what_they_are(
    tmp_path, fault, expected, monkeypatch
):
    def load(_folder):
        raise fault

    monkeypatch.setattr(embedded_store.edge, "EdgeShard", type("EdgeShard", (), {"load": staticmethod(load)}))
    with pytest.raises(expected), disk_errors_reported(tmp_path):
        embedded_store.load_engine(tmp_path, tmp_path)
