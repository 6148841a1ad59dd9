"""Lets a metric be called as DSPy's optimizers call one.

    dspy.BootstrapFewShot(metric=grounded_utility)       (example, prediction, trace): a run is good, or not
    dspy.GEPA(metric=grounded_utility, …)                (example, prediction, trace, pred_name, pred_trace): feedback
    dspy.Evaluate(metric=grounded_utility, …)            (example, prediction): a number, as for MIPROv2 and SIMBA

All else that a metric takes is given by name, since DSPy fills the third to fifth places.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from metrics.score import RunScore, Score

GOOD_ENOUGH = 0.6
"""A run may become a demo from this score on. Supported, cited and complete by half, an answer is worth 0.7; an
abstention from an answerable question 0.2."""

_CALLED_BY_DSPY = ("trace", "pred_name", "pred_trace")


def for_optimizers(metric: Callable[..., Score]) -> Callable[..., Score]:
    """A metric of an example and a prediction that takes, and needs not, what DSPy's optimizers give beside these.

    With a trace, or with a predictor's name, the score is a ``RunScore``: true from ``GOOD_ENOUGH`` on.
    """

    @wraps(metric)
    def called(
        example: object,
        prediction: object,
        trace: object = None,
        pred_name: str | None = None,
        pred_trace: object = None,
        **options: Any,  # noqa: ANN401 - each metric has options of its own
    ) -> Score:
        if not (trace is None or isinstance(trace, list | tuple)):
            raise TypeError(f"the third argument of {metric.__name__} is DSPy's trace; give {trace!r:.80} by its name")
        score = metric(example, prediction, **options)
        of_a_run = trace is not None or pred_name is not None or pred_trace is not None
        return RunScore.of(score, GOOD_ENOUGH) if of_a_run else score

    called.__signature__ = _with_dspys_arguments(inspect.signature(metric))  # type: ignore[attr-defined]
    return called


def _with_dspys_arguments(signature: inspect.Signature) -> inspect.Signature:
    """DSPy's own come third to fifth; GEPA refuses a metric that does not take five."""
    first, second, *own = signature.parameters.values()
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    dspys = [inspect.Parameter(name, kind, default=None) for name in _CALLED_BY_DSPY]
    return signature.replace(parameters=[first, second, *dspys, *own])
