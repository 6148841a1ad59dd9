"""Settings from the environment, which no other module of the project reads.

    OLLAMA_HOST                 where Ollama listens, as its own tools spell it   127.0.0.1:11434
    CORROBORATE_OLLAMA_TIMEOUT  seconds to wait for one answer                    600
    CORROBORATE_NUM_PREDICT     tokens of an answer of Ollama at most             4000
    CORROBORATE_THINK           true, false, low, medium or high                  none: as the model does
    CORROBORATE_KEEP_ALIVE      how long Ollama keeps a model: 600, 10m, -1       none: as the server does
    CORROBORATE_LM              model of commands where --lm names none           extractive: no model
    CORROBORATE_EMBEDDER        sentence-transformers model for dense vectors     sentence-transformers/all-MiniLM-L6-v2
    CORROBORATE_DEVICE          where torch runs it, such as cuda or cpu          none: the default model needs no torch
    CORROBORATE_CACHE           folder for what can be fetched or computed again  ~/.cache/corroborate (Linux)
    CORROBORATE_COMPILED        folder for the user's own compiled states         ~/.local/share/corroborate/compiled
    CORROBORATE_LM_KEY          key for a model's server that api_base names      none
    CORROBORATE_EMBEDDER_KEY    key for an embedding server                       none
    QDRANT_API_KEY              key for a Qdrant server                           none
    CORROBORATE_API_KEY         key that callers of `programs serve` must send    none

A variable that is set but empty counts as not set.
"""

from __future__ import annotations

import functools
import ipaddress
import math
import os
import re
import sys
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from programs.errors import UsageError

DEFAULT_EMBEDDER = "sentence-transformers/all-MiniLM-L6-v2"
OLLAMA_PORT = 11434
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says, checked; the module says which variable sets what. Keys are never shown.

    Attributes:
        ollama_host: Always scheme, host and port: ``http://127.0.0.1:11434``.
        ollama_timeout: Seconds to wait for one answer; above 0.
        ollama_think: Whether, or how much, models are to think; None leaves it to them.
        ollama_keep_alive: Seconds or "10m"; None leaves it to the server.
        device: None leaves the default model to ONNX Runtime.
        cache: It need not exist, nor need ``compiled``.
    """

    ollama_host: str = f"http://127.0.0.1:{OLLAMA_PORT}"
    ollama_timeout: float = 600.0
    ollama_num_predict: int = 4000
    ollama_think: bool | str | None = None
    ollama_keep_alive: float | str | None = None
    embedder: str = DEFAULT_EMBEDDER
    device: str | None = None
    cache: Path = Path(".cache")
    compiled: Path = Path(".compiled")
    lm_key: str | None = field(default=None, repr=False)
    embedder_key: str | None = field(default=None, repr=False)
    qdrant_api_key: str | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """Read and check every variable.

        Raises:
            UsageError: A value is not one of the accepted kind; the message names variable, value and what is accepted.
        """

        def value(name: str) -> str | None:
            return environ.get(name, "").strip() or None

        return cls(
            ollama_host=server_address(value("OLLAMA_HOST") or "", "OLLAMA_HOST"),
            ollama_timeout=seconds(value("CORROBORATE_OLLAMA_TIMEOUT") or "600", "CORROBORATE_OLLAMA_TIMEOUT"),
            ollama_num_predict=token_limit(value("CORROBORATE_NUM_PREDICT") or "4000", "CORROBORATE_NUM_PREDICT"),
            ollama_think=_thinking(value("CORROBORATE_THINK"), "CORROBORATE_THINK"),
            ollama_keep_alive=_duration(value("CORROBORATE_KEEP_ALIVE"), "CORROBORATE_KEEP_ALIVE"),
            embedder=value("CORROBORATE_EMBEDDER") or DEFAULT_EMBEDDER,
            device=value("CORROBORATE_DEVICE"),
            cache=Path(value("CORROBORATE_CACHE") or _platform_folder(environ, "cache")).expanduser(),
            compiled=Path(value("CORROBORATE_COMPILED") or _platform_folder(environ, "data") / "compiled").expanduser(),
            lm_key=value("CORROBORATE_LM_KEY"),
            embedder_key=value("CORROBORATE_EMBEDDER_KEY"),
            qdrant_api_key=value("QDRANT_API_KEY"),
            api_key=value("CORROBORATE_API_KEY"),
        )


@functools.cache
def settings() -> Settings:
    """The settings of this process, read from the environment on first use."""
    return Settings.from_environment(os.environ)


def is_loopback(host: str) -> bool:
    """Whether a name or address without a port is that of this machine, where others cannot listen."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def server_address(text: str, name: str) -> str:
    """Complete an address in any of the spellings that Ollama's own tools accept: ``:11434``, ``[::1]``, a URL, none.

    A bare host has port 11434, a URL the port of its scheme. An address to listen on (``0.0.0.0``, which many set for
    the server in the same variable) becomes the loopback address it can be reached at.

    Raises:
        UsageError: It is not a valid address; the message says by which variable or option it came.
    """
    scheme, _, rest = text.partition("://") if "://" in text else ("http", "", text)
    try:
        parts = urllib.parse.urlsplit(f"{scheme}://{rest}")
        host, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError:
        scheme, host, port = "", "", None
    if scheme not in DEFAULT_PORTS or not host or any(character.isspace() for character in text):
        raise UsageError(
            f"{name}={text!r} is not a server address; accepted are a host, host:port or an http(s) URL, "
            f"such as 127.0.0.1:{OLLAMA_PORT}"
        )
    if port is None:
        port = DEFAULT_PORTS[scheme] if "://" in text else OLLAMA_PORT
    path = parts.path.rstrip("/")
    return f"{scheme}://{_reachable(host)}:{port}{path}"


def seconds(text: str, name: str) -> float:
    """Read a duration in seconds; a ``UsageError`` for one that is not above 0 and finite."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise UsageError(f"{name}={text!r} is not a valid duration; give a number of seconds above 0, such as 600")
    return value


def token_limit(text: str, name: str) -> int:
    """Read a limit in tokens; a ``UsageError`` for one that is not a whole number above 0."""
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"{name}={text!r} is not a valid number of tokens; give a whole number above 0, such as 4000")
    return int(text)


def _thinking(text: str | None, name: str) -> bool | str | None:
    known: Mapping[str, bool | str] = {"true": True, "false": False, "low": "low", "medium": "medium", "high": "high"}
    if text is not None and text.lower() not in known:
        raise UsageError(f"{name}={text!r} is not a valid value; give one of {', '.join(known)}")
    return None if text is None else known[text.lower()]


def _duration(text: str | None, name: str) -> float | str | None:
    if text is None or re.fullmatch(r"-?([0-9]+(\.[0-9]+)?(ms|s|m|h))+", text):
        return text
    if re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    raise UsageError(f"{name}={text!r} is not a valid duration; give seconds (-1: for ever), or a form such as 10m")


def forbid_telemetry() -> None:
    """Keep libraries from calling home, to be called before they are imported.

    ONNX Runtime (1.31) reports to its makers from the import on and leaves an identifier in the user's cache; LiteLLM
    and DSPy fetch a list of models with prices, of which they bring a copy; the hub's client reports what it loads.
    """
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"


def _reachable(host: str) -> str:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return host if address.version == 4 else f"[{host}]"


def _platform_folder(environ: Mapping[str, str], kind: Literal["cache", "data"]) -> Path:
    home, is_cache = Path.home(), kind == "cache"
    if sys.platform == "darwin":
        return home / "Library" / ("Caches" if is_cache else "Application Support") / "corroborate"
    if sys.platform == "win32":
        folder = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "corroborate"
        return folder / "Cache" if is_cache else folder
    if is_cache:
        return Path(environ.get("XDG_CACHE_HOME") or home / ".cache") / "corroborate"
    return Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "corroborate"
