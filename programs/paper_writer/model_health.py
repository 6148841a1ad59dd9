"""Whether the model still answers, shared by all sections, so that a failure seen in one stops the others."""

from __future__ import annotations

import threading

from dspy.utils import exceptions as provider

from programs.errors import ContextExceeded, LMTimeout, MalformedOutput, OutputTruncated

_OF_ONE_CALL = (
    ContextExceeded,
    LMTimeout,
    MalformedOutput,
    OutputTruncated,
    provider.ContextWindowExceededError,
    provider.LMTimeoutError,
    provider.LMRateLimitError,
)
"""Errors that concern one call only; the next may succeed."""

GONE = "Gathering was stopped: the model stopped answering in another section"


class ModelHealth:
    """One per run, shared by its threads."""

    def __init__(self) -> None:
        self._down = threading.Event()

    @property
    def is_down(self) -> bool:
        """Whether an error was recorded that later calls would meet too."""
        return self._down.is_set()

    def record(self, error: Exception) -> None:
        """Mark the model as down, unless the error concerns one call only, such as a timeout."""
        if not isinstance(error, _OF_ONE_CALL):
            self._down.set()
