"""A node of a Qdrant cluster is killed under searches and writes, and the users of the index must not see it.

    python -m bench.killed_node                           # 1,000 searches by 8 threads, 100 papers written

The cluster is ``tests.qdrant_cluster``: three nodes, six shards with two replicas, real HTTP. The node that is
killed is the first of the address, which all clients ask until then. A second run names that node alone.
"""

from __future__ import annotations

import argparse
import logging
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count

from programs.errors import CorroborateError
from programs.ingest.document import Document
from programs.retrieval.index import Index
from programs.retrieval.store import Keeping
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper
from tests.qdrant_cluster import QdrantCluster

KILLED = 0
THREADS = 8
QUESTION = "How did femur density change in flight mice?"


@dataclass
class Seen:
    """What users of the index saw.

    Attributes:
        errors: Messages.
        results: Different results of the one question that all searches ask.
        confirmed: Papers that were written without an error.
        lost: Those of them that are not there in the end.
        after: Searches and writes that were done after the node was killed.
        slowest: Seconds of the slowest search.
    """

    errors: list[str] = field(default_factory=list)
    results: set[tuple[str, ...]] = field(default_factory=set)
    confirmed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    after: int = 0
    slowest: float = 0.0


def killed_under_load(searches: int, writes: int, *, one_address: bool = False) -> Seen:
    """Search and write, and kill a node when half is done."""
    with QdrantCluster() as cluster:
        place = f"{cluster.nodes[KILLED].url if one_address else cluster.address}/papers"
        keeping = Keeping(shards=6, replicas=2)
        with Index.open(place, create=True, embedder=HashingEmbedder(), keeping=keeping) as index:
            index.add(PAPERS)
            seen = _used(index, cluster, searches, writes)
        with Index.open(f"{cluster.nodes[KILLED + 1].url}/papers", embedder=HashingEmbedder()) as index:
            there = set(index.document_ids())
            seen.lost = [each for each in seen.confirmed if each not in there]
    return seen


def _used(index: Index, cluster: QdrantCluster, searches: int, writes: int) -> Seen:
    seen, done, lock = Seen(), count(1), threading.Lock()
    half = (searches + writes) // 2

    def use(work: Callable[[], object]) -> None:
        began = time.perf_counter()
        try:
            work()
        except CorroborateError as error:
            seen.errors.append(str(error))
        with lock:
            number = next(done)
            seen.after += number > half
            seen.slowest = max(seen.slowest, time.perf_counter() - began)
        if number == half:
            cluster.kill(KILLED)

    def search() -> None:
        hits = index.search(QUESTION, k=3, filters={"organism": "Mus musculus"})
        seen.results.add(tuple(hit.chunk.id for hit in hits))

    def write(added: Document) -> None:
        index.add([added])
        seen.confirmed.append(added.id)

    added = [paper(f"new{number}", f"Roots of cress number {number} grew in orbit.") for number in range(writes)]
    with ThreadPoolExecutor(THREADS) as pool, ThreadPoolExecutor(1) as writer:
        waited = [writer.submit(use, lambda each=each: write(each)) for each in added]
        waited += [pool.submit(use, search) for _ in range(searches)]
    for each in waited:
        each.result()
    return seen


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what was seen, and end with 1 if it was anything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--searches", type=int, default=1_000)
    parser.add_argument("--writes", type=int, default=100)
    asked = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    bad = False
    for one_address in (False, True):
        seen = killed_under_load(asked.searches, asked.writes, one_address=one_address)
        print(
            f"{'one node' if one_address else 'all nodes'} in the address: {asked.searches} searches, {asked.writes} "
            f"writes, {seen.after} of them after the kill; errors {len(seen.errors)}, different results "
            f"{len(seen.results)}, confirmed writes lost {len(seen.lost)}, slowest {seen.slowest:.2f} s"
        )
        bad |= not one_address and bool(seen.errors or seen.lost or len(seen.results) != 1)
    sys.exit(bad)


if __name__ == "__main__":
    main()
