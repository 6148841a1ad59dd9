"""Reading a field of an example, a prediction or a passage, whatever form it comes in.

While a program runs these are objects with attributes; read back from ``predictions.jsonl`` they are dicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def read(item: object, name: str, default: Any = None) -> Any:  # noqa: ANN401 - the caller knows the field's type
    """Read a field of an object or a mapping.

    Args:
        item: A mapping, an object with attributes, or a ``dspy.Example`` or ``dspy.Prediction``, which are asked as
            mappings: as attributes, their own methods would hide fields such as ``labels``.
        name: The field.
        default: Returned when the field is missing or None, which is how JSON writes a missing value.
    """
    if hasattr(item, "keys") and hasattr(item, "__getitem__"):
        value = item[name] if name in item.keys() else None  # noqa: SIM118 - dspy's objects are not full mappings
    else:
        value = getattr(item, name, None)
    return default if value is None else value


def read_texts(item: object, *names: str) -> tuple[str, ...]:
    """Read texts from the first of several fields that has any; a single text counts as one, an empty one as none."""
    for name in names:
        value = read(item, name, ())
        texts: Sequence[Any] = (value,) if isinstance(value, str) else value
        found = tuple(text for text in map(str, texts) if text.strip())
        if found:
            return found
    return ()
