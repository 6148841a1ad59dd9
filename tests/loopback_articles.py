"""A server of articles on the loopback interface: real HTTP, with the faults that servers and networks have.

    with LoopbackArticles({"PMC1": [Answer(status=500), Answer(article("PMC1"))]}) as server:
        ArticleServer(server.url).download("PMC1", path)

It answers ``GET /PMCID/fullTextXML`` as Europe PMC does, with 404 for what it does not have, and other paths as they
are named in ``answers``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.loopback import Loopback

XML = "application/xml;charset=UTF-8"


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes:
        body: What is sent.
        status: HTTP status.
        headers: Besides length and type.
        content_type: As declared.
        cut: Send half of the body that was announced, and close.
        delay: Seconds before the first byte.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = XML
    cut: bool = False
    delay: float = 0.0


@dataclass(frozen=True)
class Request:
    """What a client asked; header names in lower case."""

    path: str
    headers: Mapping[str, str]


def article(pmcid: str, text: str = "Femur density fell by 12 percent in flight mice.") -> bytes:
    """A small JATS article that says which paper it is."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) v1.2//EN" "JATS-archivearticle1.dtd">\n'
        f'<article article-type="research-article"><front><article-meta><article-id pub-id-type="pmcid">{pmcid}'
        f"</article-id><title-group><article-title>On {pmcid}</article-title></title-group></article-meta></front>"
        f"<body><sec><title>Results</title><p>{text}</p></sec></body></article>"
    ).encode()


class LoopbackArticles(Loopback):
    """Listens on a free port of this machine until it is left.

    Args:
        answers: PMCID, or another path with its slash, to its answers in order, of which the last one repeats.
    """

    def __init__(self, answers: Mapping[str, Sequence[Answer] | Answer]) -> None:
        self.answers = {key: [given] if isinstance(given, Answer) else list(given) for key, given in answers.items()}
        self.requests: list[Request] = []
        self._lock = threading.Lock()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return _handler(self)

    @property
    def asked(self) -> list[str]:
        """What was asked for, in order: PMCIDs, or paths of another kind."""
        return [_key(request.path) for request in self.requests]

    def answer(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            left = self.answers.get(_key(request.path), [Answer(b"<error/>", status=404)])
            return left.pop(0) if len(left) > 1 else left[0]

    def pause(self, seconds: float) -> None:
        """Wait, but no longer than the server runs."""
        self.stopping.wait(seconds)


def _key(path: str) -> str:
    return path.removesuffix("/fullTextXML").lstrip("/") if path.endswith("/fullTextXML") else path


def _handler(server: LoopbackArticles) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            request = Request(self.path, {name.lower(): value for name, value in self.headers.items()})
            answer = server.answer(request)
            if answer.delay:
                server.pause(answer.delay)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            with suppress(ConnectionError):  # a client that has waited long enough has hung up
                self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut else answer.body)
            self.close_connection = self.close_connection or answer.cut

        def log_message(self, *_: object) -> None: ...

    return Handler


class StandingTime:
    """Time that passes only when someone sleeps; notes how long each sleep was."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._now = time.monotonic()

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self._now += seconds

    @staticmethod
    def jitter() -> float:
        return 0.0
