"""Size and family of a language model, by its name: what it reads, whose word counts, whose compiled state it takes.

ollama/qwen2.5:1.5b        no       openai/qwen at an address of the user's own    no, as nothing says so
ollama/llama3.3:70b        yes      anthropic/claude-sonnet-4-5                     yes, as it is a provider's
"""

from __future__ import annotations

import re
from typing import Any, Final

from programs.lm.adapters import is_without_model

LARGE = 14.0
"""Thousand million parameters from which on a model counts as large."""
_SIZE = re.compile(r"(?<![a-z\d.])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z\d])", re.IGNORECASE)


def is_large(lm: Any) -> bool:  # noqa: ANN401 - a dspy.LM, or none
    """Whether a model is large: by the size in its name, else if a provider serves it under a name without one."""
    name = str(getattr(lm, "model", ""))
    if not name or is_without_model(lm):
        return False
    if size := _size(name):
        return size >= LARGE
    return getattr(lm, "own_address", None) == ""  # asked through its provider


LIKE: Final = ("the same model", "a model of the same family and size", "a model of the same size")
"""What speaks for a state that was compiled for another model, the best first."""
_SMALL = 4.0
"""Thousand million parameters below which models, at or above which and below ``LARGE`` others, are of one size."""
_FAMILY = re.compile(r"[a-z]+(?:-[a-z]+)*")


def likeness(one: str, other: str) -> str:
    """Which of ``LIKE`` two names of models have in common; empty for none, and for no model and a model."""
    if one == other:
        return LIKE[0]
    if any(each.startswith("extractive") for each in (one, other)):
        return ""
    (family, size), (other_family, other_size) = _kind(one), _kind(other)
    if size != other_size:
        return ""
    if family and family == other_family:
        return LIKE[1]
    return LIKE[2] if size else ""


def _kind(name: str) -> tuple[str, str]:
    """Family and size: "ollama/qwen2.5-coder:1.5b" → ("qwen", "small"); empty where the name does not say."""
    bare = name.rpartition("/")[2].lower()
    family = _FAMILY.match(bare)
    size = _size(bare)
    said = ("small" if size < _SMALL else "medium" if size < LARGE else "large") if size else ""
    return (family[0] if family else ""), said


def _size(name: str) -> float:
    """Thousand million parameters, the most that a name says; 0 where it says none."""
    return max((float(each) * int(times or 1) for times, each in _SIZE.findall(name)), default=0.0)
