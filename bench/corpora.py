"""Real texts of the development benchmarks as documents, and their vectors, which are computed once and kept."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from programs.config import settings
from programs.ingest.chunking import Chunking, chunk
from programs.ingest.document import Document, Section
from programs.retrieval.embedder import Embedder
from programs.retrieval.records import embedded_text
from programs.retrieval.store import Vector
from tests.benchmarks import BENCHMARKS

PAIRS = Chunking("sentences", 40)
"""About two sentences a passage: more than 20,000 in SciFact's abstracts."""
SHORT = Chunking("words", 30, 15)
"""More than 100,000 passages in all texts there are."""
ORGANISMS = ("Mus musculus", "Rattus norvegicus", "Homo sapiens")
"""Given out in turn, so that filters have something to find; a third of the documents has each."""
KEEP_ABOVE = 1000
"""Vectors of fewer texts are computed anew rather than kept."""


@dataclass(frozen=True)
class Claims:
    """SciFact's claims with judged abstracts: text and the ids of the abstracts that bear on it."""

    texts: list[str]
    relevant: list[set[str]]


def claims() -> Claims:
    relevant: dict[str, set[str]] = {}
    for line in (BENCHMARKS / "scifact" / "qrels.beir.test.txt").read_text("utf-8").splitlines():
        query, _, document, grade = line.split()
        if int(grade) > 0:
            relevant.setdefault(query, set()).add(document)
    texts = {str(row["id"]): row["claim"] for row in rows("scifact/claims_validation.jsonl")}
    return Claims([texts[name] for name in relevant], list(relevant.values()))


def rows(name: str) -> Iterator[dict]:
    with (BENCHMARKS / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def abstracts() -> Iterator[Document]:
    for number, row in enumerate(rows("scifact/corpus.jsonl")):
        yield document(str(row["doc_id"]), " ".join(row["abstract"]), number, row["title"])


def everything() -> Iterator[Document]:
    """Abstracts of SciFact and PubMedQA, full texts of Evidence Inference and Qasper: 1.7 million words."""
    yield from abstracts()
    trials = sorted((BENCHMARKS / "evidence_inference" / "txt").glob("*.txt"))
    texts = itertools.chain(
        (path.read_text("utf-8") for path in trials),
        (row["paper"] for row in rows("qasper/papers_qa.jsonl")),
        (" ".join(row["context"]["contexts"]) for row in rows("pubmed_qa/pqa_labeled_dev.jsonl")),
    )
    for number, text in enumerate(texts):
        yield document(f"text{number}", text, number)


def document(document_id: str, text: str, number: int, title: str = "") -> Document:
    sections = (Section("Abstract", "abstract", 0, len(text)),)
    metadata = {"organism": [ORGANISMS[number % len(ORGANISMS)]]}
    return Document(document_id, text, title, year=1990 + number % 30, sections=sections, metadata=metadata)


def up_to(chunks: int, documents: Iterator[Document], chunking: Chunking) -> list[Document]:
    """The first documents that together have at least so many chunks."""
    chosen, there = [], 0
    while there < chunks:
        chosen.append(next(documents))
        there += len(chunk(chosen[-1], chunking))
    return chosen


def passages(documents: Sequence[Document], chunking: Chunking) -> list[str]:
    """What an index embeds of them."""
    return [embedded_text(each, one.title) for one in documents for each in chunk(one, chunking)]


class Prepared:
    """An embedder whose vectors are there already, so that what is timed is the search alone."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._rows = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        self._vectors = _vectors(embedder, list(self._rows))

    def embed(self, texts: Sequence[str]) -> Vector:
        return self._vectors[[self._rows[text] for text in texts]]

    embed_query = embed


class Counting:
    """An embedder that counts what it is asked to embed."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.dimension = embedder.dimension
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> Vector:
        self.embedded += len(texts)
        return self._embedder.embed(texts)

    def embed_query(self, texts: Sequence[str]) -> Vector:
        return self._embedder.embed_query(texts)


def _vectors(embedder: Embedder, texts: list[str]) -> Vector:
    if len(texts) < KEEP_ABOVE:
        return embedder.embed(texts)
    file = _cache_file(embedder, texts)
    if not file.is_file():
        print(f"embedding {len(texts)} texts once; kept in {file}", flush=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, embedder.embed(texts), allow_pickle=False)
    vectors: Vector = np.load(file, allow_pickle=False)
    return vectors


def _cache_file(embedder: Embedder, texts: list[str]) -> Path:
    made_by = [getattr(embedder, each, "") for each in ("name", "fingerprint", "number_format")]
    digest = hashlib.sha256(json.dumps([made_by, texts]).encode()).hexdigest()
    return settings().cache / "bench" / f"{digest[:16]}.npy"
