"""Fuzzes papers, answers, states, runs, requests and more: ``python -m tests.fuzz --inputs 1000 --seed 0 --resume``.

Inputs are numbered, and each is made from the seed and its number alone. They are given to processes that are stopped
when one takes too long. A find is an error without a type of this project's, more than 10 seconds or 500 MB for
one input, a process that died, or a forgery that passed; it is kept in the folder with its input. The run ends with
exit code 1 if there are finds. What is done stands in the folder's ``done.txt``, and ``--resume`` goes on behind it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TextIO

from tests.fuzz.workers import FOUND, SUBJECTS, Worker


def main() -> None:
    """Fuzz, and tell what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on where a run with this seed was stopped")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--only", nargs="+", default=[], choices=SUBJECTS, help="fuzz nothing else")
    asked = parser.parse_args()
    folder: Path = asked.output / "-".join([f"seed-{asked.seed}", *asked.only])
    folder.mkdir(parents=True, exist_ok=True)
    finished = folder / "done.txt"
    if not asked.resume:
        finished.unlink(missing_ok=True)
    lines = finished.read_text(encoding="utf-8").splitlines() if finished.exists() else []
    done = {int(line.split("\t")[0]): line.split("\t")[1] for line in lines if line.count("\t") == 1}
    numbers = iter([number for number in range(asked.inputs) if number not in done])
    began = time.monotonic()
    with finished.open("a", encoding="utf-8") as log, ThreadPoolExecutor(asked.processes) as pool:
        for outcomes in pool.map(
            lambda _: list(_worked(asked.seed, asked.only, numbers, folder, log)), range(asked.processes)
        ):
            done.update(outcomes)
    counts = Counter(done[number] for number in done if number < asked.inputs)
    for outcome, count in counts.most_common():
        print(f"{count:8}  {outcome}")
    found = sum(count for outcome, count in counts.items() if outcome.startswith(FOUND))
    print(f"{counts.total()} inputs, {found} finds, {time.monotonic() - began:.0f} s; they are in {folder}")
    sys.exit(bool(found))


def _worked(
    seed: int, only: Sequence[str], numbers: Iterator[int], folder: Path, log: TextIO
) -> Iterator[tuple[int, str]]:
    """Have a process do inputs until there are none; another takes its place when it is stopped."""
    worker: Worker | None = None
    for number in numbers:
        worker = worker or Worker(seed, folder, only)
        outcome = worker.outcome(number)
        if outcome.startswith(FOUND):
            (folder / f"{number}.txt").write_text(f"{outcome}\nseed {seed}, input {number}\n", encoding="utf-8")
            worker.stop()
            worker = None
        replay_report = outcome.splitlines()[0].replace("\t", " ")
        print(number, replay_report, sep="\t", file=log, flush=True)
        yield number, replay_report
    if worker:
        worker.stop()


if __name__ == "__main__":
    main()
