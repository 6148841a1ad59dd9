"""Text of models without halves of characters, which no file, page or protocol can hold.

A model that escapes its output may write one half of a pair, an escaped D800 without what follows it; Python keeps it
in a string and fails when that is written down, long after.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel

_HALF = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def well_formed(value: Any) -> Any:  # noqa: ANN401 - any output field's value
    """A value in which every lone surrogate of every text is replaced by U+FFFD; other values as they are."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: well_formed(each) for name, each in value})
    if isinstance(value, dict):
        return {well_formed(name): well_formed(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        mended = [well_formed(each) for each in value]
        return type(value)(*mended) if hasattr(value, "_fields") else type(value)(mended)
    return value


def _text(text: str) -> str:
    return text if text.isascii() or not _HALF.search(text) else _HALF.sub(_REPLACEMENT, text)
