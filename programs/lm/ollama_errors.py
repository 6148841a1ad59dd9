"""What goes wrong between us and an Ollama server, as errors of our own tree.

DSPy lets its own ``LMError`` classes through unchanged, wraps everything else in ``LMUnexpectedError``, and decides by
class whether to call again (``num_retries`` times, after 1, 2, 4 … seconds). So each error here is two things: ours,
which callers catch, and the DSPy class that carries the right decision; only ``Disconnected`` and ``Busy`` are called
again. None is an ``AdapterParseError``, so none makes ChatAdapter try once more with JSONAdapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import ollama
from dspy.utils import exceptions as dspy_errors

from programs import errors

BUSY = frozenset({429, 502, 503, 504})
_WRONG_REQUEST = re.compile(r"^invalid (JSON schema in )?format|^option \S+ must be|^invalid option")


class NoServer(errors.LMUnavailable, dspy_errors.LMConfigurationError):
    """Nothing answers at the address."""


class Disconnected(errors.LMUnavailable, dspy_errors.LMTransportError):
    """The connection was reset or cut off, or the model's process died."""


class Busy(errors.LMUnavailable, dspy_errors.LMServerError):
    """The server has too much to do just now: 429, 502, 503, 504."""


class ServerFailed(errors.LMUnavailable, dspy_errors.LMProviderError):
    """The server could not run the model: what is left of 500 is mostly too little memory."""


class NoSuchModel(errors.ModelNotFound, dspy_errors.LMUnsupportedModelError):
    """The server does not hold the model."""


class TimedOut(errors.LMTimeout, dspy_errors.LMProviderError):
    """The server stayed silent for longer than allowed; the same call would take as long once more."""


class TooLong(errors.ContextExceeded, dspy_errors.ContextWindowExceededError):
    """Prompt and answer do not fit the model's context; ``dspy.ReAct`` shortens its history on it."""

    def __init__(self, message: str) -> None:
        super().__init__(message=message)  # type: ignore[call-arg]  # by name only


class AnswerTruncated(errors.OutputTruncated, dspy_errors.LMProviderError):
    """The answer reached num_predict; ``partial`` holds what there is of it."""

    def __init__(self, message: str, partial: str = "") -> None:
        super().__init__(message)
        self.partial = partial


class Malformed(errors.MalformedOutput, dspy_errors.LMProviderError):
    """The answer is not what Ollama's protocol promises."""


class Refused(errors.UsageError, dspy_errors.LMInvalidRequestError):
    """The server refuses the request as it is."""


class Unsupported(errors.UsageError, dspy_errors.LMUnsupportedFeatureError):
    """The request asks for what this engine cannot do."""


@contextmanager
def translated(host: str, model: str, timeout: float) -> Iterator[None]:
    """Turn what the client library raises into the errors above.

    Wrap calls of the client and nothing else: a ``TypeError`` in here means that the server sent JSON of a wrong shape.
    """
    try:
        yield
    except (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise NoServer(
            f"No Ollama server at {host}; start it with `ollama serve`, or set OLLAMA_HOST to where it runs"
        ) from error
    except httpx.TimeoutException as error:
        raise TimedOut(
            f"Ollama at {host} sent nothing for {timeout:g} s while it was asked for {model}; "
            "raise CORROBORATE_OLLAMA_TIMEOUT, or use a smaller model"
        ) from error
    except httpx.TransportError as error:
        raise disconnected(host, model, str(error)) from error
    except ollama.ResponseError as error:
        raise _from_status(host, model, error) from error
    except (ValueError, TypeError, AttributeError, httpx.HTTPError) as error:
        reason = str(error).partition("\n")[0]
        raise Malformed(
            f"The answer of {host} for {model} is not what Ollama's API promises ({reason}); "
            "check with `ollama --version` that an Ollama server listens there"
        ) from error


def disconnected(host: str, model: str, reason: str) -> Disconnected:
    """The error for an answer that ended before it was complete."""
    return Disconnected(
        f"Ollama at {host} interrupted its answer for {model} ({reason}); look at the server's log, then ask again"
    )


def _from_status(host: str, model: str, error: ollama.ResponseError) -> errors.CorroborateError:
    """Read an error reply: HTTP status and text, or a line ``{"error": …}`` in the midst of a stream (status -1)."""
    status, text = error.status_code, str(error.error).strip()
    said = f"Ollama at {host} says for {model}: {text!r}"
    # A server that is not Ollama answers 404 as well, but has nothing to say about a model.
    if status == 404 and "model" in text:
        return NoSuchModel(f"Ollama at {host} does not have the model {model!r}; get it with `ollama pull {model}`")
    # "the request exceeds the available context size", "the input length exceeds the context length" …
    if "exceed" in text and "context" in text:
        return TooLong(f"{said}; give fewer or shorter passages, or use a model with a longer context")
    if "does not support thinking" in text:
        return Refused(f"{said}; leave thinking to the model with --lm-option think=false, or use another model")
    # Ollama says 500 of a wrong request too.
    if _WRONG_REQUEST.search(text):
        return Refused(f"{said}; a --lm-option has a wrong value, or this is a fault of Corroborate: please report it")
    if "unexpected EOF" in text:
        return disconnected(host, model, "the model's process ended, often for lack of memory")
    if status in BUSY:
        return Busy(f"{said} (HTTP {status}); try again later, or run fewer calls at once")
    if 400 <= status < 500:
        return Refused(f"{said} (HTTP {status}); change the request, or check that this is an Ollama server")
    return ServerFailed(f"{said} (HTTP {status}); look at the server's log, or use a smaller model")
