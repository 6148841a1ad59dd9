"""Texts of the development benchmarks as documents, their vectors, which are computed once, and questions on them.

SciFact: a claim, and the abstracts that its authors cited for it (as BEIR counts), among 5,183 abstracts.
Evidence Inference: "What was the effect of X compared with Y on Z?", and the chunks that hold the experts' evidence,
among the chunks of 80 trials in full text.
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
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from programs.config import settings
from programs.ingest.chunking import WORDS, Chunking, chunk
from programs.ingest.document import Document, Section
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
    """Documents, and questions on them."""

    documents: Sequence[Document]
    questions: Sequence[Question]


def trials() -> Task:
    papers = {path.stem: read(path) for path in sorted(Path(TRIALS, "nxml").glob("*.nxml"))}
    chunks = {name: Passages.of(paper) for name, paper in papers.items()}
    prompts = list(rows("evidence_inference/prompts.jsonl"))
    asked = [(row["pmcid"], question) for row in prompts if (question := _prompt(row, papers, chunks))]
    print(f"{len(prompts) - len(asked)} of {len(prompts)} prompts left out: their evidence is in no chunk", flush=True)
    return Task(
        list(papers.values()), [each for _, each in sorted(asked, key=lambda pair: zlib.crc32(pair[0].encode()) % 2)]
    )


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


def document_of_passages(paper: Mapping[str, Any]) -> tuple[Document, dict[str, tuple[int, int]]]:
    """A paper of `trials_train`, and where each of its passages is in it."""
    text, sections, places = "", [], {}
    for (heading, kind), passages in itertools.groupby(paper["passages"], itemgetter("heading", "section")):
        start = len(text)
        for each in passages:
            places[each["id"]] = (len(text), len(text) + len(each["text"]))
            text += f"{each['text']}\n\n"
        sections.append(Section(heading, kind, start, len(text)))
    title, name = paper["title"], paper["pmcid"]
    return Document(name, text, title, year=paper["year"], pmcid=name, sections=tuple(sections)), places
