"""Download a model to an Ollama server, on request and in sight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ollama

from programs.config import server_address, settings
from programs.lm.ollama_connection import connect
from programs.lm.ollama_errors import NoSuchModel, broke_off, translated


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a download is.

    Attributes:
        status: What the server says it does: "pulling manifest", "pulling 6a0746a1ec1a", "success" …
        digest: The layer it is about; empty when it is about none.
        completed: Bytes of the layer that are there.
        total: Bytes of the layer; 0 when it is about none.
    """

    status: str
    digest: str = ""
    completed: int = 0
    total: int = 0


def pull(
    model: str,
    host: str | None = None,
    progress: Callable[[PullProgress], None] = lambda _: None,
    timeout: float | None = None,
) -> None:
    """Have the server download a model; returns when it is ready. What a broken-off run fetched is kept by the server.

    Args:
        model: Name as Ollama knows it, with or without ``ollama/``.
        host: The server; OLLAMA_HOST by default.
        progress: Called with every message of the server, several a second.
        timeout: Seconds of silence to bear; CORROBORATE_OLLAMA_TIMEOUT by default.

    Raises:
        ModelNotFound: No registry has it.
        LMError: The server is not there, breaks off or refuses.
    """
    host = server_address(host, "host") if host else settings().ollama_host
    model = model.removeprefix("ollama/")
    timeout = timeout or settings().ollama_timeout
    status = ""
    with connect(host, timeout) as client, translated(host, model, timeout):
        try:
            for step in client.pull(model, stream=True):
                status = step.status or ""
                progress(PullProgress(status, step.digest or "", step.completed or 0, step.total or 0))
        except ollama.ResponseError as error:
            if "manifest" in str(error.error):  # "pull model manifest: file does not exist"
                raise NoSuchModel(
                    f"Ollama's registry has no model {model!r}; look for its name at https://ollama.com/library"
                ) from error
            raise
    if status != "success":
        raise broke_off(host, model, f"the download ended with {status!r}")
