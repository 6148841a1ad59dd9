"""What a real Ollama server said, and what its double says to the same requests."""

import json

import httpx
import pytest

from tests.benchmarks import BENCHMARKS, needs_benchmarks
from tests.loopback_ollama import LoopbackOllama, Reply

pytestmark = needs_benchmarks
_RECORDED = BENCHMARKS / "servers" / "ollama.jsonl"
LINES = [json.loads(line) for line in _RECORDED.read_text().splitlines()] if _RECORDED.exists() else []

# What no request brings about by itself.
SCRIPTS = {
    "the model's process dies": Reply(
        status=500, error="an error was encountered while running the model: unexpected EOF"
    ),
    "the model's process dies, streamed": Reply(
        "rexdjsb", error="an error was encountered while running the model: unexpected EOF"
    ),
    "more calls than the queue holds": Reply(
        status=503, error="server busy, please try again.  maximum pending requests exceeded"
    ),
    "answer runs over the window, truncate false, shift false": Reply("rexdjsb", eval_count=4000),
}
# The recorded pull asked for one reply; the project's own pull, and so the double, streams its progress.
UNLIKE = {"pull without a network"}


def most_letters(text):
    """About what the recorded server's tokenizer counts."""
    return round(0.93 * len(text))


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["label"])
def test_the_double_takes_and_refuses_what_the_real_server_did(line):
    if line["label"] in UNLIKE:
        pytest.skip("recorded without streaming, which the project never asks for; see UNLIKE")
    models = {"tiny": 32768, "tinyshort": 4096}
    script = [SCRIPTS.get(line["label"], Reply("ok"))]
    with LoopbackOllama(script, models, capabilities=["completion"], tokens=most_letters) as server:
        said = httpx.request(
            line["method"], server.url + line["path"], json=line["request"], trust_env=False, timeout=30
        )
    assert said.status_code == line["status"]
    assert _errors(said.text.splitlines()) == _errors(_lines(line["reply"]))
    if line["label"].endswith("shift false"):
        assert said.json()["done_reason"] == line["reply"]["done_reason"] == "length"


def _lines(reply):
    if isinstance(reply, str):
        return [reply]
    return [json.dumps(each) for each in (reply if isinstance(reply, list) else [reply])]


def _errors(lines):
    """What is refused, without the quotes around what the request held."""
    read = [json.loads(line) if line.startswith("{") else line for line in lines]
    found = [each if isinstance(each, str) else each.get("error") for each in read]
    return [each.replace("\\", "").replace('"', "") for each in found if each]
