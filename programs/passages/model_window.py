"""Answering from fewer passages where the model cannot read all of them, and saying so.

How much a model reads is known to its server, which refuses a longer prompt; so passages are halved until it does not.
"""

from __future__ import annotations

from collections.abc import Callable

import dspy
from dspy.utils.exceptions import ContextWindowExceededError

from programs.passages.choice import Limits
from programs.progress import report_step


def within_window(limits: Limits, answering: Callable[[Limits], dspy.Prediction]) -> dspy.Prediction:
    """Answer with as many passages as the model can read.

    Args:
        limits: How much is to be shown.
        answering: Chooses passages within limits, and answers from them.

    Returns:
        The result, with a note where less was shown.

    Raises:
        ContextWindowExceededError: The model cannot read a passage or two.
    """
    fitting = limits
    while True:
        try:
            prediction = answering(fitting)
        except ContextWindowExceededError:
            half = fitting.halved()
            if half is None:
                raise
            report_step(
                "note", f"The passages exceed the model's window; trying {half.context_tokens:,} tokens of them"
            )
            fitting = half
            continue
        if fitting is not limits:
            prediction.notes = [*prediction.notes, _note(fitting, limits)]
        return prediction


def _note(fitting: Limits, limits: Limits) -> str:
    return (
        f"The model read {fitting.context_tokens:,} tokens of passages instead of {limits.context_tokens:,}, as more "
        "exceeds its window. Use a model with a larger one, or ask of fewer papers."
    )
