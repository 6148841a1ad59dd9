"""What goes wrong with models that DSPy reaches by itself, as errors of our own tree, in one line each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dspy.utils import exceptions as dspy_errors

from programs import errors
from programs.extras import require
from programs.lm.options import split_options

_LONGEST = 300
# Nothing to wait for: name, key or request is wrong.
_WRONG_USE = (dspy_errors.LMConfigurationError, dspy_errors.LMAuthError, dspy_errors.LMInvalidRequestError)


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Turn DSPy's errors into ours; those that are ours already, as the Ollama engine's are, pass unchanged.

    Args:
        name: The model's name as the user gave it.

    Raises:
        MissingExtra: DSPy reaches the model through LiteLLM, which is not installed.
        UsageError: The name, its key or the request is wrong.
        LMError: Anything else that kept the model from answering.
    """
    try:
        yield
    except dspy_errors.LMError as error:
        if isinstance(error, errors.CorroborateError):
            raise
        if isinstance(error, dspy_errors.LMUnexpectedError):  # what DSPy makes of a library that is not there
            require("litellm", f"the model {name}")
        said = " ".join(str(error).split())[:_LONGEST]
        bare, options = split_options(name)
        if isinstance(error, _WRONG_USE) and "/" not in bare:
            raise errors.UsageError(
                f"{bare!r} names no provider that is known; write ollama/{bare} for a model of Ollama, or "
                f"PROVIDER/{bare}, such as openai/{bare}"
            ) from error
        address = options.get("api_base") or options.get("base_url")
        if address and not isinstance(error, dspy_errors.LMAuthError):
            raise errors.LMError(
                f"the model {bare} did not answer at {address}; check that a server runs there, that the address is "
                f"whole (mostly it ends in /v1) and that the server has this model. It was said: {said}"
            ) from error
        if isinstance(error, _WRONG_USE):
            raise errors.UsageError(
                f"the model {name} cannot be asked; check its name and its key, or take 'extractive', which needs "
                f"neither. It was said: {said}"
            ) from error
        raise errors.LMError(
            f"the model {name} did not answer; try again, or take another. It was said: {said}"
        ) from error
