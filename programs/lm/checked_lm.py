"""Models that DSPy reaches by itself, with what it leaves out: whether a prompt was read whole, schemas for servers.

A server of one's own (vLLM, LM Studio, llama.cpp) is named by its address:

    --lm openai/MODEL --lm-option api_base=http://127.0.0.1:8000/v1

It is asked for an answer by a JSON schema; one that refuses the schema for any JSON object, and one that refuses that
too for text. The prompt is the same and names the object's fields.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Final

import dspy
import httpx
from dspy.utils import exceptions as dspy_errors
from dspy.utils.usage_tracker import UsageTracker

from programs.config import settings
from programs.errors import UsageError
from programs.lm.ollama_chat import was_cut
from programs.lm.ollama_errors import TooLong
from programs.lm.pace import Timing, keep
from programs.progress import report_step

FORMS = SCHEMA, OBJECT, TEXT = "a JSON schema", "a JSON object", "text"
"""Forms that an answer is asked for in, the strictest first."""
_TAKEN: Final[dict[tuple[str, str], str]] = {}
"""The form that a server takes for a model, by address and model, where it refused a stricter one."""
_NAMES_FORM = re.compile(r"response.?format|json.?(schema|object|mode)|grammar|structured.?output", re.IGNORECASE)
_OF_THE_PROMPT = (dspy_errors.ContextWindowExceededError, dspy_errors.LMUnsupportedModelError)
"""Refusals that another form does not change."""
_NO_KEY = "none"
"""Sent where a key must be and none is needed; a provider's key of the environment is not for another's server."""
_PROBE_SECONDS = 5.0
# Beside ``prompt_tokens`` where a provider counts what it had in its cache apart.
_CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")
_BEGAN: ContextVar[float] = ContextVar("began", default=0.0)
"""When the call of this context began, which DSPy does not say where it says what came of it."""


class CheckedLM(dspy.LM):
    """A ``dspy.LM`` that says when a prompt was cut, and sends schemas to a server at its own address.

    Args:
        model: Name as DSPy knows it.
        schema: Whether to ask for answers by a JSON schema; by default of a server at its own address.
        **options: Those of ``dspy.LM``.
    """

    def __init__(self, model: str, schema: bool | None = None, **options: Any) -> None:  # noqa: ANN401 - dspy.LM's own
        self.own_address = str(options.get("api_base") or options.get("base_url") or "").rstrip("/")
        if self.own_address:
            options.setdefault("api_key", settings().lm_key or _NO_KEY)
        super().__init__(model, **options)
        self.samples_by_schema = bool(self.own_address) if schema is None else schema
        """Whether a schema is asked for; a server may still refuse it, see ``form``."""
        self._is_probed = not self.own_address

    @property
    def form(self) -> str:
        """The form that an answer is asked for in, as far as the server did not refuse it."""
        return _TAKEN.get((self.own_address, self.model), SCHEMA)

    @property
    def supports_response_schema(self) -> bool:
        """What JSONAdapter asks before it sends a schema."""
        return self.samples_by_schema or bool(super().supports_response_schema)

    @property
    def supported_params(self) -> set[str]:
        """What JSONAdapter asks before it sends a format."""
        return {*super().supported_params, *(("response_format",) if self.samples_by_schema else ())}

    def __call__(self, prompt: Any = None, *, messages: Any = None, **kwargs: Any) -> Any:  # noqa: ANN401 - as dspy.LM
        """Ask, and check what the server says it read."""
        self._refuse_ollama()
        with _read_whole(self.model, prompt, messages):
            form = self._first_form(kwargs)
            while True:
                try:
                    found = super().__call__(prompt, messages=messages, **_in_form(form, kwargs))
                except dspy_errors.LMError as error:
                    form = self._less_strict(form, error)
                else:
                    self._keep_form(form, kwargs)
                    return found

    async def acall(self, prompt: Any = None, *, messages: Any = None, **kwargs: Any) -> Any:  # noqa: ANN401 - as dspy.LM
        """Ask the model without blocking; checks and errors are those of a plain call."""
        self._refuse_ollama()
        with _read_whole(self.model, prompt, messages):
            form = self._first_form(kwargs)
            while True:
                try:
                    found = await super().acall(prompt, messages=messages, **_in_form(form, kwargs))
                except dspy_errors.LMError as error:
                    form = self._less_strict(form, error)
                else:
                    self._keep_form(form, kwargs)
                    return found

    def _first_form(self, kwargs: Mapping[str, Any]) -> str:
        """What the caller wants, or the less strict form that the server is known to take."""
        return max(_wanted(kwargs), self.form, key=FORMS.index)

    def _less_strict(self, form: str, error: dspy_errors.LMError) -> str:
        """The form to ask for after one that was refused; raises the error where it is about something else."""
        refused = isinstance(error, dspy_errors.LMInvalidRequestError) or _NAMES_FORM.search(str(error))
        if not (self.own_address and refused) or form == TEXT or isinstance(error, _OF_THE_PROMPT):
            raise error
        less = FORMS[FORMS.index(form) + 1]
        report_step("form", f"{self.own_address} refused to answer by {form}; asking for {less}")
        return less

    def _keep_form(self, form: str, kwargs: Mapping[str, Any]) -> None:
        if form != _wanted(kwargs):
            _TAKEN[self.own_address, self.model] = form

    def update_history(self, entry: dict[str, Any]) -> None:
        """Take in what DSPy says of a call that ended, and keep the pace of a server at its own address."""
        super().update_history(entry)
        if self.own_address and entry.get("usage"):  # empty where the answer came from DSPy's cache
            timing = _timing(entry["response"], entry["usage"], time.perf_counter() - _BEGAN.get())
            keep(self.own_address, self.model, timing)

    def _refuse_ollama(self) -> None:
        """Name an Ollama server at the address: its ``/v1`` truncates long prompts silently, and always."""
        if self._is_probed:
            return
        self._is_probed = True
        root = self.own_address.removesuffix("/v1")
        with suppress(httpx.HTTPError):
            said = httpx.get(f"{root}/", timeout=_PROBE_SECONDS, trust_env=False).text
            if "Ollama is running" in said:
                model = self.model.partition("/")[2]
                raise UsageError(
                    f"at {root} is an Ollama server, whose /v1 cuts long prompts in silence; use ollama/{model} with "
                    f"--lm-option host={root}, or OLLAMA_HOST={root}"
                )


def _wanted(kwargs: Mapping[str, Any]) -> str:
    given = kwargs.get("response_format")
    return TEXT if given is None else OBJECT if given == {"type": "json_object"} else SCHEMA


def _in_form(form: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, with no stricter form than this one."""
    if form == _wanted(kwargs):
        return dict(kwargs)
    less = {"response_format": {"type": "json_object"}} if form == OBJECT else {}
    return {name: value for name, value in kwargs.items() if name != "response_format"} | less


@contextmanager
def _read_whole(model: str, prompt: Any, messages: Any) -> Iterator[None]:  # noqa: ANN401 - as dspy.LM
    """Compare the tokens that a server says it read with the words it was sent; if fewer, raise ``TooLong``."""
    outer, own = dspy.settings.usage_tracker, UsageTracker()
    _BEGAN.set(time.perf_counter())
    with dspy.context(usage_tracker=own):
        yield
    reports = [report for each in own.usage_data.values() for report in each]
    if outer is not None:
        for name, each in own.usage_data.items():
            for report in each:
                outer.add_usage(name, report)
    words = sum(len(text.split()) for text in _texts(prompt, messages))
    for report in reports:
        read = int(report.get("prompt_tokens") or 0) + sum(int(report.get(name) or 0) for name in _CACHED)
        if was_cut(read, words):
            raise TooLong(
                f"{model} read {read:,} tokens of a prompt of {words:,} words, so a part of it was dropped. Have its "
                "server open a larger context, give fewer or shorter passages, or use another model"
            )


def _timing(response: Any, usage: Mapping[str, Any], seconds: float) -> Timing:  # noqa: ANN401 - of any engine
    """What a reply took: by llama.cpp's own timings of what it read anew, or else by the clock."""
    data = getattr(response, "provider_data", None)
    timings = data.get("timings") if isinstance(data, Mapping) else None
    if isinstance(timings, Mapping):
        values = (timings.get(name) for name in ("prompt_n", "prompt_per_second", "predicted_per_second"))
        read, *rates = (each if isinstance(each, int | float) else 0 for each in values)
        return Timing(read, *rates)
    details = usage.get("prompt_tokens_details")
    cached = int(details.get("cached_tokens") or 0) if isinstance(details, Mapping) else 0
    read, written = int(usage.get("prompt_tokens") or 0) - cached, int(usage.get("completion_tokens") or 0)
    return Timing.by_the_clock(read, written, seconds)


def _texts(prompt: Any, messages: Any) -> Iterator[str]:  # noqa: ANN401 - as dspy.LM
    if isinstance(prompt, str):
        yield prompt
    elif prompt is not None:  # a dspy.lm15.Request
        yield from _content(prompt.system)
        messages = prompt.messages
    for message in messages or ():
        if isinstance(message, Mapping):
            yield from _content(message.get("content"))
        else:
            yield from _content(message.parts)


def _content(content: Any) -> Iterator[str]:  # noqa: ANN401 - text, or parts of many kinds
    if isinstance(content, str):
        yield content
    elif isinstance(content, Iterable):
        for part in content:
            text = part.get("text") if isinstance(part, Mapping) else getattr(part, "text", None)
            if isinstance(text, str):
                yield text
