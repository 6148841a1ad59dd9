"""What a metric returns, and how scores are averaged.

    score = citation_f1(example, prediction)
    float(score)         0.5     dspy.Evaluate sums scores, so they add and compare as numbers
    score.passes(0.8)    False   bootstrapping asks for a bool: only with a threshold
    score.feedback       "sentence 3 cites [2], which does not say 15 %"

How DSPy 3.4 takes a metric's return value, and what is therefore handed to it:

- ``Evaluate``, ``COPRO``, ``MIPROv2``: sums. A Score adds to a number.
- ``BootstrapFewShot`` and its relatives: ``score >= metric_threshold`` if there is a threshold above 0, else truth. A
  Score has no truth value and says so, because any object, 0.0 inside or not, would count as success; a ``RunScore``,
  which a metric gives where it is called with a trace, has one.
- ``GEPA``: ``score["feedback"]``, which a ``RunScore`` has.
- ``SIMBA``: takes a ``float``, which a Score therefore is, and a ``dspy.Prediction``; anything else counts as 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

Status: TypeAlias = Literal["scored", "abstained", "not_applicable", "failed"]
"""An item was scored; the program abstained; the metric is undefined for it; there is no readable prediction."""

STATUSES: tuple[Status, ...] = ("scored", "abstained", "not_applicable", "failed")


@dataclass(frozen=True, slots=True)
class Score(float):
    """One item's value of one metric; as a number, its value.

    Attributes:
        value: In [0, 1]; None when undefined, such as the groundedness of an answer without claims.
        feedback: What was wrong, in words that a model can act on; empty when nothing was.
        evidence: What the value rests on, such as the judgements of the claims.
        status: An abstention may have a value (the objective gives one) or none.

    Raises:
        ValueError: The value is outside [0, 1] or NaN, or does not fit the status.
    """

    value: float | None
    feedback: str = ""
    evidence: tuple[Any, ...] = ()
    status: Status = "scored"

    def __new__(cls, value: float | None, *_: object, **__: object) -> Self:
        """The number itself; an undefined score is none, and says so wherever it is added or compared."""
        return float.__new__(cls, math.nan if value is None else value)

    def __post_init__(self) -> None:
        if self.value is not None and not (math.isfinite(self.value) and 0 <= self.value <= 1):
            raise ValueError(f"a score lies in [0, 1], got {self.value}")
        required = {
            "scored": self.value is not None,
            "not_applicable": self.value is None,
            "failed": self.value in (0, 1),
        }
        if not required.get(self.status, True):
            raise ValueError(f"a score with status {self.status!r} cannot have the value {self.value}")

    @classmethod
    def abstained(cls, feedback: str, value: float | None = None) -> Score:
        """The program declined to answer."""
        return cls(value, feedback, status="abstained")

    @classmethod
    def not_applicable(cls, feedback: str) -> Score:
        """The metric is undefined for this item; it counts in no mean."""
        return cls(None, feedback, status="not_applicable")

    @classmethod
    def failed(cls, feedback: str = "there is no readable prediction", worst: float = 0.0) -> Score:
        """There is no readable prediction: it counts as the worst value, 1 where lower is better."""
        return cls(worst, feedback, status="failed")

    def passes(self, threshold: float) -> bool:
        """Whether the value reaches a threshold; an undefined value reaches none."""
        return self.value is not None and self.value >= threshold

    def as_fields(self) -> dict[str, float | str]:
        """Score and feedback as the fields that GEPA and SIMBA read of a ``dspy.Prediction``."""
        return {"score": float(self), "feedback": self.feedback or f"This answer got a score of {float(self):.3f}."}

    def as_dict(self) -> dict[str, Any]:
        """Value, feedback and status as a line of ``scores.jsonl``; the evidence has a file of its own."""
        return {"value": self.value, "status": self.status, "feedback": self.feedback}

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(
                f"an undefined score ({self.status}: {self.feedback}) is not a number; average with "
                "metrics.score.mean, which leaves it out and counts it, or select the examples that it applies to"
            )
        return self.value

    def __bool__(self) -> bool:
        raise TypeError(
            f"a score ({self.value}) is neither true nor false: call passes(threshold), or give the optimizer a "
            "metric_threshold above 0"
        )

    def __add__(self, other: float | Score) -> float:
        return float(self) + float(other)

    __radd__ = __add__

    def __lt__(self, other: float | Score) -> bool:
        return float(self) < float(other)

    def __le__(self, other: float | Score) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: float | Score) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: float | Score) -> bool:
        return float(self) >= float(other)


@dataclass(frozen=True, slots=True, eq=False)
class RunScore(Score):
    """The score of a run that an optimizer looks at: good enough or not, and why.

    Attributes:
        threshold: From which value on the run is good, in (0, 1].
    """

    threshold: float = 1.0

    @classmethod
    def of(cls, score: Score, threshold: float) -> RunScore:
        """The same score, with a threshold."""
        return cls(score.value, score.feedback, score.evidence, score.status, threshold)

    def __bool__(self) -> bool:
        return self.passes(self.threshold)

    def __ge__(self, other: float | Score) -> bool:
        return self.passes(float(other))  # an undefined score makes no demo, and stops no optimizer

    def __getitem__(self, name: str) -> float | str:
        return self.as_fields()[name]


@dataclass(frozen=True, slots=True)
class Mean:
    """The headline of a metric over many items.

    Attributes:
        value: Mean over all defined values, failures counting as the worst; None when no value is defined.
        n_scored: Items with a value of their own, that is, without the failed ones.
        n_total: All items.
        by_status: Number of items of each status.
    """

    value: float | None
    n_scored: int
    n_total: int
    by_status: Mapping[Status, int]

    def __str__(self) -> str:
        """For example ``0.713 (n = 46/48)``."""
        value = "undefined" if self.value is None else f"{self.value:.3f}"
        return f"{value} (n = {self.n_scored}/{self.n_total})"


def mean(scores: Iterable[Score]) -> Mean:
    """Average scores; the order does not matter, and the result is never NaN."""
    items = list(scores)
    values = [score.value for score in items if score.value is not None]
    counts = Counter(score.status for score in items)
    return Mean(
        value=math.fsum(values) / len(values) if values else None,
        n_scored=len(values) - counts["failed"],
        n_total=len(items),
        by_status={status: counts[status] for status in STATUSES},
    )
