"""What each command imports, as ``python -X importtime`` tells: a question must not wait for what it does not use."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from optimize.judging import judge_of
from optimize.optimizers import optimizer_of
from programs.errors import MissingExtra
from programs.extras import EXTRAS, lacking, require
from programs.retrieval.reranking import SentenceTransformerCrossEncoder
from tests.command_line import run

pytestmark = pytest.mark.engine

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
SEARCHES = HEAVY | {"dspy", "httpx", "pypdfium2", "lxml", "onnx"}
"""And what a search has no use for."""


@pytest.fixture(scope="module")
def place(tmp_path_factory, embedder):
    """An index of a paper, and an answer of it."""
    folder = tmp_path_factory.mktemp("start_up")
    assert run("index", PAPER, "--index", folder / "papers.idx").code == 0
    assert run("ask", QUESTION, "--paper", PAPER, "--output", folder / "answer.json").code == 0
    return folder


COMMANDS = """
import json, sys
from tests.command_line import run
for command in json.loads(sys.argv[1]):
    ran = run(*command)
    assert ran.code == 0, ran
"""


def imported(*command):
    """Top-level names of all that a process of Python imports, from its start to its end."""
    started = [sys.executable, "-X", "importtime", *map(str, command)]
    done = subprocess.run(started, cwd=ROOT, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.slow
def test_a_search_imports_what_it_uses(place):
    found = imported("-m", "programs", "retrieve", QUESTION, "--index", place / "papers.idx")
    assert "programs" in found
    assert sorted(found & SEARCHES) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("commands", "unwanted"),
    [
        ([("index", PAPER, "--index", "again.idx")], HEAVY | {"dspy"}),
        (
            [
                ("ask", QUESTION, "--index", "papers.idx"),
                ("ask", QUESTION, "--index", "papers.idx", "--program", "multi_signal"),
                ("ask", QUESTION, "--index", "papers.idx", "--program", "rag_fusion"),
                ("ask", QUESTION, "--paper", PAPER),
                ("verify", "answer.json", "--paper", PAPER),
                ("list",),
            ],
            HEAVY,
        ),
    ],
    ids=["index", "ask"],
)
def test_commands_import_what_they_use(commands, unwanted, place):
    """Of one process, one after another: none of them imports it."""
    inside = [
        [str(place / each if str(each).endswith((".idx", ".json")) else each) for each in command]
        for command in commands
    ]
    assert sorted(imported("-c", COMMANDS, json.dumps(inside)) & unwanted) == []


@pytest.mark.slow
def test_optimize_imports_what_it_uses():
    """As does its help, which is shorter; that of the other commands: ``tests/test_architecture.py``."""
    assert sorted(imported("-m", "optimize", "compile", "main_points", "--dry-run") & HEAVY) == []


CONCEPT = ROOT / "programs" / "paper_writer" / "example" / "concept.yaml"


@pytest.fixture
def without(monkeypatch):
    """Takes the libraries of an extra away."""

    def take(extra):
        for module in EXTRAS[extra]:
            monkeypatch.setitem(sys.modules, module, None)

    return take


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_message_names_the_extra_and_the_command(extra, without):
    without(extra)
    with pytest.raises(MissingExtra) as raised:
        require(extra, "This")
    assert raised.value.exit_code == 2
    assert str(raised.value).startswith(f"This needs {EXTRAS[extra][0]}")
    assert str(raised.value).endswith(f"pip install 'corroborate-papers[{extra}]'")


def test_a_folder_of_the_same_name_is_no_library(tmp_path, monkeypatch):
    (tmp_path / "invented_library").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(EXTRAS, "invented", ("invented_library",))
    assert lacking("invented") == ("invented_library",)


def test_every_extra_stands_in_the_project_file():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert EXTRAS.keys() <= declared.keys()
    assert declared["all"] == [f"corroborate-papers[{','.join(EXTRAS)}]"]


def test_nothing_advises_to_install_the_other_project_of_the_name():
    advice = re.compile(r"\bpip install[^\n`]*?\bcorroborate\b(?!-papers)|[\"']corroborate\[")
    texts = [
        path
        for pattern in ("*.py", "*.md", "*.toml", "*.yaml", "*.cff", "Makefile", "*.html", "*.js")
        for path in ROOT.rglob(pattern)
        if not {part[:5] for part in path.relative_to(ROOT).parts} & {".venv", "build"}
    ]
    assert len(texts) > 500
    here = Path(__file__).resolve()
    found = [str(path) for path in texts if path != here and advice.search(path.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    ("extra", "arguments"),
    [
        ("serve", ("serve",)),
        ("qdrant", ("retrieve", "bone", "--index", "http://127.0.0.1:9")),
    ],
)
def test_a_command_without_its_extra_is_wrong_usage(extra, arguments, without):
    without(extra)
    ran = run(*arguments)
    assert (ran.code, ran.stdout) == (2, "")
    assert f"pip install 'corroborate-papers[{extra}]'" in ran.stderr


@pytest.mark.parametrize(
    ("extra", "options"),
    [
        ("tune", ("--optimizer", "random_search,parameters")),
        ("tune", ("--optimizer", "mipro")),
        ("hub", ("--dataset", "scifact")),
    ],
)
def test_a_compilation_without_its_extra_is_refused_before_it_starts(extra, options, without):
    without(extra)
    ran = run("compile", "main_points", *options, "--dry-run", module="optimize.cli.app")
    assert (ran.code, ran.stdout) == (2, "")
    assert f"pip install 'corroborate-papers[{extra}]'" in ran.stderr


def test_what_searches_without_optuna_needs_no_extra(without):
    without("tune")
    without("models")
    assert optimizer_of("random_search").name == "random_search"
    assert judge_of().name


def test_a_cross_encoder_by_name_needs_the_models(without):
    without("models")
    with pytest.raises(MissingExtra, match=r"^the cross-encoder some/model needs torch"):
        SentenceTransformerCrossEncoder("some/model").scores("femur", ["femur"])


@pytest.mark.slow
def test_a_model_behind_litellm_says_that_litellm_is_missing():
    code = (
        "import sys; sys.modules['litellm'] = None\n"
        "import programs\n"
        "from programs.lm import translated\n"
        "with translated('bedrock/x'):\n"
        "    programs.LM('bedrock/x', num_retries=0)('Hello')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True, timeout=120
    )
    assert "MissingExtra: the model bedrock/x needs litellm" in done.stderr
    assert "pip install 'corroborate-papers[litellm]'" in done.stderr
