"""Limits that a run has to keep, for CI: ``--fail-under grounded_utility=0.4 --fail-over copy_ratio=0.1``.

A limit is on a metric's mean, or on one of the numbers in ``measuring.aggregates``. It is read before anything runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from metrics.catalogue import METRICS
from optimize.measuring.scoring import LOWER_IS_BETTER, NAMES
from programs.errors import UsageError

_UNBOUNDED = frozenset({"latency_p50_ms", "latency_p95_ms", "lm_calls", "tokens", "money"})


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit.

    Attributes:
        metric: Its name.
        value: The least that is good enough, or the most where lower is better.
    """

    metric: str
    value: float

    @property
    def is_floor(self) -> bool:
        """Whether the metric must not fall below it; else it must not rise above it."""
        return _higher_is_better(self.metric)

    def holds(self, found: float | None) -> bool:
        """Whether a value keeps the limit; an undefined one does not."""
        if found is None:
            return False
        return found >= self.value if self.is_floor else found <= self.value


@dataclass(frozen=True, slots=True)
class Checked:
    """A limit and what was found; None where the metric is undefined."""

    limit: Limit
    found: float | None

    @property
    def is_met(self) -> bool:
        """Whether the limit is kept."""
        return self.limit.holds(self.found)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {**asdict(self.limit), "found": self.found, "is_met": self.is_met}

    def __str__(self) -> str:
        if self.found is None:
            return f"{self.limit.metric} is undefined, {self._wanted}"
        return f"{self.limit.metric} is {_shown(self.found)}, {self._wanted}"

    @property
    def _wanted(self) -> str:
        return f"{'at least' if self.limit.is_floor else 'at most'} {_shown(self.limit.value)} is wanted"


def read_limits(fail_under: Iterable[str], fail_over: Iterable[str], measured: Sequence[str]) -> tuple[Limit, ...]:
    """Read limits from the command line.

    Args:
        fail_under: ``metric=value``, where higher is better.
        fail_over: The same, where lower is better.
        measured: Metrics that the run will have, beside the aggregates.

    Raises:
        UsageError: A metric is unknown, not measured or better in the other direction, or a value is not a number, or
            one that the metric never has.
    """
    options = (("--fail-under", fail_under, True), ("--fail-over", fail_over, False))
    return tuple(_limit(option, text, is_floor, measured) for option, texts, is_floor in options for text in texts)


def check(limits: Iterable[Limit], values: Mapping[str, float | None]) -> list[Checked]:
    """Hold limits against a program's values."""
    return [Checked(limit, values.get(limit.metric)) for limit in limits]


def _limit(option: str, text: str, is_floor: bool, measured: Sequence[str]) -> Limit:
    metric, equals, number = (part.strip() for part in text.partition("="))
    if not (metric and equals):
        raise UsageError(f"{option} {text}: give METRIC=VALUE, such as {option} {_sample(is_floor)}")
    known = (*measured, *NAMES)
    if metric not in known:
        more = "; add it by --metric" if metric in METRICS else ""
        raise UsageError(f"{option} {text}: {metric} is not measured here{more}; there are {', '.join(known)}")
    if _higher_is_better(metric) is not is_floor:
        better, other = ("higher", "--fail-under") if not is_floor else ("lower", "--fail-over")
        raise UsageError(f"{option} {text}: {metric} is better when it is {better}; use {other} {text}")
    return Limit(metric, _value(option, text, number, metric))


def _value(option: str, text: str, number: str, metric: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0 and (value <= 1 or metric in _UNBOUNDED)):
        range_ = "0 or more" if metric in _UNBOUNDED else "from 0 to 1"
        raise UsageError(f"{option} {text}: {metric} lies in the range {range_}, got {number!r}")
    return value


def _higher_is_better(metric: str) -> bool:
    return METRICS[metric].higher_is_better if metric in METRICS else metric not in LOWER_IS_BETTER


def _sample(is_floor: bool) -> str:
    return "grounded_utility=0.4" if is_floor else "copy_ratio=0.1"


def _shown(value: float) -> str:
    return f"{value:,.4g}"
