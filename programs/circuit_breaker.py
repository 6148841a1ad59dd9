"""Which errors of a language model fail one question, and which end a run: fatal ones, and several in a row."""

from __future__ import annotations

import threading

from dspy.utils.exceptions import (
    LMAuthError,
    LMBillingError,
    LMConfigurationError,
    LMRateLimitError,
    LMServerError,
    LMTransportError,
    LMUnsupportedModelError,
)

from programs.errors import EmbedderUnavailable, LMUnavailable, ModelNotFound, UsageError

FATAL = (
    UsageError,
    ModelNotFound,
    EmbedderUnavailable,
    LMConfigurationError,
    LMAuthError,
    LMBillingError,
    LMUnsupportedModelError,
)
"""Errors, ours and DSPy's, that the next question would meet too: the run stops, and can be resumed later."""

UNAVAILABLE = (LMUnavailable, LMTransportError, LMServerError, LMRateLimitError)
"""Errors that the next question may meet too, after DSPy's retries."""

MOST_IN_A_ROW = 3


class CircuitBreaker:
    """Tells an error of one question from one that ends the run; safe to share between threads.

    A wrong model name or a missing server would fail every question: FATAL. A server that could not run the model, or
    was interrupted, may have failed on this question alone, and one question of 1,000 must not keep the others from
    being answered. When several questions in a row fail like that, the model is gone, and the run ends.
    """

    def __init__(self) -> None:
        self._in_a_row = 0
        self._counting = threading.Lock()
        self._end: Exception | None = None

    def check(self) -> None:
        """Start nothing more once the run has ended; other threads may not have noticed yet.

        Raises:
            UsageError, LMUnavailable …: The error that ended it.
        """
        if self._end is not None:
            raise self._end

    def bear(self, error: Exception) -> None:
        """Treat an error as that of one question.

        Raises:
            UsageError, LMUnavailable …: It is one of FATAL, or of UNAVAILABLE and the MOST_IN_A_ROW-th one in a row.
        """
        if isinstance(error, FATAL):
            self._end = error
            raise error
        if isinstance(error, UNAVAILABLE):
            with self._counting:
                self._in_a_row += 1
                if self._in_a_row >= MOST_IN_A_ROW:
                    self._end = error
                    raise error

    def answered(self) -> None:
        """Record that the model answers: earlier failures were those of single questions."""
        self._in_a_row = 0
