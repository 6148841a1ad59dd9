"""How prompts and answers are laid out for a model: DSPy's adapter, chosen by what the model's server can do.

Where a server samples by a JSON schema, every answer can be read, whatever the model; elsewhere DSPy's chat layout is
asked for, which larger models follow. Compiled states hold instructions and demonstrations by field, so one that was
compiled with either layout runs with both. Where there is no model, the adapter answers by itself: see
``programs.lm.extractive``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

import dspy
from dspy.adapters.utils import format_field_value, get_annotation_name, serialize_for_json
from pydantic import BaseModel

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


class EvidenceFirst(_Ours, dspy.JSONAdapter):
    """What a question's steps share comes first, for prefix caches; what each step asks comes last.

        Numbered sentences from papers: …        the same in every step of a question, read once by a server
        question: …
        Which of the numbered sentences …        the signature's instruction
        Answer with a JSON object: numbers (list of int): …

    Inputs are in the order of the signature, so a signature names first what it shares with others. Where the server
    samples by a schema, the schema is sent and not printed. Demonstrations are pairs of messages before the last one.
    """

    def format_system_message(self, signature: type[dspy.Signature]) -> str:
        """The same for all signatures."""
        return "You read sentences from scientific papers and answer with a JSON object."

    def format_user_message_content(
        self,
        signature: type[dspy.Signature],
        inputs: dict[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,
    ) -> str:
        """Inputs in the signature's order, and behind them what is asked."""
        given = [
            f"{name}:\n{format_field_value(info, inputs[name])}"
            for name, info in signature.input_fields.items()
            if name in inputs
        ]
        return "\n\n".join(filter(None, [prefix, *given, _asked(signature), suffix])).strip()

    def format_assistant_message_content(
        self, signature: type[dspy.Signature], outputs: dict[str, Any], missing_field_message: str | None = None
    ) -> str:
        """The outputs of a demonstration, as the model is to write them."""
        values = {name: outputs.get(name, missing_field_message) for name in signature.output_fields}
        return json.dumps(serialize_for_json(values), ensure_ascii=False)


def _asked(signature: type[dspy.Signature]) -> str:
    """The instruction, and the fields of the object that answers it, with their types in words."""
    fields = ", ".join(
        f"{name} ({_kind(info.annotation)}{_described(str((info.json_schema_extra or {}).get('desc', '')))})"
        for name, info in signature.output_fields.items()
    )
    return f"{signature.instructions}\nAnswer with a JSON object: {fields}."


def _kind(annotation: Any) -> str:  # noqa: ANN401 - any type
    """A type in words that hold no content: "list of objects with text (text), evidence (list of numbers)"."""
    parts = get_args(annotation)
    if get_origin(annotation) is Annotated:
        return _kind(parts[0])
    if get_origin(annotation) in (list, tuple, Sequence):
        kind = _kind(parts[0])
        return f"list of {kind.replace('object ', 'objects ', 1) if kind.startswith('object') else f'{kind}s'}"
    if get_origin(annotation) is Literal:
        return "number" if isinstance(parts[0], int) else " or ".join(f'"{each}"' for each in parts)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        named = ", ".join(
            f"{name} ({_kind(each.annotation)}{_described(each.description or '')})"
            for name, each in annotation.model_fields.items()
        )
        return f"object with {named}"
    return _KINDS.get(annotation, get_annotation_name(annotation))


_KINDS: Mapping[Any, str] = {str: "text", bool: "true or false", int: "number", float: "number"}


def _described(description: str) -> str:
    return "" if not description or description.startswith("${") else f": {description}"


def _plain(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message["content"]
    return {**message, "content": without_template_words(content) if isinstance(content, str) else content}


def adapter_for(lm: dspy.LM | None) -> dspy.Adapter:
    """The adapter that the user chose, or the one that fits the model; for ``extractive`` always the latter.

    It is always fixed: without one DSPy would answer a parse error with a second, uncounted call.
    """
    if dspy.settings.adapter is not None and not is_without_model(lm):
        return dspy.settings.adapter
    return EvidenceFirst() if samples_by_schema(lm) else ChatAdapter(use_json_adapter_fallback=False)


def is_without_model(lm: dspy.LM | None) -> bool:
    """Whether an LM stands for no model, as ``extractive`` does."""
    from programs.lm.extractive import NoModel

    return isinstance(getattr(lm, "engine", None), NoModel)


def samples_by_schema(lm: dspy.LM | None) -> bool:
    """Whether the model's server can be asked to write nothing but what a JSON schema allows."""
    return bool(
        getattr(lm, "samples_by_schema", False) or getattr(getattr(lm, "engine", None), "samples_by_schema", False)
    )
