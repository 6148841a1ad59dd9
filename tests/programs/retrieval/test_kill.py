"""`kill -9` at random moments of indexing: nothing committed is lost, and the next run completes the index."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

from programs.ingest.chunking import SENTENCES
from programs.ingest.document import Document
from programs.retrieval import embedded_store, passage_collection
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper

pytestmark = [pytest.mark.slow, pytest.mark.engine]

ROOT = Path(__file__).resolve().parents[3]
PAPERS = 120
BATCH_CHUNKS = 12
"""About 30 batches for all papers and 15 for the changed ones, so that a kill finds some behind it, some before it."""
KILLS = 2
"""While papers are added, and again while half of them are replaced; forty: ``python -m bench.hard_ends``."""
LONGEST_WAIT = 0.08
"""Seconds from a commit to the kill: several batches long, so it may come at any point of one."""
WORDS = ("bone", "yeast", "root", "orbit", "density", "acid", "gene", "mouse", "growth", "light", "cold", "stress")
QUESTIONS = ("bone density in orbit", "does acid stress yeast", "cold light and root growth")


def corpus(version: int) -> list[Document]:
    """Papers of two to four chunks; of the second version every other one differs, and is longer or shorter."""
    return [_generated(number, version if number % 2 else 1) for number in range(PAPERS)]


def _generated(number: int, version: int) -> Document:
    chance = random.Random(f"{number}/{version}")
    sentences = (
        f"Sentence {n} of paper {number}: {' '.join(chance.choices(WORDS, k=14))}."
        for n in range(chance.randint(8, 20))
    )
    return paper(f"paper{number:03}", *sentences, title=f"Version {version}", year=2000 + number % 20)


def opened(place: Path) -> Index:
    return Index.open(place, create=True, embedder=HashingEmbedder(), chunking=SENTENCES)


def index_all(place: Path, version: int) -> None:
    """The child's work: prints how many papers are committed, from the first on, as soon as it is told."""
    passage_collection.BATCH_CHUNKS = BATCH_CHUNKS
    embedded_store.STALE_SHARE = 0.0
    print(0, flush=True)
    with opened(place) as index:
        index.add(
            corpus(version), on_progress=lambda done: print(done.added + done.replaced + done.unchanged, flush=True)
        )


def killed_while_indexing(place: Path, version: int, commits: int, wait: float) -> int:
    """Kill a child some seconds after so many commits.

    Returns:
        How many papers it had reported committed when it died.
    """
    code = (
        "from pathlib import Path; from tests.programs.retrieval.test_kill import index_all; "
        f"index_all(Path({str(place)!r}), {version})"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        reported = [child.stdout.readline() for _ in range(1 + commits)]
        time.sleep(wait)
        child.kill()
        reported += child.stdout.readlines()
    assert child.returncode == -9, "it ended before it was killed"
    return int([line for line in reported if line.endswith("\n")][-1])


def contents(index: Index) -> tuple[list[Document], list[dict], list[list[str]]]:
    """Documents, chunks and what searches find, whatever the order of writing."""
    found = sorted((index.document(each["id"]) for each in index.documents()), key=lambda document: document.id)
    chunks = [asdict(chunk) for document in found for chunk in index.chunks(document.id)]
    return found, chunks, [[hit.chunk.id for hit in index.search(question, k=20)] for question in QUESTIONS]


def check_whole(index: Index, allowed: Sequence[Sequence[Document]]) -> dict[str, Document]:
    """Every document is one of its versions, with all of its chunks and no other's; returns what is there."""
    versions = {document.id: [each[n] for each in allowed] for n, document in enumerate(allowed[0])}
    there = {}
    for listed in index.documents():
        document = there[listed["id"]] = index.document(listed["id"])
        assert document in versions[document.id]
        assert index.chunks(document.id) == passage_collection.cut(document, SENTENCES)
    assert index.stats().chunks == sum(listed["chunks"] for listed in index.documents())
    return there


def test_kill_at_random_moments(tmp_path, monkeypatch):
    # Or else replaced chunks count in scores until there are many: what searches find would depend on the moment.
    monkeypatch.setattr(embedded_store, "STALE_SHARE", 0.0)
    chance = random.Random(20)
    first, second = corpus(1), corpus(2)
    place = tmp_path / "papers.idx"
    for version, allowed in ((1, [first]), (2, [first, second])):
        for _ in range(KILLS):
            committed = killed_while_indexing(place, version, chance.randint(0, 1), chance.uniform(0, LONGEST_WAIT))
            with opened(place) as index:
                there = check_whole(index, allowed)
            assert [there.get(document.id) for document in allowed[-1][:committed]] == allowed[-1][:committed]
        with opened(place) as index:
            done = index.add(allowed[-1])
            assert done.added + done.replaced + done.unchanged == PAPERS
            after_kills = contents(index)
        with opened(tmp_path / "undisturbed.idx") as index:
            index.add(allowed[-1])
            assert after_kills == contents(index)
