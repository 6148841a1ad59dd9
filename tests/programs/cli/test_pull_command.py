import pytest

from programs.config import settings
from tests.command_line import run
from tests.loopback_ollama import LoopbackOllama

STEPS = [
    {"status": "pulling manifest"},
    {"status": "pulling 6a07", "digest": "sha256:6a07", "total": 400, "completed": 100},
    {"status": "pulling 6a07", "digest": "sha256:6a07", "total": 400, "completed": 400},
    {"status": "success"},
]


@pytest.fixture
def server(monkeypatch):
    with LoopbackOllama(pulls={"tiny": STEPS}) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        settings.cache_clear()
        yield server
    settings.cache_clear()


def test_a_model_is_pulled_in_sight(server):
    ran = run("pull", "tiny")
    assert ran.code == 0, ran.stderr
    assert [request["model"] for request in server.asked("/api/pull")] == ["tiny"]
    assert "Pulling tiny 100/100" in ran.stderr
    assert "use it with --lm ollama/tiny" in ran.stderr


def test_without_a_server_it_says_how_to_start_one(server, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    settings.cache_clear()
    ran = run("pull", "tiny")
    assert ran.code == 1
    assert "ollama serve" in ran.stderr
