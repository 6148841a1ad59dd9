"""An Ollama server on the loopback interface, without a model: real HTTP, scripted answers, faults on request.

    with LoopbackOllama(["[[ ## answer ## ]]\\nyes"]) as server:
        lm = LM("ollama/tiny", host=server.url)

It speaks the parts of Ollama's API that the project uses (version, tags, show, chat, embed, pull), records what it is
asked, and refuses what a real server refused (``tests/programs/lm/test_recorded_ollama.py`` compares them). So it does
with a prompt that is longer than ``num_ctx``: it says 400 with ``truncate: false``, else drops text and says 200 OK.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.loopback import Loopback

Body = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """One answer to ``/api/chat``, good or bad.

    Attributes:
        content: The answer's text.
        thinking: Its thinking, sent apart.
        done_reason: ``stop``, or ``length`` when cut off.
        delay: Seconds before the first byte.
        status: HTTP status; other than 200, ``error`` is all there is.
        error: Text of an error; with status 200 it comes in the midst of a stream.
        cut: End the connection after half the answer: ``close`` without a word or ``reset``.
        raw: Bytes to send as they are, for answers that are no JSON.
        prompt_eval_count: Tokens claimed to be read; None counts words.
        eval_count: Tokens claimed to be written.
    """

    content: str = ""
    thinking: str = ""
    done_reason: str = "stop"
    delay: float = 0.0
    status: int = 200
    error: str = ""
    cut: str = ""
    raw: bytes = b""
    prompt_eval_count: int | None = None
    eval_count: int = 7


Script = Callable[[Body], Reply | str] | Sequence[Reply | str]


@dataclass
class LoopbackOllama(Loopback):
    """The server, as a context manager.

    Attributes:
        script: What to answer: a function of the request's body, or answers in order, of which the last one repeats.
        models: Name to context length in tokens.
        pulls: Name to the progress lines of ``/api/pull``.
        requests: Path and body of everything asked so far, in order of arrival.
        busiest: The largest number of chats that were answered at the same time.
        capabilities: What its models can do.
        tokens: Counts the tokens of a text; words by default.
        vectors: Makes the embedding of a text.
        pace: Tokens a second that it says it reads and writes; None for no word of it.
    """

    script: Script = ("ok",)
    models: Mapping[str, int] = field(default_factory=lambda: {"tiny": 32768})
    pulls: Mapping[str, Sequence[Body]] = field(default_factory=dict)
    capabilities: Sequence[str] = ("completion", "thinking")
    tokens: Callable[[str], int] = lambda text: len(text.split())
    vectors: Callable[[str], list[float]] = lambda text: [float(len(text)), 1.0]
    pace: tuple[float, float] | None = None
    requests: list[tuple[str, Body]] = field(default_factory=list, init=False)
    busiest: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self._answered = self._active = 0

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return type("Handler", (_Handler,), {"ollama": self})

    @property
    def chats(self) -> list[Body]:
        """Bodies of the calls of ``/api/chat``."""
        return self.asked("/api/chat")

    def asked(self, path: str) -> list[Body]:
        """Bodies of the calls of one path."""
        return [body for asked, body in self.requests if asked == path]

    def next_reply(self, body: Body) -> Reply:
        with self.lock:
            turn, self._answered = self._answered, self._answered + 1
        reply = self.script(body) if callable(self.script) else self.script[min(turn, len(self.script) - 1)]
        return Reply(reply) if isinstance(reply, str) else reply

    def enter_chat(self) -> None:
        with self.lock:
            self._active += 1
            self.busiest = max(self.busiest, self._active)

    def leave_chat(self) -> None:
        with self.lock:
            self._active -= 1

    def refusal(self, body: Body) -> Reply | None:
        """What a real server says to a chat that it does not take."""
        options, wanted = body.get("options") or {}, body.get("format")
        if body.get("think") and "thinking" not in self.capabilities:
            return Reply(status=400, error=f'"{body["model"]}" does not support thinking')
        for name in sorted(_WHOLE_NUMBERS & options.keys()):
            if not isinstance(options[name], int):
                return Reply(status=500, error=f'option "{name}" must be of type integer')
        if isinstance(wanted, str) and wanted != "json":
            return Reply(status=500, error=f'invalid format: "{wanted}"; expected "json" or a valid JSON Schema object')
        if isinstance(wanted, dict) and wanted.get("type", "object") not in _JSON_TYPES:
            return Reply(status=500, error="invalid JSON schema in format")
        if body.get("truncate") is False and self.sent(body) > self.window(body):
            return Reply(status=400, error="the input length exceeds the context length")
        return None

    def sent(self, body: Body) -> int:
        """Tokens of a prompt."""
        return sum(self.tokens(message["content"]) for message in body["messages"])

    def window(self, body: Body) -> int:
        """The window that is opened for a chat: never more than the model has."""
        asked: int = (body.get("options") or {}).get("num_ctx", 4096)
        return min(asked, self.models[body["model"]])

    def counts(self, reply: Reply, body: Body) -> Body:
        """How a chat ended, and its counts of tokens."""
        window = self.window(body)
        read = min(self.sent(body), window) if reply.prompt_eval_count is None else reply.prompt_eval_count
        written, reason = reply.eval_count, reply.done_reason
        if body.get("shift") is False and read + written > window:
            written, reason = window - read + 1, "length"
        took = {}
        if self.pace:
            durations = round(read / self.pace[0] * 1e9), round(written / self.pace[1] * 1e9)
            took = dict(zip(("prompt_eval_duration", "eval_duration"), durations, strict=True))
        return {"done_reason": reason, "prompt_eval_count": read, "eval_count": written, **took}


_WHOLE_NUMBERS = frozenset({"num_ctx", "num_predict", "seed", "top_k"})
_JSON_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    ollama: LoopbackOllama

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._record({})
        answers = {
            "/api/version": {"version": "0.33.2"},
            "/api/tags": {"models": [{"model": name, "name": name} for name in self.ollama.models]},
        }
        self._json(200 if self.path in answers else 404, answers.get(self.path, {"error": "not found"}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"null")
        self._record(body or {})
        if self.path not in _POSTED:
            self._send(404, b"404 page not found")
        elif body is None:
            self._json(400, {"error": "missing request body"})
        else:
            self._about(body, body.get("model", ""))

    def _about(self, body: Body, model: str) -> None:
        if self.path == "/api/pull":
            self._lines(self.ollama.pulls.get(model, [{"error": "pull model manifest: file does not exist"}]))
        elif " " in model:
            self._json(400, {"error": "invalid model name"})
        elif model not in self.ollama.models:
            self._json(404, {"error": f"model '{model}' not found"})
        elif self.path == "/api/show":
            self._json(200, _shown(self.ollama.models[model], self.ollama.capabilities))
        elif self.path == "/api/embed":
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            self._json(200, {"model": model, "embeddings": [self.ollama.vectors(text) for text in texts]})
        elif not body["messages"]:
            self._json(200, {**_message(body), "done": True, "done_reason": "load"})
        else:
            self._chat(body)

    def _record(self, body: Body) -> None:
        with self.ollama.lock:
            self.ollama.requests.append((self.path, body))

    def _chat(self, body: Body) -> None:
        reply = self.ollama.refusal(body) or self._thought(body)
        if reply.status != 200:
            self._json(reply.status, {"error": reply.error})
        elif reply.raw:
            self._send(200, reply.raw)
        elif reply.cut:
            self._cut(reply, body)
        elif body.get("stream"):
            self._lines(self._pieces(reply, body))
        else:
            self._json(200, self._whole(reply, body))

    def _thought(self, body: Body) -> Reply:
        """What to reply. The chat ends here: a client may begin the next while this thread still comes to its end."""
        self.ollama.enter_chat()
        try:
            reply = self.ollama.next_reply(body)
            self.ollama.stopping.wait(reply.delay)
        finally:
            self.ollama.leave_chat()
        return reply

    def _cut(self, reply: Reply, body: Body) -> None:
        whole = b"\n".join(json.dumps(piece).encode() for piece in self._pieces(reply, body))
        self.send_response(200)
        if reply.cut == "reset":
            self.send_header("Content-Length", str(len(whole)))
        self.end_headers()  # without a length the answer ends, correctly as far as HTTP goes, with the connection
        first_line = whole.split(b"\n")[0] + b"\n"
        self.wfile.write(first_line)
        self.wfile.flush()
        if reply.cut == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def _whole(self, reply: Reply, body: Body) -> Body:
        thinking = {"thinking": reply.thinking} if reply.thinking else {}
        return {**_message(body, content=reply.content, **thinking), "done": True, **self.ollama.counts(reply, body)}

    def _pieces(self, reply: Reply, body: Body) -> list[Body]:
        pieces = [_message(body, thinking=reply.thinking)] if reply.thinking else []
        pieces += [
            _message(body, content=reply.content[start : start + 8]) for start in range(0, len(reply.content), 8)
        ]
        end = {"error": reply.error} if reply.error else {**_message(body), "done": True}
        counts = {} if reply.error else self.ollama.counts(reply, body)
        return [*({**piece, "done": False} for piece in pieces), {**end, **counts}]

    def _json(self, status: int, value: Body) -> None:
        self._send(status, json.dumps(value).encode())

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _lines(self, values: Sequence[Body]) -> None:
        """NDJSON in chunks, as Ollama streams."""
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for value in values:
            line = json.dumps(value).encode() + b"\n"
            self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


_POSTED = frozenset({"/api/show", "/api/chat", "/api/embed", "/api/pull"})


def _shown(context_length: int, capabilities: Sequence[str]) -> Body:
    return {
        "details": {"family": "llama"},
        "capabilities": list(capabilities),
        "model_info": {"general.architecture": "llama", "llama.context_length": context_length},
    }


def _message(body: Body, **parts: str) -> Body:
    return {"model": body["model"], "message": {"role": "assistant", "content": "", **parts}}
