"""Processes that are killed while they index, and disks that fill up under them.

    python -m bench.hard_ends                      # 40 kills, and 10 full disks where file systems can be mounted
    python -m bench.hard_ends --only kills

The papers, and what must hold after a kill, are those of ``tests/programs/retrieval/embedded/test_kill.py``. The full
disks are five tmpfs and five ext4 in a file, each with more or less left free by a file in the way, from the start or
when a process has begun to write. An index of half of the papers is committed there; the process that adds the others
must end with an error of this project's that names the room, and everything committed must be there. With that file
deleted the next run must make the same index as one without faults.
Mounting takes root; where it is refused, that is said.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.gates import Gate, load, report
from programs.retrieval import embedded_engine as edge_engine
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

KILLS = 40
DISK_MIB = 1024
FILLED = ((0.5, False), (3.0, False), (8.0, False), (0.5, True), (3.0, True))
"""MiB that are left free, and whether the disk fills up only when the process has begun to write."""
COMMITS, ENOUGH = 1, 280.0
"""Batches of which a process tells before the disk fills up, and MiB that are free until then."""
_ZEROS = memoryview(bytes(8 * 2**20))
_ADD = "from bench.hard_ends import add; add({place!r})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and end with 1 where anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--only", choices=("kills", "disks"))
    asked = parser.parse_args(arguments)
    edge_engine.STALE_SHARE = 0.0
    print(load(), flush=True)
    gates = [] if asked.only == "disks" else kills(asked.kills)
    gates += [] if asked.only == "kills" else disks()
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
    told = whole = completed = tried = 0
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
                told, whole, completed = told + outcome[0], whole + outcome[1], completed + outcome[2]
    return [
        Gate("full disks", tried),
        Gate("that were told of with what to do", told, at_least=tried),
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
        _, told = ran.communicate()
    said = (told.strip().splitlines() or [f"rc {ran.returncode}, nothing said"])[-1]
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


if __name__ == "__main__":
    main()
