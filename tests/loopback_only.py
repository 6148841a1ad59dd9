"""Refuses connections and look-ups beyond this machine, and writes down what was tried: here, and in new processes.

    with only_loopback(folder) as tried:
        ...
    assert tried() == []

Processes that are started within the block load this module as their ``sitecustomize``.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[1]
_LOG = "TRIED_BEYOND_THIS_MACHINE"


@contextmanager
def only_loopback(folder: Path) -> Iterator[Callable[[], list[str]]]:
    """For the length of the block nothing gets beyond this machine; what tried to is told by what is yielded."""
    log, start = folder / "tried.txt", folder / "start"
    start.mkdir()
    (start / "sitecustomize.py").write_text("from tests.loopback_only import refuse\n\nrefuse()\n", encoding="utf-8")
    log.touch()
    python_path = os.pathsep.join(filter(None, (str(start), str(ROOT), os.environ.get("PYTHONPATH"))))
    connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo
    with patch.dict(os.environ, {_LOG: str(log), "PYTHONPATH": python_path}):
        refuse()
        try:
            yield lambda: log.read_text(encoding="utf-8").splitlines()
        finally:
            _put(connect, connect_ex, look_up)


def refuse() -> None:
    """Refuse from here on, in this process."""
    connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def checked_connect(self: socket.socket, address: Any) -> None:
        _check(self, address)
        connect(self, address)

    def checked_connect_ex(self: socket.socket, address: Any) -> int:
        _check(self, address)
        return connect_ex(self, address)

    def checked_look_up(host: Any, *rest: Any, **more: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if not _is_here(name):
            _note(f"the name {name}")
            raise socket.gaierror(f"no look-up of {name} in this test")
        return look_up(host, *rest, **more)

    _put(checked_connect, checked_connect_ex, checked_look_up)


def _put(connect: Any, connect_ex: Any, look_up: Any) -> None:
    socket.socket.connect = connect  # type: ignore[method-assign]
    socket.socket.connect_ex = connect_ex  # type: ignore[method-assign]
    socket.getaddrinfo = look_up


def _check(used: socket.socket, address: Any) -> None:
    if used.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(address[0]):
        _note(f"the address {address}")
        raise ConnectionRefusedError(f"no connection to {address} in this test")


def _is_here(host: str | None) -> bool:
    try:
        return ipaddress.ip_address(host or "127.0.0.1").is_loopback
    except ValueError:
        return host == "localhost"


def _note(what: str) -> None:
    with Path(os.environ[_LOG]).open("a", encoding="utf-8") as log:
        print(what, file=log)
