"""Requests to the nodes of a Qdrant cluster.

A request that one node does not answer goes to the next. Every request of an index may be sent twice: reads change
nothing, points have their own ids, and deleting or making something twice has the effect of doing it once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import httpx

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 3.0
"""For one of several nodes: a machine that is switched off does not refuse a connection, it stays silent."""

_ASK_ANOTHER = frozenset((httpx.codes.BAD_GATEWAY, httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.GATEWAY_TIMEOUT))
"""Answers of a node that starts or stops, or of a proxy in front of one that is gone."""


class NodesTransport(httpx.BaseTransport):
    """Sends each request to the node that answered last, and to the others in turn when it does not."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self._nodes = [httpx.URL(each) for each in nodes]
        self._answering = 0
        self._transport = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to each node in turn until one answers; otherwise return or raise what the last one did."""
        first, count = self._answering, len(self._nodes)
        request.read()
        for turn in range(count):
            number, is_last = (first + turn) % count, turn == count - 1
            try:
                response = self._transport.handle_request(self._to(number, request))
                response.read()
            except httpx.TransportError as error:
                self._warn(number, error)
                if is_last:
                    raise
                continue
            if response.status_code not in _ASK_ANOTHER or is_last:
                break
            self._warn(number, response.status_code)
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

    def _warn(self, number: int, why: object) -> None:
        logger.warning("The Qdrant node at %s does not answer (%s); the next is asked.", self._nodes[number], why)
