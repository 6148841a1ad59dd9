"""Keeps every prompt of a step, to show later what the model was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback


@dataclass(frozen=True, slots=True)
class LoggedPrompt:
    """One prompt.

    Attributes:
        outputs: What was asked for, by the names of the fields.
        messages: As the model got them.
    """

    outputs: tuple[str, ...]
    messages: tuple[Mapping[str, Any], ...]

    @property
    def text(self) -> str:
        """The prompt as one text."""
        return "\n\n".join(f"{each['role']}:\n{each['content']}" for each in self.messages)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {"outputs": list(self.outputs), "messages": [dict(each) for each in self.messages]}


@dataclass
class PromptLog(BaseCallback):
    """Hears the prompts of a context, also of threads that carry it."""

    prompts: list[LoggedPrompt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._outputs: dict[str, tuple[str, ...]] = {}
        self._lock = threading.Lock()

    def on_adapter_format_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:  # noqa: ANN401
        """A prompt is being made."""
        with self._lock:
            self._outputs[call_id] = tuple(inputs["signature"].output_fields)

    def on_adapter_format_end(self, call_id: str, outputs: Any | None, exception: Exception | None = None) -> None:  # noqa: ANN401
        """A prompt was made."""
        with self._lock:
            asked_for = self._outputs.pop(call_id, ())
            if isinstance(outputs, list):
                self.prompts.append(LoggedPrompt(asked_for, tuple(outputs)))

    def last(self, output: str) -> str:
        """The last prompt that asked for an output field of this name; empty when there was none."""
        with self._lock:
            return next((each.text for each in reversed(self.prompts) if output in each.outputs), "")

    def lines(self) -> str:
        """All prompts as JSON lines, in the order in which they were made."""
        with self._lock:
            written = [json.dumps(each.as_dict(), ensure_ascii=False) for each in self.prompts]
        return "".join(f"{line}\n" for line in written)


@contextmanager
def logged() -> Iterator[PromptLog]:
    """Hear every prompt that is made inside the block."""
    log = PromptLog()
    with dspy.context(callbacks=[*(dspy.settings.callbacks or []), log]):
        yield log
