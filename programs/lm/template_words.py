"""Control words of chat templates, taken apart where papers, questions or answers hold them.

Servers put a conversation together with words such as ``<|im_start|>`` or ``[INST]``. One that stands in a paper would
end the user's part of it and begin another, "system" or "assistant". With a space inside it is text like any other, and
a quote that holds it is still found in the paper, since quotes are compared without white space.
"""

from __future__ import annotations

import re

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
