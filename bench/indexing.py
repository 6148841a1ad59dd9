"""What indexing costs: files on all cores, a second run over papers that did not change, and memory.

    python -m bench.indexing
    python -m bench.indexing --papers 10      # PDFs to read; fewer, on a busy machine

The papers are the 80 full texts (JATS) of Evidence Inference, and the same texts printed as PDF, which take longest to
read. Reading side by side is compared with reading one file after the other, both orders, by index files alone: vectors
come from word hashes there. Peak memory is that of a process of its own which indexes 20,000 passages, model and all.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate

from bench.corpora import PAIRS, Counting, abstracts, up_to
from bench.gates import Gate, load, report
from programs.ingest import reader
from programs.ingest.reader import discover
from programs.ingest.reading import processes
from programs.retrieval.embedder import load_embedder
from programs.retrieval.files import FilesIndexed, index_files
from programs.retrieval.index import Index
from tests.benchmarks import BENCHMARKS
from tests.hashing_embedder import HashingEmbedder

PRINTED = 40
TURNS = 4
ALONE, TOGETHER = float("inf"), 0.0
"""Seconds of reading after which other processes read: never, and at once."""
PASSAGES = 20_000
GIB = 2**30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--papers", type=int, default=PRINTED, help="how many PDFs are read")
    parser.add_argument("--in-child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.in_child:
        index_passages()
        return
    if not BENCHMARKS.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        return
    held = []
    for name, measure in (("files", lambda: files(given.papers)), ("second run", second_run), ("memory", memory)):
        print(f"{name}: {load()}", flush=True)
        held.append(report(measure()))
    sys.exit(not all(held))


def files(papers: int) -> list[Gate]:
    """The same PDFs, read one after the other and side by side, in turns; what is indexed must be the same."""
    took: dict[float, list[float]] = {ALONE: [], TOGETHER: []}
    found: dict[float, set[str]] = {ALONE: set(), TOGETHER: set()}
    with tempfile.TemporaryDirectory() as folder:
        printed = [print_paper(path, Path(folder)) for path in trials()[:papers]]
        for turn in range(TURNS):
            for way in (ALONE, TOGETHER) if turn % 2 else (TOGETHER, ALONE):
                with patch.object(reader, "_LONG", way):
                    place = Path(folder, f"{way}-{turn}.idx")
                    began = time.perf_counter()
                    with Index.open(place, create=True, embedder=HashingEmbedder()) as index:
                        index_files(index, printed)
                    took[way].append(time.perf_counter() - began)
                    with Index.open(place, embedder=HashingEmbedder()) as index:
                        found[way].add(state_of(index))
    alone, together = (statistics.median(took[way]) for way in (ALONE, TOGETHER))
    return [
        Gate("PDFs", len(printed), at_least=PRINTED),
        Gate("one after the other, median s", alone),
        Gate("side by side, median s", together),
        Gate("side by side / one after the other", together / alone, at_most=0.75 if processes() > 1 else None),
        Gate("indexes that differ", len(found[ALONE] | found[TOGETHER]) - 1, at_most=0),
    ]


def trials() -> list[Path]:
    return sorted((BENCHMARKS / "evidence_inference" / "txt").glob("*.txt"))


def print_paper(path: Path, folder: Path) -> Path:
    """A text as a PDF of plain paragraphs."""
    styles, printed = getSampleStyleSheet(), folder / f"{path.stem}.pdf"
    paragraphs = [
        Paragraph(html.escape(each), styles["BodyText"]) for each in path.read_text("utf-8").split("\n") if each.strip()
    ]
    SimpleDocTemplate(str(printed)).build(paragraphs)
    return printed


def state_of(index: Index) -> str:
    """Every passage of an index as one digest, whatever order they were written in."""
    passages = sorted(repr(each) for known in index.documents() for each in index.chunks(known["id"]))
    return hashlib.sha256("\n".join(passages).encode()).hexdigest()


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
    command = [sys.executable, "-m", "bench.indexing", "--in-child"]
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
