"""A server of OpenAI's interface on the loopback interface: chat and embeddings, as vLLM and others speak it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.loopback import Loopback

Body = dict[str, Any]


@dataclass
class LoopbackOpenAI(Loopback):
    """The server, as a context manager.

    Attributes:
        reply: The text of every answer.
        window: Words of a prompt that are read; the rest is dropped in silence, as Ollama's ``/v1`` does.
        root: What stands at its root.
        vector: Makes the embedding of a text.
        faults: Statuses to answer with before anything else, in order.
        requests: Path and body of everything asked so far.
    """

    reply: str = "ok"
    window: int = 1_000_000
    root: str = "not found"
    vector: Callable[[str], list[float]] = lambda text: [float(len(text)), 1.0]
    faults: list[int] = field(default_factory=list)
    requests: list[tuple[str, Body]] = field(default_factory=list, init=False)
    keys: list[str | None] = field(default_factory=list, init=False)

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return type("Handler", (_Handler,), {"openai": self})

    def chat(self, body: Body) -> Body:
        words = sum(len(str(message["content"]).split()) for message in body["messages"])
        read = min(words, self.window)
        choice = {"index": 0, "message": {"role": "assistant", "content": self.reply}, "finish_reason": "stop"}
        usage = {"prompt_tokens": read, "completion_tokens": 1, "total_tokens": read + 1}
        base = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
        return {**base, "choices": [choice], "usage": usage}

    def embeddings(self, body: Body) -> Body:
        data = [{"index": number, "embedding": self.vector(text)} for number, text in enumerate(body["input"])]
        return {"object": "list", "data": list(reversed(data)), "model": body["model"]}


class _Handler(BaseHTTPRequestHandler):
    openai: LoopbackOpenAI

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._send(200 if self.path == "/" else 404, self.openai.root.encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.openai.requests.append((self.path, body))
        self.openai.keys.append(self.headers["Authorization"])
        if self.openai.faults:
            self._send(self.openai.faults.pop(0), b'{"error": {"message": "not now"}}')
            return
        answer = self.openai.chat if self.path.endswith("/chat/completions") else self.openai.embeddings
        self._send(200, json.dumps(answer(body)).encode())

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
