"""Whether a program knows when not to answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from metrics.optimizer_calls import for_optimizers
from metrics.outcome import is_answerable, outcome
from metrics.score import Score


@for_optimizers
def answerability(example: object, prediction: object) -> Score:
    """1 if the program answered an answerable question or abstained from an unanswerable one, else 0.

    An empty answer, or an abstention with claims, is neither an answer nor an abstention, and always 0.
    """
    found = outcome(prediction)
    if found == "failed":
        return Score.failed()
    answerable = is_answerable(example)
    right = found == ("answered" if answerable else "abstained")
    feedback = f"the question is {'' if answerable else 'un'}answerable, the prediction is {found.replace('_', ' ')}"
    return Score(float(right), "" if right else feedback, status="abstained" if found == "abstained" else "scored")


def answerability_balanced_accuracy(examples: Sequence[object], predictions: Sequence[object]) -> Score:
    """Mean of the shares of answerable questions answered and of unanswerable ones abstained from; failures are wrong.

    Undefined unless both kinds of questions are there: half of it would be a guess.
    """
    right: dict[bool, list[float]] = {True: [], False: []}
    for example, prediction in zip(examples, predictions, strict=True):
        right[is_answerable(example)].append(float(answerability(example, prediction)))
    if not right[True] or not right[False]:
        return Score.not_applicable("needs answerable and unanswerable questions")
    answered, declined = (math.fsum(right[kind]) / len(right[kind]) for kind in (True, False))
    return Score(
        (answered + declined) / 2, f"answered {answered:.0%} of answerable, declined {declined:.0%} of the others"
    )


def over_abstention(examples: Sequence[object], predictions: Sequence[object]) -> Score:
    """Answerable questions that were abstained from / answerable questions; lower is better."""
    declined = [
        outcome(prediction) in ("abstained", "abstained_with_claims")
        for example, prediction in zip(examples, predictions, strict=True)
        if is_answerable(example)
    ]
    if not declined:
        return Score.not_applicable("no question is answerable")
    return Score(sum(declined) / len(declined))


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """How the error grows as more questions are answered, the surest first.

    Attributes:
        aurc: Area under the curve, the mean risk over all coverages, in [0, 1]; lower is better.
        risks: Mean error among the first 1, 2, … n answers.
    """

    aurc: float
    risks: tuple[float, ...]


def risk_coverage(confidences: Sequence[float], values: Sequence[float]) -> RiskCoverage | None:
    """The risk-coverage curve and its area (Geifman and El-Yaniv 2017, arXiv:1705.08500).

    Answers of equal confidence come in no order: each takes the mean error of its group.

    Args:
        confidences: One finite number for each answer; only their order matters.
        values: How good each answer is, in [0, 1]; its error is the rest to 1.

    Returns:
        None without answers.

    Raises:
        ValueError: Lengths differ, or a confidence is NaN, which has no place in an order.
    """
    if len(confidences) != len(values):
        raise ValueError(f"got {len(confidences)} confidences for {len(values)} values")
    if any(math.isnan(confidence) for confidence in confidences):
        raise ValueError("a confidence is NaN; leave out the answers that have none")
    if not values:
        return None
    errors: list[float] = []
    ordered = sorted(zip(confidences, values, strict=True), key=lambda pair: -pair[0])
    for _, tied in groupby(ordered, key=lambda pair: pair[0]):
        group = [1 - value for _, value in tied]
        errors += [math.fsum(group) / len(group)] * len(group)
    risks = tuple(math.fsum(errors[:count]) / count for count in range(1, len(errors) + 1))
    return RiskCoverage(math.fsum(risks) / len(risks), risks)
