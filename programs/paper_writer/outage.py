"""Whether the model is gone, so that no section waits for it in vain after another has found out."""

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
"""Errors that say nothing of the next call."""

GONE = "Gathering was stopped: the model stopped answering in another section"


class Outage:
    """One a run, heard of by all of its threads."""

    def __init__(self) -> None:
        self._began = threading.Event()

    @property
    def began(self) -> bool:
        """Whether the model is gone."""
        return self._began.is_set()

    def hear(self, error: Exception) -> None:
        """Take note of a model's error."""
        if not isinstance(error, _OF_ONE_CALL):
            self._began.set()
