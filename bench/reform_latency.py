"""How many calls of a model an answer of `rag_fusion` takes in time: python -m bench.reform_latency"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import dspy

from bench.gates import Gate, load, report
from programs.rag_fusion import RagFusion, RagFusionParameters
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS
from tests.scripted_lm import PROVED, Script

DELAY = 0.2
ROUNDS = 5
QUESTION = "What happened to femur density in flight?"
REPLIES = {
    "queries": {"queries": ["mouse femur", "bone loss in orbit"]},
    "hypothetical_passage": {"hypothetical_passage": "Flight lowers the density of the femur in mice."},
    "topic": {
        "answerable": True,
        "summary": "Femur density fell by 12 percent in flight mice [bone].",
        "bullets": ["Osteoclast counts doubled [bone]."],
        "topic": "Bone Loss",
    },
    "proofs": PROVED,
}


def main() -> None:
    print(f"A model that takes {DELAY * 1000:.0f} ms a call; {load()}")
    with (
        tempfile.TemporaryDirectory() as folder,
        Index.open(Path(folder) / "papers.idx", create=True, embedder=HashingEmbedder()) as index,
        dspy.context(lm=Script(DELAY, **REPLIES).lm()),
    ):
        index.add(PAPERS)
        program = RagFusion(index)
        program(question=QUESTION)
        reform = _calls(lambda: program.reforming(QUESTION))
        answer = _calls(lambda: RagFusion(index, RagFusionParameters(verify=False))(question=QUESTION))
        verified = _calls(lambda: program(question=QUESTION))
    gates = [
        Gate("rewrites and hypothetical passage, in calls", reform, at_most=1.5),
        Gate("an answer without verification, in calls", answer, at_most=2.5),
        Gate("an answer with verification, in calls", verified, at_most=3.5),
    ]
    sys.exit(not report(gates))


def _calls(run: Callable[[], object]) -> float:
    """Median time of a run, as a multiple of one call's."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return median(times) / DELAY


if __name__ == "__main__":
    main()
