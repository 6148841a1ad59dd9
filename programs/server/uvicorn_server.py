"""An application on a port, until Ctrl-C."""

from __future__ import annotations

import gc
import os
import socket
import sys

import uvicorn
from fastapi import FastAPI

from programs.errors import UsageError

SWITCH_SECONDS = 0.0005
"""How long a computing thread may block another; with Python's default of 5 ms, a few times per request and worker,
``/health`` would be slower."""

GRACE_SECONDS = 5
"""How long running answers may take to finish after Ctrl-C."""

IDLE_SECONDS = 15
"""After which an idle connection is closed."""

MOST_CONNECTIONS = 512
"""Connections at the same time; further ones are answered by 503."""


def listening_socket(host: str, port: int) -> socket.socket:
    """Bind a port of a name or address of this machine, 0 for any free one; a ``UsageError`` where that fails."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        raise UsageError(
            f"--host {host} is not an address of this machine ({error.strerror}); try 127.0.0.1"
        ) from error
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(address, family=family, backlog=MOST_CONNECTIONS, dualstack_ipv6=both)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise UsageError(
            f"port {port} of {host} cannot be used ({why}); stop what uses it, or choose another with --port"
        ) from error


def address_of(taken: socket.socket) -> str:
    """Its address for browsers: ``http://127.0.0.1:8000``."""
    host, port = taken.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(app: FastAPI, taken: socket.socket) -> None:
    """Serve until Ctrl-C or SIGTERM; the second one ends at once."""
    config = uvicorn.Config(
        app,
        http="h11",
        log_config=None,  # the command has set up the log
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    # What is loaded stays: the garbage collector need not traverse it again while every thread waits.
    gc.collect()
    gc.freeze()
    try:
        uvicorn.Server(config).run(sockets=[taken])
    except KeyboardInterrupt:
        pass  # uvicorn raises it again once it has shut down in order
    finally:
        gc.unfreeze()
        sys.setswitchinterval(usual)
