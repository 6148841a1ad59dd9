"""Claims are judged, then metrics count them; and the objective, in the form that DSPy's optimizers ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import dspy

from metrics.catalogue import METRICS
from metrics.judgements import Ledger
from metrics.optimizer_calls import GOOD_ENOUGH
from metrics.relevancy import Embed
from metrics.score import Score
from optimize.dataset.example import Example
from optimize.judging import Unjudged
from optimize.running.generate import Record
from programs.errors import UsageError


@dataclass(frozen=True, slots=True)
class ItemScore:
    """One metric of one prediction; a line of ``scores.jsonl``."""

    candidate: str
    split: str
    id: str
    metric: str
    score: Score

    def as_dict(self) -> dict[str, object]:
        """JSON-ready values."""
        names = {"candidate": self.candidate, "split": self.split, "id": self.id, "metric": self.metric}
        return {**names, **self.score.as_dict()}


def score(
    records: Iterable[Record],
    examples: Mapping[str, Example],
    metrics: Sequence[str],
    ledger: Ledger,
    *,
    embed: Embed | None = None,
    threads: int = 1,
) -> list[ItemScore]:
    """Apply metrics to records.

    Args:
        records: What programs answered.
        examples: Gold data by id, as the questions were posed.
        metrics: Names in ``metrics.catalogue``.
        ledger: Judgements, and the judge of what is not judged yet.
        embed: What metrics that need an embedding model ask.
        threads: Records at a time, for a judge that has to be waited for.

    Returns:
        In the order of the records, then of the metrics.
    """
    measure = partial(_scores, examples=examples, metrics=metrics, ledger=ledger, embed=embed)
    if threads == 1:
        return [each for record in records for each in measure(record)]
    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(copy_context().run, measure, record) for record in records]
        try:
            return [each for finished in running for each in finished.result()]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def measured(
    name: str, example: object, prediction: object, ledger: Ledger | None = None, embed: Embed | None = None
) -> Score:
    """Apply one metric; where the judge has no verdict on a claim of the prediction, the score is a failed one.

    Raises:
        UsageError: The metric needs an embedding model, and none was given.
    """
    metric = METRICS[name]
    more: dict[str, Any] = {"ledger": ledger} if metric.judged else {}
    if metric.embedded:
        if embed is None:
            raise UsageError(f"{name} needs an embedding model")
        more = {"embed": embed}
    try:
        return metric.score(example, prediction, **more)
    except Unjudged as error:
        return Score.failed(str(error), worst=0.0 if metric.higher_is_better else 1.0)


def _scores(
    record: Record,
    examples: Mapping[str, Example],
    metrics: Sequence[str],
    ledger: Ledger,
    embed: Embed | None,
) -> list[ItemScore]:
    return [
        ItemScore(
            record.candidate,
            record.split,
            record.id,
            name,
            measured(name, examples[record.id], record.as_scored, ledger, embed),
        )
        for name in metrics
    ]


GROUNDED_UTILITY = "grounded_utility"


@dataclass(frozen=True, slots=True)
class Objective:
    """A program's first metric, with judgements that are kept.

    Attributes:
        metric: Its name.
        ledger: What the judge said; shared, so that nothing is judged twice.
        threshold: From which score on, in (0, 1], an optimizer may take a run as an example to follow.
    """

    metric: str = GROUNDED_UTILITY
    ledger: Ledger = field(default_factory=Ledger)
    threshold: float = GOOD_ENOUGH

    def __post_init__(self) -> None:
        if METRICS[self.metric].embedded:  # it rewards an echo of the question
            raise UsageError(f"{self.metric} is a diagnostic, no objective; maximise another metric")
        if not 0 < self.threshold <= 1:  # DSPy takes 0 for "no threshold", with which every run is a success
            raise UsageError(f"the threshold lies in (0, 1], got {self.threshold}")

    def __call__(self, example: object, prediction: object, trace: object = None) -> Score:
        """Score one prediction; DSPy passes a trace that is not needed."""
        return measured(self.metric, example, prediction, self.ledger)

    def with_feedback(
        self,
        example: object,
        prediction: object,
        trace: object = None,
        pred_name: str | None = None,
        pred_trace: object = None,
    ) -> dspy.Prediction:
        """Score and feedback: what the claim ledger found wrong, sentence by sentence.

        The feedback is on the whole answer, whichever predictor it is asked for: a passage that was not found and a
        sentence that it does not prove are failures of the steps together.
        """
        return dspy.Prediction(**self(example, prediction).as_fields())
