"""`python -m programs fetch` and `pull`: what they print, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from programs.config import settings
from tests.command_line import run
from tests.loopback_articles import Answer, LoopbackArticles, article
from tests.loopback_ollama import LoopbackOllama

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with LoopbackArticles({pmcid: Answer(article(pmcid)) for pmcid in ("PMC111", "PMC222", "PMC333")}) as server:
        yield server


def fetch(server, folder, *arguments):
    return run("fetch", *arguments, "--output", folder / "papers", "--base", server.url, "--delay", "0")


def test_papers_are_fetched_once(server, tmp_path):
    ran = fetch(server, tmp_path, "PMC111", "222", "pmc111")
    assert (ran.code, server.asked) == (0, ["PMC111", "PMC222"]), ran.stderr
    assert ran.stdout == f"{tmp_path / 'papers'}: 2 fetched, 0 already there, 0 failed, 0 not tried\n"
    assert "Fetching 2/2" in ran.stderr
    again = fetch(server, tmp_path, "PMC111", "222")
    assert again.stdout.endswith(": 0 fetched, 2 already there, 0 failed, 0 not tried\n")
    assert len(server.requests) == 2


def test_failures_are_one_line_each_and_the_others_go_on(server, tmp_path):
    papers = tmp_path / "list.csv"
    papers.write_text("Title,Link\nA,https://pmc.ncbi.nlm.nih.gov/articles/PMC222/\nB,none\n", "utf-8")
    ran = fetch(server, tmp_path, "PMC999", "PMC111", "--from", papers, "--format", "json")
    assert ran.code == 1
    assert (ran.json["fetched"], ran.json["present"], ran.json["not_tried"]) == (["PMC111", "PMC222"], [], [])
    assert [(one["pmcid"], one["reason"]) for one in ran.json["failed"]] == [
        ("PMC999", "not in the open-access set (404 Not Found)")
    ]
    assert ran.json["without_pmcid"] == [f"{papers}, line 3: no PMCID in 'B, none'"]
    told = [line for line in ran.stderr.splitlines() if line.startswith("Not fetched: ")]
    assert len(told) == 2
    assert told[1].endswith("check the number, or get its PDF from the publisher and put it beside the others")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no paper named; write PMCIDs such as PMC2654319"),
        (["mice"], "'mice' is not a PMCID"),
        (["PMC111", "--base", "nowhere"], "--base 'nowhere' is not an address"),
        (["PMC111", "--delay", "-1"], "--delay got -1"),
        (["PMC111", "--timeout", "0"], "--timeout got 0"),
        (["--from", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_wrong_usage_asks_for_nothing(tmp_path, arguments, message):
    ran = run("fetch", *arguments, "--output", tmp_path / "papers")
    assert (ran.code, ran.stdout) == (2, "")
    assert message in ran.stderr
    assert not (tmp_path / "papers").exists()


@pytest.fixture
def heeds_interrupts():
    """Children heed Ctrl-C even where the tests run in a shell's background, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="sends an interrupt as a terminal does")
@pytest.mark.usefixtures("heeds_interrupts")
def test_ctrl_c_keeps_what_is_there_and_the_same_command_goes_on(server, tmp_path):
    server.answers["PMC222"] = [Answer(article("PMC222"), delay=60.0)]
    command = [sys.executable, "-m", "programs", "fetch", "PMC111", "PMC222", "--base", server.url, "--delay", "0"]
    command += ["--output", str(tmp_path / "papers")]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as child:
        while "PMC222" not in server.asked:
            assert child.poll() is None
        child.send_signal(signal.SIGINT)
        _, stderr = child.communicate(timeout=300)
    assert (child.returncode, [path.name for path in (tmp_path / "papers").iterdir()]) == (1, ["PMC111.xml"])
    assert "the same command goes on from there" in stderr
    server.answers["PMC222"] = [Answer(article("PMC222"))]
    assert fetch(server, tmp_path, "PMC111", "PMC222").code == 0


STEPS = [
    {"status": "pulling manifest"},
    {"status": "pulling 6a07", "digest": "sha256:6a07", "total": 400, "completed": 100},
    {"status": "pulling 6a07", "digest": "sha256:6a07", "total": 400, "completed": 400},
    {"status": "success"},
]


@pytest.fixture
def ollama(monkeypatch):
    with LoopbackOllama(pulls={"tiny": STEPS}) as ollama:
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        settings.cache_clear()
        yield ollama
    settings.cache_clear()


def test_a_model_is_pulled_in_sight(ollama):
    ran = run("pull", "tiny")
    assert ran.code == 0, ran.stderr
    assert [request["model"] for request in ollama.asked("/api/pull")] == ["tiny"]
    assert "Pulling tiny 100/100" in ran.stderr
    assert "use it with --lm ollama/tiny" in ran.stderr


def test_without_a_server_it_says_how_to_start_one(ollama, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    settings.cache_clear()
    ran = run("pull", "tiny")
    assert ran.code == 1
    assert "ollama serve" in ran.stderr
