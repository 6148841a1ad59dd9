"""A whole draft from the example concept on the bundled papers, and what running calls side by side gains.

    python -m bench.writing                    # both; the second takes some four minutes
    python -m bench.writing --only draft       # or side-by-side
    python -m bench.writing --show             # print the draft, to be read

For the second, every call of the model takes 200 ms more, and the same draft is written with one call at a time and
with eight: calls and drafts have to be the same.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import dspy
from dspy import lm15
from pybtex.database import parse_string

from bench.gates import Gate, load, report
from programs.ingest.chunking import TOKENS
from programs.ingest.reader import discover
from programs.lm.extractive import ExtractiveEngine
from programs.paper_writer import PaperWriterParameters, PaperWritingPipeline, read_concept
from programs.paper_writer.evidence import WRITING_ORDER
from programs.retrieval.files import index_files
from programs.retrieval.index import Index

PAPERS = Path("datasets/space_biology/papers")
CONCEPT = Path("programs/paper_writer/example/concept.yaml")
LATENCY = 0.2
THREADS = 8
PARTS = ("draft", "side-by-side")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    held = []
    with tempfile.TemporaryDirectory() as folder, _index(Path(folder)) as index:
        if options.only in (None, "draft"):
            held.append(measure_draft(index, show=options.show))
        if options.only in (None, "side-by-side"):
            held.append(measure_side_by_side(index))
    sys.exit(not all(held))


def measure_draft(index: Index, *, show: bool) -> bool:
    """How long a draft takes without a model, and whether all of it is there."""
    run = write(index, SlowEngine(0.0), PaperWriterParameters())
    draft, evidence = run.prediction.draft, run.prediction.evidence.values()
    keys = set(re.findall(r"\b[a-z]+\d{4}[a-z]*\b", "\n".join(draft.model_dump().values())))
    entries = parse_string(run.prediction.bibliography, "bibtex").entries
    figures = re.findall(r"^\*Figure (\d+):", run.prediction.manuscript, re.MULTILINE)
    print(f"\nA draft without a model; {load()}")
    if show:
        print(run.prediction.manuscript)
    return report(
        [
            Gate("seconds", run.seconds, at_most=60),
            Gate("calls", len(run.asked)),
            Gate("parts that hold text", sum(map(bool, draft.model_dump().values())), at_least=8),
            Gate(
                "sections that cite", sum(map(bool, (each.citations for each in run.prediction.sections))), at_least=7
            ),
            Gate("cited sentences with their verdict", len(run.prediction.citations), at_least=1),
            Gate("of these weak", len(run.prediction.unsupported)),
            Gate(
                "citation keys outside of the evidence",
                len(keys - {each.key for found in evidence for each in found}),
                at_most=0,
            ),
            Gate("citation keys without BibTeX entry", len(keys - set(entries)), at_most=0),
            Gate("figures, each once", len(figures) if figures == ["1", "2"] else 0, at_least=2),
        ]
    )


def measure_side_by_side(index: Index) -> bool:
    """One call after another against eight at a time."""
    print(f"\nCalls that take {LATENCY * 1000:.0f} ms; {load()}", flush=True)
    runs = {
        threads: write(index, SlowEngine(LATENCY), PaperWriterParameters(threads=threads)) for threads in (1, THREADS)
    }
    one, eight = runs[1], runs[THREADS]
    return report(
        [
            Gate("seconds, one at a time", one.seconds),
            Gate(f"seconds, {THREADS} at a time", eight.seconds),
            Gate("times faster", one.seconds / eight.seconds, at_least=6),
            Gate("calls", len(one.asked)),
            Gate("most calls at a time", eight.most_at_a_time, at_most=THREADS),
            Gate("same calls", sorted(one.asked) == sorted(eight.asked), at_least=1),
            Gate("same draft", one.prediction.manuscript == eight.prediction.manuscript, at_least=1),
        ]
    )


@dataclass(frozen=True)
class Run:
    prediction: dspy.Prediction
    seconds: float
    asked: list[str]
    most_at_a_time: int


def write(index: Index, engine: SlowEngine, parameters: PaperWriterParameters) -> Run:
    """Write the example's draft once."""
    lm = dspy.LM("extractive/1", engine=engine, cache=False, num_retries=0)
    with tempfile.TemporaryDirectory() as folder, dspy.context(lm=lm):
        started = time.perf_counter()
        prediction = PaperWritingPipeline(index, parameters)(
            concept=read_concept(CONCEPT), output=Path(folder, "draft")
        )
        seconds = time.perf_counter() - started
    if len(prediction.sections) != len(WRITING_ORDER):
        raise AssertionError(f"{len(prediction.sections)} sections were written")
    return Run(prediction, seconds, engine.asked, engine.most_at_a_time)


class SlowEngine(ExtractiveEngine):
    """The extractive LM, each of whose calls takes some time more; it counts them."""

    def __init__(self, latency: float) -> None:
        super().__init__()
        # The engine is a frozen dataclass without fields.
        object.__setattr__(self, "latency", latency)
        object.__setattr__(self, "asked", [])
        object.__setattr__(self, "most_at_a_time", 0)
        object.__setattr__(self, "_running", 0)
        object.__setattr__(self, "_lock", threading.Lock())

    def complete(self, request: lm15.Request) -> lm15.Response:
        with self._lock:
            self.asked.append("\n".join(part.text for message in request.messages for part in message.parts))
            object.__setattr__(self, "_running", self._running + 1)
            object.__setattr__(self, "most_at_a_time", max(self.most_at_a_time, self._running))
        time.sleep(self.latency)
        try:
            return super().complete(request)
        finally:
            with self._lock:
                object.__setattr__(self, "_running", self._running - 1)


def _index(folder: Path) -> Index:
    index = Index.open(folder / "papers.idx", create=True, chunking=TOKENS)
    index_files(index, discover([PAPERS]))
    index.search("warm up")
    return index


if __name__ == "__main__":
    main()
