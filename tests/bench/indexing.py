"""What indexing costs: a second run over papers that did not change, and memory.

    python -m tests.bench.indexing

The papers are the 80 full texts (JATS) of Evidence Inference. Peak memory is that of a process of its own which indexes
20,000 passages, model and all.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from programs.ingest.reader import discover
from programs.retrieval.embedder import load_embedder
from programs.retrieval.files import FilesIndexed, index_files
from programs.retrieval.index import Index
from tests.bench.corpora import PAIRS, Counting, abstracts, up_to
from tests.bench.gates import Gate, load, report
from tests.benchmarks import BENCHMARKS

PASSAGES = 20_000
GIB = 2**30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--in-child", action="store_true", help=argparse.SUPPRESS)
    if parser.parse_args().in_child:
        index_passages()
        return
    if not BENCHMARKS.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        return
    print(f"second run: {load()}", flush=True)
    unchanged = report(second_run())
    print(f"memory: {load()}", flush=True)
    sys.exit(not (report(memory()) and unchanged))


def second_run() -> list[Gate]:
    """Index the papers, and again in a fresh opening of the index."""
    embedder = Counting(load_embedder())
    embedder.embed(["Loading the model is not part of the first run's time."])
    papers = discover([BENCHMARKS / "evidence_inference" / "nxml"])
    with tempfile.TemporaryDirectory() as folder:
        first, first_took = run(Path(folder), papers, embedder)
        embedded = embedder.embedded
        second, second_took = run(Path(folder), papers, embedder)
    return [
        Gate("papers read", first.indexed.added, at_least=len(papers)),
        Gate("passages", first.indexed.chunks),
        Gate("first run, s", first_took),
        Gate("second run, s", second_took),
        Gate("second run / first run", second_took / first_took, at_most=0.02),
        Gate("papers found unchanged", second.indexed.unchanged, at_least=len(papers)),
        Gate("passages embedded again", embedder.embedded - embedded, at_most=0),
    ]


def run(folder: Path, papers: list[Path], embedder: Counting) -> tuple[FilesIndexed, float]:
    began = time.perf_counter()
    with Index.open(folder / "papers.idx", create=True, embedder=embedder) as index:
        done = index_files(index, papers)
    return done, time.perf_counter() - began


def memory() -> list[Gate]:
    """Peak resident memory of a child that indexes, in GiB."""
    command = [sys.executable, "-m", "tests.bench.indexing", "--in-child"]
    chunks, peak = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return [
        Gate("passages", int(chunks), at_least=PASSAGES),
        Gate("peak memory, GiB", int(peak) / GIB, at_most=1.5),
    ]


def index_passages() -> None:
    documents = up_to(PASSAGES, abstracts(), PAIRS)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "bench.idx")
        with Index.open(place, create=True, embedder=load_embedder(), chunking=PAIRS) as index:
            chunks = index.add(documents).chunks
    unit = 1 if sys.platform == "darwin" else 1024  # bytes on macOS, KiB elsewhere
    print(chunks, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


if __name__ == "__main__":
    main()
