"""What a server can be told."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from programs.errors import UsageError


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Limits and rights of a server.

    Attributes:
        program: Who answers when a request names no program.
        api_key: What callers of ``/api`` must send; None asks for nothing.
        hosts: Names it may be addressed by beside those of the loopback interface; "*" for any. A page elsewhere
            can make its own name point at this machine (DNS rebinding), but not change the name that browsers send.
        origins: Pages elsewhere that browsers may let call it (CORS); none by default.
        workers: Threads that answer. The engine and extraction hold Python's global lock, so more threads answer no
            more questions, but each keeps the others, and ``/health``, waiting.
        waiting: Questions that may wait for a worker; beyond it callers are told to come back.
        timeout: Seconds for a whole answer, waiting included.
        keep_alive: Seconds without a step after which a stream says that it is alive.
        body_limit: Bytes of a request's body at most.
        body_timeout: Seconds in which a body must have come.
        uploads: Folder that papers are kept in which callers send, one at a time; None takes none.
        upload_limit: Bytes of such a paper at most.
        upload_timeout: Seconds in which it must have come.
        table_cells: Cells of a table at most: they are filled one after another by one worker, within ``timeout``.
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
