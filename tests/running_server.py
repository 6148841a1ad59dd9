"""An application on a free port of the loopback interface, in a thread of the test's own process."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI


@contextmanager
def running(app: FastAPI, **settings: Any) -> Iterator[httpx.Client]:
    """Serve an application for the length of the block.

    Args:
        app: The application.
        **settings: Of uvicorn.

    Yields:
        A client of it.
    """
    # On a busy machine a connection may wait long for the client's next request, and is not to be closed meanwhile.
    waits = {"timeout_graceful_shutdown": 2, "timeout_keep_alive": 600, **settings}
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, **waits)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server ended before it started"
            thread.join(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=300, trust_env=False) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


def events(response: httpx.Response) -> list[tuple[str, Any]]:
    """Names and data of server-sent events, comments left out."""
    blocks = [block.split("\n") for block in response.text.split("\n\n") if block and not block.startswith(":")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in blocks]


def error_of(response: httpx.Response) -> tuple[int, str]:
    """Status and code of an error, once its form is checked."""
    assert response.headers["content-type"] == "application/json"
    error = response.json()["error"]
    assert set(error) <= {"code", "message", "next", "see", "details"}
    assert all(isinstance(error[key], str) and error[key] for key in ("code", "message", "next"))
    assert "Traceback" not in response.text
    return response.status_code, error["code"]
