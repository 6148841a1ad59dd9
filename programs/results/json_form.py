"""Results as JSON documents."""

from __future__ import annotations

from typing import Any

import dspy


def as_json(prediction: dspy.Prediction) -> dict[str, Any]:
    """A result as one JSON document."""
    return {key: _plain(value) for key, value in prediction.items()}


def _plain(value: Any) -> Any:  # noqa: ANN401 - any field of a result
    if hasattr(value, "as_dict"):
        return _plain(value.as_dict())
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
