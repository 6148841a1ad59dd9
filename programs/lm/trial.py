"""Trying a language model: what its server says of it, whether it keeps to the form asked for, how fast it is."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Any, Final

import dspy
import httpx

from programs.errors import MalformedOutput, UsageError
from programs.lm import LM
from programs.lm.adapters import adapter_for, is_without_model, samples_by_schema
from programs.lm.checked_lm import SCHEMA
from programs.lm.ollama import Client, OllamaEngine, context_length
from programs.lm.ollama_errors import Malformed, translated
from programs.lm.pace import pace_of

TRIED_OLLAMA: Final = ("0.24",)
"""Versions of Ollama that the project was tried with."""

SHORT_CONTEXT = 8192
"""With less, passages and papers are given in small parts, and answers are short."""

_FORM: Final = "passage: str, wanted: str -> sentences: list[str], is_complete: bool"
_PASSAGE: Final = "Femur density fell by 12 percent in flight mice. Mice on the ground kept theirs. All were weighed."
_WANTED: Final = "the first sentence of the passage, and no other"
_LONG: Final = " ".join(f"Group {number} lost {number % 7} percent of its femur density." for number in range(1, 31))
"""A passage of a few hundred tokens, whose reading takes long enough to be timed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is known of a model after two short calls.

    Attributes:
        server: Address and version of its server; empty where DSPy reaches a provider.
        context: Tokens that it can read and write together; None where that is not known.
        layout: What it is asked for: "a JSON schema", or what its server takes instead; "chat" for DSPy's layout.
        keeps_form: Whether its output could be read.
        wrote: What it wrote where that could not be read, cut.
        seconds: Of the second call, when the model is loaded.
        reads: Tokens a second that it reads, by its server's timings, those of earlier calls included; None for a model
            of a provider, which is not timed.
        tokens_a_second: The same of what it writes; where it is not timed, in the second call, the reading of the
            prompt included, or None where no count is reported.
    """

    model: str
    server: str
    context: int | None
    capabilities: tuple[str, ...]
    layout: str
    keeps_form: bool
    wrote: str
    seconds: float
    reads: float | None
    tokens_a_second: float | None
    warnings: tuple[str, ...]


def try_model(name: str) -> Trial:
    """Ask a model twice for a sentence, of a short passage and of a longer one, which times it.

    Raises:
        UsageError: The name, or an option of it, is not valid, or it stands for no model.
        LMError: The server is not there, does not have the model, or does not answer.
    """
    lm = LM(name, cache=False)
    if is_without_model(lm):
        raise UsageError(f"{name} uses no model, so there is nothing to try; name one, such as ollama/gpt-oss")
    server, version, context, capabilities = _described(lm)
    warnings = []
    if version and ".".join(version.split(".")[:2]) not in TRIED_OLLAMA:
        warnings.append(f"Ollama {version} was not tried, but {' and '.join(TRIED_OLLAMA)}; keep to those if it fails.")
    if context is not None and context < SHORT_CONTEXT:
        warnings.append(f"A context of {context:,} tokens holds few passages; {SHORT_CONTEXT:,} are better.")
    keeps_form, wrote = _asked(lm, _PASSAGE)[:2]
    start = time.perf_counter()
    # The record's number keeps a server from having read the passage before.
    again, wrote_again, tokens = _asked(lm, f"Record {secrets.token_hex(4)}. {_LONG}")
    seconds, pace = time.perf_counter() - start, pace_of(lm)
    if not (keeps_form and again):
        warnings.append("It does not keep to the form that is asked for; choose another model.")
    return Trial(
        name,
        f"{server} {version}".strip(),
        context,
        capabilities,
        getattr(lm, "form", SCHEMA) if samples_by_schema(lm) else "chat",
        keeps_form and again,
        wrote or wrote_again,
        seconds,
        pace.read if pace else None,
        (pace.written if pace else None) or (tokens / seconds if tokens else None),
        tuple(warnings),
    )


def _described(lm: dspy.LM) -> tuple[str, str, int | None, tuple[str, ...]]:
    """Address, version, context and capabilities, as far as a server of one's own tells."""
    engine = lm.engine
    if not isinstance(engine, OllamaEngine):
        return str(getattr(lm, "own_address", "")), "", None, ()
    model = str(lm.model).removeprefix("ollama/")
    with Client(engine.host, engine.timeout) as client, translated(engine.host, model, engine.timeout):
        shown = client.show(model)
        version = httpx.get(f"{engine.host}/api/version", timeout=engine.timeout, trust_env=False).json()
    if not isinstance(version, dict):
        raise Malformed(f"{engine.host} does not tell its version; check that an Ollama server listens there")
    length = context_length(shown, model, engine.host)
    return engine.host, str(version.get("version", "")), length, tuple(shown.capabilities or ())


def _asked(lm: dspy.LM, passage: str) -> tuple[bool, str, int]:
    """Whether the output could be read, what it was if not, and how many tokens it had."""
    from programs.program import attempt

    with dspy.track_usage() as usage, dspy.context(lm=lm, adapter=adapter_for(lm)):
        try:
            attempt(dspy.Predict(_FORM), 1, passage=passage, wanted=_WANTED)
        except MalformedOutput as error:
            cause: Any = error.__cause__
            return False, str(cause.lm_response)[:300], 0
    totals = usage.get_total_tokens().values()
    return True, "", sum(int(each.get("completion_tokens") or 0) for each in totals)
