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

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from statistics import fmean
from typing import Any, Literal, Self, TypeAlias

from metrics.passages import read
from metrics.statements import outcome

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
        """Value, feedback and status as a line of ``scores.jsonl``; the evidence has its own file."""
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


class Unscored(Exception):
    """Why a metric has nothing to compute, as its score; ``for_optimizers`` makes a metric return it."""

    def __init__(self, score: Score) -> None:
        super().__init__(score.feedback)
        self.score = score


def needs_answer(prediction: object, missed: str = "", worst: float = 0.0) -> None:
    """Let only predictions with an answer pass.

    Args:
        prediction: Of a program.
        missed: What an abstention has missed, which is then worth 0, not undefined.
        worst: The value of a prediction that cannot be read.

    Raises:
        Unscored: It is an abstention, or there is no readable prediction.
    """
    found = outcome(prediction)
    if found == "failed":
        raise Unscored(Score.failed(worst=worst))
    if found == "abstained":
        said = "the program abstained"
        raise Unscored(Score.abstained(f"{said}, {missed}", value=0.0) if missed else Score.abstained(said))


@dataclass(frozen=True, slots=True)
class Mean:
    """The headline of a metric over many items.

    Attributes:
        value: Mean over all defined values, failures counting as the worst; None when no value is defined.
        n_scored: Items with their own value, that is, without the failed ones.
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
        value=fmean(values) if values else None,
        n_scored=len(values) - counts["failed"],
        n_total=len(items),
        by_status={status: counts[status] for status in STATUSES},
    )


GOOD_ENOUGH = 0.6
"""A run may become a demo from this score on. Supported, cited and complete by half, an answer is worth 0.7; an
abstention from an answerable question 0.2."""

_CALLED_BY_DSPY = ("trace", "pred_name", "pred_trace")


def for_optimizers(metric: Callable[..., Score]) -> Callable[..., Score]:
    """A metric of an example and a prediction that takes, and needs not, what DSPy's optimizers give beside these.

        dspy.BootstrapFewShot(metric=grounded_utility)     (example, prediction, trace): a run is good, or not
        dspy.GEPA(metric=grounded_utility, …)              (example, prediction, trace, pred_name, pred_trace)
        dspy.Evaluate(metric=grounded_utility, …)          (example, prediction): a number, as for MIPROv2 and SIMBA

    All else that a metric takes is given by name, since DSPy fills the third to fifth places.

    With a trace, or with a predictor's name, the score is a ``RunScore``: true from ``GOOD_ENOUGH`` on.
    """

    @wraps(metric)
    def called(
        example: object,
        prediction: object,
        trace: object = None,
        pred_name: str | None = None,
        pred_trace: object = None,
        **options: Any,  # noqa: ANN401 - each metric has its own options
    ) -> Score:
        if not (trace is None or isinstance(trace, list | tuple)):
            raise TypeError(f"the third argument of {metric.__name__} is DSPy's trace; give {trace!r:.80} by its name")
        try:
            score = metric(example, prediction, **options)
        except Unscored as early:
            score = early.score
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
    latencies = sorted(_numbers(fresh, "latency_ms"))
    means = {name: _numbers(fresh if name == "tokens" else measured, name) for name in ("lm_calls", "tokens", "money")}
    return Cost(
        n_questions=len(measured),
        n_cached=len(measured) - len(fresh),
        latency_p50_ms=_nearest_rank(latencies, 0.50),
        latency_p95_ms=_nearest_rank(latencies, 0.95),
        **{name: fmean(known) if known else None for name, known in means.items()},
    )


def _nearest_rank(ordered: Sequence[float], share: float) -> float | None:
    """The smallest value that at least this share of them does not exceed."""
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else None


def _numbers(measured: Iterable[object], name: str) -> list[float]:
    return [float(value) for each in measured if (value := read(each, name)) is not None]
