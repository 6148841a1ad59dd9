"""What the extractive LM refuses, as errors of our own tree.

Each is also the DSPy class that DSPy lets through unchanged and does not call again: the same prompt would fail the
same way. See ``programs.lm.ollama_errors`` for why an error is two things.
"""

from __future__ import annotations

from dspy.utils import exceptions as dspy_errors

from programs import errors


class UnreadablePrompt(errors.LMError, dspy_errors.LMInvalidRequestError):
    """The prompt is not laid out as ChatAdapter or JSONAdapter lay it out."""


class UnknownTask(errors.LMError, dspy_errors.LMUnsupportedFeatureError):
    """The prompt asks for something that cannot be had by extraction from its inputs."""
