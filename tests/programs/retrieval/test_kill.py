"""A process that indexes is killed at random moments: nothing committed is lost, and the next run completes it."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.programs.retrieval.indexing_child import generated, main

ROOT = Path(__file__).resolve().parents[3]
KILLS = 10
LONGEST_RUN = 1.0


def content(place: Path) -> dict[str, list[tuple[str, str]]]:
    """Everything an index holds, by paper; each chunk has to stand in its paper's text."""
    with Index.open(place, embedder=HashingEmbedder()) as index:
        held = {}
        for listed in index.documents():
            document, chunks = index.document(listed["id"]), index.chunks(listed["id"])
            assert all(document.text[one.start : one.end] == one.text for one in chunks)
            held[document.id] = [(one.id, one.text) for one in chunks]
        return held


def run_and_kill(place: Path, after: float) -> str:
    """Run the child for some seconds from its first commit, then kill it without warning; what it had reported."""
    command = [sys.executable, "-m", "tests.programs.retrieval.indexing_child", str(place)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
        return (first + child.stdout.read()).strip().splitlines()[-1]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    place = tmp_path_factory.mktemp("undisturbed") / "papers.idx"
    main(str(place))
    return content(place)


def test_ten_kills_lose_nothing_that_was_committed(tmp_path, undisturbed):
    place = tmp_path / "papers.idx"
    moments = random.Random(20)
    for _ in range(KILLS):
        version, total = map(int, run_and_kill(place, moments.uniform(0, LONGEST_RUN) ** 2 / LONGEST_RUN).split())
        held = content(place)
        committed = [one.id for one in generated(version)][:total]
        assert set(committed) <= set(held)
        if version == 2:
            replaced = {one.id: one.text for one in generated(2)[:total]}
            assert all(all(text in replaced[name] for _, text in held[name]) for name in committed)
    main(str(place))
    assert content(place) == undisturbed
