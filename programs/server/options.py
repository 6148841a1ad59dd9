"""What a server can be told."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    table_cells: int = 400

    def __post_init__(self) -> None:
        for name in ("workers", "waiting", "body_limit", "table_cells"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("timeout", "keep_alive", "body_timeout"):
            if not 0 < getattr(self, name) < float("inf"):
                raise UsageError(f"{name} must be a number of seconds above 0, got {getattr(self, name)}")
