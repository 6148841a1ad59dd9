"""The files of an index: a damaged one is refused by its hash before the engine opens it; copies; full disks."""

from __future__ import annotations

import errno
import os
import shutil
from typing import NamedTuple

import pytest

from programs.errors import IndexCorrupt, NoRoom
from programs.retrieval import embedded_files, embedded_store
from programs.retrieval.embedded_files import copy_tree
from programs.retrieval.generations import Generations
from programs.retrieval.index import Index
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS, ROOTS

pytestmark = pytest.mark.engine

FILES = ("segment.json", "mutable_id_tracker.versions", "vectors/status.dat", "store/tracker.dat", "edge_config.json")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    place = tmp_path_factory.mktemp("stored") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as index:
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
        Index.open(place, embedder=HashingEmbedder())


def test_missing_and_other_files_and_damaged_hashes_are_refused(place):
    (versions,) = place.rglob("mutable_id_tracker.versions")
    (sums,) = place.rglob(embedded_files.SUMS)
    (versions.parent / "more.dat").write_bytes(b"1")
    with pytest.raises(IndexCorrupt, match=r"more\.dat"):
        Index.open(place, embedder=HashingEmbedder())
    (versions.parent / "more.dat").unlink()
    versions.rename(versions.with_suffix(".gone"))
    with pytest.raises(IndexCorrupt, match="mutable_id_tracker"):
        Index.open(place, embedder=HashingEmbedder())
    for content in (b"", b"[]", b'{"x": 1}', b'{"x": []}', b"\xff"):
        sums.write_bytes(content)
        with pytest.raises(IndexCorrupt, match=r"sums\.json"):
            Index.open(place, embedder=HashingEmbedder())


def test_check_hashes_large_files_that_opening_trusts(place, monkeypatch):
    monkeypatch.setattr(embedded_files, "_SMALL", 0)
    flip(place, "segment.json", unseen=True)
    Index.open(place, embedder=HashingEmbedder()).close()
    ran = run("check", "--index", place)
    assert ran.code != 0
    assert "segment.json is not what was written" in " ".join(ran.stderr.split())


def test_damage_is_not_copied_into_the_next_state(place, monkeypatch):
    with Index.open(place, embedder=HashingEmbedder()) as index:
        flip(place, "segment.json")
        with pytest.raises(IndexCorrupt):
            index.remove(PAPERS[0].id)


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


@pytest.mark.slow
def test_a_damaged_copy_that_a_killed_writer_left_is_given_up(place, caplog):
    (generation,) = (place / "generations").iterdir()
    left = shutil.copytree(generation, generation.with_name(str(int(generation.name) + 1)))
    for path in left.rglob("segment.json"):
        path.write_text("{")
    with Index.open(place, embedder=HashingEmbedder()) as index:
        assert index.document_ids() == sorted(each.id for each in PAPERS)
        assert index.add(PAPERS).unchanged == len(PAPERS)
    assert "index those papers again" in caplog.text


def test_a_damaged_copy_is_all_there_is(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()):
        pass
    place = tmp_path / "papers.idx"
    (place / "CURRENT").unlink()
    for path in place.rglob("segment.json"):
        path.write_text("{")
    with pytest.raises(IndexCorrupt, match="make the index"):
        Index.open(place, embedder=HashingEmbedder())


@pytest.mark.parametrize("text", ["999", "x 3c9e", "", "\xff 1 2"])
def test_a_file_that_names_no_generation_is_told_as_it_is(tmp_path, text):
    (tmp_path / "CURRENT").write_text(text, "latin-1")
    with pytest.raises(IndexCorrupt, match=r"CURRENT holds '.*', not the number of a generation.*make the index again"):
        Generations(tmp_path).committed()


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


def opened(place):
    return Index.open(place, create=True, embedder=HashingEmbedder())


def test_an_index_is_not_begun_where_there_is_no_room(tmp_path, disk):
    disk(1)
    with pytest.raises(NoRoom, match=SAID):
        opened(tmp_path / "papers.idx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
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


def test_a_disk_that_fills_up_in_the_middle_keeps_what_was_written_and_is_read_when_full(tmp_path, disk, monkeypatch):
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
    monkeypatch.setattr(embedded_files, "has_room", lambda *_: False)
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


ENGINE = (embedded_store._translated, {"opening": True})
DISK = (embedded_files.disk_errors_reported, {})


@pytest.mark.parametrize(
    ("translated", "fault", "expected"),
    [
        (ENGINE, Exception("Service internal error: No space left on device (os error 28)"), NoRoom),
        (ENGINE, Exception("bad magic"), IndexCorrupt),
        (DISK, OSError(errno.ENOSPC, "No space left on device"), NoRoom),
        (DISK, PermissionError(errno.EACCES, "Permission denied"), PermissionError),
    ],
)
def test_what_is_said_of_the_disk_is_no_damage_and_other_faults_stay_what_they_are(
    tmp_path, translated, fault, expected
):
    reported, options = translated
    with pytest.raises(expected), reported(tmp_path, **options):
        raise fault
