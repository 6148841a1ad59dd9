"""A predictor asked without a model, through the adapter as in our programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dspy

import programs


def asked(signature: type[dspy.Signature], demos: Sequence[Mapping[str, Any]] = (), **inputs: Any) -> dspy.Prediction:
    """What the baseline answers to the values of a signature's inputs."""
    predictor, lm = dspy.Predict(signature), programs.LM("extractive")
    predictor.demos = [dspy.Example(**demo) for demo in demos]
    with dspy.context(lm=lm, adapter=programs.adapter_for(lm)):
        return predictor(**inputs)
