"""What servers of this process share: a free port of this machine, a thread, an end."""

from __future__ import annotations

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class Loopback:
    """Listens from when it is entered until it is left; a subclass says what answers."""

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """What answers one connection."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self.stopping = threading.Event()
        """Set when it is left, so that nobody goes on waiting to answer."""
        self._server = _Server(("127.0.0.1", 0), self.handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests; of anything else the traceback is printed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
