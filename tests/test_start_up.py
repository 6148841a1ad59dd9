"""What each command imports, as ``python -X importtime`` tells: a question must not wait for what it does not use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
PAPERS = ROOT / "datasets" / "space_biology" / "papers"
PAPER = PAPERS / "PMC0000001.md"
QUESTION = "Does spaceflight reduce bone density in mice?"

HEAVY = {
    "torch",
    "transformers",
    "sentence_transformers",
    "sklearn",
    "scipy",
    "datasets",
    "pandas",
    "pyarrow",
    "optuna",
    "fastapi",
    "uvicorn",
    "litellm",
    "openai",
    "qdrant_client",
}
"""What no command may import that can do without it; ``serve`` alone needs a server."""
SEARCHES = HEAVY | {"dspy", "httpx", "pypdfium2", "lxml", "onnx", "pybtex"}
"""And what a search has no use for."""


@pytest.fixture(scope="module")
def place(tmp_path_factory, embedder):
    """An index of a paper, and an answer of it."""
    folder = tmp_path_factory.mktemp("start_up")
    assert run("index", PAPER, "--index", folder / "papers.idx").code == 0
    assert run("ask", QUESTION, "--paper", PAPER, "--output", folder / "answer.json").code == 0
    return folder


def imported(module, *arguments):
    """Top-level names of all that a command imports, from its start to its end."""
    command = [sys.executable, "-X", "importtime", "-m", module, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (("retrieve", QUESTION, "--index", "papers.idx"), SEARCHES),
        (("remove", "nobody", "--index", "papers.idx", "--help"), SEARCHES),
        (("ask", QUESTION, "--index", "papers.idx"), HEAVY),
        (("ask", QUESTION, "--index", "papers.idx", "--program", "multi_signal"), HEAVY),
        (("ask", QUESTION, "--index", "papers.idx", "--program", "rag_fusion"), HEAVY),
        (("ask", QUESTION, "--paper", PAPER), HEAVY),
        (("verify", "answer.json", "--paper", PAPER), HEAVY),
        (("index", PAPER, "--index", "again.idx"), HEAVY | {"dspy"}),
        (("list",), HEAVY),
        (("fetch", "--help"), SEARCHES),
        (("pull", "--help"), SEARCHES),
        (("write", "--help"), SEARCHES),
        (("serve", "--help"), SEARCHES),
    ],
    ids=lambda value: " ".join(map(str, value[:1])) if isinstance(value, tuple) else "",
)
def test_a_command_imports_what_it_uses(arguments, unwanted, place):
    inside = [place / each if str(each).endswith((".idx", ".json")) else each for each in arguments]
    found = imported("programs", *inside)
    assert "programs" in found
    assert sorted(found & unwanted) == []


@pytest.mark.parametrize("arguments", [("--help",), ("compile", "main_points", "--dry-run")], ids=lambda each: each[0])
def test_optimize_imports_what_it_uses(arguments):
    assert sorted(imported("optimize", *arguments) & HEAVY) == []
