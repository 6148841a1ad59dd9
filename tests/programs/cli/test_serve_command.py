"""`python -m programs serve`: a real process on a real port."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from programs.config import settings
from tests.command_line import run
from tests.programs.cli.conftest import BONE

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.engine  # another process opens the index


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """On disk, for another process; that of the other tests is in memory."""
    folder = tmp_path_factory.mktemp("serve")
    (folder / "bone.md").write_text(BONE, "utf-8")
    ran = run("index", folder / "bone.md", "--index", folder / "papers.idx")
    assert ran.code == 0, ran.stderr
    return folder / "papers.idx"


@contextmanager
def serving(index: Path, *options: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "programs", "serve", "--index", str(index), "--port", "0", *options]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environment}, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        try:
            assert process.stderr is not None
            said = ""
            while not (found := re.search(r"Answering from .* \(1 papers\) at (http://\S+)", said)):
                line = process.stderr.readline()
                assert line, said
                said += line
            yield found[1], process
        finally:
            process.kill()


def status(address: str, **headers: str) -> int:
    request = urllib.request.Request(
        address, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    try:
        with urllib.request.urlopen(request, timeout=300) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def test_it_serves_until_it_is_interrupted(index):
    with serving(index, CORROBORATE_API_KEY="k") as (address, process):
        assert address.startswith("http://127.0.0.1:")
        assert [status(f"{address}{path}") for path in ("/", "/health", "/api/documents")] == [200, 200, 401]
        assert status(f"{address}/api/documents", X_API_Key="k") == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (0, "")
    assert err.endswith("Stopped.\n")
    assert "Traceback" not in err


def refused(*options: str | Path) -> tuple[int, str]:
    ran = run("serve", *options)
    assert ran.stdout == ""
    return ran.code, " ".join(ran.stderr.replace("│", "").split())


def test_a_port_that_is_taken_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = refused("--port", str(port), "--index", tmp_path / "papers.idx")
    assert code == 2
    assert f"port {port} of 127.0.0.1 cannot be used" in said
    assert "--port" in said


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--host", "no.such.host.invalid"), 2, "--host no.such.host.invalid is not an address of this machine"),
        (("--program", "multi_signals"), 2, "did you mean multi_signal?"),
        (("--port", "70000"), 2, "'--port': Input should be less than or equal to 65535"),
        (("--workers", "0"), 2, "'--workers': Input should be greater than or equal to 1"),
        (("--lm", "ollama"), 2, "'ollama' names no model"),
        (("--index", "none.idx"), 2, "make one with `python -m programs index PAPERS"),
        (("--host", "0.0.0.0"), 2, "--host 0.0.0.0 lets other machines ask without a key; set CORROBORATE_API_KEY, or"),
    ],
)
def test_wrong_use_is_named(options, code, message, index, monkeypatch):
    monkeypatch.delenv("CORROBORATE_API_KEY", raising=False)
    settings.cache_clear()
    found, said = refused("--index", index, "--port", "0", *options)
    settings.cache_clear()
    assert found == code
    assert message in said
