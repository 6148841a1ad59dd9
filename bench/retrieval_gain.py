"""What each part of `multi_signal` adds to plain hybrid search: expansion, signals, learned weights, diversity.

    python -m bench.retrieval_gain             # the table, in Markdown; the first run embeds 10,000 passages
    python -m bench.retrieval_gain --learn     # learns weights on the questions kept for it, and prints them

Questions and what is relevant to them: see ``bench.retrieval_tasks``. Every row but the first searches with the
question and its expansion; 40 candidates come from each search. Intervals are 95 % of a bootstrap by paper.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from bench import signal_weights
from bench.corpora import Prepared, passages
from bench.gates import Gate, report
from bench.retrieval_tasks import Question, Task, scifact, trials
from optimize.statistics import Paired, compare
from programs.ingest.chunking import WORDS
from programs.ingest.document import Chunk
from programs.passages.choice import Limits, RankedPassage, chosen
from programs.retrieval.embedder import load_embedder
from programs.retrieval.expansion import Expansion, TagDictionary, expand
from programs.retrieval.index import Index
from programs.retrieval.reranking import Reranked, SignalWeights, rerank
from programs.retrieval.retriever import SearchCandidates
from programs.retrieval.signals import Keywords
from programs.retrieval.store import Vector
from tests.benchmarks import BENCHMARKS

CANDIDATES = 40
DIVERSE = Limits(context_tokens=100_000, shortlist=12, max_per_document=2, min_sources=3, merge=False)
TEN, SIX = 10, 6
NOW = 2026
"""The year that recency is counted from, fixed so that the figures do not change with the calendar."""
SEED = SignalWeights()
LEARNED = SignalWeights(
    sim=0.364,
    bm25=0.081,
    keyword_overlap=0.060,
    sec_boost=0.279,
    recency=0.028,
    authority=0.023,
    length_fit=0.164,
    duplicate_penalty=-0.10,
)
"""From 805 training claims of SciFact and 89 questions on 34 trials of Evidence Inference, each set counting the same,
by ``--learn``, which reports on other claims and other trials.

Recency and authority are hardly tested: the abstracts come without year and address, and on the trials leaving out
either changes no order that counts.
"""

Measure: TypeAlias = Callable[[Sequence[Chunk], Question, Task], float]
Way: TypeAlias = Callable[["Found", int], Sequence[Chunk]]


@dataclass(frozen=True)
class Found:
    """What the searches brought for a question."""

    question: Question
    expansion: Expansion
    plain: SearchCandidates
    expanded: SearchCandidates

    def ranked(self, weights: SignalWeights) -> list[Reranked]:
        return rerank(self.expanded, Keywords.of(self.question.text, self.expansion.added), now=NOW, weights=weights)

    def diverse(self, weights: SignalWeights, count: int) -> list[Chunk]:
        candidates = [RankedPassage(each.hit.chunk) for each in self.ranked(weights)]
        return [each.best.chunk for each in chosen(candidates, replace(DIVERSE, top_k=count))]


WAYS: Mapping[str, Way] = {
    "plain hybrid": lambda found, _: [hit.chunk for hit in found.plain.hits],
    "+ expansion": lambda found, _: [hit.chunk for hit in found.expanded.hits],
    "+ 8 signals": lambda found, _: [each.hit.chunk for each in found.ranked(SEED)],
    "+ diversity": lambda found, count: found.diverse(SEED, count),
    "8 signals, learned weights": lambda found, _: [each.hit.chunk for each in found.ranked(LEARNED)],
    "learned weights + diversity": lambda found, count: found.diverse(LEARNED, count),
}
PLAIN, SIGNALS = "plain hybrid", "+ 8 signals"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learn", action="store_true")
    options = parser.parse_args()
    if not BENCHMARKS.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        return
    if options.learn:
        learn()
        return
    gates = [gate for make in (scifact, trials) for gate in measured(make())]
    sys.exit(not report(gates))


def learn() -> None:
    """Weights from the tuning questions of both tasks, each task counting the same."""
    kept = {}
    for make in (scifact, trials):
        task = make()
        with searched(task, task.tuning) as found:
            kept[task.name] = [
                signal_weights.Judged.of(one.ranked(SEED), one.question.relevant, task.unit) for one in found
            ]
    print(signal_weights.learned(kept))


def measured(task: Task) -> list[Gate]:
    with searched(task, task.held_out) as found:
        results = {name: [Result.of(way, one, task) for one in found] for name, way in WAYS.items()}
    expanded = statistics.fmean(bool(one.expansion.added) for one in found)
    print(f"\n{task.name}: {len(found)} questions, {expanded:.0%} of them expanded\n")
    print(table(results))
    ndcg = {name: statistics.fmean(one.values["nDCG@10"] for one in each) for name, each in results.items()}
    return [Gate(f"{task.name} nDCG@10, 8 signals with the seed's weights", ndcg[SIGNALS], at_least=ndcg[PLAIN])]


@contextmanager
def searched(task: Task, questions: Sequence[Question]) -> Iterator[list[Found]]:
    """Both searches for every question, over an index that is there as long as the results are looked at."""
    dictionary = TagDictionary.load()
    expansions = [expand(question.text, dictionary) for question in questions]
    vectors = Given(task, [text for each in expansions for text in (each.question, each.query)])
    with tempfile.TemporaryDirectory() as folder:
        index = Index.open(Path(folder, "bench.idx"), create=True, embedder=vectors, chunking=WORDS)
        index.add(task.documents)
        yield [_found(index, *each) for each in zip(questions, expansions, strict=True)]
        index.close()


def _found(index: Index, question: Question, expansion: Expansion) -> Found:
    words = [expansion.query] if expansion.query != question.text else []
    plain, expanded = (index.candidates(question.text, CANDIDATES, words=each) for each in ((), words))
    return Found(question, expansion, plain, expanded)


class Given:
    """An embedder with the vectors of passages and of questions, kept apart so that new questions cost little."""

    def __init__(self, task: Task, questions: Sequence[str]) -> None:
        embedder = load_embedder()
        self.name, self.dimension = embedder.name, embedder.dimension
        self._passages = Prepared(embedder, passages(task.documents, WORDS))
        self._questions = Prepared(embedder, questions)

    def embed(self, texts: Sequence[str]) -> Vector:
        return self._passages.embed(texts)

    def embed_query(self, texts: Sequence[str]) -> Vector:
        return self._questions.embed_query(texts)


@dataclass(frozen=True)
class Result:
    """What a way of ranking gets for one question."""

    cluster: str
    values: Mapping[str, float]

    @classmethod
    def of(cls, way: Way, found: Found, task: Task) -> Result:
        ten, six = way(found, TEN), way(found, SIX)
        values = {
            "nDCG@10": ndcg(_units(ten, task), found.question.relevant, TEN),
            "recall@10": recall(_units(ten, task), found.question.relevant, TEN),
            "paper recall@10": recall(_papers(ten), found.question.papers, TEN),
            "nDCG@6": ndcg(_units(six[:SIX], task), found.question.relevant, SIX),
            "recall@6": recall(_units(six[:SIX], task), found.question.relevant, SIX),
            "papers in 6": float(len(set(_papers(six[:SIX])))),
        }
        return cls(found.question.cluster, values)


def _units(chunks: Sequence[Chunk], task: Task) -> list[str]:
    return list(dict.fromkeys(map(task.unit, chunks)))


def _papers(chunks: Sequence[Chunk]) -> list[str]:
    return list(dict.fromkeys(each.document_id for each in chunks))


def ndcg(names: Sequence[str], relevant: frozenset[str], depth: int) -> float:
    """Of binary grades, as in ``metrics.retrieval``."""
    gain = math.fsum(1 / math.log2(rank + 2) for rank, name in enumerate(names[:depth]) if name in relevant)
    return gain / math.fsum(1 / math.log2(rank + 2) for rank in range(min(depth, len(relevant))))


def recall(names: Sequence[str], relevant: frozenset[str], depth: int) -> float:
    return len(relevant.intersection(names[:depth])) / len(relevant)


def table(results: Mapping[str, Sequence[Result]]) -> str:
    """Means with intervals; of nDCG@10 also the paired difference to plain search."""
    measures = list(results[PLAIN][0].values)
    lines = [
        f"| | {' | '.join(measures)} | Δ nDCG@10 to plain |",
        f"|---|{'---|' * (len(measures) + 1)}",
    ]
    for name, rows in results.items():
        means = [_mean(rows, measure) for measure in measures]
        lines.append(f"| {name} | {' | '.join(means)} | {_difference(rows, results[PLAIN])} |")
    return "\n".join(lines)


def _mean(rows: Sequence[Result], measure: str) -> str:
    found = compare([row.values[measure] for row in rows], [row.cluster for row in rows])
    if measure != "nDCG@10":
        return f"{found.difference:.3f}"
    return f"{found.difference:.3f} ({found.low:.3f}–{found.high:.3f})"


def _difference(rows: Sequence[Result], plain: Sequence[Result]) -> str:
    if rows is plain:
        return "–"
    pairs = zip(rows, plain, strict=True)
    found: Paired = compare(
        [row.values["nDCG@10"] - base.values["nDCG@10"] for row, base in pairs], [row.cluster for row in rows]
    )
    return f"{found.difference:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


if __name__ == "__main__":
    main()
