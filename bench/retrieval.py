"""Search quality on SciFact, and the speed of a hybrid query against other ways to have it.

    python -m bench.retrieval                  # all; the first run embeds 120,000 texts, which takes minutes
    python -m bench.retrieval --only quality   # or speed, large, or program

Every way that is timed has the query's vector given and brings 40 candidates from each arm and the payloads of ten
passages. Beside the times is the share of the 20 passages that are nearest by numpy that the dense arm brings
among its first 20. The ways take turns, query by query, so that other work on the machine meets them all.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import bm25s
import numpy as np
import qdrant_edge as edge
import Stemmer
from bm25s.tokenization import Tokenizer
from qdrant_client import QdrantClient

from bench.corpora import PAIRS, SHORT, Prepared, abstracts, claims, everything, ndcg, needs_benchmarks, passages, up_to
from bench.gates import Gate, load, report
from programs.ingest.chunking import WORDS, Chunking
from programs.ingest.document import Document
from programs.multi_signal import MultiSignal
from programs.retrieval import records
from programs.retrieval.embedded_store import EdgeStore
from programs.retrieval.embedder import load_embedder
from programs.retrieval.filters import Filters
from programs.retrieval.index import ARM_DEPTH, Index
from programs.retrieval.qdrant_server import ServerStore
from programs.retrieval.rank_fusion import reciprocal_rank_fusion
from programs.retrieval.records import embedded_text
from programs.retrieval.store import DENSE, HNSW_EF, SPARSE, Bm25, StoredPoint, Vector

Asked = TypeVar("Asked")
TOP = 20
RANKED = 100
WARM_UP = 20
OPENINGS = 5
LOCAL_MODE_QUERIES = 5
THREADS = 8
PROGRAM_QUESTIONS = 200
SPACE = "How does microgravity affect bone density of mice on the ISS?"
"""A question with many terms to add; claims have few."""
FILTERS: Mapping[str, Filters] = {
    "organism": {"organism": "Mus musculus"},
    "organism and year": {"organism": ["Mus musculus", "Homo sapiens"], "year": {"gte": 2010}},
    "exclusion": {"organism": {"not": "Mus musculus"}},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    needs_benchmarks()
    held = []
    for name in [options.only] if options.only else PARTS:
        print(f"\n{name}: {load()}", flush=True)
        held.append(report(PARTS[name]()))
    sys.exit(not all(held))


def quality() -> list[Gate]:
    """Each abstract is one document; an abstract's place is that of its best passage among 100."""
    judged = claims()
    documents = list(abstracts())
    with indexed(documents, WORDS, judged.texts) as (index, _):
        ranked = [ranked_documents(index, text) for text in judged.texts]
    ndcg, recall = (
        {arm: mean([one[arm] for one in ranked], judged.relevant) for arm in ranked[0]}
        for mean in (mean_ndcg, mean_recall)
    )
    arms = ("dense", "sparse")
    return [
        Gate("SciFact nDCG@10, hybrid", ndcg["hybrid"], at_least=0.715),
        Gate("SciFact recall@100, hybrid", recall["hybrid"], at_least=0.95),
        *(Gate(f"SciFact nDCG@10, {arm} alone", ndcg[arm], at_most=ndcg["hybrid"]) for arm in arms),
        *(Gate(f"SciFact recall@100, {arm} alone", recall[arm], at_most=recall["hybrid"]) for arm in arms),
    ]


def ranked_documents(index: Index, text: str) -> dict[str, list[str]]:
    """Documents in the order of their best passages, of the search and of each arm alone."""
    store = index.store
    vectors = [index.embedder.embed_query([text])[0], Bm25().query(text)]
    dense, sparse = store.query(vectors, RANKED, ())
    payloads = store.retrieve([*dense, *sparse], ["document"])
    return {
        "hybrid": list(dict.fromkeys(hit.chunk.document_id for hit in index.search(text, k=RANKED))),
        "dense": list(dict.fromkeys(payloads[each]["document"] for each in dense)),
        "sparse": list(dict.fromkeys(payloads[each]["document"] for each in sparse)),
    }


def mean_ndcg(ranked: list[list[str]], relevant: list[set[str]]) -> float:
    return statistics.fmean(map(ndcg, ranked, relevant))


def mean_recall(ranked: list[list[str]], relevant: list[set[str]]) -> float:
    return statistics.fmean(len(right & set(names)) / len(right) for names, right in zip(ranked, relevant, strict=True))


def speed() -> list[Gate]:
    """A hybrid query over 20,000 passages, in four ways."""
    texts = claims().texts
    documents = up_to(20_000, abstracts(), PAIRS)
    with indexed(documents, PAIRS, texts) as (index, prepared):
        corpus = Corpus.of(index, prepared, texts)
        ours, engine, by_hand = Ours(index), Engine(index), ByHand(corpus)
        local = LocalMode(index, corpus)
        p50 = in_turns(corpus.questions, {"ours": ours.search, "engine": engine.search, "by hand": by_hand.search})
        p50 |= in_turns(corpus.questions[:LOCAL_MODE_QUERIES], {"local mode": local.search})
        recall = {"ours": corpus.recall(ours.nearest), "local": corpus.recall(local.nearest)}
        filtered = in_turns(
            corpus.questions,
            {name: functools.partial(ours.search, filters=filters) for name, filters in FILTERS.items()},
        )
        wrong = threads_disagree(index, texts)
        opening = opening_seconds(index, prepared)
    return [
        Gate("passages", len(corpus.passages)),
        Gate("ours, p50 ms", p50["ours"]),
        Gate("recall of the exact 20 nearest, ours and engine", recall["ours"], at_least=0.99),
        Gate("raw engine call, p50 ms", p50["engine"]),
        Gate("bm25s + numpy by hand, p50 ms (recall 1, exact)", p50["by hand"]),
        Gate("qdrant-client's local mode, p50 ms", p50["local mode"]),
        Gate("recall of the exact 20 nearest, local mode", recall["local"]),
        Gate("ours / raw engine call", p50["ours"] / p50["engine"], at_most=1.5),
        Gate("by hand / ours", p50["by hand"] / p50["ours"], at_least=1),
        Gate("local mode / ours", p50["local mode"] / p50["ours"], at_least=100),
        *(Gate(f"filtered by {name} / unfiltered", took / p50["ours"], at_most=2) for name, took in filtered.items()),
        Gate(f"wrong results of {THREADS} threads at once", wrong, at_most=0),
        Gate("opening the index, s", opening, at_most=0.5),
    ]


def large() -> list[Gate]:
    """The same over 100,000 passages."""
    texts = claims().texts
    with indexed(up_to(100_000, everything(), SHORT), SHORT, texts) as (index, prepared):
        corpus = Corpus.of(index, prepared, texts)
        ours, engine = Ours(index), Engine(index)
        p50 = in_turns(corpus.questions, {"ours": ours.search, "engine": engine.search})
        recall = corpus.recall(ours.nearest)
        opening = opening_seconds(index, prepared)
    return [
        Gate("passages", len(corpus.passages)),
        Gate("ours, p50 ms", p50["ours"], at_most=4),
        Gate("recall of the exact 20 nearest", recall, at_least=0.99),
        Gate("raw engine call, p50 ms", p50["engine"]),
        Gate("opening the index, s", opening),
    ]


def program() -> list[Gate]:
    """What `multi_signal` takes without its language model, beside the search on the same question in turn."""
    texts = [*claims().texts[: PROGRAM_QUESTIONS - 1], SPACE]
    with indexed(up_to(20_000, abstracts(), PAIRS), PAIRS, texts) as (index, _):
        given = Index.open(index.place, embedder=load_embedder())  # embeds questions as users' indexes do
        signals = MultiSignal(given)
        ways = {
            "program": lambda text: signals(question=text, answer=False),
            "search": lambda text: given.search(text, k=10),
            "embedding": lambda text: given.embedder.embed_query([text]),
        }
        p50, count = in_turns(texts, ways), given.stats().chunks
        given.close()
    return [
        Gate("passages", count),
        Gate("embedding one query, p50 ms", p50["embedding"]),
        Gate("Index.search with its embedding, p50 ms", p50["search"]),
        Gate("multi_signal without the model, p50 ms", p50["program"]),
        Gate("multi_signal without the model / Index.search", p50["program"] / p50["search"]),
    ]


PARTS = {"quality": quality, "speed": speed, "large": large, "program": program}


@dataclass(frozen=True)
class Question:
    """A claim, its vector, its similarity to each passage, and that of the exact 20th nearest one."""

    text: str
    vector: Vector
    similarities: Vector
    threshold: float

    @classmethod
    def of(cls, text: str, vector: Vector, vectors: Vector) -> Question:
        similarities = vectors @ vector
        return cls(text, vector, similarities, float(np.partition(similarities, -TOP)[-TOP]))


@dataclass(frozen=True)
class Corpus:
    """What an index holds, apart from it: passages with their vectors, and their rows by point id."""

    passages: list[StoredPoint]
    vectors: Vector
    rows: dict[str, int]
    questions: list[Question]

    @classmethod
    def of(cls, index: Index, prepared: Prepared, texts: Sequence[str]) -> Corpus:
        bm25 = Bm25()
        read = [
            (payload, embedded_text(records.chunk_of(payload), payload["metadata"].get("title", "")))
            for payload in index.store.scroll([records.record_is("chunk")])
        ]
        vectors = prepared.embed([text for _, text in read])
        points = [
            StoredPoint(records.point_id(payload["chunk"]), {**payload, "embedded": text}, vector, bm25.document(text))
            for (payload, text), vector in zip(read, vectors, strict=True)
        ]
        rows = {point.id: row for row, point in enumerate(points)}
        asked = [Question.of(text, prepared.embed([text])[0], vectors) for text in texts]
        return cls(points, vectors, rows, asked)

    def recall(self, nearest: Callable[[Question], list[str]]) -> float:
        """Mean share of the exact top 20; whatever is as near counts, for some texts are in the corpus twice."""
        found = (
            sum(one.similarities[self.rows[name]] >= one.threshold - 1e-5 for name in nearest(one)[:TOP]) / TOP
            for one in self.questions
        )
        return statistics.fmean(found)


class Ours:
    """What a user calls."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def search(self, question: Question, filters: Filters | None = None) -> None:
        assert self._index.search(question.text, k=10, filters=filters)

    def nearest(self, question: Question) -> list[str]:
        return list(self._index.store.query([question.vector], ARM_DEPTH, ())[0])


class Engine:
    """The least that a hybrid search takes: both arms in one batch, and the payloads of ten passages."""

    def __init__(self, index: Index) -> None:
        assert isinstance(index.store, EdgeStore)
        self._shard = index.store._opened().engine._shard
        self._bm25 = Bm25()

    def search(self, question: Question) -> None:
        terms = self._bm25.query(question.text)
        params = edge.SearchParams(hnsw_ef=HNSW_EF)
        arms = (
            edge.Query.Nearest(question.vector.tolist(), using=DENSE),
            edge.Query.Nearest(edge.SparseVector(terms.indices, terms.values), using=SPARSE),
        )
        requests = [edge.QueryRequest(limit=ARM_DEPTH, query=arm, params=params, with_payload=False) for arm in arms]
        dense, _ = self._shard.query_batch(edge.QueryBatchRequest(requests))
        assert self._shard.retrieve([one.id for one in dense[:10]], with_payload=True, with_vector=False)


class ByHand:
    """bm25s and a product of numpy, the best of each, fused."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._tokenizer = Tokenizer(stemmer=Stemmer.Stemmer("english"), stopwords="english")
        texts = [point.payload["embedded"] for point in corpus.passages]
        self._bm25 = bm25s.BM25(k1=1.2, b=0.75)
        self._bm25.index(self._tokenizer.tokenize(texts, return_as="tuple", show_progress=False), show_progress=False)

    def search(self, question: Question) -> None:
        words = self._tokenizer.tokenize([question.text], return_as="tuple", update_vocab=False, show_progress=False)
        sparse = self._bm25.retrieve(words, k=ARM_DEPTH, show_progress=False)[0][0]
        similarities = self._corpus.vectors @ question.vector
        best = np.argpartition(similarities, -ARM_DEPTH)[-ARM_DEPTH:]
        dense = best[np.argsort(-similarities[best])]
        fused = reciprocal_rank_fusion([dense.tolist(), sparse.tolist()])[:10]
        assert [self._corpus.passages[one.id].payload for one in fused]


class LocalMode:
    """qdrant-client without a server."""

    def __init__(self, index: Index, corpus: Corpus) -> None:
        warnings.filterwarnings("ignore", "Local mode|Payload indexes", UserWarning)
        self._bm25 = Bm25()
        self._store = ServerStore(QdrantClient(":memory:"), "passages", "this process")
        self._store.create(index.manifest.dimension)
        for start in range(0, len(corpus.passages), 1000):
            self._store.upsert(corpus.passages[start : start + 1000])

    def search(self, question: Question) -> None:
        dense, _ = self._store.query([question.vector, self._bm25.query(question.text)], ARM_DEPTH, ())
        assert self._store.retrieve(list(dense)[:10])

    def nearest(self, question: Question) -> list[str]:
        return list(self._store.query([question.vector], ARM_DEPTH, ())[0])


def in_turns(questions: Sequence[Asked], ways: Mapping[str, Callable[[Asked], object]]) -> dict[str, float]:
    """Median milliseconds of each way; which goes first, and finds the caches cold, changes with each query."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    order = list(ways)
    for question in (*questions[:WARM_UP], *questions):
        for name in order:
            began = time.perf_counter()
            ways[name](question)
            taken[name].append(1e3 * (time.perf_counter() - began))
        order.append(order.pop(0))
    return {name: statistics.median(each[min(WARM_UP, len(questions)) :]) for name, each in taken.items()}


def threads_disagree(index: Index, texts: Sequence[str]) -> int:
    """How many searches give another result with all threads at work than alone."""
    alone = [index.search(text) for text in texts]
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(index.search, [*texts] * 2))
    return sum(one != other for one, other in zip(together, alone * 2, strict=True))


def opening_seconds(index: Index, prepared: Prepared) -> float:
    """Median of opening again and again what is on disk; the index stays open after the last."""
    taken = []
    for _ in range(OPENINGS):
        index.close()
        began = time.perf_counter()
        again = Index.open(index.place, embedder=prepared)
        taken.append(time.perf_counter() - began)
        index.store = again._store
    return statistics.median(taken)


@contextmanager
def indexed(
    documents: Sequence[Document], chunking: Chunking, texts: Sequence[str]
) -> Iterator[tuple[Index, Prepared]]:
    """A temporary index of documents, with an embedder that has the vectors of passages and questions at hand."""
    prepared = Prepared(load_embedder(), [*passages(documents, chunking), *texts])
    with tempfile.TemporaryDirectory() as folder:
        index = Index.open(Path(folder, "bench.idx"), create=True, embedder=prepared, chunking=chunking)
        began = time.perf_counter()
        done = index.add(documents)
        print(f"{done.chunks} passages written in {time.perf_counter() - began:.1f} s, vectors given", flush=True)
        yield index, prepared
        index.close()


if __name__ == "__main__":
    main()
