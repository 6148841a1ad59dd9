"""Questions whose answers are known to stand in certain passages of a collection, for measuring retrieval.

SciFact: a claim, and the abstracts that its authors cited for it (as BEIR counts), among 5,183 abstracts.
Evidence Inference: "What was the effect of X compared with Y on Z?", and the chunks that hold the experts' evidence,
among the chunks of 80 trials in full text.

Weights and limits are chosen on SciFact's training claims and on the trials with an even CRC-32 of their PMCID, as
in the bench of the support check; SciFact's validation claims and the other trials are kept for the report.
"""

from __future__ import annotations

import html
import itertools
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.corpora import abstracts, claims, rows
from programs.ingest.chunking import WORDS, chunk
from programs.ingest.document import Chunk, Document
from programs.ingest.reader import read
from tests.benchmarks import BENCHMARKS

TRIALS = BENCHMARKS / "evidence_inference"
QUESTION = "What was the effect of {intervention} compared with {comparator} on {outcome}?"


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
    """A paper's letters and digits, which two renderings of it agree on, and where its chunks stand among them."""

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
