"""What a question costs from the shell: a cold `retrieve` and `ask` on an index of 20,000 passages.

    python -m bench.start_up [--rounds 7]

Each command runs in separate processes. Seconds of processor time say the same on a busy machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.corpora import PAIRS, Prepared, abstracts, needs_benchmarks, passages, up_to
from bench.gates import Gate, load, report
from programs.retrieval.embedder import load_embedder
from programs.retrieval.index import Index

PASSAGES = 20_000
QUESTION = "Does vitamin D deficiency raise the risk of fractures?"
ROOT = Path(__file__).resolve().parents[1]
MIB = 2**20
COMMANDS: dict[str, float | None] = {
    "retrieve --order none": 1.5,
    "retrieve": 1.5,
    "ask --program multi_signal": None,
    "ask --program rag_fusion": None,
}
"""Seconds at most."""
IDLE = 1.0
"""Load average below which seconds are held against their limit."""


@dataclass(frozen=True)
class Run:
    """One process: wall clock and processor time in seconds, and peak memory in MiB."""

    seconds: float
    processor: float
    memory: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="Runs of each command.")
    rounds = parser.parse_args().rounds
    needs_benchmarks()
    documents = up_to(PASSAGES, abstracts(), PAIRS)
    prepared = Prepared(load_embedder(), passages(documents, PAIRS))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "papers.idx")
        with Index.open(place, create=True, embedder=prepared, chunking=PAIRS) as index:
            index.add(documents)
        print(load(), flush=True)
        held = [report(measured(command, place, rounds)) for command in COMMANDS]
    sys.exit(not all(held))


def measured(command: str, index: Path, rounds: int) -> list[Gate]:
    name, *options = command.split()
    arguments = [name, QUESTION, "--format", "json", *options, "--index", str(index)]
    called(arguments)  # reads from the disk, and makes what is made once
    runs = [called(arguments) for _ in range(rounds)]
    return [
        Gate(
            f"{command}: seconds",
            median(run.seconds for run in runs),
            at_most=COMMANDS[command] if os.getloadavg()[0] < IDLE else None,
        ),
        Gate(f"{command}: processor seconds", median(run.processor for run in runs)),
        Gate(f"{command}: peak memory, MiB", max(run.memory for run in runs), at_most=400),
    ]


def called(arguments: list[str]) -> Run:
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "programs", *arguments], cwd=ROOT, stdout=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - began
    if child.returncode:
        raise SystemExit(f"{arguments} ended with {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024  # bytes on macOS, KiB elsewhere
    return Run(took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / MIB)


if __name__ == "__main__":
    main()
