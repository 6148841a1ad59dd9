"""Eight processes search one index while another writes to it: every result is that of a state that was committed.

    python -m bench.many_readers

The papers are abstracts of SciFact. The writer replaces, adds and removes some of them again and again, and notes after
each commit what every question finds. A reader's result is wrong if it is not, to the last digit of its scores, that of
a committed state, if it is of an earlier state than the reader's last one, or if the paper of its best passage is not
there whole. Vectors come from word hashes: what is measured is the index, not the model.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from bench.corpora import abstracts, claims
from bench.gates import Gate, load, report
from programs.errors import CorroborateError
from programs.ingest.chunking import chunk
from programs.ingest.document import Document
from programs.retrieval.embedded_engine import EdgeEngine
from programs.retrieval.index import Index
from tests.benchmarks import BENCHMARKS
from tests.hashing_embedder import HashingEmbedder

READERS = 8
SEARCHES = 10_000
PAPERS = 300
CHANGED = 40
"""Papers that a commit replaces; as many are added, and as many removed."""
PAUSE = 1.0
"""Seconds between a commit and the next writing: a reader that finds another state at each search is of no use."""
QUESTIONS = 25
OPENINGS = 7
MOST_TO_OPEN = 3.0
"""A small index opens in little more than it takes to copy what an engine rewrites; of 20,000 passages it is 1.4."""
LATENCIES = 300


@dataclass(frozen=True)
class Read:
    """What one search of a reader found, as digests of its results."""

    question: int
    found: str
    is_whole: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--searches", type=int, default=SEARCHES, help="of all readers together; fewer miss the gate")
    parser.add_argument("--reader", metavar="INDEX", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.reader:
        read(Path(given.reader), given.searches // READERS)
        return
    if not BENCHMARKS.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        return
    print(load(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        gates = measured(Path(folder, "papers.idx"), given.searches)
    sys.exit(not report(gates))


def measured(place: Path, searches: int) -> list[Gate]:
    with opened(place, create=True) as index:
        index.add(version(0))
        states = [found_in(index)]
        alone = latency(index)
        command = [
            sys.executable,
            "-m",
            "bench.many_readers",
            "--searches",
            str(searches),
            "--reader",
            str(place),
        ]
        said = [place.with_name(f"reader{number}.json") for number in range(READERS)]
        readers = [subprocess.Popen(command, stdout=each.open("wb")) for each in said]  # more than a pipe holds
        while any(reader.poll() is None for reader in readers):
            write(index, len(states))
            states.append(found_in(index))
            time.sleep(PAUSE)
    ended = [json.loads(each.read_bytes()) for each in said]
    reads = [[Read(*each) for each in one["reads"]] for one in ended]
    return [
        Gate("searches", sum(map(len, reads)), at_least=SEARCHES),
        Gate("readers that failed", sum(reader.returncode != 0 for reader in readers), at_most=0),
        Gate("searches that raised an error", sum(one["errors"] for one in ended), at_most=0),
        Gate("wrong results", sum(wrong(each, states) for each in reads), at_most=0),
        Gate("states committed meanwhile", len(states) - 1, at_least=5),
        Gate(
            "states that a reader saw, least",
            min(len({one.found for one in each if not one.question}) for each in reads),
            at_least=3,
        ),
        Gate("states on the disk afterwards", len(list((place / "generations").iterdir())), at_most=1),
        Gate("search alone, median ms", alone),
        *opening(place),
    ]


def wrong(reads: Sequence[Read], states: Sequence[Sequence[str]]) -> int:
    """How many of a reader's results are of no committed state, of one before its last, or of half a paper."""
    count, last = 0, 0
    for one in reads:
        fits = [number for number in range(last, len(states)) if states[number][one.question] == one.found]
        count += not fits or not one.is_whole
        last = fits[0] if fits else last
    return count


def opening(place: Path) -> list[Gate]:
    """What it costs to open a state that others may read, beside an engine that has its files for itself."""
    (state,) = (place / "generations").iterdir()
    own = place.with_name("own")
    shutil.copytree(state, own)

    def engine() -> None:
        EdgeEngine.load(own, own).close()

    def index() -> None:
        with opened(place):
            pass

    took: dict[Callable[[], None], list[float]] = {engine: [], index: []}
    for number in range(OPENINGS):
        for way in (engine, index) if number % 2 else (index, engine):
            began = time.perf_counter()
            way()
            took[way].append(time.perf_counter() - began)
    return [
        Gate("open and close the index, median s", statistics.median(took[index])),
        Gate(
            "the same / an engine of its own",
            statistics.median(took[index]) / statistics.median(took[engine]),
            at_most=MOST_TO_OPEN,
        ),
    ]


def version(number: int) -> list[Document]:
    """Papers as they are after so many commits: a window that moves over SciFact, with some written anew."""
    chosen = islice(abstracts(), number * CHANGED, number * CHANGED + PAPERS)
    return [
        replace(each, text=f"{each.text} Revision {number}.") if place < CHANGED else each
        for place, each in enumerate(chosen)
    ]


def write(index: Index, number: int) -> None:
    papers = version(number)
    gone = {each["id"] for each in index.documents()} - {each.id for each in papers}
    with index.writing():
        for document_id in sorted(gone):
            index.remove(document_id)
        index.add(papers)


def read(place: Path, searches: int) -> None:
    """A reader's work; prints what it found."""
    errors, reads = 0, []
    with opened(place) as index:
        for number in range(searches):
            question = number % QUESTIONS
            try:
                with index.reading():
                    hits = index.search(questions()[question], k=20)
                    reads.append((question, digest(hits), is_whole(index, hits[0].chunk.document_id)))
            except CorroborateError as error:
                print(error, file=sys.stderr)
                errors += 1
    print(json.dumps({"errors": errors, "reads": reads}))


def is_whole(index: Index, document_id: str) -> bool:
    document = index.document(document_id)
    return index.chunks(document_id) == chunk(document, index.chunking)


def found_in(index: Index) -> list[str]:
    with index.reading():
        return [digest(index.search(question, k=20)) for question in questions()]


def latency(index: Index) -> float:
    took = []
    for number in range(LATENCIES):
        began = time.perf_counter()
        index.search(questions()[number % QUESTIONS], k=10)
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1000


def digest(hits: Sequence[object]) -> str:
    return hashlib.sha256(repr(hits).encode()).hexdigest()


@functools.cache
def questions() -> list[str]:
    return claims().texts[:QUESTIONS]


def opened(place: Path, *, create: bool = False) -> Index:
    return Index.open(place, create=create, embedder=HashingEmbedder())


if __name__ == "__main__":
    main()
