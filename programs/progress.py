"""What a program is doing: steps reported to listeners and to the log, and a narrator that prints them on stderr.

    with listening(print):
        qa(question="…")          # Step(name="retrieve", message="Retrieved 40 initial candidates", facts={…})

A listener hears the steps of the context it was set in, also when these run in threads that carry that context. It may
raise to stop the program at that step: a server does so when its client has disconnected.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import dspy
from dspy.utils.callback import BaseCallback

logger = logging.getLogger("programs")


@dataclass(frozen=True, slots=True)
class Step:
    """One step; ``facts`` are its numbers and terms, JSON-ready.

    Attributes:
        name: One word for what is done: "expand", "retrieve", "rerank", "answer", "verify".
        message: The same for people, one line.
    """

    name: str
    message: str
    facts: Mapping[str, Any] = field(default_factory=dict)


Listener: TypeAlias = Callable[[Step], None]

_LISTENERS: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())


def report_step(name: str, message: str, **facts: Any) -> None:  # noqa: ANN401 - any JSON-ready value
    """Say what was done or is about to be done; logged at INFO."""
    logger.info(message)
    for listener in _LISTENERS.get():
        listener(Step(name, message, facts))


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Receive every step that is reported inside the block."""
    token = _LISTENERS.set((*_LISTENERS.get(), listener))
    try:
        yield
    finally:
        _LISTENERS.reset(token)


_LONGEST = 600


class Narrator(BaseCallback):
    """Prints on stderr each step's inputs when it starts and its outputs when it ends; long values are shortened."""

    def __init__(self) -> None:
        self._steps: dict[str, str] = {}

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:  # noqa: ANN401
        """Print what a predictor is asked."""
        if isinstance(instance, dspy.Predict):
            # By what it asks for: a signature that reasons first has lost its own name.
            name = self._steps[call_id] = ", ".join(
                each for each in instance.signature.output_fields if each != "reasoning"
            )
            given = inputs.get("kwargs", inputs)
            self._print(f"\n=== {name}", {key: given[key] for key in instance.signature.input_fields if key in given})

    def on_module_end(self, call_id: str, outputs: Any | None, exception: Exception | None = None) -> None:  # noqa: ANN401
        """Print what a predictor answered."""
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
