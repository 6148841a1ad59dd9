"""Processes that are killed while they index, disks that fill up under them, and nodes of a cluster that die.

    python -m bench.hard_ends                  # 40 kills, 10 full disks where file systems can be mounted, a cluster
    python -m bench.hard_ends --only kills     # or disks, or node

The papers, and what must hold after a kill, are those of ``tests/programs/retrieval/test_kill.py``. The full
disks are five tmpfs and five ext4 in a file, each with more or less left free by a file in the way, from the start or
when a process has begun to write. An index of half of the papers is committed there; the process that adds the others
must end with an error of this project's that names the room, and everything committed must be there. With that file
deleted the next run must make the same index as one without faults.
Mounting takes root; where it is refused, that is said.

A node of a Qdrant cluster is killed under searches and writes, and the users of the index must not see it. The cluster
is ``tests.qdrant_cluster``: three nodes, six shards with two replicas, real HTTP. The node that is killed is the first
of the address, which all clients ask until then. A second run names that node alone.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bench.gates import Gate, load, report
from programs.errors import CorroborateError
from programs.ingest.document import Document
from programs.retrieval import embedded_store
from programs.retrieval.index import Index
from programs.retrieval.store import CollectionOptions
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS as PAPERS_OF_CLUSTER
from tests.papers import paper
from tests.programs.retrieval.test_kill import (
    LONGEST_WAIT,
    PAPERS,
    ROOT,
    check_whole,
    contents,
    corpus,
    killed_while_indexing,
    opened,
)
from tests.qdrant_cluster import QdrantCluster

KILLS = 40
DISK_MIB = 1024
FILLED = ((0.5, False), (3.0, False), (8.0, False), (0.5, True), (3.0, True))
"""MiB that are left free, and whether the disk fills up only when the process has begun to write."""
COMMITS, ENOUGH = 1, 280.0
"""Batches of which a process tells before the disk fills up, and MiB that are free until then."""
KILLED = 0
THREADS = 8
QUESTION = "How did femur density change in flight mice?"
SEARCHES, WRITES = 1_000, 100
_ZEROS = memoryview(bytes(8 * 2**20))
_ADD = "from bench.hard_ends import add; add({place!r})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and end with 1 where anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--only", choices=("kills", "disks", "node"))
    asked = parser.parse_args(arguments)
    embedded_store.STALE_SHARE = 0.0
    print(load(), flush=True)
    parts = {"kills": lambda: kills(asked.kills), "disks": disks, "node": node}
    gates = [gate for name, part in parts.items() if asked.only in (None, name) for gate in part()]
    sys.exit(not report(gates))


def kills(number: int) -> list[Gate]:
    """Kill at random moments, while papers are added and while they are replaced."""
    chance, lost, different = random.Random(16), 0, 0
    first, second = corpus(1), corpus(2)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "papers.idx")
        for version, allowed in ((1, [first]), (2, [first, second])):
            for _ in range(number // 2):
                if version == 1 and place.exists() and _is_complete(place):
                    with opened(place) as index:
                        for each in first[PAPERS // 4 :]:
                            index.remove(each.id)
                committed = killed_while_indexing(place, version, chance.randint(0, 1), chance.uniform(0, LONGEST_WAIT))
                with opened(place) as index:
                    there = check_whole(index, allowed)
                lost += [there.get(each.id) for each in allowed[-1][:committed]] != allowed[-1][:committed]
            different += not _completed(place, Path(folder, f"undisturbed{version}.idx"), allowed)
    return [
        Gate("kills", number),
        Gate("kills after which something committed was lost", lost, at_most=0),
        Gate("indexes that the next run did not complete", different, at_most=0),
    ]


def _is_complete(place: Path) -> bool:
    with opened(place) as index:
        return index.stats().documents == PAPERS


def _completed(place: Path, undisturbed: Path, allowed: Sequence[Sequence[object]]) -> bool:
    with opened(place) as index:
        index.add(allowed[-1])
        found = contents(index)
    with opened(undisturbed) as index:
        index.add(allowed[-1])
        return bool(found == contents(index))


def disks() -> list[Gate]:
    """Fill disks, and free them again."""
    reported = whole = completed = tried = 0
    for kind in ("tmpfs", "ext4"):
        for left, later in FILLED:
            with tempfile.TemporaryDirectory() as folder, mounted(kind, Path(folder)) as disk:
                if disk is None:
                    print(f"Not measured: {kind} cannot be mounted here.", flush=True)
                    break
                tried += 1
                outcome = _filled(disk, left, later=later)
                when = "while it is written to" if later else "before"
                print(f"{kind}, {left} MiB left free {when}: {outcome[3]}", flush=True)
                reported, whole, completed = reported + outcome[0], whole + outcome[1], completed + outcome[2]
    return [
        Gate("full disks", tried),
        Gate("reported with what to do", reported, at_least=tried),
        Gate("after which all that was committed was there", whole, at_least=tried),
        Gate("after which the next run completed", completed, at_least=tried),
    ]


def _filled(disk: Path, left: float, *, later: bool) -> tuple[bool, bool, bool, str]:
    place, papers = disk / "papers.idx", corpus(1)
    with opened(place) as index:
        index.add(papers[: PAPERS // 2])
    fill(disk / "in-the-way", ENOUGH if later else left)
    command = [sys.executable, "-c", _ADD.format(place=str(place))]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ran:
        if later:
            for _ in range(COMMITS):
                ran.stdout.readline()
            ran.send_signal(signal.SIGSTOP)  # a busy machine would fill the disk when the process has ended
            fill(disk / "in-the-way-too", left)
            ran.send_signal(signal.SIGCONT)
        _, printed = ran.communicate()
    said = (printed.strip().splitlines() or [f"rc {ran.returncode}, nothing said"])[-1]
    with opened(place) as index:
        there = check_whole(index, [papers])
    whole = all(there.get(each.id) == each for each in papers[: PAPERS // 2])
    for each in disk.glob("in-the-way*"):
        each.unlink()
    with tempfile.TemporaryDirectory() as other:
        completed = _completed(place, Path(other, "undisturbed.idx"), [papers])
    return ran.returncode == 1 and "NoRoom: " in said and "Free some space" in said, whole, completed, said[-230:]


def add(place: str) -> None:
    """The work of a process on a full disk."""
    from tests.programs.retrieval.test_kill import index_all

    index_all(Path(place), 1)


def fill(path: Path, left: float) -> None:
    """Write a file until so many MiB are free, or less where another process writes meanwhile."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while (size := int(shutil.disk_usage(path.parent).free - left * 2**20)) > 0:
            file.write(_ZEROS[:size])


@contextmanager
def mounted(kind: str, folder: Path) -> Iterator[Path | None]:
    """A small file system, or None where this user may not mount one."""
    disk, image = folder / "disk", folder / "image"
    disk.mkdir()
    if kind == "tmpfs":
        commands = [["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(disk)]]
    else:
        image.touch()
        os.truncate(image, DISK_MIB * 2**20)
        commands = [["mkfs.ext4", "-q", "-m", "0", str(image)], ["mount", "-o", "loop", str(image), str(disk)]]
    if any(subprocess.run(each, check=False, capture_output=True).returncode for each in commands):
        yield None
        return
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@dataclass
class Seen:
    """What users of the index saw.

    Attributes:
        errors: Messages.
        results: Different results of the one question that all searches ask.
        confirmed: Papers that were written without an error.
        lost: Those of them that are not there in the end.
        after: Searches and writes that were done after the node was killed.
        slowest: Seconds of the slowest search.
    """

    errors: list[str] = field(default_factory=list)
    results: set[tuple[str, ...]] = field(default_factory=set)
    confirmed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    after: int = 0
    slowest: float = 0.0


def killed_under_load(searches: int, writes: int, *, one_address: bool = False) -> Seen:
    """Search and write, and kill a node when half is done."""
    with QdrantCluster() as cluster:
        place = f"{cluster.nodes[KILLED].url if one_address else cluster.address}/papers"
        options = CollectionOptions(shards=6, replicas=2)
        with Index.open(place, create=True, embedder=HashingEmbedder(), options=options) as index:
            index.add(PAPERS_OF_CLUSTER)
            seen = _used(index, cluster, searches, writes)
        with Index.open(f"{cluster.nodes[KILLED + 1].url}/papers", embedder=HashingEmbedder()) as index:
            there = set(index.document_ids())
            seen.lost = [each for each in seen.confirmed if each not in there]
    return seen


def _used(index: Index, cluster: QdrantCluster, searches: int, writes: int) -> Seen:
    seen, done, lock = Seen(), count(1), threading.Lock()
    half = (searches + writes) // 2

    def use(work: Callable[[], object]) -> None:
        began = time.perf_counter()
        try:
            work()
        except CorroborateError as error:
            seen.errors.append(str(error))
        with lock:
            number = next(done)
            seen.after += number > half
            seen.slowest = max(seen.slowest, time.perf_counter() - began)
        if number == half:
            cluster.kill(KILLED)

    def search() -> None:
        hits = index.search(QUESTION, k=3, filters={"organism": "Mus musculus"})
        seen.results.add(tuple(hit.chunk.id for hit in hits))

    def write(added: Document) -> None:
        index.add([added])
        seen.confirmed.append(added.id)

    added = [paper(f"new{number}", f"Roots of cress number {number} grew in orbit.") for number in range(writes)]
    with ThreadPoolExecutor(THREADS) as pool, ThreadPoolExecutor(1) as writer:
        waited = [writer.submit(use, lambda each=each: write(each)) for each in added]
        waited += [pool.submit(use, search) for _ in range(searches)]
    for each in waited:
        each.result()
    return seen


def node() -> list[Gate]:
    """Searches and writes while a node dies."""
    logging.disable(logging.WARNING)
    seen, alone = (killed_under_load(SEARCHES, WRITES, one_address=each) for each in (False, True))
    return [
        Gate("searches and writes", SEARCHES + WRITES),
        Gate("of these after the node was killed", seen.after, at_least=1),
        Gate("errors", len(seen.errors), at_most=0),
        Gate("different results of one question", len(seen.results), at_least=1, at_most=1),
        Gate("confirmed writes that were lost", len(seen.lost), at_most=0),
        Gate("slowest search, s", seen.slowest),
        Gate("errors with the address of that node alone", len(alone.errors)),
        Gate("of so many searches and writes after the kill", alone.after),
    ]


if __name__ == "__main__":
    main()
