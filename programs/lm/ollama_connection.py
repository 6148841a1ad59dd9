"""Clients of an Ollama server, made for one call each."""

from __future__ import annotations

import functools
import ipaddress
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import ollama

CONNECT_TIMEOUT = 10.0  # seconds; a server that is there accepts at once, however busy it is

# Refuse a prompt that is longer than the window, and end an answer at its end, instead of dropping the oldest tokens.
# ``ollama.Client.chat`` has no argument for either.
_WHOLE: Final = {"truncate": False, "shift": False}
_CHAT: Final = ("POST", "/api/chat")


class Client(ollama.Client):
    """A client whose chats are never cut in silence."""

    def ask(self, arguments: Mapping[str, Any]) -> ollama.ChatResponse:
        """A chat, answered in one piece."""
        return self._request(ollama.ChatResponse, *_CHAT, json={**arguments, **_WHOLE, "stream": False})

    def ask_streamed(self, arguments: Mapping[str, Any]) -> Iterator[ollama.ChatResponse]:
        """A chat, answered piece by piece."""
        return self._request(ollama.ChatResponse, *_CHAT, json={**arguments, **_WHOLE, "stream": True}, stream=True)


class AsyncClient(ollama.AsyncClient):
    """The same for a running event loop."""

    async def ask(self, arguments: Mapping[str, Any]) -> ollama.ChatResponse:
        """A chat, answered in one piece."""
        return await self._request(ollama.ChatResponse, *_CHAT, json={**arguments, **_WHOLE, "stream": False})

    async def ask_streamed(self, arguments: Mapping[str, Any]) -> AsyncIterator[ollama.ChatResponse]:
        """A chat, answered piece by piece."""
        body = {**arguments, **_WHOLE, "stream": True}
        return await self._request(ollama.ChatResponse, *_CHAT, json=body, stream=True)


def connect(host: str, timeout: float) -> Client:
    """A client to use as a context manager.

    Args:
        host: Address with scheme and port.
        timeout: Seconds of silence to bear.
    """
    return Client(host, **_options(host, timeout))


def connect_async(host: str, timeout: float) -> AsyncClient:
    """The same for a running event loop."""
    return AsyncClient(host, **_options(host, timeout))


def _options(host: str, timeout: float) -> dict[str, Any]:
    return {
        "timeout": httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
        "verify": _certificates(),
        # Proxies of the environment are for other machines; one in front of this machine's own server breaks it.
        "trust_env": not _is_loopback(host),
    }


@functools.cache
def _certificates() -> ssl.SSLContext:
    """The trusted certificates, read once: that takes 40 ms, the rest of a client 1 ms."""
    return httpx.create_ssl_context()


def _is_loopback(host: str) -> bool:
    name = urlsplit(host).hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
