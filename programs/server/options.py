"""Limits and permissions of a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from programs.errors import UsageError


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Limits and permissions of a server.

    Attributes:
        program: Answers when a request names no program.
        api_key: What callers of ``/api`` must send; None for no key.
        hosts: Names it may be addressed by besides those of the loopback interface; "*" for any. A page elsewhere
            can make its own name point at this machine (DNS rebinding), but not change the name that browsers send.
        origins: Pages elsewhere that may call it (CORS); none by default.
        workers: Threads that answer. The engine and extraction hold Python's global lock, so more threads answer no
            more questions, but each keeps the others, and ``/health``, waiting.
        waiting: Questions that may wait for a worker; further ones are refused as busy.
        timeout: Seconds for a whole answer, waiting included.
        keep_alive: Seconds without a step after which a stream says that it is alive.
        body_limit: Largest number of bytes of a request's body.
        body_timeout: Seconds in which a body must arrive.
        uploads: Folder for papers that callers send, one at a time; None for no uploads.
        upload_limit: Largest number of bytes of such a paper.
        upload_timeout: Seconds in which it must arrive.
        table_cells: Largest number of cells of a table: one worker fills them one after another, within ``timeout``.
    """

    program: str = "multi_signal"
    api_key: str | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    workers: int = 2
    waiting: int = 256
    timeout: float = 300.0
    keep_alive: float = 10.0
    body_limit: int = 64 * 1024
    body_timeout: float = 20.0
    uploads: Path | None = None
    upload_limit: int = 32 * 2**20
    upload_timeout: float = 120.0
    table_cells: int = 400

    def __post_init__(self) -> None:
        for name in ("workers", "waiting", "body_limit", "upload_limit", "table_cells"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("timeout", "keep_alive", "body_timeout", "upload_timeout"):
            if not 0 < getattr(self, name) < float("inf"):
                raise UsageError(f"{name} must be a number of seconds above 0, got {getattr(self, name)}")
