"""How prompts and answers are laid out for a model: DSPy's adapter, chosen by what the model's server can do.

Where a server samples by a JSON schema, every answer can be read, whatever the model; elsewhere DSPy's chat layout is
asked for, which larger models follow. Compiled states hold instructions and demonstrations by field, so one that was
compiled with either layout runs with both. Where there is no model, the adapter answers by itself: see
``programs.lm.extractive``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import dspy

_TAGS = (
    "s|bos|eos|unk|pad|mask|think|tool_call|tool_response|tools|"  # Llama 2, Mistral, Gemma, Qwen, DeepSeek
    "start_of_turn|end_of_turn|end_of_utterance|start_of_image|"  # Gemma, SmolVLM
    "extra_id_[0-9]+|reserved_[0-9]+"  # T5, Nemotron, Baichuan
)
_BRACKETED = "INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|ARGS|CALL_ID|gMASK"
_WORD = re.compile(
    rf"<[|｜](?=[^<>\s]{{1,60}}>)"  # ChatML, Llama 3, Phi, gpt-oss; DeepSeek with wide bars
    rf"|<(?=/?(?:{_TAGS})>)"
    rf"|<<(?=/?SYS>>)"
    rf"|\[(?=/?(?:{_BRACKETED})\])"
)


def without_template_words(text: str) -> str:
    """The text with a space inside each control word of the common families of models."""
    return _WORD.sub(lambda opening: f"{opening[0]} ", text)


class _Ours:
    """Shows a model plain text; for the LM that stands for none the values are answered, and no prompt is made."""

    def __call__(
        self,
        lm: dspy.LM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        if not is_without_model(lm):
            return super().__call__(lm, lm_kwargs, signature, demos, inputs)  # type: ignore[misc, no-any-return]
        from programs.lm.extractive.tasks import answers

        return [answers(signature, demos, inputs)]

    async def acall(
        self,
        lm: dspy.LM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        if is_without_model(lm):
            return self(lm, lm_kwargs, signature, demos, inputs)
        return await super().acall(lm, lm_kwargs, signature, demos, inputs)  # type: ignore[misc, no-any-return]

    def format(
        self, signature: type[dspy.Signature], demos: list[dict[str, Any]], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        return list(map(_plain, super().format(signature, demos, inputs)))  # type: ignore[misc]  # of what it is mixed into


class ChatAdapter(_Ours, dspy.ChatAdapter):
    """DSPy's chat layout, without control words of chat templates."""


class JSONAdapter(_Ours, dspy.JSONAdapter):
    """DSPy's JSON layout, likewise."""


def _plain(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message["content"]
    return {**message, "content": without_template_words(content) if isinstance(content, str) else content}


def adapter_for(lm: dspy.LM | None) -> dspy.Adapter:
    """The adapter that the user chose, or the one that fits the model; for ``extractive`` always the latter.

    It is always fixed: without one DSPy would answer a parse error with a second, uncounted call.
    """
    if dspy.settings.adapter is not None and not is_without_model(lm):
        return dspy.settings.adapter
    return JSONAdapter() if samples_by_schema(lm) else ChatAdapter(use_json_adapter_fallback=False)


def is_without_model(lm: dspy.LM | None) -> bool:
    """Whether an LM stands for no model, as ``extractive`` does."""
    from programs.lm.extractive import NoModel

    return isinstance(getattr(lm, "engine", None), NoModel)


def samples_by_schema(lm: dspy.LM | None) -> bool:
    """Whether the model's server can be asked to write nothing but what a JSON schema allows."""
    return bool(
        getattr(lm, "samples_by_schema", False) or getattr(getattr(lm, "engine", None), "samples_by_schema", False)
    )
