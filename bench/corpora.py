"""Texts of the development benchmarks as documents, their vectors, which are computed once, and questions on them.

SciFact: a claim, and the abstracts that its authors cited for it (as BEIR counts), among 5,183 abstracts.
Evidence Inference: "What was the effect of X compared with Y on Z?", and the chunks that hold the experts' evidence,
among the chunks of 80 trials in full text.

Weights and limits are chosen on SciFact's training claims and on the trials with an even CRC-32 of their PMCID, as
in the bench of the support check; SciFact's validation claims and the other trials are kept for the report.
"""

from __future__ import annotations

import hashlib
import html
import itertools
import json
import math
import sys
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from programs.config import settings
from programs.ingest.chunking import WORDS, Chunking, chunk
from programs.ingest.document import Chunk, Document, Section
from programs.ingest.formats import read
from programs.retrieval.embedder import Embedder
from programs.retrieval.index import Index
from programs.retrieval.records import embedded_text
from programs.retrieval.store import Vector
from programs.summaries import summarize_index
from tests.benchmarks import BENCHMARKS

TRIALS = BENCHMARKS / "evidence_inference"
QUESTION = "What was the effect of {intervention} compared with {comparator} on {outcome}?"
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
    """SciFact's claims with judged abstracts: text and the ids of the abstracts that are about it."""

    texts: list[str]
    relevant: list[set[str]]


def needs_benchmarks(folder: Path = BENCHMARKS) -> None:
    """End the process, without an error, where the benchmarks are not beside this checkout."""
    if not folder.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        sys.exit()


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


def ndcg(ranked: Sequence[str], relevant: Collection[str], depth: int = 10) -> float:
    """Of binary grades, as BEIR counts it (Thakur et al., NeurIPS 2021)."""
    gain = math.fsum(1 / math.log2(rank + 2) for rank, name in enumerate(ranked[:depth]) if name in relevant)
    return gain / math.fsum(1 / math.log2(rank + 2) for rank in range(min(depth, len(relevant))))


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


@dataclass(frozen=True)
class Question:
    """A question, the ids of what is relevant to it, their papers, and what it is resampled with."""

    text: str
    relevant: frozenset[str]
    papers: frozenset[str]
    cluster: str


@dataclass(frozen=True)
class Task:
    """Documents, questions for choosing and for reporting, and which id of a chunk counts."""

    name: str
    documents: Sequence[Document]
    tuning: Sequence[Question]
    held_out: Sequence[Question]
    unit: Callable[[Chunk], str]

    @property
    def questions(self) -> list[Question]:
        return [*self.tuning, *self.held_out]


def scifact() -> Task:
    judged = claims()
    validation = [_claim(text, papers) for text, papers in zip(judged.texts, judged.relevant, strict=True)]
    cited: dict[str, set[str]] = {}
    for row in rows("scifact/claims_train.jsonl"):
        cited.setdefault(row["claim"], set()).update(map(str, row["cited_doc_ids"]))
    known = {question.text for question in validation}
    training = [_claim(text, papers) for text, papers in cited.items() if text not in known]
    undated = [replace(each, year=None) for each in abstracts()]  # their years are made up, for filters
    return Task("SciFact", undated, training, validation, lambda each: each.document_id)


def _claim(text: str, papers: set[str]) -> Question:
    return Question(text, frozenset(papers), frozenset(papers), min(papers))


def trials() -> Task:
    papers = {path.stem: read(path) for path in sorted(Path(TRIALS, "nxml").glob("*.nxml"))}
    chunks = {name: Passages.of(paper) for name, paper in papers.items()}
    prompts = list(rows("evidence_inference/prompts.jsonl"))
    asked = [(row["pmcid"], question) for row in prompts if (question := _prompt(row, papers, chunks))]
    print(f"{len(prompts) - len(asked)} of {len(prompts)} prompts left out: their evidence is in no chunk", flush=True)
    even, odd = ([each for name, each in asked if zlib.crc32(name.encode()) % 2 == half] for half in (0, 1))
    return Task("Evidence Inference", list(papers.values()), even, odd, lambda each: each.id)


def _prompt(row: dict, papers: dict[str, Document], chunks: dict[str, Passages]) -> Question | None:
    texts = {key: " ".join(html.unescape(row[key]).split()) for key in ("intervention", "comparator", "outcome")}
    found = (chunks[row["pmcid"]].holding(evidence["text"]) for evidence in row["evidence"])
    relevant = frozenset(itertools.chain.from_iterable(found))
    paper = papers[row["pmcid"]].id
    return Question(QUESTION.format(**texts), relevant, frozenset([paper]), paper) if relevant else None


@dataclass(frozen=True)
class Passages:
    """A paper's letters and digits, which two renderings of it agree on, and where its chunks are among them."""

    letters: str
    spans: Sequence[tuple[str, int, int]]

    @classmethod
    def of(cls, document: Document) -> Passages:
        places = list(itertools.accumulate((len(_letters(character)) for character in document.text), initial=0))
        spans = [(each.id, places[each.start], places[each.end]) for each in chunk(document, WORDS)]
        return cls(_letters(document.text), spans)

    def holding(self, evidence: str) -> Iterator[str]:
        """Ids of chunks that share at least half of the evidence."""
        wanted = _letters(evidence)
        start = self.letters.find(wanted)
        while start >= 0 and wanted:
            end = start + len(wanted)
            for name, first, last in self.spans:
                if 2 * (min(end, last) - max(start, first)) >= len(wanted):
                    yield name
            start = self.letters.find(wanted, end)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def summarized(task: Task, name: str, chunking: Chunking) -> Index:
    """An index of a task's documents with their summaries, made once under the folder for temporary files."""
    place = Path(tempfile.gettempdir(), "corroborate-bench", name)
    place.parent.mkdir(exist_ok=True)
    index = Index.open(place, create=True, chunking=chunking)
    index.add(task.documents)
    done = summarize_index(index)
    if done.failures:
        sys.exit("\n".join(map(str, done.failures)))
    return index
