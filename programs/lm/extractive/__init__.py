"""The baseline without a model: it answers the values of our signatures with whole sentences of their passages.

    lm = programs.LM("extractive")
    dspy.configure(lm=lm, adapter=programs.adapter_for(lm))     # a program sets the adapter by itself

It has no weights, no network, no state and no randomness, and is what any model has to beat. DSPy wants an LM, so there
is one by name; what answers is the adapter, from the signature, the demonstrations and the inputs: no prompt is written
and no call is made. ``tasks`` is the table of what it answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, Self

from dspy import lm15
from dspy.utils import exceptions as dspy_errors

from programs import errors


class NotAModel(errors.UsageError, dspy_errors.LMConfigurationError):  # DSPy lets its own class through unchanged
    """``extractive`` was given a prompt, which it does not read."""


@dataclass(frozen=True)
class NoModel:
    """The engine of an LM that stands for no model; there is nothing to set, and a call is an error."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Refuse a prompt.

        Raises:
            NotAModel: Always.
        """
        _refuse()

    def stream(self, request: lm15.Request) -> Iterator[lm15.StreamEvent]:
        """Refuse a prompt, likewise."""
        _refuse()

    def dump_state(self) -> dict[str, Any]:
        """The settings, JSON-ready, for a saved program: none."""
        return {}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """Make the engine that ``dump_state`` described."""
        return cls(**state)


class AsyncNoModel(NoModel):
    """The same for asynchronous calls."""

    async def complete(self, request: lm15.Request) -> lm15.Response:
        """Refuse a prompt, likewise."""
        _refuse()


def _refuse() -> NoReturn:
    raise NotAModel(
        "extractive is not a model and reads no prompt; outside of our programs set its adapter too, by "
        "dspy.configure(lm=lm, adapter=programs.adapter_for(lm)), or name a model such as ollama/gpt-oss"
    )
