"""Downloads of models from an Ollama server: progress, and what goes wrong."""

import ollama
import pytest

from programs import errors
from programs.lm.ollama import pull
from tests.loopback_ollama import LoopbackOllama

UNUSED_PORT = "http://127.0.0.1:9"  # "discard", which no one runs


def test_pull_reports_progress_in_bytes():
    steps = [
        {"status": "pulling manifest"},
        {"status": "pulling 6a0746a1ec1a", "digest": "sha256:6a07", "total": 1000, "completed": 400},
        {"status": "success"},
    ]
    seen = []
    with LoopbackOllama(pulls={"gpt-oss": steps}) as server:
        pull("ollama/gpt-oss", server.url, seen.append)
    assert seen == [ollama.ProgressResponse(**step) for step in steps]


def test_pull_of_an_unknown_model_says_where_to_look():
    with (
        LoopbackOllama() as server,
        pytest.raises(errors.ModelNotFound, match=r"no model 'nope'; .*ollama.com/library"),
    ):
        pull("nope", server.url)


def test_a_download_that_ends_early_is_an_error():
    pulls = {"m": [{"status": "pulling manifest"}]}
    with LoopbackOllama(pulls=pulls) as server, pytest.raises(errors.LMUnavailable, match="ended with 'pulling"):
        pull("m", server.url)


def test_pull_without_a_server_says_so():
    with pytest.raises(errors.LMUnavailable, match="start it with `ollama serve`"):
        pull("m", UNUSED_PORT)
