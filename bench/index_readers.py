"""What the readers of an index see: while another process writes to it, and when bits of its files are flipped.

    python -m bench.index_readers                        # both
    python -m bench.index_readers --only flips           # 500 flips of an index of 26 papers, seed 0
    python -m bench.index_readers --only writer          # eight readers beside a writer

Half of the flips fall into files by the number of their bytes that are not 0, half into each file as often as into any
other, and always into such a byte: the engine's files are mostly holes, which nobody reads. After each flip a process
of its own reads all papers and passages, and searches. A text, title or heading that was not stored is a silent change;
so is a passage that is under another's id. What else came of it is counted: an error of this project's, an untyped
one, a process that died, a ranking that is another (a vector changed), papers or passages that are not there.

The papers beside the writer are abstracts of SciFact. It replaces, adds and removes some of them again and again, and
notes after each commit what every question finds. A reader's result is wrong if it is not, to the last digit of its
scores, that of a committed state, if it is of an earlier state than the reader's last one, or if the paper of its best
passage is not there whole. Vectors come from word hashes: what is measured is the index, not the model.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import multiprocessing
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from bench.corpora import abstracts, claims, needs_benchmarks
from bench.gates import Gate, load, report
from programs.errors import CorroborateError
from programs.ingest.chunking import chunk
from programs.ingest.document import Document
from programs.ingest.formats import read
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder

FLIPS = 500
BUNDLED = Path(__file__).resolve().parents[1] / "datasets" / "space_biology" / "papers"
ASKED = (
    "bone density of mice in flight",
    "muscle mass",
    "gene expression of roots",
    "bacteria in orbit",
    "immune cells and radiation",
)
LONGEST = 120.0
"""Seconds after which a process that reads counts as one that hangs."""
READERS = 8
SEARCHES = 10_000
PAPERS = 300
CHANGED = 40
"""Papers that a commit replaces; as many are added, and as many removed."""
PAUSE = 1.0
"""Seconds between a commit and the next writing: a reader that finds another state at each search is of no use."""
QUESTIONS = 25


@dataclass(frozen=True)
class Read:
    """What one search of a reader found, as digests of its results."""

    question: int
    found: str
    is_whole: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("flips", "writer"))
    parser.add_argument("--flips", type=int, default=FLIPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--searches", type=int, default=SEARCHES, help="of all readers together; fewer miss the gate")
    parser.add_argument("--reader", metavar="INDEX", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.reader:
        be_reader(Path(options.reader), options.searches // READERS)
        return
    print(load(), flush=True)
    held = [options.only == "writer" or report(flips(options.flips, options.seed))]
    if options.only != "flips":
        needs_benchmarks()
        with tempfile.TemporaryDirectory() as folder:
            held.append(report(beside_a_writer(Path(folder, "papers.idx"), options.searches)))
    sys.exit(not all(held))


def flips(number: int, seed: int) -> list[Gate]:
    counts = flipped(number, seed)
    for outcome, count in counts.most_common():
        print(f"{count:8}  {outcome}")
    return [
        Gate("flips", number),
        Gate("flips after which something was shown that was not stored", counts["silent change"], at_most=0),
        Gate("flips after which a process died: the engine ended it", counts["died"]),
        Gate("flips after which a process hung", counts["hung"], at_most=0),
        Gate("flips after which an error had no type of this project", counts["untyped error"], at_most=0),
    ]


def flipped(flips: int, seed: int) -> Counter[str]:
    """What came of each flip; several things may."""
    chance, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        stored, work = Path(folder, "stored.idx"), Path(folder, "flipped.idx")
        known = _in_a_process(lambda: made(stored))
        written = {each: _written(each) for each in sorted(stored.rglob("*")) if each.is_file()}
        files = [each for each in written if len(written[each])]
        sizes = [len(written[each]) for each in files]
        for number in range(flips):
            (path,) = chance.choices(files, sizes if number % 2 else None)
            bit = 8 * int(chance.choice(written[path])) + chance.randrange(8)
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(stored, work)
            _flip(work / path.relative_to(stored), bit)
            found = _in_a_process(lambda: outcomes(work, known))
            outcome = found if isinstance(found, list) else [str(found)]
            counts.update(outcome or ["nothing"])
            if {"silent change", "died", "hung", "untyped error"} & set(outcome):
                print(f"{path.relative_to(stored)} bit {bit}: {', '.join(outcome)}", flush=True)
    return counts


def _written(path: Path) -> np.ndarray:
    """Places of the bytes that are not 0: the engine's files are mostly holes, which nobody reads."""
    return np.flatnonzero(np.frombuffer(path.read_bytes(), dtype=np.uint8))


def _flip(path: Path, bit: int) -> None:
    with path.open("r+b") as file:
        file.seek(bit // 8)
        (byte,) = file.read(1)
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))


def made(place: Path) -> Mapping[str, Any]:
    """Make the index, and tell what it shows."""
    with opened(place, create=True) as index:
        index.add(read(path) for path in sorted(BUNDLED.glob("*.nxml")))
    with opened(place) as index:
        return {name: json.loads(json.dumps(value)) for name, value in shown(index)}


def shown(index: Index) -> Iterator[tuple[str, Any]]:
    """Everything that a reader of an index sees, each thing under a name."""
    for name in index.document_ids():
        for what, reading in READINGS.items():
            try:
                yield from ((f"{what} {each}", value) for each, value in reading(index, name))
            except CorroborateError:
                yield f"{what} {name}", None
    for question in ASKED:
        try:
            hits = index.search(question, k=10)
        except CorroborateError:
            yield f"ranking {question}", None
            continue
        yield f"ranking {question}", [hit.chunk.id for hit in hits]
        yield from ((f"passages {hit.chunk.id}", asdict(hit.chunk)) for hit in hits)


READINGS: Mapping[str, Callable[[Index, str], list[tuple[str, Any]]]] = {
    "paper": lambda index, name: [(name, json.loads(json.dumps(index.document(name).as_dict(), default=str)))],
    "listing": lambda index, name: [(name, dict(index.description(name)))],
    "passages": lambda index, name: [(each.id, asdict(each)) for each in index.chunks(name)],
}


def outcomes(place: Path, known: Mapping[str, Any]) -> list[str]:
    """What a reader sees of an index in which a bit was flipped."""
    found: set[str] = set()
    try:
        with opened(place) as index:
            seen = list(shown(index))
    except CorroborateError as error:
        return [f"refused: {type(error).__name__}"]
    except Exception as error:  # noqa: BLE001 - any other is what is looked for
        return ["untyped error", f"untyped error: {type(error).__name__} {str(error)[:100]}"]
    for name, value in seen:
        if value is None:
            found.add("error of a paper or search")
        elif name.startswith("ranking "):
            found |= set() if value == known[name] else {"another ranking"}
        elif json.loads(json.dumps(value)) != known.get(name):
            found.add("silent change")
    if known.keys() - {name for name, _ in seen} and "error of a paper or search" not in found:
        found.add("something is not there")
    return sorted(found)


def _in_a_process(work: Callable[[], Any]) -> Any:
    """The result of a separate process, or how it ended."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(work, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        result = ours.recv() if ours.poll(LONGEST) else "hung"
    except EOFError:
        result = "died"
    process.kill()
    process.join()
    return result


def _send(work: Callable[[], Any], connection: Connection) -> None:
    connection.send(work())


def beside_a_writer(place: Path, searches: int) -> list[Gate]:
    with opened(place, create=True) as index:
        index.add(version(0))
        states = [found_in(index)]
        options = ["--searches", str(searches), "--reader", str(place)]
        command = [sys.executable, "-m", "bench.index_readers", *options]
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
    ]


def wrong(reads: Sequence[Read], states: Sequence[Sequence[str]]) -> int:
    """How many of a reader's results are of no committed state, of one before its last, or of half a paper."""
    count, last = 0, 0
    for one in reads:
        fits = [number for number in range(last, len(states)) if states[number][one.question] == one.found]
        count += not fits or not one.is_whole
        last = fits[0] if fits else last
    return count


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


def be_reader(place: Path, searches: int) -> None:
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


def digest(hits: Sequence[object]) -> str:
    return hashlib.sha256(repr(hits).encode()).hexdigest()


@functools.cache
def questions() -> list[str]:
    return claims().texts[:QUESTIONS]


def opened(place: Path, *, create: bool = False) -> Index:
    return Index.open(place, create=create, embedder=HashingEmbedder())


if __name__ == "__main__":
    main()
