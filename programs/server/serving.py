"""An app on a port, until Ctrl-C."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import socket
import sys

import uvicorn
from fastapi import FastAPI

from programs.errors import UsageError
from programs.server.connections import bounded, quiet_accepting

SWITCH_SECONDS = 0.0005
"""How long a thread that computes may keep another from its turn; Python's own 5 ms, a few times a request and for each
worker, would be seen in ``/health``."""

GRACE_SECONDS = 5
"""How long answers that are on their way may take to end after Ctrl-C."""

IDLE_SECONDS = 15
"""After which an idle connection is closed."""

MOST_CONNECTIONS = 512
"""Connections at the same time, where the system allows twice as many open files."""

_BACKLOG = 512


def listening_socket(host: str, port: int) -> socket.socket:
    """Take a port.

    Args:
        host: A name or address of this machine.
        port: 0 for any free one.

    Raises:
        UsageError: It cannot be taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError(
            f"--host {host} is not an address of this machine ({error.strerror}); try 127.0.0.1"
        ) from error
    try:
        if sys.platform != "win32":  # where it would let two servers share a port
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(_BACKLOG)
    except OSError as error:
        taken.close()
        raise UsageError(
            f"port {port} of {host} cannot be used ({error.strerror}); stop what uses it, or choose another with --port"
        ) from error
    return taken


def address_of(taken: socket.socket) -> str:
    """Where browsers find it: ``http://127.0.0.1:8000``."""
    host, port = taken.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(taken: socket.socket) -> bool:
    """Whether only this machine can reach it."""
    return ipaddress.ip_address(taken.getsockname()[0].partition("%")[0]).is_loopback


def most_connections() -> int:
    """How many connections leave the other half of the open files that the system allows to index and models."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource  # which Windows does not have

    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_CONNECTIONS if allowed == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, allowed // 2)


class _Server(uvicorn.Server):
    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(quiet_accepting())
        await super().serve(sockets)


def run(app: FastAPI, taken: socket.socket) -> None:
    """Serve until Ctrl-C or SIGTERM; the second one ends at once."""
    most = most_connections()
    config = uvicorn.Config(
        app,
        http=bounded(most),
        log_config=None,  # the command has set up the log
        access_log=True,
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        backlog=most // 2,  # asyncio takes as many at once, before any is counted
    )
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    # What was loaded stays: the collector need not walk through all of it, with every thread waiting, ever again.
    gc.collect()
    gc.freeze()
    try:
        _Server(config).run(sockets=[taken])
    except KeyboardInterrupt:
        pass  # uvicorn raises it again once it has shut down in order
    finally:
        gc.unfreeze()
        sys.setswitchinterval(usual)
