"""How prompts and answers are laid out for a model: DSPy's adapter, chosen by what the model's server can do.

Where a server samples by a JSON schema, every answer can be read, whatever the model; elsewhere DSPy's chat layout is
asked for, which larger models follow. Compiled states hold instructions and demonstrations by field, so one that was
compiled with either layout runs with both.
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


class _Plain:
    def format(
        self, signature: type[dspy.Signature], demos: list[dict[str, Any]], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        return list(map(_plain, super().format(signature, demos, inputs)))  # type: ignore[misc]  # of what it is mixed into


class ChatAdapter(_Plain, dspy.ChatAdapter):
    """DSPy's chat layout, without control words of chat templates."""


class JSONAdapter(_Plain, dspy.JSONAdapter):
    """DSPy's JSON layout, likewise."""


def _plain(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message["content"]
    return {**message, "content": without_template_words(content) if isinstance(content, str) else content}


def layout(lm: dspy.LM | None) -> dspy.Adapter:
    """The adapter that the user chose, or the one that fits the model.

    It is always fixed: without one DSPy would answer a parse error with a second, uncounted call.
    """
    if dspy.settings.adapter is not None:
        return dspy.settings.adapter
    return JSONAdapter() if samples_by_schema(lm) else ChatAdapter(use_json_adapter_fallback=False)


def samples_by_schema(lm: dspy.LM | None) -> bool:
    """Whether the model's server can be told to write nothing but what a JSON schema allows."""
    return bool(
        getattr(lm, "samples_by_schema", False) or getattr(getattr(lm, "engine", None), "samples_by_schema", False)
    )
