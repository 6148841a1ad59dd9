"""Indexes generated papers and prints the total after every commit; `test_kill` runs it as a process and kills it."""

from __future__ import annotations

import sys

from programs.ingest.document import Document
from programs.retrieval import passage_collection
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper

PAPERS = 60
passage_collection.BATCH_CHUNKS = 8


def generated(version: int) -> list[Document]:
    """Papers of one to five chunks each; the second version changes every other one, and shortens it."""
    papers = []
    for number in range(PAPERS):
        changed = version == 2 and number % 2 == 0
        sentences = (number % 5 + 1) * (20 if changed else 40)
        text = [
            f"Paper {number} says as fact {n} of version {2 if changed else 1} that root {n * number} grew."
            for n in range(sentences)
        ]
        papers.append(paper(f"paper-{number}", *text, title=f"Paper {number}", year=1990 + number))
    return papers


def main(place: str) -> None:
    with Index.open(place, create=True, embedder=HashingEmbedder()) as index:
        for version in (1, 2):
            index.add(generated(version), on_progress=lambda done, version=version: report(version, done))


def report(version: int, done: passage_collection.Indexed) -> None:
    sys.stdout.write(f"{version} {done.added + done.replaced + done.unchanged}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
