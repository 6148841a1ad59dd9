"""Ollama as DSPy engines, on Ollama's own client library.

    lm = dspy.LM("ollama/gpt-oss", engine=OllamaEngine(host), async_engine=AsyncOllamaEngine(host), max_tokens=4000)

An engine makes one attempt; DSPy around it caches, retries and counts. The first call asks the server for the model's
context length; every call opens a window that seems to hold prompt and answer (``ollama_chat``), a larger one where the
server refuses it, and checks the reply: cut prompts and cut answers are errors (``ollama_errors``), never results.

Engines hold settings and no connection, so they can be copied, pickled and shared between threads and event loops. A
new connection a call costs about 1 ms, and it never meets the reset of one that idled too long.
"""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self
from urllib.parse import urlsplit

import httpx
import ollama
from dspy import lm15

from programs.config import is_loopback, server_address, settings
from programs.lm.ollama_chat import Chat, Think, Windows, too_long
from programs.lm.ollama_errors import Malformed, NoSuchModel, Refused, TooLong, disconnected, translated
from programs.lm.pace import keep

CONNECT_TIMEOUT = 10.0  # seconds; a server that is there accepts at once, however busy it is

# Refuse a prompt that is longer than the window, and end an answer at its end, instead of dropping the oldest tokens.
# ``ollama.Client.chat`` has no argument for either.
_WHOLE: Final = {"truncate": False, "shift": False}


class Client(ollama.Client):
    """A client to use as a context manager, whose chats are never cut in silence; it waits so many seconds of silence.

    Args:
        host: As ``programs.config.server_address`` completes it.
        timeout: In seconds.
    """

    def __init__(self, host: str, timeout: float) -> None:
        super().__init__(
            host,
            timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
            verify=_certificates(),
            # Proxies of the environment are for other machines; one before this machine's own server breaks it.
            trust_env=not is_loopback(urlsplit(host).hostname or ""),
        )

    def ask(self, arguments: Mapping[str, Any], *, stream: bool) -> Any:  # noqa: ANN401 - as the library's client
        """A chat, answered in one piece, or piece by piece."""
        body = {**arguments, **_WHOLE, "stream": stream}
        return self._request(ollama.ChatResponse, "POST", "/api/chat", json=body, stream=stream)


@functools.cache
def _certificates() -> ssl.SSLContext:
    """The trusted certificates, read once: that takes 40 ms, the rest of a client 1 ms."""
    return httpx.create_ssl_context()


@dataclass(frozen=True)
class OllamaEngine:
    """Ollama for synchronous calls; see the module.

    Attributes:
        host: Address with scheme and port, as ``programs.config.server_address`` completes it.
        num_predict: Tokens of an answer at most, when the request does not say.
        keep_alive: How long the server keeps the model loaded: seconds, "10m", -1 for ever; None for its default.
        timeout: Longest silence in seconds. A whole answer comes in one piece, so it bounds that; a stream is silent
            only until its first token.
        think: Ask for thinking (True, "low", "medium", "high"), forbid it (False) or leave it to the model (None).
    """

    host: str
    num_predict: int = 4000
    keep_alive: float | str | None = None
    timeout: float = 600.0
    think: Think = None
    windows: Windows = field(default_factory=Windows, init=False, repr=False, compare=False)

    # What JSONAdapter asks for before it sends a schema: Ollama's `format` takes one and samples by it.
    supports_response_schema = samples_by_schema = True
    supported_params = frozenset({"temperature", "max_tokens", "top_p", "top_k", "stop", "seed", "response_format"})

    def dump_state(self) -> dict[str, Any]:
        """The settings, JSON-ready, for a saved program."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """Make the engine that ``dump_state`` described."""
        return cls(**state)

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Answer a request in one piece.

        Raises:
            CorroborateError: One of ``ollama_errors``.
        """
        with self._client(request) as client:
            for chat in self._chats(request, whole=True):
                with self._filling(chat):
                    chat.add(client.ask(chat.arguments, stream=False))
        return chat.response(self.host)

    def stream(self, request: lm15.Request) -> Iterator[lm15.StreamEvent]:
        """Answer a request piece by piece; raises like ``complete``, checks of the whole answer last."""
        with self._client(request) as client:
            yield lm15.StreamStartEvent(model=request.model)
            for chat in self._chats(request, whole=False):
                with self._filling(chat):
                    for piece in client.ask(chat.arguments, stream=True):
                        yield from chat.add(piece)
        yield lm15.StreamEndEvent(finish_reason="stop", usage=chat.usage(self.host))

    @contextmanager
    def _client(self, request: lm15.Request) -> Iterator[Client]:
        """A client, once the length of the model's context is known."""
        model = model_name(request)
        with Client(self.host, self.timeout) as client:
            # Two threads may ask at the same time; both get the same answer.
            if model not in self.windows.lengths:
                with translated(self.host, model, self.timeout):
                    shown = client.show(model)
                self.windows.lengths[model] = context_length(shown, model, self.host)
            yield client

    def _chats(self, request: lm15.Request, *, whole: bool) -> Iterator[Chat]:
        """Chats to fill in, the last of which counts: each in a larger window than the one before.

        There is another one where the server refuses the prompt, or where the window, not the answer's own limit, ended
        an answer that comes ``whole``; what was passed on already is not asked for again.
        """
        while True:
            chat = Chat.of(request, model_name(request), self.windows, self.num_predict, self.keep_alive, self.think)
            yield chat
            if chat.timing is not None:
                keep(self.host, str(request.model), chat.timing)
            if not (chat.refusal or (whole and chat.filled_window)):
                return
            if chat.refusal and chat.is_begun:
                raise chat.refusal
            if not self.windows.grow(chat.model, chat.num_ctx):
                if chat.refusal is None:
                    return
                raise too_long(chat.model, self.windows.lengths[chat.model], str(chat.refusal)) from chat.refusal

    @contextmanager
    def _filling(self, chat: Chat) -> Iterator[None]:
        try:
            with translated(self.host, chat.model, self.timeout):
                yield
        except TooLong as refusal:
            chat.refusal = refusal


class AsyncOllamaEngine(OllamaEngine):
    """The same for asynchronous calls, in threads."""

    async def complete(self, request: lm15.Request) -> lm15.Response:
        """Answer a request in one piece; raises like ``OllamaEngine.complete``."""
        return await asyncio.to_thread(super().complete, request)

    async def stream(self, request: lm15.Request) -> AsyncIterator[lm15.StreamEvent]:  # type: ignore[override]
        """Answer a request piece by piece; raises like ``OllamaEngine.stream``."""
        events = super().stream(request)
        while (event := await asyncio.to_thread(next, events, None)) is not None:
            yield event


def model_name(request: lm15.Request) -> str:
    """The name as Ollama knows it: what follows ``ollama/``."""
    return str(request.model).removeprefix("ollama/")


def context_length(shown: ollama.ShowResponse, model: str, host: str) -> int:
    """Longest context that a model was trained for, in tokens, from ``show``.

    The key carries the architecture's name: ``llama.context_length``, ``gptoss.context_length``.

    Raises:
        Refused: The model writes no text, such as one for embeddings.
        Malformed: The server does not say.
    """
    if shown.capabilities and "completion" not in shown.capabilities:
        raise Refused(
            f"The model {model!r} at {host} can do {', '.join(shown.capabilities)} only; choose one that writes text"
        )
    lengths = [value for key, value in (shown.modelinfo or {}).items() if key.endswith(".context_length")]
    if not lengths or not isinstance(lengths[0], int):
        raise Malformed(
            f"Ollama at {host} does not say how long the context of {model!r} is; update the server or the model"
        )
    return lengths[0]


def pull(
    model: str, host: str | None = None, progress: Callable[[ollama.ProgressResponse], None] = lambda _: None
) -> None:
    """Have the server download a model; returns when it is ready. The server keeps what an interrupted run fetched.

    Args:
        model: Name as Ollama knows it, with or without ``ollama/``.
        host: The server; OLLAMA_HOST by default.
        progress: Called with every message of the server, several a second.

    Raises:
        ModelNotFound: No registry has it.
        LMError: The server is not there, interrupts the download or refuses.
    """
    host = server_address(host, "host") if host else settings().ollama_host
    model = model.removeprefix("ollama/")
    timeout, status = settings().ollama_timeout, ""
    with Client(host, timeout) as client, translated(host, model, timeout):
        try:
            for step in client.pull(model, stream=True):
                status = step.status or ""
                progress(step)
        except ollama.ResponseError as error:
            if "manifest" in str(error.error):  # "pull model manifest: file does not exist"
                raise NoSuchModel(
                    f"Ollama's registry has no model {model!r}; look for its name at https://ollama.com/library"
                ) from error
            raise
    if status != "success":
        raise disconnected(host, model, f"the download ended with {status!r}")
