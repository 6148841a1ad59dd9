"""What `multi_signal` takes without its language model, over 20,000 passages.

    python -m bench.multi_signal_overhead

Expansion, embedding of question and expansion, search, eight signals, choice of passages and context, as a question
goes through them, beside ``Index.search`` with its embedding on the same question in turn.
"""

from __future__ import annotations

import functools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.corpora import PAIRS, Prepared, abstracts, claims, passages, up_to
from bench.gates import Gate, load, report
from programs.multi_signal import MultiSignal
from programs.passages import Passage
from programs.retrieval.embedder import load_embedder
from programs.retrieval.index import Index
from tests.benchmarks import BENCHMARKS

WARM_UP = 20
QUESTIONS = 200
SPACE = "How does microgravity affect bone density of mice on the ISS?"
"""A question with many terms to add; claims have few."""


def main() -> None:
    if not BENCHMARKS.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        return
    print(load(), flush=True)
    texts = [*claims().texts[: QUESTIONS - 1], SPACE]
    with opened() as index:
        program = MultiSignal(index)
        ways = {
            "program": functools.partial(without_model, program),
            "search": functools.partial(index.search, k=10),
            "embedding": lambda text: index.embedder.embed_query([text]),
        }
        p50 = in_turns(texts, ways)
        count = index.stats().chunks
    sys.exit(not report(gates(p50, count)))


def gates(p50: Mapping[str, float], count: int) -> list[Gate]:
    return [
        Gate("passages", count),
        Gate("embedding one query, p50 ms", p50["embedding"]),
        Gate("Index.search with its embedding, p50 ms", p50["search"]),
        Gate("multi_signal without the model, p50 ms", p50["program"], at_most=25),
        Gate("multi_signal without the model / Index.search", p50["program"] / p50["search"]),
    ]


def without_model(program: MultiSignal, question: str) -> Sequence[Passage]:
    """A run of the program that ends before the model is asked."""
    found: Sequence[Passage] = program(question=question, answer=False).passages
    assert found
    return found


@contextmanager
def opened() -> Iterator[Index]:
    """A temporary index whose passages have vectors at hand, and which embeds queries as users' indexes do."""
    documents = up_to(20_000, abstracts(), PAIRS)
    embedder = load_embedder()
    prepared = Prepared(embedder, passages(documents, PAIRS))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "bench.idx")
        with Index.open(place, create=True, embedder=prepared, chunking=PAIRS) as index:
            index.add(documents)
        with Index.open(place, embedder=embedder) as index:
            yield index


def in_turns(questions: Sequence[str], ways: Mapping[str, Callable[[str], object]]) -> dict[str, float]:
    """Median milliseconds of each way; which goes first changes with each question."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    order = list(ways)
    for question in (*questions[:WARM_UP], *questions):
        for name in order:
            began = time.perf_counter()
            ways[name](question)
            taken[name].append(1e3 * (time.perf_counter() - began))
        order.append(order.pop(0))
    return {name: statistics.median(each[WARM_UP:]) for name, each in taken.items()}


if __name__ == "__main__":
    main()
