"""Runs benchmarks, each in a process of its own.

python -m bench                      # all of them
python -m bench checker findings     # some
"""

from __future__ import annotations

import argparse
import subprocess
import sys

BENCHES = {
    "answers": "what main_points answers without a model",
    "checker": "the shipped checker beside simpler judges",
    "embedding": "the embedder against the library's defaults",
    "evaluation_throughput": "an evaluation's share of a model's time",
    "findings": "findings stated without a model",
    "guards": "how often the guards are right when they speak",
    "indexing": "files on all cores, running again, and memory",
    "many_readers": "eight readers of one index during a writer",
    "multi_signal_overhead": "multi_signal without its model",
    "evidence_shown": "experts' evidence in the passages of each program, on the trials",
    "paper_retrieval": "papers first against plain search, on the trials",
    "pdf_against_jats": "papers read from PDF against the same papers read from JATS",
    "readability": "readable papers told from gibberish",
    "pdf_reading": "how faithfully PDFs are read, against the JATS of the same papers",
    "quote_places": "quotes marked in real PDFs where they are printed",
    "reform_latency": "calls of a model in time, rag_fusion",
    "retrieval": "search quality and speed",
    "retrieval_gain": "what expansion, signals and diversity add to plain search",
    "serving": "the server with 50 clients at once",
    "silence": "questions that the papers answer, told from those they do not",
    "start_up": "a cold retrieve and ask against those before",
    "support": "the deterministic support check",
    "table_cells": "table cells with their headers in one passage",
    "writing": "a draft, and calls side by side",
}


def main() -> None:
    """Run those that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Run benchmarks, all where none is named.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    names = parser.parse_args().names
    if unknown := set(names) - set(BENCHES):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    missed = []
    for name in names or BENCHES:
        print(f"\n== {name}: {BENCHES[name]} ==", flush=True)
        if subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode != 0:
            missed.append(name)
    if missed:
        print(f"\nMissed or failed: {', '.join(missed)}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
