"""Size of a language model, by its name: what it reads, and whether its word counts.

ollama/qwen2.5:1.5b        no       openai/qwen at an address of the user's own    no, as nothing says so
ollama/llama3.3:70b        yes      anthropic/claude-sonnet-4-5                     yes, as it is a provider's
"""

from __future__ import annotations

import re
from typing import Any

from programs.lm.adapters import is_without_model

LARGE = 14.0
"""Thousand million parameters from which on a model counts as large."""
_SIZE = re.compile(r"(?<![a-z\d.])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z\d])", re.IGNORECASE)


def is_large(lm: Any) -> bool:  # noqa: ANN401 - a dspy.LM, or none
    """Whether a model is large: by the size in its name, else if a provider serves it under a name without one."""
    name = str(getattr(lm, "model", ""))
    if not name or is_without_model(lm):
        return False
    if size := billions(name):
        return size >= LARGE
    return getattr(lm, "own_address", None) == ""  # asked through its provider


def billions(name: str) -> float:
    """Thousand million parameters, the most that a name says; 0 where it says none."""
    return max((float(each) * int(times or 1) for times, each in _SIZE.findall(name)), default=0.0)
