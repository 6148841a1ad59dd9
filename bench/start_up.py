"""What a question costs from the shell: a cold `retrieve` and `ask`, against those that imported torch.

    python -m bench.start_up [--before COMMIT] [--rounds 7]

Both states run on the interpreter of this one, each in processes of its own, in turn and in both orders, on an index of
20,000 passages that each made from the same vectors. Seconds of processor time say the same on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from bench.gates import Gate, load, report
from tests.benchmarks import BENCHMARKS

BEFORE = "a38bf8d"
PASSAGES = 20_000
QUESTION = "Does vitamin D deficiency raise the risk of fractures?"
ROOT = Path(__file__).resolve().parents[1]
MIB = 2**20
BEFORE_ORDER = "retrieve --order none"
FUSION = "ask --program rag_fusion"
AIMS: dict[str, tuple[float, float | None]] = {
    BEFORE_ORDER: (6.0, 1.5),
    "retrieve": (6.0, 1.5),
    "ask": (4.0, None),
    FUSION: (4.0, None),
}
"""Times faster than before, and seconds at most. Passages are the same only where the learned order is left out."""
IDLE = 1.0
"""Load average below which seconds are held against their limit."""


@dataclass(frozen=True)
class Run:
    """One process: wall clock and processor time in seconds, peak memory in MiB, and what it printed."""

    seconds: float
    processor: float
    memory: float
    printed: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", default=BEFORE, help="The commit to compare with.")
    parser.add_argument("--rounds", type=int, default=7, help="Runs of each command by each state.")
    parser.add_argument("--make", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        make_index(*options.make)
        return
    if not BENCHMARKS.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        return
    with tempfile.TemporaryDirectory() as folder, checkout(options.before, Path(folder, "before")) as before:
        write_material(Path(folder))
        for tree, name in ((before, "before.idx"), (ROOT, "now.idx")):
            called(tree, [str(Path(__file__)), "--make", folder, str(Path(folder, name))])
        print(load(), flush=True)
        held = [compared(command, Path(folder), before, options.rounds) for command in AIMS]
    sys.exit(not all(held))


@contextmanager
def checkout(commit: str, place: Path) -> Iterator[Path]:
    """The files of another commit, for as long as the block lasts."""
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(place), commit], check=True)
    try:
        yield place
    finally:
        subprocess.run([*git, "remove", "--force", str(place)], check=True)


def write_material(folder: Path) -> None:
    """The passages' papers and vectors, for both states to make their index of."""
    from bench.corpora import PAIRS, Prepared, abstracts, passages, up_to
    from programs.retrieval.embedder import load_embedder

    documents = up_to(PASSAGES, abstracts(), PAIRS)
    texts = passages(documents, PAIRS)
    embedder = Prepared(load_embedder("all-MiniLM-L6-v2"), texts)
    np.save(folder / "vectors.npy", embedder.embed(texts), allow_pickle=False)
    papers = [{"id": each.id, "title": each.title, "text": each.text} for each in documents]
    material = {"model": embedder.name, "papers": papers, "passages": len(texts)}
    (folder / "material.json").write_text(json.dumps(material), encoding="utf-8")


def make_index(folder: Path, place: Path) -> None:
    """Run by each state in a process of its own."""
    from programs.ingest.chunking import Chunking, chunk
    from programs.ingest.document import Document, Section
    from programs.retrieval import indexing, records
    from programs.retrieval.index import Index

    material = json.loads((folder / "material.json").read_text("utf-8"))
    vectors = np.load(folder / "vectors.npy", allow_pickle=False)
    chunking = Chunking("sentences", 40)

    def document(id: str, title: str, text: str) -> Document:  # noqa: A002 - as in the file
        return Document(id, text, title, sections=(Section("Abstract", "abstract", 0, len(text)),))

    papers = [document(**each) for each in material["papers"]]
    embedded_text = getattr(records, "embedded_text", None) or indexing.embedded_text  # where it was before
    own = [embedded_text(each, paper.title) for paper in papers for each in chunk(paper, chunking)]
    if len(own) != material["passages"]:
        raise SystemExit(f"this state cuts {len(own)} passages where the other cuts {material['passages']}")
    row_of = {text: number for number, text in enumerate(own)}  # each state puts title and heading in its own way

    class Kept:
        name = material["model"]
        dimension = vectors.shape[1]

        def embed(self, texts: list[str]) -> np.ndarray:
            return vectors[[row_of[text] for text in texts]]

        embed_query = embed

    with Index.open(place, create=True, embedder=Kept(), chunking=chunking) as index:
        index.add(papers)  # in one go: each call commits a state


def compared(command: str, folder: Path, before: Path, rounds: int) -> bool:
    """One command by both states, in turn."""
    name = command.partition(" ")[0]
    asked = [name, QUESTION, "--format", "json"]
    if name == "ask":
        asked += ["--program", "rag_fusion" if command == FUSION else "multi_signal"]
    states = {"before": (before, folder / "before.idx"), "now": (ROOT, folder / "now.idx")}
    runs: dict[str, list[Run]] = {name: [] for name in states}
    for number in range(-1, rounds):
        for name in sorted(states, reverse=bool(number % 2)):
            tree, index = states[name]
            own = ["--order", "none"] if command == BEFORE_ORDER and name == "now" else []
            run = called(tree, ["-m", "programs", *asked, *own, "--index", str(index)])
            if number >= 0:  # the first reads from the disk, and makes what is made once
                runs[name].append(run)
    return report(gates(command, runs["before"], runs["now"]))


def gates(command: str, before: list[Run], now: list[Run]) -> list[Gate]:
    times, limit = AIMS[command]
    is_idle = os.getloadavg()[0] < IDLE
    walls = [a.seconds / b.seconds for a, b in zip(before, now, strict=True)]
    processors = [a.processor / b.processor for a, b in zip(before, now, strict=True)]
    seconds = median(run.seconds for run in now)
    return [
        Gate(f"{command}: times faster, median of pairs", median(walls), at_least=times),
        Gate(f"{command}: times less processor time", median(processors), at_least=None if is_idle else times),
        Gate(f"{command}: seconds before", median(run.seconds for run in before)),
        Gate(f"{command}: seconds now", seconds, at_most=limit if is_idle else None),
        Gate(f"{command}: processor seconds now", median(run.processor for run in now)),
        Gate(f"{command}: peak memory before, MiB", max(run.memory for run in before)),
        Gate(f"{command}: peak memory now, MiB", max(run.memory for run in now), at_most=400),
        Gate(
            f"{command}: passages in common",
            common(command, before[0].printed, now[0].printed),
            at_least=0.9 if command == BEFORE_ORDER else None,
        ),
    ]


def common(command: str, one: str, other: str) -> float:
    """The part of the passages that both states show."""
    shown = []
    for printed in (one, other):
        found = json.loads(printed)["hits" if command.startswith("retrieve") else "passages"]
        shown.append({str(each.get("id") or each.get("chunk_id") or each["text"]) for each in found})
    return len(shown[0] & shown[1]) / max(1, len(shown[0]))


def called(tree: Path, arguments: list[str]) -> Run:
    """Run the interpreter on a state's packages."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=tree, env=environment, stdout=subprocess.PIPE, text=True
    ) as child:
        printed = child.stdout.read() if child.stdout else ""
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - began
    if child.returncode:
        raise SystemExit(f"{arguments} ended with {child.returncode} in {tree}")
    return Run(took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _unit() / MIB, printed)


def _unit() -> int:
    return 1 if sys.platform == "darwin" else 1024  # bytes on macOS, KiB elsewhere


if __name__ == "__main__":
    main()
