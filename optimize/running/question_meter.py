"""What one question costs beside time and tokens: answers that were kept by the run, and money.

with metered() as found:
    prediction = program(question="…")
found.of(prediction)          {"cached_calls": 1, "money": 0.0021}
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import dspy

from optimize.running.metering import Gate, Meter


class QuestionMeter:
    """Counts what a question pays for, and hands it on to the run's meter.

    Args:
        meter: The run's.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._calls = 0
        self._money: float | None = 0.0
        self._counting = threading.Lock()

    def begin(self, calls: int, gate: Gate | None) -> None:
        """Count calls that are about to be made, if the run's meter lets them pass."""
        self._meter.begin(calls, gate)
        with self._counting:
            self._calls += calls

    def paid(self, tokens: int, money: float | None) -> None:
        """Count what a call took; one call without a price leaves the question without one."""
        self._meter.paid(tokens, money)
        with self._counting:
            self._money = None if self._money is None or money is None else self._money + money

    def of(self, prediction: Mapping[str, Any]) -> dict[str, Any]:
        """What to add to the ``metrics`` of the question's prediction, JSON-ready."""
        calls = int(prediction.get("metrics", {}).get("lm_calls", 0))
        return {"cached_calls": max(0, calls - self._calls), "money": self._money}


@contextmanager
def metered() -> Iterator[QuestionMeter | None]:
    """Meter the question that is put inside the block; None where calls do not pass the run's meter."""
    meter = dspy.settings.get("meter", None)
    if meter is None or not getattr(dspy.settings.lm, "cache", False):
        yield None
        return
    own = QuestionMeter(meter)
    with dspy.context(meter=own):
        yield own
