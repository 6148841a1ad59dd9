"""From a model's name to a ``dspy.LM``.

ollama/gpt-oss, ollama/qwen3:8b, …   an Ollama server, by our own engine
extractive                           no model: sentences taken from the inputs
openai/gpt-4o, anthropic/…, …        whatever LiteLLM knows, by DSPy itself
"""

from __future__ import annotations

import difflib
import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from programs.config import forbid_telemetry, seconds, server_address, settings
from programs.errors import UsageError
from programs.lm.options import split_options

if TYPE_CHECKING:
    import dspy

EXTRACTIVE = "extractive"
_LIKE_IT = 0.8
# DSPy's own routes to Ollama leave the context at the server's default, which drops the beginning of a long prompt.
LITELLM_OLLAMA = frozenset({"ollama_chat"})
CALL_OPTIONS = frozenset({"temperature", "top_p", "top_k", "seed", "stop", "frequency_penalty", "presence_penalty"})
LM_OPTIONS = frozenset({"cache", "num_retries", "callbacks", "rollout_id", "reasoning_effort"})
ENGINE_OPTIONS = frozenset({"host", "num_predict", "max_tokens", "keep_alive", "timeout", "think"})

_OF_CODE = frozenset({"callbacks", "rollout_id"})
"""Options that only code can give, or DSPy itself does."""


def LM(name: str, **options: Any) -> dspy.LM:  # noqa: N802, ANN401 - it stands for dspy.LM
    """Make the language model that a name stands for; nothing is contacted yet.

    Args:
        name: See the top of this module; options may stand behind it: ``ollama/gpt-oss?num_predict=8000&think=low``.
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
    from programs.lm.checked import CheckedLM

    _keep_cache_without_pickle()
    return CheckedLM(name, **options)


def _ollama(model: str, options: dict[str, Any]) -> dspy.LM:
    import dspy

    from programs.lm.ollama import AsyncOllamaEngine, OllamaEngine

    _keep_cache_without_pickle()
    unknown = sorted(options.keys() - CALL_OPTIONS - LM_OPTIONS - ENGINE_OPTIONS)
    if unknown:
        known = ", ".join(sorted((CALL_OPTIONS | LM_OPTIONS | ENGINE_OPTIONS) - _OF_CODE))
        window = "; the window (num_ctx) is chosen for every prompt" if "num_ctx" in unknown else ""
        raise UsageError(f"Ollama models have no option {', '.join(unknown)}{window}; there are {known}")
    engine = OllamaEngine(
        host=server_address(str(options.pop("host", None) or settings().ollama_host), "host"),
        keep_alive=options.pop("keep_alive", settings().ollama_keep_alive),
        timeout=seconds(str(options.pop("timeout", settings().ollama_timeout)), "timeout"),
        think=options.pop("think", settings().ollama_think),
    )
    max_tokens = options.pop("max_tokens", settings().ollama_num_predict)
    engine = replace(engine, num_predict=_positive(options.pop("num_predict", max_tokens)))
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

    from programs.lm.extractive import AsyncExtractiveEngine, ExtractiveEngine

    # Quicker than DSPy's cache on disk, which would also outlive a new version's answers.
    options.setdefault("cache", False)
    return dspy.LM("extractive/1", engine=ExtractiveEngine(), async_engine=AsyncExtractiveEngine(), **options)


@functools.cache
def _keep_cache_without_pickle() -> None:
    """Keep DSPy's cache in our own folder, once a process."""
    from programs.lm.kept_answers import keep_answers_in

    keep_answers_in(settings().cache / "lm")


def _positive(tokens: Any) -> int:  # noqa: ANN401 - an option as the user gave it
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1:
        raise UsageError(f"num_predict={tokens!r} is not a valid number of tokens; give a whole number above 0")
    return tokens
