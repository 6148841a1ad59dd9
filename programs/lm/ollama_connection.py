"""Clients of an Ollama server, made for one call each."""

from __future__ import annotations

import functools
import ipaddress
import ssl
from typing import Any
from urllib.parse import urlsplit

import httpx
import ollama

CONNECT_TIMEOUT = 10.0  # seconds; a server that is there accepts at once, however busy it is


def connect(host: str, timeout: float) -> ollama.Client:
    """A client to use as a context manager.

    Args:
        host: Address with scheme and port.
        timeout: Seconds of silence to bear.
    """
    return ollama.Client(host, **_options(host, timeout))


def connect_async(host: str, timeout: float) -> ollama.AsyncClient:
    """The same for a running event loop."""
    return ollama.AsyncClient(host, **_options(host, timeout))


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
