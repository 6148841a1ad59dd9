"""Tells on stderr what a program does, step by step, where that was asked for."""

from __future__ import annotations

import sys
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback

_LONGEST = 600


class Narrator(BaseCallback):
    """Prints each step's inputs when it starts and its outputs when it ends; long values are shortened."""

    def __init__(self) -> None:
        self._steps: dict[str, str] = {}

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:  # noqa: ANN401
        """A predictor was asked."""
        if isinstance(instance, dspy.Predict):
            # By what it asks for: a signature that reasons first has lost its own name.
            name = self._steps[call_id] = ", ".join(
                each for each in instance.signature.output_fields if each != "reasoning"
            )
            given = inputs.get("kwargs", inputs)
            self._print(f"\n=== {name}", {key: given[key] for key in instance.signature.input_fields if key in given})

    def on_module_end(self, call_id: str, outputs: Any | None, exception: Exception | None = None) -> None:  # noqa: ANN401
        """A predictor answered."""
        name = self._steps.pop(call_id, None)
        if name is not None:
            self._print(f"--- {name}", {"failed": exception} if exception else dict((outputs or {}).items()))

    @staticmethod
    def _print(title: str, values: dict[str, Any]) -> None:
        lines = [title, *(f"{key}: {_shortened(str(value))}" for key, value in values.items())]
        print("\n".join(lines), file=sys.stderr, flush=True)  # noqa: T201 - this is what it is for


def _shortened(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n...\n{text[-half:]}"
