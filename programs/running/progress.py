"""What a program is doing, reported step by step to listeners and to the log.

    with listening(print):
        qa(question="…")          # Step(name="retrieve", message="Retrieved 40 initial candidates", facts={…})

A listener hears the steps of the context it was set in, also when these run in threads that carry that context. It may
raise to stop the program at that step: a server does so when its client has hung up.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeAlias

logger = logging.getLogger("programs")


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        name: One word for what is done: "expand", "retrieve", "rerank", "answer", "verify".
        message: The same for people, one line.
        facts: Its numbers and terms, JSON-ready.
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
    """Hear every step that is told inside the block."""
    token = _LISTENERS.set((*_LISTENERS.get(), listener))
    try:
        yield
    finally:
        _LISTENERS.reset(token)
