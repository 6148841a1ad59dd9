"""Requests to a cluster by the addresses of several nodes: what one does not answer, the next is asked.

    http://a:6333,b:6333,c:6333/papers

Every request of an index may be sent twice: reads change nothing, points are written under ids of their own, and what
is deleted or made twice is deleted or made once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from urllib.parse import urlsplit

import httpx

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 3.0
"""For one of several nodes; a machine that is switched off refuses nothing, it is silent."""

_ASK_ANOTHER = frozenset((httpx.codes.BAD_GATEWAY, httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.GATEWAY_TIMEOUT))
"""Answers of a node that starts or stops, or of a proxy before one that is gone."""


def nodes_of(address: str) -> list[str]:
    """The address of each node: "http://a:6333,b:6333" is two."""
    parts = urlsplit(address)
    return [f"{parts.scheme}://{each.strip()}" for each in parts.netloc.split(",") if each.strip()]


class NodesTransport(httpx.BaseTransport):
    """Sends each request to the node that answered last, and to the others in turn when it does not.

    Args:
        nodes: Their addresses.
    """

    def __init__(self, nodes: Sequence[str]) -> None:
        self._nodes = [httpx.URL(each) for each in nodes]
        self._answering = 0
        self._transport = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Have a node answer; what the last one said, or failed with, stands when none does."""
        first, count = self._answering, len(self._nodes)
        request.read()
        for turn in range(count):
            number, is_last = (first + turn) % count, turn == count - 1
            try:
                response = self._transport.handle_request(self._to(number, request))
                response.read()
            except httpx.TransportError as error:
                self._tell(number, error)
                if is_last:
                    raise
                continue
            if response.status_code not in _ASK_ANOTHER or is_last:
                break
            self._tell(number, response.status_code)
        self._answering = number
        return response

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def _to(self, number: int, request: httpx.Request) -> httpx.Request:
        node = self._nodes[number]
        url = request.url.copy_with(scheme=node.scheme, host=node.host, port=node.port)
        headers = request.headers.copy()
        headers["Host"] = node.netloc.decode("ascii")
        allowed = dict(request.extensions.get("timeout") or {})
        allowed["connect"] = min(allowed.get("connect") or CONNECT_SECONDS, CONNECT_SECONDS)
        extensions = {**request.extensions, "timeout": allowed}
        return httpx.Request(request.method, url, headers=headers, stream=request.stream, extensions=extensions)

    def _tell(self, number: int, why: object) -> None:
        logger.warning("The Qdrant node at %s does not answer (%s); the next is asked.", self._nodes[number], why)
