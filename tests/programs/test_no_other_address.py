"""No command contacts a host that the user did not name, and no process that it starts does."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest
import yaml

from programs.config import settings
from tests import small_dataset
from tests.command_line import run
from tests.loopback import Answer, LoopbackArticles, LoopbackOpenAI, article
from tests.loopback_ollama import LoopbackOllama
from tests.loopback_only import only_loopback

pytestmark = pytest.mark.slow

TEXT = "# Bone loss in orbit\n\n## Results\n\nFemur density fell by 12 percent in flight mice.\n"
QUESTION = "By how much did density fall?"
CONCEPT = {
    "hypothesis": "Jumping protects the femur density of mice.",
    "title": "Jumping protects bone",
    "background": "Mice lose femur density in flight.",
    "experiments": [{"name": "Jumps", "method": "Mice jumped daily.", "findings": ["Femur density fell by 2 %."]}],
}
OPTIMIZE = "optimize.cli.app"


@pytest.fixture
def tried(tmp_path_factory):
    """What is tried beyond this machine; none of it gets through."""
    with only_loopback(tmp_path_factory.mktemp("log")) as tried:
        yield tried


@pytest.fixture
def papers(tmp_path, monkeypatch, embedder):
    (tmp_path / "bone.md").write_text(TEXT, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ended(commands):
    for command in commands:
        ran = run(*command)
        assert ran.code in (0, 1), (command, ran.stderr)
        assert "Traceback" not in ran.stderr


def test_the_guard_refuses_here_and_in_new_processes(tried):
    code = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    with pytest.raises(OSError, match="in this test"):
        urllib.request.urlopen("http://papers.invalid/", timeout=1)
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 1
    assert tried() == ["the name papers.invalid", "the name 192.0.2.1"]


def test_commands_contact_nobody(tried, papers):
    commands = [
        ("index", "bone.md", "--summaries"),
        ("check",),
        ("list",),
        ("retrieve", QUESTION),
        ("retrieve", QUESTION, "--program", "paper_retriever"),
        ("ask", QUESTION, "--program", "main_points", "--output", "answer.json"),
        ("ask", QUESTION, "--program", "multi_signal"),
        ("ask", QUESTION, "--program", "rag_fusion"),
        ("ask", QUESTION, "--paper", "bone.md"),
        ("verify", "answer.json"),
        ("remove", "bone"),
    ]
    ended(commands)
    assert tried() == []


def test_a_draft_contacts_nobody(tried, papers):
    (papers / "concept.yaml").write_text(yaml.safe_dump(CONCEPT), "utf-8")
    ended(
        [
            ("index", "bone.md"),
            ("write", "concept.yaml", "--output", "draft"),
            ("verify", "draft/draft.json"),
        ]
    )
    assert (papers / "draft" / "draft.md").is_file()
    assert tried() == []


@pytest.mark.needs("serve")
@pytest.mark.engine
def test_a_server_contacts_nobody(tried, papers):
    assert run("index", "bone.md").code == 0
    command = [sys.executable, "-m", "programs", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=papers, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = ""
            while not (at := re.search(r"at (http://\S+)", said)):
                line = process.stderr.readline()
                assert line, said
                said += line
            for path in ("/", "/health", "/ready", "/openapi.json", "/api/documents"):
                assert urllib.request.urlopen(at[1] + path, timeout=600).status == 200
            asked = urllib.request.Request(
                f"{at[1]}/api/ask", f'{{"question": "{QUESTION}"}}'.encode(), {"Content-Type": "application/json"}
            )
            assert urllib.request.urlopen(asked, timeout=600).status == 200
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=600) == 0
        finally:
            process.kill()
    assert tried() == []


def test_optimize_contacts_nobody(tried, papers):
    data = small_dataset.write(papers / "small")
    compiled = ("compile", "main_points", "--dataset", data, "--optimizer", "few_shot", "--limit", "2")
    evaluated = ("eval", "main_points", "--dataset", data, "--split", "val", "--state", "none", "--limit", "2")
    for command in (compiled, (*evaluated, "--output", "run"), ("report", "run")):
        ran = run(*command, module=OPTIMIZE)
        assert ran.code == 0, (command, ran.stderr)
    assert tried() == []


def test_servers_that_are_named_are_all_that_is_contacted(tried, papers, monkeypatch):
    with LoopbackOllama(["nothing"], pulls={"tiny": [{"status": "success"}]}) as ollama:
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        settings.cache_clear()
        run("index", "bone.md")
        with LoopbackOpenAI("nothing") as other:
            for lm, option in (("ollama/tiny", f"host={ollama.url}"), ("openai/mine", f"api_base={other.url}/v1")):
                ran = run("ask", "How much?", "--program", "main_points", "--lm", lm, "--lm-option", option)
                assert ran.code in (0, 1), ran.stderr
                assert run("check", "--lm", lm, "--lm-option", option).code in (0, 1)
        assert run("pull", "tiny").code == 0
        assert ollama.chats
        assert other.requests
    settings.cache_clear()
    assert tried() == []


def test_fetch_contacts_the_named_server_alone(tried, papers):
    with LoopbackArticles({"PMC1": Answer(article("PMC1"))}) as server:
        ran = run("fetch", "PMC1", "--base", server.url, "--delay", "0")
        assert ran.code == 0, ran.stderr
        assert server.asked == ["PMC1"]
    assert tried() == []
