"""What is said of all answers of a program together, and of no single one.

aggregates(examples, records, values).numbers()      {"macro_f1": 0.61, "aurc": 0.28, "latency_p95_ms": 840.0, …}
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from metrics.abstention import RiskCoverage, answerability_balanced_accuracy, over_abstention, risk_coverage
from metrics.cost import Cost, cost
from metrics.fields import read
from metrics.labels import macro_f1
from metrics.outcome import outcome, statements_of
from metrics.passages import passages_of, resolve
from metrics.question_coverage import question_coverage
from metrics.score import Score
from optimize.dataset.example import Example
from optimize.running.generate import Record


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

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


def aggregates(
    examples: Mapping[str, Example], records: Sequence[Record], values: Mapping[str, float | None]
) -> Aggregates:
    """Put together what is said of all answers.

    Args:
        examples: Gold data by id.
        records: What one program answered.
        values: The objective by id; None where it is undefined.
    """
    gold = [examples[record.id] for record in records]
    predictions = [record.as_scored for record in records]
    return Aggregates(
        macro_f1=macro_f1(gold, predictions).value,
        answerability_balanced_accuracy=answerability_balanced_accuracy(gold, predictions).value,
        over_abstention=over_abstention(gold, predictions).value,
        risk_coverage=_risk_coverage(records, values),
        sections=_sections(predictions),
        cost=cost_of(records),
    )


def objective_values(scores: Mapping[str, Score]) -> dict[str, float | None]:
    """Values of scores by id."""
    return {each: score.value for each, score in scores.items()}


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


def cost_of(records: Sequence[Record]) -> Cost:
    """Cost by ``metrics.cost``, which counts tokens in one number; failures are left out."""
    answered = [record.prediction.get("metrics", {}) for record in records if record.status == "answered"]
    totals = [{**each, "tokens": read(each.get("tokens", {}), "total")} for each in answered]
    return cost({"metrics": each} for each in totals)


def _risk_coverage(records: Sequence[Record], values: Mapping[str, float | None]) -> RiskCoverage | None:
    """Over the questions that were answered: an abstention has no answer to be sure of."""
    answered = [
        (confidence(record.prediction), value)
        for record in records
        if outcome(record.as_scored) == "answered" and (value := values.get(record.id)) is not None
    ]
    return risk_coverage([each for each, _ in answered], [value for _, value in answered])


def _sections(predictions: Sequence[object]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for prediction in predictions:
        total.update(evidence_section_distribution(prediction))
    return dict(total.most_common())
