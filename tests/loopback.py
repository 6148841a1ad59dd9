"""What servers of this process share: a free port of this machine, a thread, an end."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch


class Loopback:
    """Listens from when it is entered until it is left; a subclass says what answers."""

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """What answers one connection."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self.stopping = threading.Event()
        """Set when it is left, so that nobody goes on waiting to answer."""
        self._server = _Server(("127.0.0.1", 0), self.handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests; of anything else the traceback is printed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


# A server of OpenAI's interface on the loopback interface: chat and embeddings, as vLLM and others speak it.

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
        timings: What llama.cpp's server says beside an answer.
        formats: Types of ``response_format`` that it takes; None for all, and no request without one is refused.
        refusal: Status and words for the others.
        cut: Chats that it ends in the middle of the answer.
        requests: Path and body of everything asked so far.
    """

    reply: str = "ok"
    window: int = 1_000_000
    root: str = "not found"
    vector: Callable[[str], list[float]] = lambda text: [float(len(text)), 1.0]
    faults: list[int] = field(default_factory=list)
    timings: Body | None = None
    formats: tuple[str, ...] | None = None
    refusal: tuple[int, str] = (400, "This response_format type is unavailable now")
    cut: int = 0
    requests: list[tuple[str, Body]] = field(default_factory=list, init=False)
    keys: list[str | None] = field(default_factory=list, init=False)

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return type("Handler", (_Handler,), {"openai": self})

    @property
    def asked_formats(self) -> list[str | None]:
        """The type of ``response_format`` of each chat, in order."""
        return [(body.get("response_format") or {}).get("type") for path, body in self.requests if "chat" in path]

    def chat(self, body: Body) -> Body:
        words = sum(len(str(message["content"]).split()) for message in body["messages"])
        read = min(words, self.window)
        choice = {"index": 0, "message": {"role": "assistant", "content": self.reply}, "finish_reason": "stop"}
        usage = {"prompt_tokens": read, "completion_tokens": 1, "total_tokens": read + 1}
        base = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
        told = {} if self.timings is None else {"timings": self.timings}
        return {**base, "choices": [choice], "usage": usage, **told}

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
        wanted = (body.get("response_format") or {}).get("type")
        if wanted and self.openai.formats is not None and wanted not in self.openai.formats:
            status, words = self.openai.refusal
            self._send(status, json.dumps({"error": {"message": words}}).encode())
            return
        if self.openai.cut:
            self.openai.cut -= 1
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"id": "1", "choices": [{"message": {"content": "Femur den')
            return
        answer = self.openai.chat if self.path.endswith("/chat/completions") else self.openai.embeddings
        self._send(200, json.dumps(answer(body)).encode())

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


# A server of articles on the loopback interface: real HTTP, with the faults that servers and networks have.
#
#     with LoopbackArticles({"PMC1": [Answer(status=500), Answer(article("PMC1"))]}) as server:
#         ArticleServer(server.url).download("PMC1", path)
#
# It answers ``GET /PMCID/fullTextXML`` as Europe PMC does, with 404 for what it does not have, and other paths as they
# are named in ``answers``.

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
        return _articles_handler(self)

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


def _articles_handler(server: LoopbackArticles) -> type[BaseHTTPRequestHandler]:
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


# A Hugging Face hub on the loopback interface: real HTTP, as `datasets` asks it, with the faults that hubs have.
#
#     with LoopbackHub({"allenai/scifact": Repository({"main": {"README.md": b"…"}})}) as hub:
#         with asked_by_datasets(hub.url, tmp_path):
#             load_dataset("scifact")
#
# It knows what is needed to read a data set: a file's headers and bytes at ``/datasets/ID/resolve/REVISION/PATH`` (in
# ranges too), ``/api/datasets/ID/revision/REVISION``, ``…/tree/REVISION/FOLDER`` and ``…/paths-info/REVISION``.

_FILE = re.compile(r"/datasets/(?P<id>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
_API = re.compile(
    r"/api/datasets/(?P<id>[^/]+/[^/]+)(?:/(?P<what>revision|tree|paths-info)/(?P<revision>[^/]+)(?:/(?P<path>.*))?)?"
)


@dataclass(frozen=True)
class Repository:
    """A data set's repository.

    Attributes:
        files: Bytes by path, by branch.
        status: What every request gets instead, with ``code`` as the hub's name for the fault.
        code: ``GatedRepo``, ``RepoNotFound``; empty for none.
        cut: Send half of each Parquet file that was announced, and close.
    """

    files: Mapping[str, Mapping[str, bytes]]
    status: int = 200
    code: str = ""
    cut: bool = False

    def commit(self, branch: str) -> str:
        return hashlib.sha1(json.dumps([branch, sorted(self.files[branch])]).encode()).hexdigest()

    def branch(self, revision: str) -> str | None:
        """The branch that a name or commit stands for."""
        return next((each for each in self.files if revision in (each, self.commit(each))), None)


class LoopbackHub(Loopback):
    """Listens on a free port of this machine until it is left."""

    def __init__(self, repositories: Mapping[str, Repository]) -> None:
        self.repositories = repositories
        self.requests: list[str] = []

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return _hub_handler(self)


@contextmanager
def asked_by_datasets(url: str, cache: Path) -> Iterator[None]:
    """Have `datasets` ask this hub, as HF_ENDPOINT does before it is imported, and not wait between attempts."""
    import huggingface_hub
    from huggingface_hub import constants

    import datasets

    huggingface_hub.HfFileSystem.clear_instance_cache()
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    with (
        patch.object(constants, "ENDPOINT", url),
        patch.object(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template),
        patch.object(constants, "HF_HUB_CACHE", str(cache / "hub")),
        patch.object(datasets.config, "HF_ENDPOINT", url),
        # Both read the environment once, when they are imported, which may be in a test that wants to be offline.
        patch.object(constants, "HF_HUB_OFFLINE", new=False),
        patch.object(datasets.config, "HF_HUB_OFFLINE", new=False),
        patch.object(datasets.config, "HF_DATASETS_CACHE", cache / "datasets"),
        patch.object(datasets.config, "STREAMING_READ_MAX_RETRIES", 2),
        patch.object(datasets.config, "STREAMING_READ_RETRY_INTERVAL", 0),
        patch("time.sleep"),
    ):
        yield
    huggingface_hub.HfFileSystem.clear_instance_cache()


def _entry(path: str, content: bytes) -> dict[str, Any]:
    return {"type": "file", "path": path, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}


def _hub_handler(hub: LoopbackHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._answer()

        def _answer(self) -> None:
            path = urllib.parse.urlsplit(self.path).path
            hub.requests.append(f"{self.command} {urllib.parse.unquote(path)}")
            found = _FILE.fullmatch(path) or _API.fullmatch(path)
            if found is None:
                self._send(404, b"{}")
                return
            parts = {name: urllib.parse.unquote(value or "") for name, value in found.groupdict().items()}
            repository = hub.repositories.get(parts["id"])
            if repository is None or repository.status != 200:
                code = repository.code if repository else "RepoNotFound"
                self._send(repository.status if repository else 404, b'{"error": "no"}', {"X-Error-Code": code})
                return
            branch = repository.branch(parts["revision"] or "main")
            if branch is None:
                self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            elif "what" in parts:
                self._describe(repository, branch, parts)
            else:
                self._file(repository, branch, parts["path"])

        def _describe(self, repository: Repository, branch: str, parts: Mapping[str, str]) -> None:
            files = repository.files[branch]
            if parts["what"] == "tree":
                prefix = f"{parts['path'].rstrip('/')}/" if parts["path"] else ""
                inside = {path: content for path, content in files.items() if path.startswith(prefix)}
                below = [path[len(prefix) :] for path in inside if "/" in path[len(prefix) :]]
                folders = {prefix + path.partition("/")[0] for path in below}
                entries = [{"type": "directory", "path": each, "oid": "0" * 40, "size": 0} for each in sorted(folders)]
                shallow = "recursive=true" not in self.path.lower()
                entries += [_entry(*each) for each in inside.items() if not (shallow and "/" in each[0][len(prefix) :])]
                self._send(200 if inside else 404, json.dumps(entries).encode(), {"X-Error-Code": "EntryNotFound"})
            elif parts["what"] == "paths-info":
                asked = urllib.parse.parse_qs(self.body.decode()).get("paths") or json.loads(self.body)["paths"]
                self._send(200, json.dumps([_entry(path, files[path]) for path in asked if path in files]).encode())
            else:
                siblings = [{"rfilename": path} for path in files]
                answer = {"id": parts["id"], "sha": repository.commit(branch), "siblings": siblings, "tags": []}
                self._send(200, json.dumps({**answer, "private": False, "downloads": 0, "likes": 0}).encode())

        def _file(self, repository: Repository, branch: str, path: str) -> None:
            commit = {"X-Repo-Commit": repository.commit(branch)}
            content = repository.files[branch].get(path)
            if content is None:
                self._send(404, b"", {**commit, "X-Error-Code": "EntryNotFound"})
                return
            headers = {**commit, "ETag": f'"{hashlib.sha1(content).hexdigest()}"', "Accept-Ranges": "bytes"}
            ranged = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            start, end = (int(ranged[1]), int(ranged[2] or len(content) - 1) + 1) if ranged else (0, len(content))
            if ranged:
                headers["Content-Range"] = f"bytes {start}-{min(end, len(content)) - 1}/{len(content)}"
            is_cut = repository.cut and path.endswith(".parquet")
            self._send(206 if ranged else 200, content[start:end], headers, cut=is_cut)

        def _send(
            self, status: int, body: bytes, headers: Mapping[str, str] | None = None, *, cut: bool = False
        ) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                with suppress(ConnectionError):
                    self.wfile.write(body[: len(body) // 2] if cut else body)
            self.close_connection = self.close_connection or cut

        def log_message(self, *_: object) -> None: ...

    return Handler
