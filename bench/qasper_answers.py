"""How often an answer of QASPER is in the five passages of its paper that are shown first.

    python -m bench.qasper_answers    # a minute

The local slice holds no evidence, so a question counts here where its answer, or each part of one that lists several,
is in its paper word for word and is not short. It is shown where one passage holds all of it. Nothing was trained
or tuned on these papers. Intervals resample papers; differences are paired.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.corpora import needs_benchmarks, rows
from bench.gates import load
from optimize.statistics import compare
from programs.ingest.chunking import PASSAGES, WORDS, Chunking
from programs.ingest.document import Document
from programs.ingest.plain_text import document_of
from programs.retrieval.index import Index
from programs.retrieval.reranking import cross_encoder, ordered

FIRST = 5
CANDIDATES = 200
LEAST_LETTERS = 12
Way = Callable[[Index, "Asked"], Sequence[str]]


@dataclass(frozen=True)
class Asked:
    """A question, its paper, and the letters of each part of its answer."""

    question: str
    paper: str
    parts: tuple[str, ...]

    def is_in(self, texts: Sequence[str]) -> bool:
        return any(all(part in letters for part in self.parts) for letters in map(_letters, texts))


def main() -> None:
    needs_benchmarks()
    papers = {f"paper{number}": row for number, row in enumerate(rows("qasper/papers_qa.jsonl"))}
    asked = [each for name, row in papers.items() for each in _asked(name, row)]
    documents = [document_of(row["paper"], name) for name, row in papers.items()]
    print(f"{load()}\n{len(asked)} answers in {len(documents)} papers\n")
    print("| | shown among five | against the search of chunks |\n|---|---:|---:|")
    clusters = [each.paper for each in asked]
    before: list[float] = []
    for name, chunking, way in WAYS:
        shown = _shown(documents, chunking, way, asked)
        share, gain = (
            compare(shown, clusters),
            compare([a - b for a, b in zip(shown, before or shown, strict=True)], clusters),
        )
        before = before or shown
        shares = [f"{each.difference:+.3f} ({each.low:+.3f} to {each.high:+.3f})" for each in (share, gain)]
        print(f"| {name} | {shares[0].replace('+', '')} | {shares[1]} |", flush=True)


def _asked(name: str, row: dict) -> list[Asked]:
    text = _letters(row["paper"])
    split = {
        (question, tuple(_letters(part) for part in answer.split(", ")))
        for question, answer in zip(row["questions"], row["answers"], strict=True)
    }
    return [
        Asked(question, name, parts)
        for question, parts in sorted(split)
        if sum(map(len, parts)) >= LEAST_LETTERS and all(part in text for part in parts)
    ]


def _shown(documents: Sequence[Document], chunking: Chunking, way: Way, asked: Sequence[Asked]) -> list[float]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Index.open(Path(folder, "papers.idx"), create=True, chunking=chunking) as index,
    ):
        index.add(documents)
        return [float(each.is_in(way(index, each))) for each in asked]


def by_search(index: Index, asked: Asked) -> Sequence[str]:
    return [hit.chunk.text for hit in index.search(asked.question, FIRST, {"document": [asked.paper]})]


def by_order(index: Index, asked: Asked) -> Sequence[str]:
    hits = index.search(asked.question, CANDIDATES, {"document": [asked.paper]})
    return [hit.chunk.text for hit in ordered(asked.question, hits, cross_encoder("learned"))[:FIRST]]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


WAYS: Sequence[tuple[str, Chunking, Way]] = (
    ("chunks of 100 words, as found", WORDS, by_search),
    ("passages, as found", PASSAGES, by_search),
    ("passages, the learned order", PASSAGES, by_order),
)

if __name__ == "__main__":
    main()
