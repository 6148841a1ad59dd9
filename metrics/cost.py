"""What answers cost: time, calls, tokens and money."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metrics.fields import read


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost over many questions. None where no prediction says.

    Attributes:
        n_questions: Predictions that were counted.
        n_cached: Those that took a language model's answer from the cache; they are left out of the latencies.
        latency_p50_ms: Median milliseconds a question.
        latency_p95_ms: 95th percentile, nearest rank.
        lm_calls: Mean calls of a language model a question, cached ones included.
        tokens: Mean tokens a question, read and written; kept answers took none, and are left out.
        money: Mean US dollars a question, over those whose price is known; kept answers cost nothing.
    """

    n_questions: int
    n_cached: int
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    lm_calls: float | None
    tokens: float | None
    money: float | None = None


def cost(predictions: Iterable[object]) -> Cost:
    """Add up the ``metrics`` of predictions: ``latency_ms, lm_calls, tokens, cached_calls, money``, as far as known."""
    measured = [read(prediction, "metrics", {}) for prediction in predictions]
    fresh = [each for each in measured if not read(each, "cached_calls", 0)]
    latencies = _numbers(fresh, "latency_ms")
    return Cost(
        n_questions=len(measured),
        n_cached=len(measured) - len(fresh),
        latency_p50_ms=percentile(latencies, 0.50),
        latency_p95_ms=percentile(latencies, 0.95),
        lm_calls=_mean(_numbers(measured, "lm_calls")),
        tokens=_mean(_numbers(fresh, "tokens")),
        money=_mean(_numbers(measured, "money")),
    )


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least this share (in (0, 1]) of the values does not exceed; None without values."""
    if not 0 < share <= 1:
        raise ValueError(f"a percentile's share lies in (0, 1], got {share}")
    return sorted(values)[math.ceil(share * len(values)) - 1] if values else None


def _numbers(measured: Iterable[object], name: str) -> list[float]:
    return [float(value) for each in measured if (value := read(each, name)) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
