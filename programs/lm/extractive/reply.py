"""Output values as the text of an answer, in the form that the prompt asks for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from programs.lm.extractive.prompt import Prompt
from signatures.passages import as_data


def written(prompt: Prompt, values: Mapping[str, Any]) -> str:
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
