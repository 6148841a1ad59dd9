"""The default embedder against `SentenceTransformer.encode` with its defaults: speed, agreement, search quality.

    python -m bench.embedding                       # all of SciFact; some minutes on two cores
    python -m bench.embedding --documents 1000      # its relevant abstracts and some others

Both embed the same blocks of texts in turns within one run, and the one that goes first changes from block to block, so
that other work on the machine meets both.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from bench.corpora import claims, ndcg, needs_benchmarks, rows
from bench.gates import Gate, load, report
from programs.retrieval.embedder import load_embedder
from programs.retrieval.model_files import find_weights

BLOCK = 128
DEPTH = 10

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Task:
    """Documents and queries, each text under its id, and which documents answer a query."""

    documents: dict[str, str]
    queries: dict[str, str]
    relevant: dict[str, set[str]]


@dataclass(frozen=True)
class Timed:
    """What one side made of the documents, and seconds a block."""

    vectors: Vectors
    seconds: list[float]


def scifact(at_most: int) -> Task:
    judged = claims()
    texts = {str(row["doc_id"]): f"{row['title']} {' '.join(row['abstract'])}" for row in rows("scifact/corpus.jsonl")}
    cited = set[str]().union(*judged.relevant)
    kept = sorted(texts, key=lambda name: name not in cited)[:at_most]
    documents = {name: texts[name] for name in np.random.default_rng(0).permutation(kept)}
    names = [f"claim {number}" for number in range(len(judged.texts))]
    return Task(documents, dict(zip(names, judged.texts, strict=True)), dict(zip(names, judged.relevant, strict=True)))


def in_turns(texts: list[str], sides: Mapping[str, Callable[[list[str]], Vectors]]) -> dict[str, Timed]:
    """Embed all texts with each side, block by block, the first side of a block being the last of the one before."""
    parts: dict[str, list[Vectors]] = {name: [] for name in sides}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    order = list(sides)
    for start in range(0, len(texts), BLOCK):
        for name in order:
            began = time.perf_counter()
            parts[name].append(sides[name](texts[start : start + BLOCK]))
            seconds[name].append(time.perf_counter() - began)
        order.reverse()
    return {name: Timed(np.concatenate(parts[name]), seconds[name]) for name in sides}


def mean_ndcg(vectors: Vectors, queries: Vectors, task: Task) -> float:
    """Mean nDCG at 10 of the exact nearest documents."""
    names = list(task.documents)
    ranked = np.argsort(-(queries @ vectors.T), axis=1, kind="stable")[:, :DEPTH]
    found = ([names[at] for at in best] for best in ranked)
    return statistics.fmean(map(ndcg, found, (task.relevant[query] for query in task.queries)))


def milliseconds(embed: Callable[[list[str]], Vectors], queries: Iterable[str]) -> tuple[float, float]:
    """Latency of one query at a time, p50 and p95."""
    taken = []
    for query in queries:
        began = time.perf_counter()
        embed([query])
        taken.append(1e3 * (time.perf_counter() - began))
    p50, p95 = np.percentile(taken, [50, 95])
    return float(p50), float(p95)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=5183, help="how many texts to embed at most")
    options = parser.parse_args()
    needs_benchmarks()
    task = scifact(options.documents)
    embedder = load_embedder()
    baseline = SentenceTransformer(str(find_weights(embedder.name)))
    sides: dict[str, Callable[[list[str]], Vectors]] = {"defaults": baseline.encode, "ours": embedder.embed}
    for embed in sides.values():
        embed(list(task.queries.values())[:8])

    timed = in_turns(list(task.documents.values()), sides)
    ours, theirs = timed["ours"], timed["defaults"]
    ratios = [theirs_took / ours_took for theirs_took, ours_took in zip(theirs.seconds, ours.seconds, strict=True)]
    cosines = (ours.vectors * theirs.vectors).sum(axis=1)
    low, high = np.percentile(ratios, [10, 90])
    print(f"{len(task.documents)} SciFact abstracts, {len(task.queries)} queries\n")
    print(f"throughput of a block, p10 and p90 of {len(ratios)}: {low:.2f}, {high:.2f} times the defaults; {load()}\n")
    print(f"{'':10}{'texts/s':>9}{'nDCG@10':>9}{'query p50':>11}{'p95 ms':>8}")
    quality, latency = {}, {}
    for name, embed in (("defaults", baseline.encode), ("ours", embedder.embed_query)):
        side = timed[name]
        quality[name] = mean_ndcg(side.vectors, embed(list(task.queries.values())), task)
        latency[name], p95 = milliseconds(embed, list(task.queries.values())[:200])
        rate = len(task.documents) / sum(side.seconds)
        print(f"{name:10}{rate:9.1f}{quality[name]:9.4f}{latency[name]:11.1f}{p95:8.1f}")
    gates = [
        Gate("throughput, ours / defaults, median of blocks", statistics.median(ratios), at_least=2.5),
        Gate("a single query, defaults / ours", latency["defaults"] / latency["ours"], at_least=2.0),
        Gate("mean cosine to the defaults", float(cosines.mean()), at_least=0.995),
        Gate("lowest cosine to the defaults", float(cosines.min())),
        Gate("nDCG@10, defaults - ours", quality["defaults"] - quality["ours"], at_most=0.005),
    ]
    print()
    if not report(gates):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
