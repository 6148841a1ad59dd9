"""How prompts and answers are laid out for a model: DSPy's adapter, chosen by what the model's server can do.

Where a server samples by a JSON schema, every answer can be read, whatever the model; elsewhere DSPy's chat layout is
asked for, which larger models follow. Compiled states hold instructions and demonstrations by field, so one that was
compiled with either layout runs with both.
"""

from __future__ import annotations

import dspy


def layout(lm: dspy.LM | None) -> dspy.Adapter:
    """The adapter that the user chose, or the one that fits the model.

    It is always fixed: without one DSPy would answer a parse error with a second, uncounted call.
    """
    if dspy.settings.adapter is not None:
        return dspy.settings.adapter
    return dspy.JSONAdapter() if samples_by_schema(lm) else dspy.ChatAdapter(use_json_adapter_fallback=False)


def samples_by_schema(lm: dspy.LM | None) -> bool:
    """Whether the model's server can be told to write nothing but what a JSON schema allows."""
    return bool(getattr(getattr(lm, "engine", None), "samples_by_schema", False))
