"""The extractive LM as DSPy engines: a prompt in, sentences of its own inputs out.

    lm = dspy.LM("extractive/1", engine=ExtractiveEngine(), async_engine=AsyncExtractiveEngine())

There are no weights, no network, no state and no chance: the same prompt has the same answer, whatever the temperature
or seed. It knows no fact that the prompt does not hold, and it understands nothing; it is the baseline that a model has
to beat, and what makes everything run where there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from dspy import lm15

from programs.lm.extractive.prompt import ReadPrompt, read
from programs.lm.extractive.tasks import solve
from signatures.passages import as_data


def written(prompt: ReadPrompt, values: Mapping[str, Any]) -> str:
    """Write all output fields in the signature's order.

    Field markers inside a value, which come from the inputs, are broken: no sentence of a paper can pose as a field.
    """
    ordered = {field.name: values[field.name] for field in prompt.outputs}
    if prompt.form == "json":
        return as_data(json.dumps(ordered, ensure_ascii=False, indent=2))
    sections = [f"[[ ## {name} ## ]]\n{_chat_value(value)}" for name, value in ordered.items()]
    return "\n\n".join([*sections, "[[ ## completed ## ]]"])


def _chat_value(value: Any) -> str:  # noqa: ANN401 - any JSON-ready value
    if isinstance(value, (dict, list)):
        return as_data(json.dumps(value, ensure_ascii=False))
    return as_data(str(value))


# Pieces of a streamed answer: words with the white space behind them.
_WORDS = re.compile(r"\S*\s+|\S+")


@dataclass(frozen=True)
class _Engine:
    """What both engines share; there is nothing to set."""

    supports_response_schema: ClassVar[bool] = True
    # Sampling parameters are accepted so that optimizers, which vary them, run unchanged; they have no effect.
    supported_params: ClassVar[frozenset[str]] = frozenset(
        {"temperature", "max_tokens", "top_p", "seed", "response_format"}
    )

    def dump_state(self) -> dict[str, Any]:
        """The settings, JSON-ready, for a saved program: none."""
        return {}


class ExtractiveEngine(_Engine):
    """The extractive LM for synchronous calls; see the module."""

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> ExtractiveEngine:
        """Make the engine that ``dump_state`` described."""
        return cls(**state)

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Answer a request.

        Raises:
            UnreadablePrompt: The prompt is not one of ChatAdapter or JSONAdapter.
            UnknownTask: It asks for something that extraction cannot give.
        """
        text = _answer(request)
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(text)]),
            finish_reason="stop",
            usage=_usage(request, text),
        )

    def stream(self, request: lm15.Request) -> Iterator[lm15.StreamEvent]:
        """Answer a request word by word; raises like ``complete``, before the first word."""
        return _events(request)


class AsyncExtractiveEngine(_Engine):
    """The extractive LM for asynchronous calls; there is nothing to wait for, so a call holds the event loop."""

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> AsyncExtractiveEngine:
        """Make the engine that ``dump_state`` described."""
        return cls(**state)

    async def complete(self, request: lm15.Request) -> lm15.Response:
        """Answer a request; raises like ``ExtractiveEngine.complete``."""
        return ExtractiveEngine().complete(request)

    async def stream(self, request: lm15.Request) -> AsyncIterator[lm15.StreamEvent]:
        """Answer a request word by word; raises like ``ExtractiveEngine.stream``."""
        for event in _events(request):
            yield event


def _answer(request: lm15.Request) -> str:
    prompt = read(request)
    return written(prompt, solve(prompt))


def _events(request: lm15.Request) -> Iterator[lm15.StreamEvent]:
    text = _answer(request)
    yield lm15.StreamStartEvent(model=request.model)
    for word in _WORDS.findall(text):
        yield lm15.StreamDeltaEvent(lm15.TextDelta(word))
    yield lm15.StreamEndEvent(finish_reason="stop", usage=_usage(request, text))


def _usage(request: lm15.Request, answer: str) -> lm15.Usage:
    """Words stand for tokens: there is no tokenizer."""
    system = request.system if isinstance(request.system, str) else " ".join(part.text for part in request.system or ())
    asked = [part.text for message in request.messages for part in message.parts]
    return lm15.Usage(
        input_tokens=len(system.split()) + sum(len(text.split()) for text in asked), output_tokens=len(answer.split())
    )
