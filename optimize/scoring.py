"""Claims are judged, then metrics count them; the objective as DSPy's optimizers ask for it; all answers together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import dspy

from metrics.answers import (
    Embed,
    RiskCoverage,
    answerability_balanced_accuracy,
    macro_f1,
    over_abstention,
    risk_coverage,
)
from metrics.catalogue import METRICS
from metrics.judgements import Ledger
from metrics.passages import passages_of, read, resolve
from metrics.score import Cost, Score, cost
from metrics.statements import outcome, statements_of
from metrics.words import question_coverage
from optimize.dataset import Example
from optimize.generate import Record
from optimize.judging import Unjudged
from programs.errors import UsageError
from programs.program import in_threads


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
    """Apply metrics to records, in the order of the records, then of the metrics; in threads if the judge is slow.

    ``examples`` are the gold data by id, as the questions were posed; ``embed`` is for metrics that need it.
    """

    def measure(record: Record) -> list[ItemScore]:
        found = ((name, measured(name, examples[record.id], record.as_scored, ledger, embed)) for name in metrics)
        return [ItemScore(record.candidate, record.split, record.id, name, score) for name, score in found]

    lists = map(measure, records) if threads == 1 else in_threads(measure, records, threads)
    return [each for found in lists for each in found]


def measured(
    name: str, example: object, prediction: object, ledger: Ledger | None = None, embed: Embed | None = None
) -> Score:
    """Apply one metric; where the judge has no verdict on a claim of the prediction, the score is a failed one."""
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


GROUNDED_UTILITY = "grounded_utility"


@dataclass(frozen=True, slots=True)
class Objective:
    """A program's first metric, with judgements that are kept."""

    metric: str = GROUNDED_UTILITY
    ledger: Ledger = field(default_factory=Ledger)

    def __post_init__(self) -> None:
        if METRICS[self.metric].embedded:  # it rewards an echo of the question
            raise UsageError(f"{self.metric} is a diagnostic, no objective; maximise another metric")

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


def evidence_section_distribution(prediction: object) -> dict[str, int]:
    """Number of cited passages in each section, most cited first; "unknown" where a passage names none.

    A passage counts once for every sentence that cites it. Distributions of several predictions add up as Counters.
    """
    passages = passages_of(prediction)
    cited = (
        passage
        for statement in statements_of(prediction)
        for passage in dict.fromkeys(passage for each in statement.cites for passage in resolve(each, passages))
    )
    return dict(Counter(passage.section or "unknown" for passage in cited).most_common())


LOWER_IS_BETTER = frozenset(
    {"over_abstention", "aurc", "latency_p50_ms", "latency_p95_ms", "lm_calls", "tokens", "money"}
)
NAMES = ("macro_f1", "answerability_balanced_accuracy", *sorted(LOWER_IS_BETTER))
"""What ``Aggregates.numbers`` holds."""


@dataclass(frozen=True, slots=True)
class Aggregates:
    """One program on one split. None where it is undefined.

    Attributes:
        macro_f1: Mean F1 of the gold labels.
        answerability_balanced_accuracy: Mean of answerable questions answered and of others abstained from.
        over_abstention: Share of answerable questions that were abstained from; lower is better.
        risk_coverage: How the error, 1 − objective, grows as answers of less confidence are added; see ``confidence``.
        sections: Number of cited passages by kind of section, most cited first.
        cost: Of a question.
    """

    macro_f1: float | None
    answerability_balanced_accuracy: float | None
    over_abstention: float | None
    risk_coverage: RiskCoverage | None
    sections: Mapping[str, int]
    cost: Cost

    def numbers(self) -> dict[str, float | None]:
        """Every single number by name; see NAMES."""
        aurc = self.risk_coverage.aurc if self.risk_coverage else None
        known = {**asdict(self), **asdict(self.cost), "aurc": aurc}
        return {name: known[name] for name in NAMES}


def aggregates(
    examples: Mapping[str, Example], records: Sequence[Record], values: Mapping[str, float | None]
) -> Aggregates:
    """Put together what is said of all answers of one program, with the objective by id, None where it is undefined."""
    gold, predictions = [examples[record.id] for record in records], [record.as_scored for record in records]
    # An abstention has no answer to be sure of.
    sure = [
        (confidence(prediction), value)
        for record, prediction in zip(records, predictions, strict=True)
        if outcome(prediction) == "answered" and (value := values.get(record.id)) is not None
    ]
    spent = [record.prediction.get("metrics", {}) for record in records if record.status == "answered"]
    sections: Counter[str] = Counter()
    for prediction in predictions:
        sections.update(evidence_section_distribution(prediction))
    return Aggregates(
        macro_f1=macro_f1(gold, predictions).value,
        answerability_balanced_accuracy=answerability_balanced_accuracy(gold, predictions).value,
        over_abstention=over_abstention(gold, predictions).value,
        risk_coverage=risk_coverage([each for each, _ in sure], [value for _, value in sure]),
        sections=dict(sections.most_common()),
        cost=cost({"metrics": {**each, "tokens": read(each.get("tokens", {}), "total")}} for each in spent),
    )


def confidence(prediction: object) -> float:
    """How sure an answer is, in [0, 1]: the mean score of its certificates × ``question_coverage``; 0 without any.

    It is proved, and it speaks of what was asked. No model is asked how sure it is: models are poor at telling, and the
    extractive one cannot.
    """
    citations = read(prediction, "citations", ())
    scores = [float(read(each, "score", 0.0)) for each in citations]
    if not scores:
        return 0.0
    said = [str(read(prediction, "answer", "")), *(str(read(each, "quote", "")) for each in citations)]
    covered = question_coverage(str(read(prediction, "question", "")), said)
    return math.fsum(scores) / len(scores) * covered


# Limits that a run has to keep, for CI: ``--fail-under grounded_utility=0.4 --fail-over copy_ratio=0.1``.

_UNBOUNDED = frozenset({"latency_p50_ms", "latency_p95_ms", "lm_calls", "tokens", "money"})


@dataclass(frozen=True, slots=True)
class Limit:
    """The least value of a metric that is good enough, or the most where lower is better, and what was found."""

    metric: str
    value: float
    found: float | None = None

    @property
    def is_floor(self) -> bool:
        """Whether the metric must not fall below it; else it must not rise above it."""
        return _higher_is_better(self.metric)

    @property
    def is_met(self) -> bool:
        """Whether what was found keeps the limit; an undefined value does not."""
        if self.found is None:
            return False
        return self.found >= self.value if self.is_floor else self.found <= self.value

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {**asdict(self), "is_met": self.is_met}

    def __str__(self) -> str:
        found = "undefined" if self.found is None else f"{self.found:,.4g}"
        return f"{self.metric} is {found}, {'at least' if self.is_floor else 'at most'} {self.value:,.4g} is wanted"


def read_limits(fail_under: Iterable[str], fail_over: Iterable[str], measured: Sequence[str]) -> tuple[Limit, ...]:
    """Read limits, ``metric=value``, from the command line; a UsageError says what is wrong with metric or value."""
    options = (("--fail-under", fail_under, True), ("--fail-over", fail_over, False))
    return tuple(_limit(option, text, is_floor, measured) for option, texts, is_floor in options for text in texts)


def check(limits: Iterable[Limit], values: Mapping[str, float | None]) -> list[Limit]:
    """Hold limits against a program's values."""
    return [replace(limit, found=values.get(limit.metric)) for limit in limits]


def _limit(option: str, text: str, is_floor: bool, measured: Sequence[str]) -> Limit:
    metric, equals, number = (part.strip() for part in text.partition("="))
    if not (metric and equals):
        sample = "grounded_utility=0.4" if is_floor else "copy_ratio=0.1"
        raise UsageError(f"{option} {text}: give METRIC=VALUE, such as {option} {sample}")
    known = (*measured, *NAMES)
    if metric not in known:
        more = "; add it by --metric" if metric in METRICS else ""
        raise UsageError(f"{option} {text}: {metric} is not measured here{more}; there are {', '.join(known)}")
    if _higher_is_better(metric) is not is_floor:
        better, other = ("higher", "--fail-under") if not is_floor else ("lower", "--fail-over")
        raise UsageError(f"{option} {text}: {metric} is better when it is {better}; use {other} {text}")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0 and (value <= 1 or metric in _UNBOUNDED)):
        range_ = "0 or more" if metric in _UNBOUNDED else "from 0 to 1"
        raise UsageError(f"{option} {text}: {metric} lies in the range {range_}, got {number!r}")
    return Limit(metric, value)


def _higher_is_better(metric: str) -> bool:
    return METRICS[metric].higher_is_better if metric in METRICS else metric not in LOWER_IS_BETTER
