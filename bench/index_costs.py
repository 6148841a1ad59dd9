"""What an index costs: files on all cores, a second run, memory, and how it grows.

    python -m bench.index_costs                            # all but growth
    python -m bench.index_costs --only files --papers 10   # PDFs to read; or again, memory
    python -m bench.index_costs --only growth              # 13,000, 53,000 and 212,000 passages; or --sizes 13000 20008

The papers are the 80 full texts (JATS) of Evidence Inference, and the same texts printed as PDF, which take longest to
read. Reading side by side is compared with reading one file after the other, both orders, by index files alone: vectors
come from word hashes there. Peak memory is that of a separate process which indexes 20,000 passages, model and all.

Growth is to 13,000, 53,000 and 212,000 passages, the first 20,008 of which are two sentences each of SciFact's
abstracts, with their vectors by the default model. The others are made of these: the first 70 % of the words of one,
the last 30 % of another that is drawn by chance (seed 0), and as vector the unit sum of their vectors by the same
shares. Made ones lie between real ones, so there are more near neighbours than in a real library, which makes recall
harder. Questions are SciFact's 300 judged claims, their vectors given: what is measured is the index, not the model.
A process of its own opens the index, asks every question in three rounds, and the quickest of a question's three times
counts, since other work on the machine only adds. Its memory is read before the index is opened, and at the end.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate

from bench.corpora import PAIRS, Counting, Prepared, abstracts, claims, needs_benchmarks, passages, up_to
from bench.gates import Gate, load, report
from programs.ingest import formats
from programs.ingest.document import Chunk, Document
from programs.ingest.formats import discover
from programs.ingest.reader_processes import processes
from programs.retrieval import records
from programs.retrieval.embedder import load_embedder
from programs.retrieval.file_indexing import FilesIndexed, index_files
from programs.retrieval.index import ARM_DEPTH, Index
from programs.retrieval.passage_collection import BATCH_CHUNKS
from programs.retrieval.store import Bm25, StoredPoint, Vector
from tests.benchmarks import BENCHMARKS
from tests.hashing_embedder import HashingEmbedder

PRINTED = 40
TURNS = 4
ALONE, TOGETHER = float("inf"), 0.0
"""Seconds of reading after which other processes read: never, and at once."""
PASSAGES = 20_000
GIB = 2**30
SIZES = (13_000, 53_000, 212_000)
A_PAPER = 5
"""Passages of a made paper, as many as an abstract has."""
FIRST = 0.7
TOP = 20
ROUNDS = 3
MIB = 2**20


@dataclass(frozen=True)
class Grown:
    """Texts and vectors of all passages, in the order in which they are written."""

    texts: list[str]
    vectors: Vector


class Given:
    """The questions' vectors by their texts; a model is not loaded."""

    def __init__(self, name: str, texts: Sequence[str], vectors: Vector) -> None:
        self.name, self.dimension = name, vectors.shape[1]
        self._rows = dict(zip(texts, vectors, strict=True))

    def embed(self, texts: Sequence[str]) -> Vector:
        return np.stack([self._rows[each] for each in texts])

    embed_query = embed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("files", "again", "memory", "growth"))
    parser.add_argument("--papers", type=int, default=PRINTED, help="how many PDFs are read")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--in-child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--ask", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_child:
        index_passages()
        return
    if options.ask:
        ask(options.ask)
        return
    needs_benchmarks()
    parts = {
        "files": lambda: files(options.papers),
        "again": second_run,
        "memory": memory,
        "growth": lambda: growth(sorted(options.sizes)),
    }
    held = []
    for name in [options.only] if options.only else ("files", "again", "memory"):
        print(f"\n{name}; {load()}", flush=True)
        held.append(report(parts[name]()))
    sys.exit(not all(held))


def files(papers: int) -> list[Gate]:
    """The same PDFs, read one after the other and side by side, in turns; what is indexed must be the same."""
    took: dict[float, list[float]] = {ALONE: [], TOGETHER: []}
    found: dict[float, set[str]] = {ALONE: set(), TOGETHER: set()}
    with tempfile.TemporaryDirectory() as folder:
        printed = [print_paper(path, Path(folder)) for path in trials()[:papers]]
        for turn in range(TURNS):
            for way in (ALONE, TOGETHER) if turn % 2 else (TOGETHER, ALONE):
                with patch.object(formats, "_LONG", way):
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
    found = sorted(repr(each) for known in index.documents() for each in index.chunks(known["id"]))
    return hashlib.sha256("\n".join(found).encode()).hexdigest()


def second_run() -> list[Gate]:
    """Index the papers, and again in a fresh opening of the index."""
    embedder = Counting(load_embedder())
    embedder.embed(["Loading the model is not part of the first run's time."])
    papers = discover([BENCHMARKS / "evidence_inference" / "nxml"])
    with tempfile.TemporaryDirectory() as folder:
        first, first_took = timed(Path(folder), papers, embedder)
        embedded = embedder.embedded
        second, second_took = timed(Path(folder), papers, embedder)
    return [
        Gate("papers read", first.indexed.added, at_least=len(papers)),
        Gate("passages", first.indexed.chunks),
        Gate("first run, s", first_took),
        Gate("second run, s", second_took),
        Gate("second run / first run", second_took / first_took, at_most=0.02),
        Gate("papers found unchanged", second.indexed.unchanged, at_least=len(papers)),
        Gate("passages embedded again", embedder.embedded - embedded, at_most=0),
    ]


def timed(folder: Path, papers: list[Path], embedder: Counting) -> tuple[FilesIndexed, float]:
    began = time.perf_counter()
    with Index.open(folder / "papers.idx", create=True, embedder=embedder) as index:
        done = index_files(index, papers)
    return done, time.perf_counter() - began


def memory() -> list[Gate]:
    """Peak resident memory of a child that indexes, in GiB."""
    command = [sys.executable, "-m", "bench.index_costs", "--in-child"]
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


def growth(sizes: Sequence[int]) -> list[Gate]:
    """Grow an index to one size after the other, and ask it at each."""
    embedder, questions = load_embedder(), claims().texts
    real = passages(up_to(PASSAGES, abstracts(), PAIRS), PAIRS)
    vectors = Prepared(embedder, [*real, *questions]).embed([*real, *questions])
    asked = vectors[len(real) :]
    grown = grow(real, vectors[: len(real)], sizes[-1])
    gates: list[Gate] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "vectors.npy", asked, allow_pickle=False)
        (folder / "asked.json").write_text(json.dumps({"name": embedder.name, "texts": questions}), encoding="utf-8")
        for start, end in pairwise((0, *sizes)):
            began = time.perf_counter()
            given = Given(embedder.name, questions, asked)
            with Index.open(folder / "grown.idx", create=True, embedder=given, chunking=PAIRS) as index:
                write(index, grown, start, end)
            gates += process_gates(folder, end, grown, asked, time.perf_counter() - began)
    return gates


def grow(texts: Sequence[str], vectors: Vector, size: int) -> Grown:
    """The real passages, and as many made ones as are lacking."""
    chance, made = random.Random(0), np.random.default_rng(0)
    if size <= len(texts):
        return Grown(list(texts[:size]), vectors[:size])
    first = np.arange(size - len(texts)) % len(texts)
    other = made.integers(0, len(texts), len(first))
    mixed = FIRST * vectors[first] + (1 - FIRST) * vectors[other]
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    both = (_mixed(texts[one], texts[two], chance) for one, two in zip(first, other, strict=True))
    return Grown([*texts, *both], np.concatenate([vectors, mixed]).astype(np.float32))


def _mixed(one: str, other: str, chance: random.Random) -> str:
    """The first words of one, the last of the other, and a number, so that no two are alike."""
    first, last = one.split(), other.split()
    kept = first[: round(FIRST * len(first))] + last[round(FIRST * len(last)) :]
    return " ".join([*kept, f"n{chance.randrange(10**9)}."])


def write(index: Index, grown: Grown, start: int, end: int) -> None:
    """Write passages as an index does, with the vectors given."""
    bm25, store = Bm25(), index.store
    points: list[StoredPoint] = []
    with index.writing():
        for document, chunks, rows in papers(grown, start, end):
            points += [
                records.chunk_point(
                    chunk, document, document.content_hash, grown.vectors[row], bm25.document(chunk.text)
                )
                for chunk, row in zip(chunks, rows, strict=True)
            ]
            points.append(records.document_point(document, document.content_hash, len(chunks), "", replacing=False))
            if len(points) >= BATCH_CHUNKS:
                store.upsert(points)
                points = []
        store.upsert(points)
        store.optimize()


def papers(grown: Grown, start: int, end: int) -> Iterator[tuple[Document, list[Chunk], range]]:
    for first in range(start, end, A_PAPER):
        rows, text, chunks = range(first, min(first + A_PAPER, end)), "", []
        name = f"paper{first}"
        for row in rows:
            place, text = len(text), f"{text}{grown.texts[row]}\n\n"
            chunks.append(
                Chunk(f"{name}::{row}", name, "abstract", "text", grown.texts[row], place, len(text) - 2, "Abstract")
            )
        yield Document(name, text, title="", year=1990 + first % 30), chunks, rows


def process_gates(folder: Path, size: int, grown: Grown, asked: Vector, took: float) -> list[Gate]:
    """What a process of its own found, as gates."""
    command = [sys.executable, "-m", "bench.index_costs", "--ask", str(folder)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    recall = _recall(found["nearest"], grown.vectors[:size], asked)
    disk = sum(each.stat().st_blocks * 512 for each in (folder / "grown.idx").rglob("*") if each.is_file())
    print(f"{size:,} passages: {load()}", flush=True)
    return [
        Gate(f"{size}: passages", found["passages"], at_least=size, at_most=size),
        Gate(f"{size}: written in s, vectors given", took),
        Gate(f"{size}: opened in s", found["opened"]),
        Gate(f"{size}: a query, p50 ms", found["p50"]),
        Gate(f"{size}: a query, p95 ms", found["p95"]),
        Gate(f"{size}: MiB of the process before it opened the index", found["before"]),
        Gate(f"{size}: MiB at its end, mapped files of the index among them", found["after"]),
        Gate(f"{size}: MiB on disk", disk / MIB),
        Gate(f"{size}: recall of the exact {TOP} nearest", recall, at_least=0.99),
    ]


def _recall(nearest: Sequence[Sequence[int]], vectors: Vector, asked: Vector) -> float:
    shares = []
    for found, vector in zip(nearest, asked, strict=True):
        similarities = vectors @ vector
        least = np.partition(similarities, -TOP)[-TOP] - 1e-5
        shares.append(sum(similarities[row] >= least for row in found[:TOP]) / TOP)
    return float(np.mean(shares))


def ask(folder: Path) -> None:
    """Be the process that asks; print what was found as JSON."""
    about = json.loads((folder / "asked.json").read_text(encoding="utf-8"))
    vectors = np.load(folder / "vectors.npy", allow_pickle=False)
    given = Given(about["name"], about["texts"], vectors)
    before = _resident()
    began = time.perf_counter()
    with Index.open(folder / "grown.idx", embedder=given) as index:
        found: dict[str, Any] = {"opened": time.perf_counter() - began, "before": before}
        taken = [[_seconds(index, text) for text in about["texts"]] for _ in range(ROUNDS)]
        times = 1e3 * np.min(taken, axis=0)
        found |= {"p50": float(np.percentile(times, 50)), "p95": float(np.percentile(times, 95)), "after": _resident()}
        found["passages"] = index.stats().chunks
        ranked = [list(index.store.query([vector], ARM_DEPTH, ())[0])[:TOP] for vector in vectors]
        payloads = index.store.retrieve(sorted({each for one in ranked for each in one}), ["chunk"])
    found["nearest"] = [[int(payloads[each]["chunk"].rpartition("::")[2]) for each in one] for one in ranked]
    print(json.dumps(found))


def _seconds(index: Index, text: str) -> float:
    began = time.perf_counter()
    assert index.search(text, k=10)
    return time.perf_counter() - began


def _resident() -> float:
    """MiB of this process that are in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / MIB


if __name__ == "__main__":
    main()
