"""Requests in which bytes or values were changed, sent to a server of this process: only answers, none from 500 on."""

from __future__ import annotations

import atexit
import json
import random
import socket
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any

from programs.errors import CorroborateError
from programs.retrieval.index import Index
from programs.server.app import create_app
from programs.server.workers import ServerOptions
from tests.fuzz.mutations import mutated, mutated_json
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS
from tests.running_server import running

_QUESTION = "By how much did femur density fall?"
_FILTERS = {"organism": ["Mus musculus"], "year": {"gte": 2010, "lt": 2020}}
_BODIES: Mapping[str, Any] = {
    "/api/chat": {"query": _QUESTION, "filters": _FILTERS, "top_k": 4},
    "/api/ask": {"question": _QUESTION, "program": "main_points", "filters": _FILTERS},
}
_ADDRESSES = (
    *("/", "/health", "/ready", "/openapi.json", "/api/programs", "/api/fields", "/api/documents?limit=2&offset=1"),
    *("/api/documents/bone", "/api/documents/bone/text?start=3&end=20", "/static/../../etc/passwd"),
)
_HEAD = "{method} {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: {accept}\r\nConnection: close\r\n"
_FIRST_SECONDS, _SECONDS = 0.5, 120
_FROM_HERE_OUR_FAULT = 500


class Refused(CorroborateError):
    """The server answered with an error that names what was wrong with the request."""


class Failed(Exception):
    """The server did not answer, or with an error of its own."""


def changed_request(chance: random.Random) -> tuple[str, bytes, Callable[[], None]]:
    """A request's bytes without the port, and its sending."""
    if chance.random() < 0.6:
        address, body = chance.choice(list(_BODIES.items()))
        sent = json.dumps(mutated_json(body, chance)).encode() if chance.random() < 0.7 else json.dumps(body).encode()
        head = _HEAD + f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n"
    else:
        address, sent, head = chance.choice(_ADDRESSES), b"", _HEAD
    accept = chance.choice(("application/json", "text/event-stream", "*/*"))
    method = "POST" if sent else chance.choice(("GET", "GET", "GET", "HEAD", "OPTIONS", "DELETE"))
    first = head.format(method=method, address=address, accept=accept, port="PORT").encode()
    content = first + b"\r\n" + sent
    if chance.random() < 0.5:
        content = mutated(content, chance)
    return "request.http", content, lambda: _send(content)


def _send(content: bytes) -> None:
    """Send it, and judge what is answered; a connection that is closed without a word refuses too."""
    with socket.create_connection(("127.0.0.1", _port()), timeout=_FIRST_SECONDS) as connection:
        with suppress(ConnectionError):  # what was sent first was refused
            connection.sendall(content.replace(b"PORT", str(_port()).encode()))
        heard = _heard(connection)
    status = int(heard.split(None, 2)[1]) if heard.startswith(b"HTTP/1.1 ") else 0
    if status >= _FROM_HERE_OUR_FAULT or b"Traceback" in heard:
        raise Failed(heard[:2_000].decode("utf-8", "replace"))
    if not 200 <= status < 400:
        raise Refused(f"status {status}")


def _heard(connection: socket.socket) -> bytes:
    """All that is answered; where a request is not whole the server waits for the rest until it is told of the end."""
    heard, is_ended = b"", False
    while True:
        try:
            part = connection.recv(65_536)
        except TimeoutError as error:
            if is_ended:
                raise Failed(f"no answer within {_SECONDS} seconds after {heard[:80]!r}") from error
            connection.settimeout(_SECONDS)
            connection.shutdown(socket.SHUT_WR)
            is_ended = True
            continue
        except ConnectionError:  # it closed while more was sent
            return heard
        if not part:
            return heard
        heard += part


@cache
def _port() -> int:
    """Of a server that runs until the process ends."""
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        embedder = HashingEmbedder()
        index = opened.enter_context(Index.open(Path(folder, "papers.idx"), create=True, embedder=embedder))
        index.add(PAPERS)
        client = opened.enter_context(running(create_app(index, "extractive", ServerOptions())))
        atexit.register(opened.pop_all().close)
        port = client.base_url.port
    assert port
    return port
