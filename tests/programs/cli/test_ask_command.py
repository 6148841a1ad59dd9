"""`python -m programs ask`, with the extractive LM and the real embedding model."""

from __future__ import annotations

import json

import pytest

from tests.command_line import run

pytestmark = pytest.mark.needs("weights")

QUESTION = "By how much did femur density fall in flight mice?"
FELL = "Femur density fell by 12 % in flight mice"
BONE = f"# Bone loss in orbit\n\n## Results\n\n{FELL}. Osteoclast counts doubled.\n"
ROOTS = "# Roots in orbit\n\n## Results\n\nRoots of thale cress grew without direction.\n"
SAID = (
    "Compiled state: main_points.extractive.json (random_search; space_biology).\n"
    "No language model was used: the answer is extracted from the paper. Name a model with --lm.\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("papers")
    (folder / "bone.md").write_text(BONE, "utf-8")
    (folder / "roots.md").write_text(ROOTS, "utf-8")
    ran = run("index", folder / "bone.md", folder / "roots.md", "--index", folder / "papers.idx")
    assert ran.code == 0, ran.stderr
    return folder


@pytest.fixture(scope="module")
def paper(folder):
    return folder / "bone.md"


def test_json_is_all_there_is_on_stdout(paper):
    ran = run("ask", QUESTION, "--paper", paper, "--format", "json")
    assert (ran.code, ran.stderr) == (0, SAID)
    assert (ran.json["program"], ran.json["lm"], ran.json["question"]) == ("main_points", "extractive", QUESTION)
    assert FELL in ran.json["answer"]
    assert ran.json["citations"][0]["verdict"] == "supported"
    assert ran.json["metrics"]["lm_calls"] == 3


def test_text_tells_the_answer_its_proof_and_its_cost(paper):
    ran = run("ask", QUESTION, "--paper", paper)
    assert (ran.code, ran.stderr) == (0, SAID)
    told = " ".join(ran.stdout.split())
    assert f"“{FELL}” [1]." in told
    assert "[1] Bone loss in orbit · results" in told
    assert "supported (1.00) [1]" in told
    assert "calls" not in told  # of a model, of which there was none


def test_a_question_that_the_paper_does_not_answer(paper):
    ran = run("ask", "Which telescope saw the quasar?", "--paper", paper)
    assert ran.code == 0
    assert "The papers do not hold an answer to this question." in ran.stdout


def test_a_paper_of_an_index_is_named_by_its_id_or_found(folder):
    named = run("ask", QUESTION, "--paper", "bone", "--index", folder / "papers.idx", "--format", "json")
    found = run("ask", QUESTION, "--index", folder / "papers.idx", "--format", "json")
    assert named.json["answer"] == found.json["answer"] != ""
    assert "Asking bone, the paper that fits the question best" in found.stderr


def test_the_result_is_written_to_a_file_too(paper, tmp_path):
    ran = run("ask", QUESTION, "--paper", paper, "--output", tmp_path / "answer.json", "--format", "json")
    assert json.loads((tmp_path / "answer.json").read_text("utf-8")) == ran.json


def test_without_verification_there_are_two_calls(paper):
    ran = run("ask", QUESTION, "--paper", paper, "--no-verify", "--format", "json")
    assert ran.json["metrics"]["lm_calls"] == 2
    assert ran.json["citations"] != []


def test_verbose_tells_the_steps_on_stderr(paper):
    ran = run("ask", QUESTION, "--paper", paper, "--verbose", "--format", "json")
    assert ran.stderr.count("=== ") == 3
    assert ran.json["answerable"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--program", "nothing"], "there is no program 'nothing'; did you mean main_points"),
        (["--program", "paper_writer"], "paper_writer answers no questions; use `python -m programs write`"),
        (["--paper", "none.md"], "no file at none.md; check the path, or name an index with --index"),
        (["--lm", "ollama"], "'ollama' names no model; give one such as 'ollama/gpt-oss'"),
        (["--output", "nowhere/answer.json"], "no folder at nowhere for --output nowhere/answer.json; make it first"),
        (["--format", "xml"], "'xml' is not one of 'text', 'json'"),
    ],
)
def test_wrong_use_is_named_before_any_work(arguments, message, paper):
    ran = run("ask", QUESTION, "--paper", paper, *arguments)
    assert ran.code == 2
    assert ran.stdout == ""
    assert message in " ".join(ran.stderr.replace("│", "").split())


def test_an_empty_question_is_wrong_use(paper):
    ran = run("ask", "  ", "--paper", paper)
    assert (ran.code, ran.stdout) == (2, "")
    assert "Error: the question is empty; ask something of the paper" in ran.stderr


def test_a_model_that_no_server_has_is_a_failure_with_advice(paper, monkeypatch):
    from programs.config import settings

    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")  # "discard", which no one runs
    settings.cache_clear()
    ran = run("ask", QUESTION, "--paper", paper, "--lm", "ollama/gpt-oss")
    settings.cache_clear()
    assert (ran.code, ran.stdout) == (1, "")
    assert "No Ollama server at http://127.0.0.1:9; start it with `ollama serve`" in ran.stderr
