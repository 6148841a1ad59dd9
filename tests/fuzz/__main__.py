"""Fuzzes papers, answers, states, runs, requests and more: ``python -m tests.fuzz --inputs 1000 --seed 0 --resume``.

Inputs are numbered, and each is made from the seed and its number alone. They are given to a process that is ended
when one takes too long. A find is an error without a type of this project's, more than 10 seconds or 500 MB for one
input, a process that died, or a forgery that passed; it is kept in the folder with its input. The run ends with exit
code 1 if there are finds. What is done stands in the folder's ``done.txt``, and ``--resume`` goes on behind it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.fuzz.outcomes import FOUND, SECONDS, outcome_of
from tests.fuzz.subjects import SUBJECTS

_SILENCE = 600.0
"""Seconds in which an input must be done, however little processor time there is for it."""


def main() -> None:
    """Fuzz, and tell what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on where a run with this seed was stopped")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--only", nargs="+", default=[], choices=SUBJECTS, help="fuzz nothing else")
    asked = parser.parse_args()
    folder: Path = asked.output / "-".join([f"seed-{asked.seed}", *asked.only])
    folder.mkdir(parents=True, exist_ok=True)
    finished = folder / "done.txt"
    if not asked.resume:
        finished.unlink(missing_ok=True)
    lines = finished.read_text(encoding="utf-8").splitlines() if finished.exists() else []
    known = {int(line.split("\t")[0]): line.split("\t")[1] for line in lines if line.count("\t") == 1}
    began = time.monotonic()
    left = [number for number in range(asked.inputs) if number not in known]
    with finished.open("a", encoding="utf-8") as log:
        for number, outcome in _outcomes(asked.seed, asked.only, left, folder):
            if outcome.startswith(FOUND):
                (folder / f"{number}.txt").write_text(f"{outcome}\nseed {asked.seed}, input {number}\n", "utf-8")
            known[number] = outcome.splitlines()[0].replace("\t", " ")
            print(number, known[number], sep="\t", file=log, flush=True)
    counts = Counter(known[number] for number in known if number < asked.inputs)
    for outcome, count in counts.most_common():
        print(f"{count:8}  {outcome}")
    found = sum(count for outcome, count in counts.items() if outcome.startswith(FOUND))
    print(f"{counts.total()} inputs, {found} finds, {time.monotonic() - began:.0f} s; they are in {folder}")
    sys.exit(bool(found))


def _outcomes(seed: int, only: Sequence[str], numbers: Iterable[int], folder: Path) -> Iterator[tuple[int, str]]:
    """What became of each input in a process; another takes its place where it died or does not come back."""
    context = multiprocessing.get_context("spawn")
    pool = context.Pool(1)
    for number in numbers:
        asked = pool.apply_async(outcome_of, (seed, number, only, folder))
        try:
            yield number, asked.get(_SILENCE)
        except multiprocessing.TimeoutError:
            pool.terminate()
            pool = context.Pool(1)
            yield number, f"{FOUND} a process that died or took more than {3 * SECONDS} seconds"
    pool.terminate()


if __name__ == "__main__":
    main()
