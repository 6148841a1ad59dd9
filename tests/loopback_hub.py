"""A Hugging Face hub on the loopback interface: real HTTP, as `datasets` asks it, with the faults that hubs have.

    with LoopbackHub({"allenai/scifact": Repository({"main": {"README.md": b"…"}})}) as hub:
        with asked_by_datasets(hub.url, tmp_path):
            load_dataset("scifact")

It knows what is needed to read a data set: a file's headers and bytes at ``/datasets/ID/resolve/REVISION/PATH`` (in
ranges too), ``/api/datasets/ID/revision/REVISION``, ``…/tree/REVISION/FOLDER`` and ``…/paths-info/REVISION``.
"""

from __future__ import annotations

import hashlib
import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.loopback import Loopback

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
        return _handler(self)


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


def _handler(hub: LoopbackHub) -> type[BaseHTTPRequestHandler]:
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
