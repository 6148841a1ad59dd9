"""Single bits flipped over all files of an index: what a reader is shown is what was stored, or an error.

    python -m bench.bit_flips                  # 500 flips of an index of 26 papers, seed 0

Half of the flips fall into files by the number of their bytes that are not 0, half into each file as often as into any
other, and always into such a byte: the engine's files are mostly holes, which nobody reads. After each flip a process
of its own reads all papers and passages, and searches. A text, title or heading that was not stored is a silent change;
so is a passage that stands under another's id. What else came of it is counted: an error of this project's, an untyped
one, a process that died, a ranking that is another (a vector changed), papers or passages that are not there.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from bench.gates import Gate, load, report
from programs.errors import CorroborateError
from programs.ingest.reader import read
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder

FLIPS = 500
PAPERS = Path(__file__).resolve().parents[1] / "datasets" / "space_biology" / "papers"
QUESTIONS = (
    "bone density of mice in flight",
    "muscle mass",
    "gene expression of roots",
    "bacteria in orbit",
    "immune cells and radiation",
)
LONGEST = 120.0
"""Seconds after which a process that reads counts as one that hangs."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Flip bits, and end with 1 where something was silently changed, died or hung."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flips", type=int, default=FLIPS)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    print(load(), flush=True)
    counts = flipped(asked.flips, asked.seed)
    for outcome, count in counts.most_common():
        print(f"{count:8}  {outcome}")
    gates = [
        Gate("flips", asked.flips),
        Gate("flips after which something was shown that was not stored", counts["silent change"], at_most=0),
        Gate("flips after which a process died: the engine ended it", counts["died"]),
        Gate("flips after which a process hung", counts["hung"], at_most=0),
        Gate("flips after which an error had no type of its own", counts["untyped error"], at_most=0),
    ]
    sys.exit(not report(gates))


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
    with Index.open(place, create=True, embedder=HashingEmbedder()) as index:
        index.add(read(path) for path in sorted(PAPERS.glob("*.nxml")))
    with Index.open(place, embedder=HashingEmbedder()) as index:
        return {name: json.loads(json.dumps(value)) for name, value in shown(index)}


def shown(index: Index) -> Iterator[tuple[str, Any]]:
    """Everything that a reader of an index sees, each thing under a name."""
    for name in index.document_ids():
        for what, reading in (("paper", _paper), ("listing", _listing), ("passages", _passages)):
            try:
                yield from ((f"{what} {each}", value) for each, value in reading(index, name))
            except CorroborateError:
                yield f"{what} {name}", None
    for question in QUESTIONS:
        try:
            hits = index.search(question, k=10)
        except CorroborateError:
            yield f"ranking {question}", None
            continue
        yield f"ranking {question}", [hit.chunk.id for hit in hits]
        yield from ((f"passages {hit.chunk.id}", _told(hit.chunk)) for hit in hits)


def _paper(index: Index, name: str) -> Iterator[tuple[str, Any]]:
    yield name, json.loads(json.dumps(index.document(name).as_dict(), default=str))


def _listing(index: Index, name: str) -> Iterator[tuple[str, Any]]:
    yield name, dict(index.description(name))


def _passages(index: Index, name: str) -> Iterator[tuple[str, Any]]:
    yield from ((each.id, _told(each)) for each in index.chunks(name))


def _told(chunk: Any) -> Any:
    return asdict(chunk)


def outcomes(place: Path, known: Mapping[str, Any]) -> list[str]:
    """What a reader sees of an index in which a bit was flipped."""
    found: set[str] = set()
    try:
        with Index.open(place, embedder=HashingEmbedder()) as index:
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
    """The result of a process of its own, or how it ended."""
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


if __name__ == "__main__":
    main()
