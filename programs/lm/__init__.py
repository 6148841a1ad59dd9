"""Language models by name.

ollama/gpt-oss, ollama/qwen3:8b, …   an Ollama server, by our own engine
extractive                           no model: the adapter quotes sentences of the inputs
openai/gpt-4o, anthropic/…, …        whatever LiteLLM knows, by DSPy itself

Options may follow a name, as runs and results keep it: ``ollama/gpt-oss?num_predict=8000&think=low``. On the command
line: ``--lm ollama/gpt-oss --lm-option num_predict=8000 --lm-option think=low``.
"""

from __future__ import annotations

import difflib
import functools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode

from programs import errors
from programs.config import forbid_telemetry, seconds, server_address, settings, token_limit
from programs.errors import UsageError, one_line
from programs.extras import require

if TYPE_CHECKING:
    import dspy


# Others on the machine see a command line, and runs keep it.
_SECRET = frozenset({"api_key", "aws_secret_access_key", "azure_ad_token"})
# Objects of a program, not values.
_OF_CODE = frozenset({"callbacks", "engine", "async_engine", "launch_kwargs", "train_kwargs", "provider", "providers"})


def with_options(name: str, options: Sequence[str] | None, flag: str = "--lm-option") -> str:
    """The name of a model with ``NAME=VALUE`` options; a later one wins.

    Raises:
        UsageError: One is not of that form, or is not to be given on a command line.
    """
    bare, given = split_options(name)
    for text in options or ():
        option, equals, value = text.partition("=")
        option = option.strip()
        if not equals or not option.isidentifier() or not value.strip():
            raise UsageError(f"{flag} got {text!r}; write NAME=VALUE, such as num_predict=8000 or think=low")
        if not name:
            raise UsageError(f"{flag} {text} names an option of no model; name the model too, with {flag[:-7]}")
        _check_allowed(option)
        given[option] = option_value(value.strip())
    texts = {option: value if isinstance(value, str) else json.dumps(value) for option, value in given.items()}
    return f"{bare}?{urlencode(texts, quote_via=quote, safe=':/,')}" if texts else bare


def split_options(name: str) -> tuple[str, dict[str, Any]]:
    """A model's name, and its options as values: numbers, true and false, else text."""
    bare, _, text = name.partition("?")
    options = {option: option_value(value) for option, value in parse_qsl(text)}
    for option in options:
        _check_allowed(option)
    return bare, options


def _check_allowed(option: str) -> None:
    if option in _SECRET:
        raise UsageError(f"{option} is a secret, which others would see here; set it in the environment of the model")
    if option in _OF_CODE:
        raise UsageError(f"{option} is not an option of a name; give it in Python, with programs.LM(name, {option}=…)")


def option_value(text: str) -> Any:  # noqa: ANN401 - a JSON value
    """What an option says: a number, true or false, or else text."""
    try:
        return json.loads(text)
    except ValueError:
        return {"True": True, "False": False}.get(text, text)


EXTRACTIVE = "extractive"
_LIKE_IT = 0.8
# DSPy's own routes to Ollama leave the context at the server's default, which drops the beginning of a long prompt.
LITELLM_OLLAMA = frozenset({"ollama_chat"})
CALL_OPTIONS = frozenset({"temperature", "top_p", "top_k", "seed", "stop", "frequency_penalty", "presence_penalty"})
LM_OPTIONS = frozenset({"cache", "num_retries", "callbacks", "rollout_id", "reasoning_effort"})
ENGINE_OPTIONS = frozenset({"host", "num_predict", "max_tokens", "keep_alive", "timeout", "think"})

_GIVEN_IN_PYTHON = frozenset({"callbacks", "rollout_id"})
"""Options that only code can give, or DSPy itself does."""


def LM(name: str, **options: Any) -> dspy.LM:  # noqa: N802, ANN401 - it stands for dspy.LM
    """Make the language model that a name stands for; nothing is contacted yet.

    Args:
        name: See the top of this module.
        **options: For Ollama ``host`` (default OLLAMA_HOST), ``num_predict`` (tokens of an answer at most, 4,000;
            ``max_tokens`` means the same), ``keep_alive`` (how long the server keeps the model: seconds or "10m"),
            ``timeout`` (seconds), ``think`` (True, False or "low", "medium", "high"), ``temperature`` (0), ``seed``
            (which makes repeated samples equal: leave it out when optimizing), ``top_p``, ``top_k``, ``stop``,
            ``cache`` (True), ``num_retries`` (3) and so on; for other models whatever ``dspy.LM`` takes.

    Raises:
        UsageError: The name is incomplete, or an option is unknown or out of range.
    """
    forbid_telemetry()
    name, named = split_options(name.strip())
    options = {**named, **options}
    provider, slash, model = name.partition("/")
    if not provider or (slash and not model.strip()) or name == "ollama":
        raise UsageError(f"{name!r} names no model; give one such as 'ollama/gpt-oss', 'extractive' or 'openai/gpt-4o'")
    if provider in LITELLM_OLLAMA:
        raise UsageError(f"{name!r}: use 'ollama/{model}', which keeps Ollama from cutting long prompts off")
    if provider == "ollama":
        return _ollama(model, options)
    if provider == EXTRACTIVE:
        return _extractive(options)
    if not slash and difflib.get_close_matches(provider, [EXTRACTIVE], cutoff=_LIKE_IT):
        raise UsageError(f"{name!r} is not a model; did you mean {EXTRACTIVE}?")
    from programs.lm.checked_lm import CheckedLM

    _keep_cache_without_pickle()
    return CheckedLM(name, **options)


def _ollama(model: str, options: dict[str, Any]) -> dspy.LM:
    import dspy

    from programs.lm.ollama import AsyncOllamaEngine, OllamaEngine

    _keep_cache_without_pickle()
    unknown = sorted(options.keys() - CALL_OPTIONS - LM_OPTIONS - ENGINE_OPTIONS)
    if unknown:
        known = ", ".join(sorted((CALL_OPTIONS | LM_OPTIONS | ENGINE_OPTIONS) - _GIVEN_IN_PYTHON))
        window = "; the window (num_ctx) is chosen for every prompt" if "num_ctx" in unknown else ""
        raise UsageError(f"Ollama models have no option {', '.join(unknown)}{window}; there are {known}")
    limit = options.pop("max_tokens", settings().ollama_num_predict)
    engine = OllamaEngine(
        host=server_address(str(options.pop("host", None) or settings().ollama_host), "host"),
        num_predict=token_limit(str(options.pop("num_predict", limit)), "num_predict"),
        keep_alive=options.pop("keep_alive", settings().ollama_keep_alive),
        timeout=seconds(str(options.pop("timeout", settings().ollama_timeout)), "timeout"),
        think=options.pop("think", settings().ollama_think),
    )
    return dspy.LM(
        f"ollama/{model}",
        engine=engine,
        async_engine=AsyncOllamaEngine(**engine.dump_state()),
        max_tokens=engine.num_predict,
        temperature=options.pop("temperature", 0.0),
        # DSPy's cache knows a call by model and arguments. The same name on another server can be another quantisation,
        # and thinking changes answers, so both go along as metadata, which the engine does not send.
        metadata={"host": engine.host, "think": engine.think},
        **options,
    )


def _extractive(options: dict[str, Any]) -> dspy.LM:
    if unknown := sorted(options.keys() - CALL_OPTIONS - LM_OPTIONS - {"max_tokens"}):
        raise UsageError(f"{EXTRACTIVE} uses no model and has no option {', '.join(unknown)}; leave it out")
    import dspy

    from programs.lm.extractive import AsyncNoModel, NoModel

    return dspy.LM("extractive/1", engine=NoModel(), async_engine=AsyncNoModel(), **{"cache": False, **options})


@functools.cache
def _keep_cache_without_pickle() -> None:
    """Keep DSPy's cache in our own folder, once a process."""
    from programs.lm.answer_cache import keep_answers_in

    keep_answers_in(settings().cache / "lm")


_LONGEST = 300


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
    from dspy.utils import exceptions as dspy_errors

    # Nothing to wait for: name, key or request is wrong.
    wrong_use = (dspy_errors.LMConfigurationError, dspy_errors.LMAuthError, dspy_errors.LMInvalidRequestError)
    try:
        yield
    except dspy_errors.LMError as error:
        if isinstance(error, errors.CorroborateError):
            raise
        if isinstance(error, dspy_errors.LMUnexpectedError):  # what DSPy makes of a library that is not there
            require("litellm", f"the model {name}")
        said = one_line(error, _LONGEST)
        bare, options = split_options(name)
        if isinstance(error, wrong_use) and "/" not in bare:
            raise errors.UsageError(
                f"{bare!r} names no provider that is known; write ollama/{bare} for a model of Ollama, or "
                f"PROVIDER/{bare}, such as openai/{bare}"
            ) from error
        address = options.get("api_base") or options.get("base_url")
        if address and not isinstance(error, dspy_errors.LMAuthError):
            raise errors.LMError(f"{_at_its_address(bare, address, error)}. It was said: {said}") from error
        if isinstance(error, wrong_use):
            raise errors.UsageError(
                f"the model {name} cannot be asked; check its name and its key, or take 'extractive', which needs "
                f"neither. It was said: {said}"
            ) from error
        raise errors.LMError(
            f"the model {name} did not answer; try again, or take another. It was said: {said}"
        ) from error


_NOT_REACHED = "failed to connect"
"""What DSPy says of a server that is not there, beside one that hangs up; both are one class."""


def _at_its_address(model: str, address: str, error: Exception) -> str:
    """What went wrong with a model's server at an address of the user's own, and what to do."""
    from dspy.utils import exceptions as dspy_errors

    if isinstance(error, dspy_errors.LMInvalidRequestError):
        return (
            f"the model {model} did not answer: {address} refused the request; check that the address is whole (mostly "
            "it ends in /v1), that the server has this model and that each --lm-option is one it takes"
        )
    if isinstance(error, dspy_errors.LMTransportError) and _NOT_REACHED not in str(error):
        return (
            f"the model {model} did not answer: {address} ended before its answer did; look at the server's log, start "
            "it anew if it stopped, and give the same command again: nothing of the answer was kept"
        )
    return (
        f"the model {model} did not answer at {address}; check that a server runs there, that the address is whole "
        "(mostly it ends in /v1) and that the server has this model"
    )
